"""Conditional inference trees: signatures, documentation, and what only a single tree has."""

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Integers, Tree, Trees
from inforest._engine.seeds import Purpose, seeds
from inforest._engine.training_set import TrainingSet
from inforest.estimators.base import BaseInference, InferenceClassifier, InferenceRegressor
from inforest.inspection.export import export_text
from inforest.inspection.plotting import plot_tree


class SingleTree(BaseInference):
    """What the tree estimators share."""

    tree_: Tree
    candidate_counts_: Integers

    def _grow(self, data: TrainingSet, options: dict[str, Any]) -> None:
        # The seed of a forest's first tree: without sampling it grows the same tree.
        seed = seeds(self._entropy, Purpose.GROW, 1)
        trees, self.candidate_counts_ = data.grow(seed, options)
        self.tree_ = trees.tree(0)
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


class ConditionalInferenceTreeClassifier(SingleTree, InferenceClassifier):
    """A conditional inference tree for classification.

    At each node, Stage A tests every candidate feature's association with y by permutations and
    picks a feature, or makes a leaf if none rejects. Stage B then tests its thresholds.
    `export_text` and `plot_tree` show the tree with its p-values.

    Parameters
    ----------
    selector : {"mc", "mi", "rdc", "quad"} or list of str, default="mc"
        Statistic of Stage A, which picks a node's feature: correlation ratio, mutual information
        (k nearest neighbours), randomized dependence coefficient, or "quad", which also sees
        classes that differ in spread: the correlation ratios of x and of the part of x^2 that is
        orthogonal to x, as the root of their mean square over min(n_classes - 1, 2) directions.
        "mc" is the cheapest, "quad" costs about 1.5 times as much, "rdc" a few times, "mi" tens of
        times.
        Of a list, the maximum on a common scale, taken inside every permutation.
    splitter : {"gini", "entropy"}, default="gini"
        Impurity of Stage B, which picks the threshold.
    alpha_selector : float, default=0.05
        Level of Stage A at a node, in (0, 1].
    alpha_splitter : float, default=0.05
        Level of Stage B at a node, in (0, 1].
    adjust_alpha_selector : bool or {"bonferroni", "maxt"}, default=True
        How a node's candidate features share `alpha_selector`. True or "bonferroni": it is divided
        by their number. "maxt" (Westfall and Young's, single step): one test, at `alpha_selector`
        itself, whether the largest statistic exceeds the largest one under permutation; no feature
        is muted, since none is tested by itself, and `feature_scanning` means nothing. It needs
        far fewer permutations with many candidates and has more power if they are correlated.
        False: no correction.
    adjust_alpha_splitter : bool, default=True
        Whether to divide `alpha_splitter` by the number of thresholds (Bonferroni). A single test,
        as `splitter_test="max"` makes, needs no correction.
    n_resamples_selector : {"minimum", "maximum", "auto"}, int or None, default="auto"
        Permutations of a Stage A test. With tau the level after adjustment: "minimum" is
        ceil(1 / tau), "maximum" ceil(1 / (4 tau^2)), "auto" max(ceil(1 / tau),
        ceil(z^2 (1 - tau) / tau)) with z the normal quantile of 1 - tau; an int is multiplied by
        the number of candidates under Bonferroni. The fewer, the further the test stays below its
        level. None: no test, the largest statistic wins.
    n_resamples_splitter : {"minimum", "maximum", "auto"}, int or None, default="auto"
        The same for Stage B. None: no test, the lowest impurity wins.
    early_stopping_selector : {"curtailed", "adaptive"} or None, default="curtailed"
        "curtailed": candidates one after the other; a test ends once its decision cannot change,
        the first to reject wins. The node's decision is that of the exhaustive test. "adaptive"
        (the paper's): also end when the posterior of the p-value is confident. None: all
        candidates with all permutations, the smallest p-value wins. Equal ones, and all strong
        features tie at 1 / (B + 1) with B permutations, are broken uniformly at random, as in the
        paper's reference rule; "curtailed" with `feature_scanning` takes the largest statistic
        that rejects, usually the better tree.
    early_stopping_splitter : {"curtailed", "adaptive"} or None, default="curtailed"
        The same for Stage B.
    early_stopping_confidence_selector : float, default=0.95
        Confidence at which "adaptive" ends a test, in (0.5, 1).
    early_stopping_confidence_splitter : float, default=0.95
        The same for Stage B.
    feature_muting : bool, default=True
        Whether a feature whose test did not reject is left out below that node.
    feature_scanning : bool, default=True
        Whether early stopping takes the candidates by descending statistic, else at random.
    max_features : int, float, (float, int), {"sqrt", "log2"} or None, default=None
        Candidates drawn at each node from its available features: a number, a share, a
        share of at least three and at most a cap, as in (1 / 3, 500), or None for all of them.
    threshold_method : {"exact", "random", "percentile", "histogram"}, default="histogram"
        Which midpoints between neighbouring values are tried: all, a sample, percentiles, or edges
        of bins of equal width.
    threshold_scanning : bool, default=True
        Whether early stopping takes thresholds by ascending impurity, else at random.
    max_thresholds : int, float, {"sqrt", "log2"} or None, default=256
        How many thresholds the methods other than "exact" choose.
    splitter_test : {"max", "threshold"} or None, default="max"
        "max": one test of the best impurity over all thresholds. "threshold" (the paper's): one
        test per threshold. None: no test, the lowest impurity wins, and `alpha_splitter`,
        `adjust_alpha_splitter`, `n_resamples_splitter`, the early stopping of Stage B and
        `threshold_scanning` mean nothing.
    max_depth : int or None, default=None
        Greatest depth; the root has depth 0.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf; a float is a share of all samples.
    min_samples_leaf : int or float, default=1
        Fewest samples of a child; a float is a share of all samples.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity of its node by at least this much.
    honesty : bool, default=False
        Whether one part of the rows grows the tree and the other gives its leaves their values.
    honesty_fraction : float, default=0.5
        Share of the rows that gives the values.
    random_state : int, RandomState instance or None, default=None
        Seed of permutations, candidates and ties. The same int grows the same tree.
    verbose : int, default=0
        1 writes a line about the fitted tree to stderr: its size and the permutations drawn.

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
        Indices of the features, best first (not ranks, as in RFE): by importance, then
        `root_statistic_`, then index. A feature with importance 0 was never used.
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
    ConditionalInferenceTreeRegressor : The same for regression.

    Notes
    -----
    At a fixed node whose y is independent of all candidates, Stage A splits with probability at
    most `alpha_selector`: that is proven for `early_stopping_selector=None` and holds unchanged
    for "curtailed", whose decision is the same, if `adjust_alpha_selector=True` and no row is
    repeated. It does not cover "adaptive" stopping, Stage B, case weights or bootstrap rows, nor
    the tree as a whole: nodes below the root are chosen by the data, and neither the p-values of
    chosen features nor importances carry an error guarantee.

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

    def __init__(
        self,
        *,
        selector: str | list[str] = "mc",
        splitter: str = "gini",
        alpha_selector: float = 0.05,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "auto",
        n_resamples_splitter: str | int | None = "auto",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool = True,
        max_features: int | float | tuple[float, int] | str | None = None,
        threshold_method: str = "histogram",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = "max",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.splitter = splitter
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
        self.threshold_method = threshold_method
        self.threshold_scanning = threshold_scanning
        self.max_thresholds = max_thresholds
        self.splitter_test = splitter_test
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.honesty = honesty
        self.honesty_fraction = honesty_fraction
        self.random_state = random_state
        self.verbose = verbose


class ConditionalInferenceTreeRegressor(SingleTree, InferenceRegressor):
    """A conditional inference tree for regression.

    At each node, Stage A tests every candidate feature's association with y by permutations and
    picks a feature, or makes a leaf if none rejects. Stage B then tests its thresholds.
    `export_text` and `plot_tree` show the tree with its p-values.

    Parameters
    ----------
    selector : {"pc", "dc", "rdc", "quad"} or list of str, default="pc"
        Statistic of Stage A, which picks a node's feature: |Pearson correlation|, distance
        correlation, randomized dependence coefficient, or "quad", the multiple correlation of y
        with x and x^2, which also sees a bend. "pc" is the cheapest, "quad" costs about 1.5 times
        as much, "rdc" a few times, "dc" tens of times.
        Of a list, the maximum on a common scale, taken inside every permutation.
    splitter : {"mse", "mae"}, default="mse"
        Impurity of Stage B, which picks the threshold.
    alpha_selector : float, default=0.05
        Level of Stage A at a node, in (0, 1].
    alpha_splitter : float, default=0.05
        Level of Stage B at a node, in (0, 1].
    adjust_alpha_selector : bool or {"bonferroni", "maxt"}, default=True
        How a node's candidate features share `alpha_selector`. True or "bonferroni": it is divided
        by their number. "maxt" (Westfall and Young's, single step): one test, at `alpha_selector`
        itself, whether the largest statistic exceeds the largest one under permutation; no feature
        is muted, since none is tested by itself, and `feature_scanning` means nothing. It needs
        far fewer permutations with many candidates and has more power if they are correlated.
        False: no correction.
    adjust_alpha_splitter : bool, default=True
        Whether to divide `alpha_splitter` by the number of thresholds (Bonferroni). A single test,
        as `splitter_test="max"` makes, needs no correction.
    n_resamples_selector : {"minimum", "maximum", "auto"}, int or None, default="auto"
        Permutations of a Stage A test. With tau the level after adjustment: "minimum" is
        ceil(1 / tau), "maximum" ceil(1 / (4 tau^2)), "auto" max(ceil(1 / tau),
        ceil(z^2 (1 - tau) / tau)) with z the normal quantile of 1 - tau; an int is multiplied by
        the number of candidates under Bonferroni. The fewer, the further the test stays below its
        level. None: no test, the largest statistic wins.
    n_resamples_splitter : {"minimum", "maximum", "auto"}, int or None, default="auto"
        The same for Stage B. None: no test, the lowest impurity wins.
    early_stopping_selector : {"curtailed", "adaptive"} or None, default="curtailed"
        "curtailed": candidates one after the other; a test ends once its decision cannot change,
        the first to reject wins. The node's decision is that of the exhaustive test. "adaptive"
        (the paper's): also end when the posterior of the p-value is confident. None: all
        candidates with all permutations, the smallest p-value wins. Equal ones, and all strong
        features tie at 1 / (B + 1) with B permutations, are broken uniformly at random, as in the
        paper's reference rule; "curtailed" with `feature_scanning` takes the largest statistic
        that rejects, usually the better tree.
    early_stopping_splitter : {"curtailed", "adaptive"} or None, default="curtailed"
        The same for Stage B.
    early_stopping_confidence_selector : float, default=0.95
        Confidence at which "adaptive" ends a test, in (0.5, 1).
    early_stopping_confidence_splitter : float, default=0.95
        The same for Stage B.
    feature_muting : bool, default=True
        Whether a feature whose test did not reject is left out below that node.
    feature_scanning : bool, default=True
        Whether early stopping takes the candidates by descending statistic, else at random.
    max_features : int, float, (float, int), {"sqrt", "log2"} or None, default=None
        Candidates drawn at each node from its available features: a number, a share, a
        share of at least three and at most a cap, as in (1 / 3, 500), or None for all of them.
    threshold_method : {"exact", "random", "percentile", "histogram"}, default="histogram"
        Which midpoints between neighbouring values are tried: all, a sample, percentiles, or edges
        of bins of equal width.
    threshold_scanning : bool, default=True
        Whether early stopping takes thresholds by ascending impurity, else at random.
    max_thresholds : int, float, {"sqrt", "log2"} or None, default=256
        How many thresholds the methods other than "exact" choose.
    splitter_test : {"max", "threshold"} or None, default="max"
        "max": one test of the best impurity over all thresholds. "threshold" (the paper's): one
        test per threshold. None: no test, the lowest impurity wins, and `alpha_splitter`,
        `adjust_alpha_splitter`, `n_resamples_splitter`, the early stopping of Stage B and
        `threshold_scanning` mean nothing.
    max_depth : int or None, default=None
        Greatest depth; the root has depth 0.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf; a float is a share of all samples.
    min_samples_leaf : int or float, default=1
        Fewest samples of a child; a float is a share of all samples.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity of its node by at least this much.
    honesty : bool, default=False
        Whether one part of the rows grows the tree and the other gives its leaves their values.
    honesty_fraction : float, default=0.5
        Share of the rows that gives the values.
    random_state : int, RandomState instance or None, default=None
        Seed of permutations, candidates and ties. The same int grows the same tree.
    verbose : int, default=0
        1 writes a line about the fitted tree to stderr: its size and the permutations drawn.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as flat arrays; `tree_.node(i)` shows one node.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of type "split"; see `importances` for the others.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first (not ranks, as in RFE): by importance, then
        `root_statistic_`, then index. A feature with importance 0 was never used.
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
    ConditionalInferenceTreeClassifier : The same for classification.

    Notes
    -----
    At a fixed node whose y is independent of all candidates, Stage A splits with probability at
    most `alpha_selector`: that is proven for `early_stopping_selector=None` and holds unchanged
    for "curtailed", whose decision is the same, if `adjust_alpha_selector=True` and no row is
    repeated. It does not cover "adaptive" stopping, Stage B, case weights or bootstrap rows, nor
    the tree as a whole: nodes below the root are chosen by the data, and neither the p-values of
    chosen features nor importances carry an error guarantee.

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

    def __init__(
        self,
        *,
        selector: str | list[str] = "pc",
        splitter: str = "mse",
        alpha_selector: float = 0.05,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "auto",
        n_resamples_splitter: str | int | None = "auto",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool = True,
        max_features: int | float | tuple[float, int] | str | None = None,
        threshold_method: str = "histogram",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = "max",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.splitter = splitter
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
        self.threshold_method = threshold_method
        self.threshold_scanning = threshold_scanning
        self.max_thresholds = max_thresholds
        self.splitter_test = splitter_test
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.honesty = honesty
        self.honesty_fraction = honesty_fraction
        self.random_state = random_state
        self.verbose = verbose
