"""Conditional inference trees and forests for ordered classes."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats
from inforest._engine.parameters import constraints, documented
from inforest._engine.responses import ORDINAL, ResponseType
from inforest.estimators.base import InferenceClassifier
from inforest.estimators.base_forest import Forest
from inforest.estimators.tree import SingleTree


class InferenceOrdinal(InferenceClassifier):
    """Prediction of ordered classes."""

    _response_type: ClassVar[ResponseType] = ORDINAL

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the most probable class, or the median: see `prediction`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted classes.

        """
        return self._predict(X)

    def predict_cumulative(self, X: ArrayLike) -> Floats:
        """Predict the probability of each class or a lower one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; the last one is 1.

        """
        cumulative = np.cumsum(self.predict_proba(X), axis=1)
        cumulative[:, -1] = 1.0
        return np.minimum(cumulative, 1.0)


@documented(ORDINAL, is_forest=False)
class ConditionalInferenceTreeOrdinal(SingleTree, InferenceOrdinal):
    """A conditional inference tree for ordered classes.

    Each node tests every candidate feature's association with the scores of the classes, by
    permutations; a feature that goes along with the order is found more easily than by tests of
    unordered classes. It picks a feature that passes (Stage A) and splits it at its best threshold
    (Stage B); if none passes, it is a leaf. A leaf keeps the share of each class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as flat arrays; `tree_.node(i)` shows one node.
    classes_ : ndarray of shape (n_classes,)
        The labels that y holds, from the lowest to the highest: not sorted as in other classifiers.
    n_classes_ : int
        Their number.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type "split"; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then as
        `ranking_ties` says, then index.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes the feature was a candidate of Stage A.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceForestOrdinal : A forest of them.

    Notes
    -----
    `score` is the accuracy, as in every classifier of scikit-learn. Its
    scorers that read probabilities of several classes ("neg_log_loss", "roc_auc_ovr") take the
    columns for sorted labels: use them with numbers, or with words whose order is alphabetical.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import ConditionalInferenceTreeOrdinal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> place = np.searchsorted([-0.7, 0.7], X[:, 0] + rng.normal(size=200))
    >>> y = np.array(["low", "middle", "high"])[place]
    >>> model = ConditionalInferenceTreeOrdinal(order=["low", "middle", "high"], random_state=0)
    >>> model.fit(X, y).classes_.tolist()
    ['low', 'middle', 'high']
    >>> int(model.ranking_[0])
    0

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(ORDINAL, is_forest=False)

    def __init__(
        self,
        *,
        selector: str | list[str] = "pc",
        splitter: str = "mse",
        categorical_features: Any = "from_dtype",
        alpha_selector: float = 0.05,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "stable",
        n_resamples_splitter: str | int | None = "stable",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool | str = True,
        max_features: int | float | tuple[float, int] | str | None = None,
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
        order: Sequence[Any] | None = None,
        scores: Sequence[float] | None = None,
        prediction: str = "mode",
        ranking_ties: str = "association",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
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
        self.order = order
        self.scores = scores
        self.prediction = prediction
        self.ranking_ties = ranking_ties
        self.random_state = random_state
        self.verbose = verbose


@documented(ORDINAL, is_forest=True)
class ConditionalInferenceForestOrdinal(Forest, InferenceOrdinal):
    """A forest of conditional inference trees for ordered classes.

    Every tree is grown on its own sample of the rows, at every node from a random choice of the
    features, by the permutation tests of `ConditionalInferenceTreeOrdinal`; thresholds are tested
    on request only. The forest predicts the mean over its trees.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    trees_ : Trees
        All fitted trees in one set of flat arrays; `trees_.tree(i)` is one of them.
    estimators_ : list of ConditionalInferenceTreeOrdinal
        The trees as estimators that share the arrays of `trees_`.
    estimators_samples_ : list of ndarray
        The rows each tree was grown from.
    classes_ : ndarray of shape (n_classes,)
        The labels that y holds, from the lowest to the highest: not sorted as in other classifiers.
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
        `ranking_ties` says, then index.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes the feature was a candidate of Stage A.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceTreeOrdinal : A single tree, with the guarantee its tests have.

    Notes
    -----
    `score` is the accuracy, as in every classifier of scikit-learn. `oob_score_` is
    Cohen's kappa with quadratic weights, by which a miss counts as the square of its distance. Its
    scorers that read probabilities of several classes ("neg_log_loss", "roc_auc_ovr") take the
    columns for sorted labels: use them with numbers, or with words whose order is alphabetical.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import ConditionalInferenceForestOrdinal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> place = np.searchsorted([-0.7, 0.7], X[:, 0] + rng.normal(size=200))
    >>> y = np.array(["low", "middle", "high"])[place]
    >>> model = ConditionalInferenceForestOrdinal(order=["low", "middle", "high"], random_state=0)
    >>> model.fit(X, y).classes_.tolist()
    ['low', 'middle', 'high']
    >>> int(model.ranking_[0])
    0

    """

    _tree_class = ConditionalInferenceTreeOrdinal
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(ORDINAL, is_forest=True)

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
        order: Sequence[Any] | None = None,
        scores: Sequence[float] | None = None,
        prediction: str = "mode",
        bootstrap: bool = True,
        sampling_method: str = "stratified",
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
        self.order = order
        self.scores = scores
        self.prediction = prediction
        self.bootstrap = bootstrap
        self.sampling_method = sampling_method
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
