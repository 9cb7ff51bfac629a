"""Conditional inference forests: their signatures and documentation."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from inforest._engine.parameters import constraints, documented
from inforest._engine.responses import CLASSES, NUMBER
from inforest.estimators.base import InferenceClassifier, InferenceRegressor
from inforest.estimators.base_forest import Forest
from inforest.estimators.forest_weights import ForestQuantiles
from inforest.estimators.tree import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)


@documented(CLASSES, is_forest=True)
class ConditionalInferenceForestClassifier(Forest, InferenceClassifier):
    """A forest of conditional inference trees for classification.

    Every tree is grown on its own sample of the rows, at every node from a random choice of the
    features, by the permutation tests of `ConditionalInferenceTreeClassifier`; thresholds are
    tested on request only. The forest predicts the mean over its trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    trees_ : Trees
        All fitted trees in one set of flat arrays; `trees_.tree(i)` is one of them.
    estimators_ : list of ConditionalInferenceTreeClassifier
        The trees as estimators that share the arrays of `trees_`.
    estimators_samples_ : list of ndarray
        The rows each tree was grown from.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_classes_ : int
        Their number.
    oob_score_ : float
        Score of the out-of-bag predictions; only with `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of each row by the trees that have not seen it, nan where there is none;
        only with `oob_score`.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type `importance_type`; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then as
        `ranking_ties` says, then index. A feature with importance 0 has no split that counts.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes of all trees together the feature was a candidate of Stage A; the trees
        in `estimators_` have no counts of their own.
    n_features_in_ : int
        Number of features.
    missing_counts_ : ndarray of shape (n_features_in_,)
        How many training values of each feature were missing.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceForestRegressor : The same for regression.
    ConditionalInferenceTreeClassifier : A single tree, with the guarantee its tests have.
    save, load : Keep a fitted forest in a file without pickle.

    Notes
    -----
    The defaults are those that a study of rankings chose: tests are loose, and thresholds are
    not tested. Such a forest predicts better than a strict one, and better still without any test
    (``n_resamples_selector=None``). One that splits noise rarely has ``alpha_selector=0.05,
    n_resamples_selector="auto", splitter_test="max"``; `paper` makes the paper's.

    Permutation tests need exchangeable rows. A subsample without repeated rows is exchangeable at
    the root: if y is independent of all features, a root splits with probability at most
    `alpha_selector`. Bootstrap rows are not: a row that is drawn twice agrees with itself, and at
    nominal 0.05 a test rejects about 0.16 of pure noise features. Hence ``replace=False`` here;
    `paper` keeps the bootstrap of the paper. Neither covers the nodes below the root, which the
    data have chosen, nor importances and rankings.

    On a cluster the same fit runs under ``joblib.parallel_config(backend="dask")`` once a
    `distributed.Client` exists, and under ``backend="ray"`` after
    ``ray.util.joblib.register_ray()``. X is sent to each worker once; a worker that dies is
    replaced by the others and does not change the result. Predictions are made by threads here.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X.iloc[[0, 50, 100]])
    array([0, 1, 2])
    >>> forest.oob_score_ > 0.9
    True
    >>> sorted(forest.feature_names_in_[forest.ranking_[:2]].tolist())
    ['petal length (cm)', 'petal width (cm)']

    """

    _tree_class = ConditionalInferenceTreeClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(CLASSES, is_forest=True)

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        selector: str | list[str] = "quad",
        splitter: str = "gini",
        categorical_features: Any = "from_dtype",
        alpha_selector: float = 0.5,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "minimum",
        n_resamples_splitter: str | int | None = "stable",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool | str = True,
        max_features: int | float | tuple[float, int] | str | None = (1 / 3, 500),
        split_tries: int = 1,
        threshold_method: str = "histogram",
        threshold_at: str = "midpoint",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float | tuple[float, int] = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        ties: str = "random",
        strict_level: bool = False,
        missing: str = "incorporate",
        bootstrap: bool = True,
        sampling_method: str = "stratified",
        class_weight: dict[Any, float] | str | None = None,
        replace: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        keep_leaves: bool | str = "auto",
        importance_type: str = "auto",
        ranking_ties: str = "association",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.selector = selector
        self.splitter = splitter
        self.categorical_features = categorical_features
        self.alpha_selector = alpha_selector
        self.alpha_splitter = alpha_splitter
        self.adjust_alpha_selector = adjust_alpha_selector
        self.adjust_alpha_splitter = adjust_alpha_splitter
        self.n_resamples_selector = n_resamples_selector
        self.n_resamples_splitter = n_resamples_splitter
        self.early_stopping_selector = early_stopping_selector
        self.early_stopping_splitter = early_stopping_splitter
        self.early_stopping_confidence_selector = early_stopping_confidence_selector
        self.early_stopping_confidence_splitter = early_stopping_confidence_splitter
        self.feature_muting = feature_muting
        self.feature_scanning = feature_scanning
        self.max_features = max_features
        self.split_tries = split_tries
        self.threshold_method = threshold_method
        self.threshold_at = threshold_at
        self.threshold_scanning = threshold_scanning
        self.max_thresholds = max_thresholds
        self.splitter_test = splitter_test
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.honesty = honesty
        self.honesty_fraction = honesty_fraction
        self.ties = ties
        self.strict_level = strict_level
        self.missing = missing
        self.bootstrap = bootstrap
        self.sampling_method = sampling_method
        self.class_weight = class_weight
        self.replace = replace
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.keep_leaves = keep_leaves
        self.importance_type = importance_type
        self.ranking_ties = ranking_ties
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose


@documented(NUMBER, is_forest=True)
class ConditionalInferenceForestRegressor(ForestQuantiles, Forest, InferenceRegressor):
    """A forest of conditional inference trees for regression.

    Every tree is grown on its own sample of the rows, at every node from a random choice of the
    features, by the permutation tests of `ConditionalInferenceTreeRegressor`; thresholds are tested
    on request only. The forest predicts the mean over its trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    trees_ : Trees
        All fitted trees in one set of flat arrays; `trees_.tree(i)` is one of them.
    estimators_ : list of ConditionalInferenceTreeRegressor
        The trees as estimators that share the arrays of `trees_`.
    estimators_samples_ : list of ndarray
        The rows each tree was grown from.
    oob_score_ : float
        Score of the out-of-bag predictions; only with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Prediction of each row by the trees that have not seen it, nan where there is none; only
        with `oob_score`.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type `importance_type`; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then as
        `ranking_ties` says, then index. A feature with importance 0 has no split that counts.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes of all trees together the feature was a candidate of Stage A; the trees
        in `estimators_` have no counts of their own.
    n_features_in_ : int
        Number of features.
    missing_counts_ : ndarray of shape (n_features_in_,)
        How many training values of each feature were missing.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceForestClassifier : The same for classification.
    ConditionalInferenceTreeRegressor : A single tree, with the guarantee its tests have.
    save, load : Keep a fitted forest in a file without pickle.

    Notes
    -----
    The defaults are those that a study of rankings chose: tests are loose, and thresholds are
    not tested. Such a forest predicts better than a strict one, and better still without any test
    (``n_resamples_selector=None``). One that splits noise rarely has ``alpha_selector=0.05,
    n_resamples_selector="auto", splitter_test="max"``; `paper` makes the paper's.

    Permutation tests need exchangeable rows. A subsample without repeated rows is exchangeable at
    the root: if y is independent of all features, a root splits with probability at most
    `alpha_selector`. Bootstrap rows are not: a row that is drawn twice agrees with itself, and at
    nominal 0.05 a test rejects about 0.16 of pure noise features. Hence ``replace=False`` here;
    `paper` keeps the bootstrap of the paper. Neither covers the nodes below the root, which the
    data have chosen, nor importances and rankings.

    On a cluster the same fit runs under ``joblib.parallel_config(backend="dask")`` once a
    `distributed.Client` exists, and under ``backend="ray"`` after
    ``ray.util.joblib.register_ray()``. X is sent to each worker once; a worker that dies is
    replaced by the others and does not change the result. Predictions are made by threads here.

    `paper` gives the forest the paper selected for regression, which is honest. Its study of
    feature sampling used ``paper(honesty=False)``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from inforest import ConditionalInferenceForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.3
    True
    >>> sorted(forest.feature_names_in_[forest.ranking_[:2]].tolist())
    ['bmi', 's5']

    """

    _tree_class = ConditionalInferenceTreeRegressor
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(NUMBER, is_forest=True)

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        selector: str | list[str] = "quad",
        splitter: str = "mse",
        categorical_features: Any = "from_dtype",
        alpha_selector: float = 0.5,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "minimum",
        n_resamples_splitter: str | int | None = "stable",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool | str = True,
        max_features: int | float | tuple[float, int] | str | None = (1 / 3, 500),
        split_tries: int = 1,
        threshold_method: str = "histogram",
        threshold_at: str = "midpoint",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float | tuple[float, int] = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        ties: str = "random",
        strict_level: bool = False,
        missing: str = "incorporate",
        influence: Callable[[Any], Any] | None = None,
        bootstrap: bool = True,
        replace: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        keep_leaves: bool | str = "auto",
        importance_type: str = "auto",
        ranking_ties: str = "association",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.selector = selector
        self.splitter = splitter
        self.categorical_features = categorical_features
        self.alpha_selector = alpha_selector
        self.alpha_splitter = alpha_splitter
        self.adjust_alpha_selector = adjust_alpha_selector
        self.adjust_alpha_splitter = adjust_alpha_splitter
        self.n_resamples_selector = n_resamples_selector
        self.n_resamples_splitter = n_resamples_splitter
        self.early_stopping_selector = early_stopping_selector
        self.early_stopping_splitter = early_stopping_splitter
        self.early_stopping_confidence_selector = early_stopping_confidence_selector
        self.early_stopping_confidence_splitter = early_stopping_confidence_splitter
        self.feature_muting = feature_muting
        self.feature_scanning = feature_scanning
        self.max_features = max_features
        self.split_tries = split_tries
        self.threshold_method = threshold_method
        self.threshold_at = threshold_at
        self.threshold_scanning = threshold_scanning
        self.max_thresholds = max_thresholds
        self.splitter_test = splitter_test
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.honesty = honesty
        self.honesty_fraction = honesty_fraction
        self.ties = ties
        self.strict_level = strict_level
        self.missing = missing
        self.influence = influence
        self.bootstrap = bootstrap
        self.replace = replace
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.keep_leaves = keep_leaves
        self.importance_type = importance_type
        self.ranking_ties = ranking_ties
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn asks for R^2 > 0.5 with 1 of 10 features informative. A root whose candidates
        # are all noise is a leaf, as it should be, and such trees pull the mean to the middle.
        tags.regressor_tags.poor_score = self.max_features is not None
        return tags
