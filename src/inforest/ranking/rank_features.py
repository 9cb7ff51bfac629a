"""`rank_features`: which features matter most? A forest's answer, with p-values on demand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from inforest._engine.design import make_design
from inforest._engine.features import TABLE_CONSTRAINTS
from inforest._engine.limits import DRAWS, FACTOR, JOBS, TREES
from inforest._engine.progress import one_bar
from inforest._engine.responses import TASK_NAMES, any_response_type
from inforest._engine.sklearn_private import (
    StrOptions,
    check_sample_weight,
    validate_parameter_constraints,
)
from inforest._engine.training_set import prepare
from inforest._engine.words import names_of_features
from inforest.estimators.base import BaseInference
from inforest.independence.adjustment import ADJUSTERS, WESTFALL_YOUNG
from inforest.independence.tests import DEFAULTS, independence_test, run_prepared
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.ranker import (
    ADDED,
    N_TREES,
    SCORE_NAMES,
    check_ranker,
    checked_data,
    default_ranker,
    inner_forest,
    make_ranking,
    name_doubtful,
    read_response,
    reading_settings,
    response_type_of,
    seeded,
    taken,
    weight_argument,
)
from inforest.ranking.ranking import Ranking
from inforest.ranking.redundancy import discounted

#: What `p_values` calls p-values that are not adjusted: None already means no p-values.
_NOT_ADJUSTED = "none"
_CONSTRAINTS: dict[str, list[Any]] = {
    "task": [StrOptions(TASK_NAMES)],
    "p_values": [StrOptions({*ADJUSTERS, WESTFALL_YOUNG, _NOT_ADJUSTED}), None],
    "n_estimators": [TREES, None],
    "redundancy": [FACTOR, None],
    **TABLE_CONSTRAINTS,
    "n_resamples": [StrOptions({"auto"}), DRAWS],
    "random_state": ["random_state"],
    "n_jobs": JOBS,
    "verbose": ["verbose"],
}


def rank_features(
    X: ArrayLike,
    y: ArrayLike,
    *,
    estimator: Any = None,
    task: str = "auto",
    sample_weight: ArrayLike | None = None,
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    categorical_features: Any = "from_dtype",
    missing: str = "incorporate",
    redundancy: float | None = None,
    p_values: str | None = None,
    n_estimators: int | None = None,
    n_resamples: str | int = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Ranking:
    """Rank the features of X by how much they tell about y.

    By default the ranking is made for predictions from few features: a feature that repeats a
    better one moves down. ``redundancy=0`` ranks each feature by its importance alone, for
    questions about the features themselves.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Any table: numbers, categories, dates, with gaps (docs/tables.md). A feature is one column.
        Sparse only if `estimator` takes it; another package's estimator gets the columns of a data
        frame as they came. Columns of a data frame that look like row numbers or identifiers,
        constants, copies and near-copies are named in a `TableWarning`, and ranked all the same.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    estimator : estimator object or None, default=None
        What ranks: a copy of it is fitted. None: conditional inference forests, in a
        `ForestRanker`. Accepted is what has one of these after fit, the first that is there:
        `ranking_`, either indices from best to worst as in this package or places counted from 1
        as in `RFE` and Boruta; `feature_importances_`; `coef_`, whose absolute values are summed
        over the classes. They depend on the units of the features: scale X first.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto": what the estimator is for; without one, regression if y holds fractions or more
        than 20 distinct numbers.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        What each row weighs, numbers >= 0; 0 leaves the row out. It goes to the `fit` of the
        estimator and to the tests of `p_values`.
    blocks : array-like of shape (n_samples,) or None, default=None
        The block of each row, as in the `fit` of a forest: responses are permuted inside blocks
        only, in the forest's tests as in those of `p_values`.
    groups : array-like of shape (n_samples,) or None, default=None
        The group of each row, as in the `fit` of a forest: rows of a group are in a tree's sample
        together. If they share y, `p_values` are those of groups, as in `independence_test`; where
        y differs inside groups, they take rows for exchangeable.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categories: those whose type says so (categories, strings), those of a
        mask, indices or names, or none. An `estimator` of this package says so itself.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        What missing values are: something to learn from, nothing, or an error. An `estimator` of
        this package says so itself.
    redundancy : float or None, default=None
        Strength of the discount for correlation with better features, as in
        `inforest.redundancy.rerank`; 0 is none. None: that of the default, 0 for an `estimator`,
        whose importances must not be negative if they are to be discounted.
    p_values : str or None, default=None
        Whether to test each feature's independence of y by permutations, too, and how to adjust
        the p-values for the number of features: "westfall-young", "bonferroni", "holm", "sidak",
        "fdr_bh" (if p-values are independent or positively dependent), "fdr_by", or "none" for no
        adjustment. None: no tests. They judge each feature by itself, and do not change the
        ranking.
    n_estimators : int or None, default=None
        Trees of the default forest; None means 500.
    n_resamples : "auto" or int, default="auto"
        Permutations of the tests, as in `independence_test` at its level of 0.05: a p-value from B
        permutations is never below 1 / (1 + B).
    random_state : int, RandomState instance or None, default=None
        Seeds the estimator, every `random_state` of it, and the permutations. None leaves those of
        a given estimator as they are.
    n_jobs : int or None, default=None
        Threads of the default forest and of the tests; the result does not depend on it.
    verbose : int, default=0
        1 shows the progress of the default forest and of the tests.

    Returns
    -------
    ranking : Ranking
        `order`, `scores`, `names`, p-values; `top(k)`, `to_frame()`, `plot()`.

    See Also
    --------
    FeatureSelector : Chooses how many of the features to keep.
    independence_test : The tests behind the p-values, with all their options.

    Notes
    -----
    With the default forest, neither the order of the columns nor an added constant column changes
    the ranking for the same `random_state`, apart from features that are tied.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import rank_features
    >>> X, y = load_iris(return_X_y=True)
    >>> names = ["sepal length", "sepal width", "petal length", "petal width"]
    >>> ranking = rank_features(X, y, feature_names=names, redundancy=0, random_state=0)
    >>> sorted(ranking.top(2).tolist())
    ['petal length', 'petal width']

    """
    params = {name: value for name, value in locals().items() if name in _CONSTRAINTS}
    validate_parameter_constraints(_CONSTRAINTS, params, caller_name="rank_features")
    if estimator is None:
        ranker = None
        models = [
            default_ranker(any_response_type(), **reading_settings(categorical_features, missing))
        ]
    elif n_estimators is not None:
        raise ValueError(
            f"n_estimators={n_estimators} is for the default forest, of {N_TREES} trees; set it on"
            f" the estimator, {type(estimator).__name__}, instead"
        )
    else:
        check_ranker(estimator)
        ranker = seeded(estimator, random_state)
        models = [ranker]
        if redundancy and not isinstance(ranker, ForestRanker):
            models.append(default_ranker(any_response_type()))  # correlations need finite numbers
    holder = BaseEstimator()  # validation reads the features' names into it
    y, known = read_response(task, [ranker], y)
    table, target = checked_data(
        holder, X, y, models, categorical_features=categorical_features, missing=missing
    )
    name_doubtful(X, table, also_of_equal=True)
    names = names_of_features(holder, feature_names)
    response_type = known or response_type_of(task, [ranker], target)
    if ranker is None:
        ranker = default_ranker(
            response_type,
            n_estimators=N_TREES if n_estimators is None else n_estimators,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            **reading_settings(categorical_features, missing),
        )
    if redundancy is not None and isinstance(ranker, ForestRanker):
        ranker.set_params(redundancy=redundancy)
    forest = inner_forest(ranker)
    is_ours = isinstance(forest, BaseInference)
    design = make_design(blocks, groups, len(target))
    weight = None
    if sample_weight is not None:
        weight = check_sample_weight(sample_weight, table.numbers, dtype=np.float64)
    steps = (ranker.n_rounds if isinstance(ranker, ForestRanker) else 1, p_values is not None)
    with one_bar(sum(steps), verbose) as whole:
        if whole is not None:
            whole.begin("forests", steps[0], steps[0])
        prepared = None
        if is_ours:
            called = type(forest).__name__
            own = forest._kind
            kind = response_type if response_type.name == own.name else own
            prepared = prepare(
                table.numbers,
                target,
                kind,
                called,
                weight,
                design=design,
                columns=table.features,
            )
            ranker._fit_prepared(prepared)
        else:
            elsewhere = () if p_values is None else tuple(design.arguments)
            weights = {} if weight is None else weight_argument(ranker, weight)
            if weight is not None and not weights:
                raise ValueError(
                    f"sample_weight is of no use here: {type(ranker).__name__}.fit does not take it"
                )
            ranker.fit(table.of(ranker), target, **weights, **taken(ranker, design, elsewhere))
        tests = None
        if p_values is not None:
            if whole is not None:
                whole.begin("tests", 1)
            options = {
                # What a forest of ours looks for at its nodes is what its features are tested for.
                "selector": forest.selector if is_ours else None,
                "task": response_type.name,
                "missing": forest.missing if is_ours else "incorporate",
                "n_resamples": n_resamples,
                "adjust": None if p_values == _NOT_ADJUSTED else p_values,
                "random_state": random_state,
                "n_jobs": n_jobs,
                "verbose": verbose,
            }
            if prepared is not None and prepared.response.type == response_type:
                # Groups are exchangeable where their rows share y; else rows are taken for it.
                rows = prepared.of_groups() or prepared
                tests = run_prepared(rows, np.array(names, dtype=object), {**DEFAULTS, **options})
            else:
                exchanged = design.groups if design.groups_share(target) else None
                tests = independence_test(
                    table.values,
                    target,
                    sample_weight=weight,
                    blocks=design.blocks,
                    groups=exchanged,
                    **options,
                )
    ranking = make_ranking(ranker, names, tests)
    if redundancy and not isinstance(ranker, ForestRanker):
        if ranking.score_name not in SCORE_NAMES:
            raise ValueError(
                f"redundancy={redundancy} needs importances or coefficients, and"
                f" {type(ranker).__name__} has only places"
            )
        found = discounted(
            ranking.scores,
            table.values,
            strength=redundancy,
            tie_breaker=ranking.tie_breaker,
            weight=None if weight is None else np.asarray(weight, dtype=np.float64),
        )
        ranking = replace(ranking, score_name=ADDED, **vars(found))
    return ranking
