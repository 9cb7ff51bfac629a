"""Which features are associated with the response? One test per feature, judged together."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from inforest._engine.arrays import Floats
from inforest._engine.cost import warn_of_draws
from inforest._engine.features import TABLE_CONSTRAINTS
from inforest._engine.patience import Patience
from inforest._engine.responses import find_response_type
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest._engine.sklearn_private import validate_parameter_constraints
from inforest._engine.training_set import TrainingSet, make_training_set
from inforest._engine.words import check_names
from inforest.independence.adjustment import WESTFALL_YOUNG, adjust_p_values, step_down
from inforest.independence.asymptotic import asymptotic_p_values, asymptotic_p_values_of_parts
from inforest.independence.exact import exact_p_values
from inforest.independence.options import (
    CONSTRAINTS,
    Level,
    check_blocks,
    check_contradictions,
    find_level,
    find_selectors,
    tested_rows,
)
from inforest.independence.parts import Parts, find_parts
from inforest.independence.permutation import (
    Counts,
    TailScores,
    Tally,
    stopped,
    tail_scores,
    tally,
)
from inforest.independence.result import IndependenceResult


def independence_test(
    X: ArrayLike,
    y: ArrayLike,
    *,
    selector: str | list[str] | tuple[str, ...] | None = None,
    task: str = "auto",
    method: str = "permutation",
    n_resamples: str | int = "auto",
    alpha: float = 0.05,
    adjust: str | None = None,
    early_stopping: str | None = None,
    early_stopping_confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    categorical_features: Any = "from_dtype",
    missing: str = "incorporate",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> IndependenceResult:
    """Test each feature's independence of the response.

    The null hypothesis: the responses are exchangeable given the features, so that every
    permutation of y is as likely as the one seen. The p-value of a Monte Carlo test is
    ``(1 + exceedances) / (1 + n_draws)``, ties counted as exceedances: valid at any number of
    draws. All features share each permutation.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Any table: numbers, categories, dates. A sparse matrix is read some columns at a time; what
        it does not store is 0, not missing. A constant feature gets the statistic 0 and the
        p-value 1.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    selector : str, list of str or None, default=None
        The statistic. Classification: "mc" (correlation ratio), "mi" (mutual information), "rdc"
        (randomized dependence coefficient), "quad" (correlation ratios of x and of x^2 beyond x).
        Regression: "pc" (absolute Pearson correlation), "dc" (distance correlation), "rdc", "quad"
        (multiple correlation with x and x^2). A list means the largest of several on a common
        scale, taken anew in every permutation. None takes "mc" or "pc".
    task : {"auto", "classification", "regression"}, default="auto"
        "auto": what the selector is for; where it serves both, regression if y holds fractions or
        more than 20 distinct numbers.
    method : {"permutation", "asymptotic", "exact"}, default="permutation"
        "asymptotic": the chi-square limit of the permutation distribution, for "mc" and "pc".
        "exact": all permutations: two classes with few distinct values in the feature, or a small
        number of samples.
    n_resamples : "auto" or int, default="auto"
        Permutations per feature. "auto": what the level of a single test asks for, at least 999.
        With "bonferroni", "holm", "sidak" and the "fdr" adjustments that level is alpha divided by
        the number of features, so that many features need very many permutations;
        "westfall-young" does not.
    alpha : float, default=0.05
        The level that `rejected` uses, "auto" aims at and early stopping decides on.
    adjust : str or None, default=None
        How p-values are adjusted for the number of features: None, "bonferroni", "holm", "sidak",
        "westfall-young" (family-wise error), "fdr_bh", "fdr_by" (false discovery rate). "sidak"
        and "fdr_bh" hold for independent or positively dependent (PRDS) p-values, the others
        under any dependence; "westfall-young" for features jointly independent of y.
        Westfall-Young's step-down maxT knows from the permutations how features are correlated.
        It compares features by how far out each statistic lies in its own permutation
        distribution, so that rare or heavy-tailed columns do not drown the others; in what was
        measured it rejects about as often as Holm or more (docs/theory.md).
    early_stopping : {"curtailed", "adaptive"} or None, default=None
        None: the same number of draws for all. "curtailed": a test stops as soon as the decision
        of the fixed number of draws at its level is certain. "adaptive": it also stops when a
        posterior is confident enough; with the default confidence and a test's level of at most
        1 / 3 that kept the level in all settings computed (docs/theory.md). Both need a level of
        their own, so `adjust` must be None, "bonferroni" or "sidak". A p-value that was stopped at
        is an estimate; only whether it is below its level is a decision.
    early_stopping_confidence : float, default=0.95
        The posterior probability that "adaptive" asks for.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        What each row weighs, numbers >= 0; 0 leaves the row out, and only ratios matter. A weight
        belongs to its row as x does: the responses are permuted, the weights stay, and the test
        keeps its level, unless the weights were made from y. The statistic is the correlation of y
        with ``w * (x - weighted mean of x)``, or its correlation ratio: its square is the weighted
        covariance squared, divided by what no permutation changes. "dc" and "mi" take no weights.
    blocks : array-like of shape (n_samples,) or None, default=None
        The block of each row: a centre, a batch, a matched pair. Responses are then exchangeable,
        and permuted, inside blocks only: the level holds whatever the blocks do to X and y.
        Statistics look at each feature less its means in the blocks ("pc" is then the partial
        correlation given the blocks). A feature that is constant inside the blocks gets the
        statistic 0 and the p-value 1. "asymptotic" does not know blocks.
    groups : array-like of shape (n_samples,) or None, default=None
        The group of each row: a subject with several rows, which all have the same y (and block).
        Rows of one subject are not exchangeable, subjects are: the test is made with one row per
        group, the mean of its rows (weighted, if they are), and is exact again. Where y differs
        inside groups, rows are not exchangeable in a way that a test here could use, and there is
        an error.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categories: those of a data frame whose type says so (categories,
        strings), those of a mask, indices or names, or none. A category is one feature and one
        test.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        What `p_value` says of a feature with missing values (nan). "incorporate": that y has
        nothing to do with the value and whether it is missing, `p_joint` of the result. "ignore":
        that y has nothing to do with the value where there is one, `p_observed`. "error": refuses
        missing values. The result holds both and `p_missing`, that of the absence alone. All of
        them permute y among all rows, and are exact if y is independent of value and absence
        together; `p_observed` divides each permutation by its own spread on the rows with a value,
        so that it also holds, for many rows, where the absence does say something about y. Fewer
        than 5 missing, or observed, rows say nothing about the absence.
    random_state : int, RandomState instance or None, default=None
        Seeds the permutations and the projections of "rdc".
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if the test takes longer than a second.

    Returns
    -------
    result : IndependenceResult
        Arrays with one entry per feature: `statistic`, `p_value`, `adjusted_p_value`, `n_draws`,
        `standard_error`; with missing values also `n_missing`, `p_observed`, `p_missing`,
        `p_joint`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import independence_test
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = independence_test(X, y, adjust="westfall-young", random_state=0)
    >>> result.adjusted_p_value
    array([0.001, 0.001, 0.001, 0.001])

    """
    params = {name: value for name, value in locals().items() if name in CONSTRAINTS}
    validate_parameter_constraints(CONSTRAINTS, params, caller_name="independence_test")
    holder = BaseEstimator()  # validation reads the features' names into it
    together = {"blocks": blocks, "groups": groups}
    return run_test(holder, X, y, params, feature_names, together, sample_weight=sample_weight)


#: The values of parameters that a caller of `run_prepared` leaves out.
DEFAULTS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(independence_test).parameters.items()
    if name in CONSTRAINTS
}


def run_test(
    estimator: Any,
    X: Any,
    y: Any,
    params: dict[str, Any],
    feature_names: Sequence[str] | None = None,
    together: dict[str, Any] | None = None,
    check: Callable[[int], None] | None = None,
    sample_weight: Any = None,
) -> IndependenceResult:
    """Test with parameters of the right types; `estimator` is told the columns' names.

    `together` are blocks and groups of the rows. `check` is called with the number of features
    before the long part begins.
    """
    response_type = find_response_type(params["task"], params["selector"], y)
    check_contradictions(params, find_selectors(params["selector"], response_type))

    data = make_training_set(
        estimator,
        X,
        y,
        sample_weight,
        response_type,
        in_place=True,
        **(together or {}),
        **_reading(params),
    )
    data = tested_rows(data.without_absent_rows())
    check_blocks(params, data)
    p = data.X.shape[1]
    if check is not None:
        check(p)
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", [f"feature_{j}" for j in range(p)])
    check_names(feature_names, p)
    names = np.array(feature_names, dtype=object)
    if names.shape != (p,):
        raise ValueError(f"feature_names must hold one name per feature, {p}; got {len(names)}")
    return run_prepared(data, names, params)


def _reading(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that say how a table is read."""
    return {name: params[name] for name in TABLE_CONSTRAINTS}


def run_prepared(
    data: TrainingSet, names: NDArray[Any], params: dict[str, Any]
) -> IndependenceResult:
    """Test data that were checked and converted before, with parameters that were checked, too."""
    selectors = find_selectors(params["selector"], data.response.type)
    seed = int(seeds(root_entropy(params["random_state"]), Purpose.STATISTIC, 1)[0])
    data.response.check_statistics(selectors)
    missing = "incorporate" if params["missing"] == "error" else params["missing"]
    p = data.X.shape[1]
    level = find_level(params, p)
    if params["method"] == "permutation":
        n_tested = p if params["early_stopping"] is None else 1
        warn_of_draws("n_resamples", level.n_draws, len(data.y), n_tested)
    test = _Test(selectors, seed, level, names, params)
    found = test.run(data, missing)
    parts = find_parts(data, missing, found.p_value, test.of_part)
    tail = tail_scores(data, selectors, seed, missing).score if data.features.are_mixed else None
    return test.result(found, parts, tail)


@dataclass(frozen=True)
class _Found:
    """Of each feature; `adjusted` by Westfall-Young only."""

    statistic: Floats
    p_value: Floats
    n_draws: Counts
    adjusted: Floats | None = None


@dataclass(frozen=True)
class _Test:
    """How features are tested, whatever of them is."""

    selectors: list[str]
    seed: int
    level: Level
    names: NDArray[Any]
    params: dict[str, Any]

    def run(self, data: TrainingSet, missing: str) -> _Found:
        """Test what `missing` says of the features."""
        observed = data.statistics(self.selectors, self.seed, missing)
        method = self.params["method"]
        if method == "permutation":
            return self._permutation(data, observed, missing)
        if method == "exact":
            n_jobs = self.params["n_jobs"]
            p_value = exact_p_values(data, self.selectors, self.seed, self.names, n_jobs, missing)
        elif data.features.holes is None and not data.features.are_mixed:
            p_value = asymptotic_p_values(observed, len(data.y), data.response.n_contrasts)
        else:
            p_value = asymptotic_p_values_of_parts(data, self.selectors, self.seed, missing)
        return _Found(observed, p_value, np.zeros(len(observed), dtype=np.int64))

    def result(self, found: _Found, parts: Parts, tail: Floats | None) -> IndependenceResult:
        """Adjust the p-values and put everything together."""
        params, p_value, n_draws = self.params, found.p_value, found.n_draws
        adjusted = found.adjusted
        if adjusted is None:
            adjust = params["adjust"]
            adjusted = p_value.copy() if adjust is None else adjust_p_values(p_value, adjust)
        return IndependenceResult(
            feature_names=self.names,
            statistic=found.statistic,
            p_value=p_value,
            adjusted_p_value=adjusted,
            n_draws=n_draws,
            # A p-value without draws has no Monte Carlo error.
            standard_error=np.sqrt(p_value * (1 - p_value) / (n_draws + 1)) * (n_draws > 0),
            selector=self.selectors[0] if len(self.selectors) == 1 else tuple(self.selectors),
            method=params["method"],
            adjust=params["adjust"],
            early_stopping=params["early_stopping"],
            alpha=float(params["alpha"]),
            missing=params["missing"],
            tail=tail,
            **vars(parts),
        )

    def found(self, observed: Floats, counts: Tally, tails: TailScores | None) -> _Found:
        """Return the p-values of counts among all draws."""
        n_draws = self.level.n_draws
        adjusted = None
        if tails is not None and counts.step_down is not None:
            descending = tails.ascending[::-1]
            adjusted = step_down((1 + counts.step_down[descending]) / (1 + n_draws), descending)
        p_value = (1 + counts.exceedances) / (1 + n_draws)
        return _Found(observed, p_value, np.full(len(observed), n_draws), adjusted)

    def of_part(self, data: TrainingSet, missing: str) -> Floats:
        """Return the p-values of a part of features with missing values."""
        plain = {**self.params, "adjust": None, "verbose": 0}
        return replace(self, params=plain).run(data, missing).p_value

    def _permutation(self, data: TrainingSet, observed: Floats, missing: str) -> _Found:
        p, n_draws, params = len(observed), self.level.n_draws, self.params
        n_jobs, stopping = params["n_jobs"], params["early_stopping"]
        if not data.varies:  # every permutation ties
            return _Found(observed, np.ones(p), np.full(p, n_draws), np.ones(p))
        total, noun = (n_draws, "permutations") if stopping is None else (p, "features")
        with Patience(total, noun) if params["verbose"] else nullcontext() as progress:
            done = progress.advance if progress else None
            if stopping is not None:
                return self._stopped(data, observed, missing, done)
            asks = params["adjust"] == WESTFALL_YOUNG
            tails = tail_scores(data, self.selectors, self.seed, missing) if asks else None
            counts = tally(
                data,
                self.selectors,
                self.seed,
                observed,
                n_draws,
                tails=tails,
                n_jobs=n_jobs,
                done=done,
                missing=missing,
            )
        return self.found(observed, counts, tails)

    def _stopped(
        self,
        data: TrainingSet,
        observed: Floats,
        missing: str,
        done: Callable[[int], None] | None,
    ) -> _Found:
        rule = {
            "n_resamples": self.level.n_draws,
            "tau": self.level.tau,
            "early_stopping": self.params["early_stopping"],
            "confidence": float(self.params["early_stopping_confidence"]),
        }
        n_jobs = self.params["n_jobs"]
        exceedances, draws = stopped(
            data, self.selectors, self.seed, rule, n_jobs, done, missing=missing
        )
        return _Found(observed, (1 + exceedances) / (1 + draws), draws)
