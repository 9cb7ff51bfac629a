"""`conditional_test`: what each feature says about y that the others do not say."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from inforest._engine.arrays import Floats
from inforest._engine.progress import Progress
from inforest._engine.responses import TASK_NAMES, find_response_type
from inforest._engine.seeds import root_entropy
from inforest._engine.training_set import make_training_set
from inforest._engine.words import names_of_features
from inforest.conditional.probe import probe
from inforest.conditional.questions import find_units, make_questions
from inforest.conditional.result import ConditionalResult
from inforest.conditional.trial import GUARD, Asked, Trial
from inforest.independence.adjustment import ADJUSTERS

#: Share of its variance from which on a feature is a copy of the others.
COPY = 0.95


def conditional_test(
    X: ArrayLike,
    y: ArrayLike,
    *,
    features: Sequence[Any] | None = None,
    feature_groups: Mapping[str, Sequence[Any]] | None = None,
    given: Sequence[Any] | None = None,
    alpha: float = 0.1,
    adjust: str | None = "fdr_bh",
    task: str = "auto",
    n_estimators: int = 100,
    n_folds: int = 2,
    n_repeats: int = 2,
    n_draws: int = 16,
    n_copies: int = 0,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ConditionalResult:
    """Test whether each feature says something about y that the others do not say.

    `independence_test` asks whether a feature goes along with y at all; then every proxy of an
    important feature is found, too. Here the question is what a feature adds: the null hypothesis
    is that y does not depend on it once all other features are known.

    Rows are split into folds. A forest that is grown on the others folds predicts the rows of one,
    with their own value of feature j and on average over values drawn from its distribution given
    the other features. If the difference goes along with what y has beyond that average, feature j
    says something. What sums of curves of the other features explain of both is taken off before,
    so that either a good model of the feature or a good model of y is enough. A feature whose
    p-value is at most `alpha` is looked at once more: forests, each on what the one before left,
    take off what they explain of both, and the feature keeps the largest of its p-values. If the
    fourth of them still finds something in both, the feature is refused.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, categories, missing values, as in `rank_features`. At least 50 rows.
    y : array-like
        Class labels, numbers, or what else the library has a forest for.
    features : sequence of int or str, or None, default=None
        The features to test; the others are conditioned on all the same. None tests all.
    feature_groups : mapping from str to sequence of int or str, or None, default=None
        Features to test together, by the name of the group: a one-hot block, a pathway, copies of
        each other. The question is then whether any of them says something beyond the rest.
    given : sequence of int or str, or None, default=None
        Condition on these features only, not on all others: one forest for each tested feature.
    alpha : float, default=0.1
        The error rate that the selected features are to keep.
    adjust : {"fdr_bh", "fdr_by", "bonferroni", "holm", "sidak"} or None, default="fdr_bh"
        What `alpha` means: the expected share of wrong features among the selected ones ("fdr_bh",
        "fdr_by"), the chance that any is wrong ("bonferroni", "holm", "sidak"), or the chance of
        each by itself (None). "fdr_bh" holds for independent or positively dependent p-values.
    task : str, default="auto"
        As in `independence_test`.
    n_estimators : int, default=100
        Trees of each forest.
    n_folds : int, default=2
        Parts that the rows are split into.
    n_repeats : int, default=2
        Random splits; the statistics are averaged, so that the result depends less on chance. Two
        or more find more than one, whose statistic is divided by 1.41: its folds are not
        independent of each other.
    n_draws : int, default=16
        Values drawn for each row and feature, half of them for each of the two differences.
    n_copies : int, default=0
        Copies of features to test beside them, which say nothing by construction but depend on the
        other features as the originals do: `copies` of the result has their p-values, of which 5 %
        should be at most 0.05. Takes about as long as the test itself once more.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group (a subject) are in the same fold, and count as one observation.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    random_state : int, RandomState instance or None, default=None
        Seeds splits, forests and draws.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar.

    Returns
    -------
    result : ConditionalResult
        `statistic`, `p_value`, `adjusted_p_value`, `explained`, `verdict` and `selected` of each
        feature, `conclusion` in words, `to_frame()` and `plot()`.

    See Also
    --------
    independence_test : Tests each feature by itself.
    rank_features : In what order, without an error rate.

    Notes
    -----
    What holds, and what was measured, is in docs/conditional.md. The p-values are those of a normal
    limit: they rest on the models of the features given each other or on those of y being right
    enough, not on an exact argument as those of `independence_test` do.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import conditional_test
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=400)
    >>> proxy = cause + rng.normal(size=400)          # says nothing that the cause does not say
    >>> X = np.column_stack([cause, proxy, rng.normal(size=(400, 3))])
    >>> y = np.sin(2 * cause) + 0.5 * rng.normal(size=400)
    >>> result = conditional_test(X, y, feature_names=["cause", "proxy", "a", "b", "c"],
    ...                           random_state=0)
    >>> result.feature_names[result.selected].tolist()
    ['cause']

    """
    params = dict(locals())
    _check_options(alpha, adjust, task, n_folds, n_repeats, n_draws, n_estimators, n_copies)
    return run_conditional(BaseEstimator(), params.pop("X"), params.pop("y"), **params)


def run_conditional(
    holder: Any,
    X: Any,
    y: Any,
    *,
    alpha: float,
    adjust: str | None,
    task: str,
    n_estimators: int,
    n_folds: int,
    n_repeats: int,
    n_draws: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
    features: Sequence[Any] | None = None,
    feature_groups: Mapping[str, Sequence[Any]] | None = None,
    given: Sequence[Any] | None = None,
    n_copies: int = 0,
    groups: Any = None,
    feature_names: Sequence[str] | None = None,
) -> ConditionalResult:
    """Test with parameters that were checked; `holder` is told the columns' names."""
    kind = find_response_type(task, None, y)
    data = make_training_set(
        holder, X, y, None, kind, groups=groups, called="conditional_test",
        categorical_features="from_dtype", missing="incorporate",
    )  # fmt: skip
    names = names_of_features(holder, feature_names)
    units, unit_names = find_units(features, feature_groups, names)
    questions = make_questions(units, given, names)
    # A stream of its own: X may come from default_rng of the same number.
    rng = np.random.default_rng(np.random.SeedSequence(root_entropy(random_state)).spawn(1)[0])
    trial = Trial(data, n_estimators, n_folds, n_repeats, n_draws, n_jobs)
    trial.check()
    steps = 2 * n_repeats * n_folds * (len(questions) + (n_copies > 0))
    with Progress(steps, "forests") if verbose else nullcontext() as progress:
        done = progress.advance if progress else (lambda _: None)
        asked = [trial.ask(question, rng, done) for question in questions]
        # Streams of their own, so that the features' p-values are the same with and without.
        apart = rng.spawn(1)[0]
        copies = probe(trial, n_copies, apart, done) if n_copies else None
    statistic, explained = np.zeros(len(units)), np.full(len(units), np.nan)
    is_used = np.zeros(len(units), dtype=bool)
    place: dict[int, tuple[Asked, int]] = {}
    for found in asked:
        numbers = found.question.numbers
        statistic[numbers] = trial.statistics(found)
        explained[numbers], is_used[numbers] = found.explained, found.used
        place |= {number: (found, i) for i, number in enumerate(numbers)}
    is_copy = explained >= COPY
    p_value = np.where(is_copy, 1.0, trial.p_values(statistic))
    first = _adjusted(p_value, adjust) <= alpha
    guard = np.full(len(units), np.nan)
    # Those that would be selected are among these; the others' p-values would only grow.
    for number in np.flatnonzero(p_value <= alpha):
        again, guard[number] = trial.second_look(*place[int(number)], rng=rng)
        if again < statistic[number]:
            statistic[number] = again
            p_value[number] = trial.p_values(statistic[[number]])[0]
    fails = guard < GUARD
    p_value[fails] = 1.0
    adjusted = _adjusted(p_value, adjust)
    verdict = np.full(len(units), "not selected", dtype=object)
    verdict[~is_used] = "not used"
    verdict[first] = "doubtful"
    verdict[adjusted <= alpha] = "selected"
    verdict[fails] = "models fail"
    verdict[is_copy] = "not testable"
    return ConditionalResult(
        feature_names=np.array(unit_names, dtype=object),
        statistic=statistic,
        p_value=p_value,
        adjusted_p_value=adjusted,
        explained=explained,
        guard=guard,
        verdict=verdict,
        adjust=adjust,
        alpha=float(alpha),
        n_samples=len(data.y),
        copies=copies,
    )


def _adjusted(p_value: Floats, adjust: str | None) -> Floats:
    return p_value.copy() if adjust is None else ADJUSTERS[adjust](p_value)


def _check_options(
    alpha: Any,
    adjust: Any,
    task: Any,
    n_folds: Any,
    n_repeats: Any,
    n_draws: Any,
    n_estimators: Any,
    n_copies: Any,
) -> None:
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        raise ValueError(f"alpha must be between 0 and 1; got {alpha!r}")
    if adjust is not None and (not isinstance(adjust, str) or adjust not in ADJUSTERS):
        raise ValueError(f"adjust must be one of {sorted(ADJUSTERS)} or None; got {adjust!r}")
    if not isinstance(task, str) or task not in TASK_NAMES:
        raise ValueError(f"task must be one of {sorted(TASK_NAMES)}; got {task!r}")
    for name, value, least in [
        ("n_folds", n_folds, 2),
        ("n_repeats", n_repeats, 1),
        ("n_draws", n_draws, 2),
        ("n_estimators", n_estimators, 1),
        ("n_copies", n_copies, 0),
    ]:
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} must be a whole number, at least {least}; got {value!r}")
