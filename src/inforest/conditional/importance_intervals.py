"""`importance_intervals`: how much worse forests predict without each feature."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from inforest._engine.arrays import Floats
from inforest._engine.progress import Progress
from inforest._engine.responses import TASK_NAMES, find_response_type
from inforest._engine.seeds import root_entropy
from inforest._engine.training_set import make_training_set
from inforest._engine.words import names_of_features
from inforest.conditional.importance_result import ImportanceResult
from inforest.conditional.questions import Question, find_units
from inforest.conditional.trial import Trial


def importance_intervals(
    X: ArrayLike,
    y: ArrayLike,
    *,
    features: Sequence[Any] | None = None,
    feature_groups: Mapping[str, Sequence[Any]] | None = None,
    level: float = 0.9,
    task: str = "auto",
    n_estimators: int = 100,
    n_folds: int = 5,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ImportanceResult:
    """Say how much worse forests predict without each feature, with confidence intervals.

    Rows are split into folds. The rows of one are predicted by two forests, grown on the others:
    of all features, and of all but one (each node looks at all of them: ``max_features=None``). The
    mean difference of the squared errors, as a share of the variance of y, is the importance
    (after Williamson, Gilbert, Simon, Carone 2023). The rows' differences give its standard error,
    made larger by what forests that share rows have in common (Nadeau, Bengio 2003).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, categories, missing values, as in `rank_features`. At least 50 rows.
    y : array-like
        Class labels, numbers, or what else the library has a forest for.
    features : sequence of int or str, or None, default=None
        The features to leave out, one at a time: `n_folds` forests for each of them. None takes
        all, which takes long for many.
    feature_groups : mapping from str to sequence of int or str, or None, default=None
        Features to leave out together, by the name of the group.
    level : float, default=0.9
        Confidence of each interval by itself.
    task : str, default="auto"
        As in `independence_test`.
    n_estimators : int, default=100
        Trees of each forest.
    n_folds : int, default=5
        Parts that the rows are split into.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group (a subject) are in the same fold, and count as one observation.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    random_state : int, RandomState instance or None, default=None
        Seeds splits and forests.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar.

    Returns
    -------
    result : ImportanceResult
        `importance`, `low`, `high` and `standard_error` of each feature, `to_frame()`.

    See Also
    --------
    conditional_test : Whether a feature says anything beyond the others.

    Notes
    -----
    The intervals are for what forests lose that are grown on as many rows as these, not for what
    the best model there is would lose: that is larger where forests have not learned all. Nor do
    they tell whether a feature says anything: forests may lose or gain a little without a feature
    that says nothing, and where both forests predict alike the standard error is next to 0.
    docs/conditional.md has how often they held what they are to hold.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import importance_intervals
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = 2 * X[:, 0] + X[:, 1] + rng.normal(size=300)
    >>> result = importance_intervals(X, y, features=[0, 1], n_estimators=30, random_state=0)
    >>> bool((result.low > 0).all())
    True

    """
    _check_options(level, task, n_estimators, n_folds)
    holder = BaseEstimator()
    data = make_training_set(
        holder, X, y, None, find_response_type(task, None, y), groups=groups,
        called="importance_intervals", categorical_features="from_dtype", missing="incorporate",
    )  # fmt: skip
    names = names_of_features(holder, feature_names)
    units, unit_names = find_units(features, feature_groups, names)
    trial = Trial(data, n_estimators, n_folds, 1, 0, n_jobs)
    trial.check("importance_intervals")
    # A stream of its own: X may come from default_rng of the same number.
    rng = np.random.default_rng(np.random.SeedSequence(root_entropy(random_state)).spawn(1)[0])
    everything = np.arange(len(names))
    errors = np.empty((len(data.y), 1 + len(units)))
    total = n_folds * errors.shape[1]
    with Progress(total, "forests") if verbose else nullcontext() as progress:
        for train, test in trial.parts(int(rng.integers(2**31))):
            seed = int(rng.integers(2**31))
            for k, left_out in enumerate([everything[:0], *units]):
                seen = np.setdiff1d(everything, left_out)
                errors[test, k] = _squared_errors(trial, seen, train, test, seed)
                if progress:
                    progress.advance(1)
    importance, standard_error = _share(trial, errors[:, 1:] - errors[:, [0]])
    return ImportanceResult(
        feature_names=np.array(unit_names, dtype=object),
        importance=importance,
        standard_error=standard_error,
        level=float(level),
        n_samples=len(data.y),
        n_observations=trial.n_units_of_chance,
    )


def _squared_errors(
    trial: Trial, seen: NDArray[np.intp], train: NDArray[np.intp], test: NDArray[np.intp], seed: int
) -> Floats:
    """Return those of rows that a forest of some columns has not seen."""
    outcome = trial.outcome
    predicted: Floats = outcome[train].mean(axis=0, keepdims=True)
    if len(seen):
        X = np.asfortranarray(trial.data.X[:, seen])
        # Every node looks at all features: offered only some of them, the forests would gain by
        # losing one that says nothing, since the others would be offered more often.
        trees = trial.grow(X, train, Question(seen, [], []), seed, max_features=None)
        predicted = trees.predict(np.asfortranarray(X[test]), trial.n_jobs)[:, -outcome.shape[1] :]
    errors: Floats = np.square(outcome[test] - predicted).sum(axis=1)
    return errors


def _share(trial: Trial, lost: Floats) -> tuple[Floats, Floats]:
    """Return what is lost as a share of the variance of y, and the standard error of that.

    The variance of y is estimated from the same rows: the error of the ratio is that of
    ``lost - share * variance``, row by row. Forests of K folds learn from nearly the same rows, so
    what one has learned by chance the others have, too: the variance of a mean over rows that are
    independent is multiplied by ``1 + K / (K - 1)`` (Nadeau and Bengio 2003).
    """
    outcome = trial.outcome
    around = np.square(outcome - outcome.mean(axis=0)).sum(axis=1)
    share = lost.mean(axis=0) / around.mean()
    deviation = (lost - around[:, None] * share) / around.mean()
    groups = trial.data.design.groups
    if groups is not None:  # rows of one group are one observation
        sums = np.zeros((trial.n_units_of_chance, deviation.shape[1]))
        np.add.at(sums, groups, deviation)
        deviation = sums
    factor = len(deviation) * (1 + trial.n_folds / (trial.n_folds - 1))
    return share, np.sqrt(factor) * deviation.std(axis=0, ddof=1) / len(lost)


def _check_options(level: Any, task: Any, n_estimators: Any, n_folds: Any) -> None:
    if not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ValueError(f"level must be between 0 and 1; got {level!r}")
    if not isinstance(task, str) or task not in TASK_NAMES:
        raise ValueError(f"task must be one of {sorted(TASK_NAMES)}; got {task!r}")
    for name, value, least in [("n_estimators", n_estimators, 1), ("n_folds", n_folds, 2)]:
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} must be a whole number, at least {least}; got {value!r}")
