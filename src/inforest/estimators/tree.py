"""Conditional inference trees: signatures, documentation, and what only a single tree has."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats, Integers, Tree, Trees
from inforest._engine.boxes import leaf_boxes
from inforest._engine.leaf_rows import TrainingLeaves, training_leaves
from inforest._engine.parameters import constraints, documented, r_settings
from inforest._engine.responses import CLASSES, NUMBER
from inforest._engine.sampling import Sampling
from inforest._engine.seeds import Purpose, seeds
from inforest._engine.training_set import TrainingSet
from inforest.estimators.base import BaseInference, InferenceClassifier, InferenceRegressor
from inforest.estimators.rules import Rules, make_rules


class SingleTree(BaseInference):
    """What the tree estimators share."""

    _is_forest = False

    tree_: Tree
    candidate_counts_: Integers

    @classmethod
    def ctree(cls, **overrides: Any) -> Self:
        """Make a tree that is the one of R's ``partykit::ctree`` with its defaults, node for node.

        Asymptotic tests with Sidak's adjustment, cuts by chi-square or squared error at values of
        the data, and partykit's limits on the sizes of nodes; docs/coming-from-r.md has the whole
        dictionary.

        Parameters
        ----------
        **overrides
            Parameters that shall differ from it.

        Returns
        -------
        estimator : object
            A new, unfitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inforest import ConditionalInferenceTreeClassifier
        >>> tree = ConditionalInferenceTreeClassifier.ctree().fit(*load_iris(return_X_y=True))
        >>> tree.tree_.n_leaves
        4

        """
        return cls(**{**r_settings(cls._response_type, is_forest=False), **overrides})

    def _grow(self, data: TrainingSet, options: dict[str, Any]) -> None:
        # The seed of a forest's first tree: without sampling it grows the same tree.
        seed = seeds(self._entropy, Purpose.GROW, 1)
        trees, self.candidate_counts_ = data.grow(seed, options)
        self.tree_ = trees.tree(0)
        self._keep(data, trees, seed, data.sampling)
        if self.verbose:
            tree = self.tree_
            draws = int(tree.draws_selector[0] + tree.draws_splitter[0])
            sys.stderr.write(
                f"{type(self).__name__}: {tree.n_leaves} leaves, depth {tree.max_depth},"
                f" {draws} permutations drawn\n"
            )

    @property
    def _trees(self) -> Trees:
        return self.tree_

    def rules(self, feature_names: Sequence[str] | None = None) -> Rules:
        """Return the tree as rules, one per leaf: a table that is also SQL and Python.

        Parameters
        ----------
        feature_names : sequence of str, default=None
            One name per feature; None takes `feature_names_in_`, else "feature_0", ...

        Returns
        -------
        rules : Rules
            A sequence that prints as a table, with `records()`, `to_frame()`, `to_sql()` and
            `to_python()`. Its p-values are those of the features on the way to a leaf, adjusted
            for the number of candidates; the largest one is shown.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inforest import ConditionalInferenceTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = ConditionalInferenceTreeClassifier.ctree().fit(X, y)
        >>> tree.rules(["sl", "sw", "pl", "pw"])
        leaf  n   p        prediction  rule
        1     50  1.4e-30  0           pl <= 1.9
        4     46  0.00079  1           1.9 < pl <= 4.8 and pw <= 1.7
        5     8   0.00079  1           pl > 4.8 and pw <= 1.7
        6     46  6.9e-16  2           pl > 1.9 and pw > 1.7

        """
        check_is_fitted(self)
        return make_rules(self, feature_names)

    def apply(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the leaf of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
            Node numbers in `tree_`.

        """
        checked = self._checked(X)
        return self.tree_.apply(checked)[:, 0].astype(np.intp)

    def decision_path(self, X: ArrayLike) -> csr_array:
        """Return the nodes that each sample passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        indicator : sparse array of shape (n_samples, n_nodes)
            CSR; 1 where the sample passes the node.

        """
        checked = self._checked(X)
        return self.tree_.decision_path(checked)

    def export_text(self, **options: Any) -> str:
        """Describe the tree in words.

        Parameters
        ----------
        **options
            `feature_names`, `class_names`, `max_depth`, `decimals`, as in `inforest.export_text`.

        Returns
        -------
        text : str
            One line per branch and leaf, with p-values.

        """
        from inforest.inspection.export import export_text  # this is a shortcut to it

        return export_text(self, **options)

    def plot_tree(self, **options: Any) -> Any:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        **options
            `max_depth`, `feature_names`, `class_names`, `decimals`, `fontsize`, `ax`, as in
            `inforest.plot_tree`.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the drawing.

        """
        from inforest.inspection.plotting import plot_tree  # this is a shortcut to it

        return plot_tree(self, **options)

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf; a tree that is only a root has depth 0.

        Returns
        -------
        depth : int
            The depth.

        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        n_leaves : int
            The number.

        """
        check_is_fitted(self)
        return self.tree_.n_leaves


@documented(CLASSES, is_forest=False)
class ConditionalInferenceTreeClassifier(SingleTree, InferenceClassifier):
    """A conditional inference tree for classification.

    Each node tests every candidate feature's association with y, by permutations. It picks a
    feature that passes (Stage A) and splits it at its best threshold (Stage B); if none passes, it
    is a leaf. `export_text` and `plot_tree` show the tree with its p-values.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as flat arrays; `tree_.node(i)` shows one node.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_classes_ : int
        Their number.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type "split"; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then as
        `ranking_ties` says, then index. A feature with importance 0 was never used.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes the feature was a candidate of Stage A.
    n_features_in_ : int
        Number of features.
    missing_counts_ : ndarray of shape (n_features_in_,)
        How many training values of each feature were missing.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceTreeRegressor : The same for regression.

    Notes
    -----
    At a fixed node whose y is independent of all candidates, Stage A splits with probability at
    most `alpha_selector`: that is proven for `early_stopping_selector=None`, and for "curtailed",
    whose tests decide the same in distribution or reject less, if `adjust_alpha_selector=True` and
    no row is repeated. For "adaptive" stopping the level can be computed exactly; it was at most
    `alpha_selector` in all settings computed with a confidence of at least 0.95 and single tests
    at no more than 1 / 3 (docs/theory.md). Nothing covers
    Stage B, weights made from y or bootstrap rows, nor the tree as a whole: nodes below the root
    are chosen by the data, and neither the p-values of chosen features nor importances carry an
    error guarantee.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ConditionalInferenceTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.predict(X.iloc[[0, 50, 100]])
    array([0, 1, 2])
    >>> print(tree.feature_names_in_[tree.ranking_[0]])
    petal width (cm)

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(CLASSES, is_forest=False)

    def __init__(
        self,
        *,
        selector: str | list[str] = "mc",
        splitter: str = "gini",
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
        class_weight: dict[Any, float] | str | None = None,
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
        self.class_weight = class_weight
        self.ranking_ties = ranking_ties
        self.random_state = random_state
        self.verbose = verbose


@documented(NUMBER, is_forest=False)
class ConditionalInferenceTreeRegressor(SingleTree, InferenceRegressor):
    """A conditional inference tree for regression.

    Each node tests every candidate feature's association with y, by permutations. It picks a
    feature that passes (Stage A) and splits it at its best threshold (Stage B); if none passes, it
    is a leaf. `export_text` and `plot_tree` show the tree with its p-values.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as flat arrays; `tree_.node(i)` shows one node.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type "split"; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then as
        `ranking_ties` says, then index. A feature with importance 0 was never used.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes the feature was a candidate of Stage A.
    n_features_in_ : int
        Number of features.
    missing_counts_ : ndarray of shape (n_features_in_,)
        How many training values of each feature were missing.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceTreeClassifier : The same for classification.

    Notes
    -----
    At a fixed node whose y is independent of all candidates, Stage A splits with probability at
    most `alpha_selector`: that is proven for `early_stopping_selector=None`, and for "curtailed",
    whose tests decide the same in distribution or reject less, if `adjust_alpha_selector=True` and
    no row is repeated. For "adaptive" stopping the level can be computed exactly; it was at most
    `alpha_selector` in all settings computed with a confidence of at least 0.95 and single tests
    at no more than 1 / 3 (docs/theory.md). Nothing covers
    Stage B, weights made from y or bootstrap rows, nor the tree as a whole: nodes below the root
    are chosen by the data, and neither the p-values of chosen features nor importances carry an
    error guarantee.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from inforest import ConditionalInferenceTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> tree = ConditionalInferenceTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    >>> tree.predict(X.iloc[:3]).shape
    (3,)
    >>> print(tree.feature_names_in_[tree.ranking_[0]])
    bmi

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(NUMBER, is_forest=False)
    #: What `plot_tree` draws in the leaves; a tree of a forest has none.
    _boxes: Floats | None = None

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
        influence: Callable[[Any], Any] | None = None,
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
        self.influence = influence
        self.ranking_ties = ranking_ties
        self.random_state = random_state
        self.verbose = verbose

    def _keep(
        self, data: TrainingSet, trees: Trees, seeds: NDArray[np.uint64], sampling: Sampling
    ) -> None:
        leaf = training_leaves(trees, data.X)
        honesty = self.honesty_fraction if self.honesty else 0.0
        kept = TrainingLeaves(trees, leaf, sampling.of_trees(seeds), honesty, data.core_weight)
        y = data.response.type.decode(data.response)
        # A response type of one's own may keep words, which have no quartiles.
        self._boxes = leaf_boxes(self.tree_, kept.rows(), y) if y.dtype.kind in "fiub" else None
