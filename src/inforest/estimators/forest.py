"""Conditional inference forests: their signatures and documentation."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from inforest._engine.responses import CLASSES, NUMBER
from inforest._engine.sampling import SAMPLING_METHODS
from inforest._engine.sklearn_private import StrOptions
from inforest.estimators.base import InferenceClassifier, InferenceRegressor
from inforest.estimators.base_forest import FOREST_CONSTRAINTS, FOREST_PAPER, Forest
from inforest.estimators.tree import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)


class ConditionalInferenceForestClassifier(Forest, InferenceClassifier):
    """A forest of conditional inference trees for classification.

    Every tree is grown on its own sample of the rows, at every node from a random choice of the
    features, by the permutation tests of `ConditionalInferenceTreeClassifier`; thresholds are
    tested on request only. The forest predicts the mean over its trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    selector : {"mc", "mi", "rdc", "quad"} or list of str, default="quad"
        Statistic of Stage A, which picks a node's feature: correlation ratio, mutual information
        (k nearest neighbours), randomized dependence coefficient, or "quad", which also sees
        classes that differ in spread: the correlation ratios of x and of the part of x^2 that is
        orthogonal to x, as the root of their mean square over min(n_classes - 1, 2) directions.
        "mc" is the cheapest, "quad" costs about 1.5 times as much, "rdc" a few times, "mi" tens of
        times.
        Of a list, the maximum on a common scale, taken inside every permutation.
    splitter : {"gini", "entropy"}, default="gini"
        Impurity of Stage B, which picks the threshold.
    alpha_selector : float, default=0.5
        Level of Stage A at a node, in (0, 1]. A forest predicts better when many features pass;
        see Notes for one that keeps noise out.
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
    n_resamples_selector : {"minimum", "maximum", "auto"}, int or None, default="minimum"
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
    max_features : int, float, (float, int), {"sqrt", "log2"} or None, default=(1 / 3, 500)
        Candidates drawn at each node from its available features: a number, a share, a
        share of at least three and at most a cap, as in (1 / 3, 500), the rounded up root or
        logarithm of their number, or None for all of them (the paper's CIF-all).
    threshold_method : {"exact", "random", "percentile", "histogram"}, default="histogram"
        Which midpoints between neighbouring values are tried: all, a sample, percentiles, or edges
        of bins of equal width.
    threshold_scanning : bool, default=True
        Whether early stopping takes thresholds by ascending impurity, else at random.
    max_thresholds : int, float, {"sqrt", "log2"} or None, default=256
        How many thresholds the methods other than "exact" choose.
    splitter_test : {"max", "threshold"} or None, default=None
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
        Whether one part of a tree's rows grows it and the other gives its leaves their values.
    honesty_fraction : float, default=0.5
        Share of the rows that gives the values.
    bootstrap : bool, default=True
        Whether every tree gets its own sample of the rows. False: every tree sees all of them, and
        `sampling_method` and `replace` mean nothing.
    sampling_method : {"stratified", "plain", "undersample", "oversample"}, default="stratified"
        "stratified": every class has its share in every sample. "plain": rows are drawn regardless
        of class. "undersample": from each class as many as the rarest one gives, at most
        ``max_samples / n_classes``. "oversample": `max_samples` split evenly over the classes;
        needs ``replace=True``.
    replace : bool, default=False
        False: a subsample, in which no row is repeated. True: a bootstrap sample, the paper's
        choice, whose repeated rows make permutation tests reject too often (see Notes).
    max_samples : int, float or None, default=None
        Size of a sample: a number, a share of the rows in (0, 1], or None for as many as there are
        rows with replacement and for 0.632 of them without.
    oob_score : bool or callable, default=False
        Whether to predict every row by the trees that have not seen it, and score the result by
        the accuracy, or by the callable, called as ``oob_score(y_true, y_pred)``.
    importance_type : {"auto", "split", "count", "weighted", "validated", "effect"}, default="auto"
        Type of `feature_importances_` and `ranking_`. "auto" is "effect" where trees leave rows out
        and no row counts more than once, else "weighted". The other types are there as well, see
        `importances`; this parameter does not change the trees.
    n_jobs : int or None, default=None
        Number of jobs, -1 for all processors. They are threads unless
        `joblib.parallel_config` says otherwise: its backends "loky", "dask" and "ray" grow trees
        in other processes or on other machines. None means 1, or what `parallel_config` sets. The
        result is bit for bit the same for any number of jobs and any backend.
    warm_start : bool, default=False
        Whether fit keeps the trees there are and only adds what is missing to `n_estimators`. The
        result is that of one fit, whatever `random_state` was. It needs the same data as before.
    random_state : int, RandomState instance or None, default=None
        Seed of samples, permutations, candidates and ties. The same int grows the same forest; two
        different ones have no tree in common.
    verbose : int, default=0
        1 shows a bar on stderr with the trees done, their rate and the time left; where stderr is
        no terminal, a line at the start and one at the end.

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
        Indices of the features, best first (not ranks, as in RFE): by importance, then
        `root_statistic_`, then index. A feature with importance 0 has no split that counts.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes of all trees together the feature was a candidate of Stage A; the trees
        in `estimators_` have no counts of their own.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceForestRegressor : The same for regression.
    ConditionalInferenceTreeClassifier : A single tree, with the guarantee its tests have.
    save, load : Keep a fitted forest in a file without pickle.

    Notes
    -----
    The defaults are those that a study of rankings chose: the gate is wide open, and thresholds are
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
    _paper: ClassVar[dict[str, Any]] = {
        **InferenceClassifier._paper,
        **FOREST_PAPER,
        **CLASSES.paper_forest,
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **InferenceClassifier._parameter_constraints,
        **FOREST_CONSTRAINTS,
        "sampling_method": [StrOptions(set(SAMPLING_METHODS))],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        selector: str | list[str] = "quad",
        splitter: str = "gini",
        alpha_selector: float = 0.5,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "minimum",
        n_resamples_splitter: str | int | None = "auto",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool = True,
        max_features: int | float | tuple[float, int] | str | None = (1 / 3, 500),
        threshold_method: str = "histogram",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        bootstrap: bool = True,
        sampling_method: str = "stratified",
        replace: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        importance_type: str = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
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
        self.bootstrap = bootstrap
        self.sampling_method = sampling_method
        self.replace = replace
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.importance_type = importance_type
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose


class ConditionalInferenceForestRegressor(Forest, InferenceRegressor):
    """A forest of conditional inference trees for regression.

    Every tree is grown on its own sample of the rows, at every node from a random choice of the
    features, by the permutation tests of `ConditionalInferenceTreeRegressor`; thresholds are tested
    on request only. The forest predicts the mean over its trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    selector : {"pc", "dc", "rdc", "quad"} or list of str, default="quad"
        Statistic of Stage A, which picks a node's feature: |Pearson correlation|, distance
        correlation, randomized dependence coefficient, or "quad", the multiple correlation of y
        with x and x^2, which also sees a bend. "pc" is the cheapest, "quad" costs about 1.5 times
        as much, "rdc" a few times, "dc" tens of times.
        Of a list, the maximum on a common scale, taken inside every permutation.
    splitter : {"mse", "mae"}, default="mse"
        Impurity of Stage B, which picks the threshold.
    alpha_selector : float, default=0.5
        Level of Stage A at a node, in (0, 1]. A forest predicts better when many features pass;
        see Notes for one that keeps noise out.
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
    n_resamples_selector : {"minimum", "maximum", "auto"}, int or None, default="minimum"
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
    max_features : int, float, (float, int), {"sqrt", "log2"} or None, default=(1 / 3, 500)
        Candidates drawn at each node from its available features: a number, a share, a
        share of at least three and at most a cap, as in (1 / 3, 500), the rounded up root or
        logarithm of their number, or None for all of them (the paper's CIF-all).
    threshold_method : {"exact", "random", "percentile", "histogram"}, default="histogram"
        Which midpoints between neighbouring values are tried: all, a sample, percentiles, or edges
        of bins of equal width.
    threshold_scanning : bool, default=True
        Whether early stopping takes thresholds by ascending impurity, else at random.
    max_thresholds : int, float, {"sqrt", "log2"} or None, default=256
        How many thresholds the methods other than "exact" choose.
    splitter_test : {"max", "threshold"} or None, default=None
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
        Whether one part of a tree's rows grows it and the other gives its leaves their values.
    honesty_fraction : float, default=0.5
        Share of the rows that gives the values.
    bootstrap : bool, default=True
        Whether every tree gets its own sample of the rows. False: every tree sees all of them, and
        `sampling_method` and `replace` mean nothing.
    replace : bool, default=False
        False: a subsample, in which no row is repeated. True: a bootstrap sample, the paper's
        choice, whose repeated rows make permutation tests reject too often (see Notes).
    max_samples : int, float or None, default=None
        Size of a sample: a number, a share of the rows in (0, 1], or None for as many as there are
        rows with replacement and for 0.632 of them without.
    oob_score : bool or callable, default=False
        Whether to predict every row by the trees that have not seen it, and score the result by
        R^2, or by the callable, called as ``oob_score(y_true, y_pred)``.
    importance_type : {"auto", "split", "count", "weighted", "validated", "effect"}, default="auto"
        Type of `feature_importances_` and `ranking_`. "auto" is "effect" where trees leave rows out
        and no row counts more than once, else "weighted". The other types are there as well, see
        `importances`; this parameter does not change the trees.
    n_jobs : int or None, default=None
        Number of jobs, -1 for all processors. They are threads unless
        `joblib.parallel_config` says otherwise: its backends "loky", "dask" and "ray" grow trees
        in other processes or on other machines. None means 1, or what `parallel_config` sets. The
        result is bit for bit the same for any number of jobs and any backend.
    warm_start : bool, default=False
        Whether fit keeps the trees there are and only adds what is missing to `n_estimators`. The
        result is that of one fit, whatever `random_state` was. It needs the same data as before.
    random_state : int, RandomState instance or None, default=None
        Seed of samples, permutations, candidates and ties. The same int grows the same forest; two
        different ones have no tree in common.
    verbose : int, default=0
        1 shows a bar on stderr with the trees done, their rate and the time left; where stderr is
        no terminal, a line at the start and one at the end.

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
        Indices of the features, best first (not ranks, as in RFE): by importance, then
        `root_statistic_`, then index. A feature with importance 0 has no split that counts.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples, the `selector`'s statistic.
    candidate_counts_ : ndarray of shape (n_features,)
        At how many nodes of all trees together the feature was a candidate of Stage A; the trees
        in `estimators_` have no counts of their own.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceForestClassifier : The same for classification.
    ConditionalInferenceTreeRegressor : A single tree, with the guarantee its tests have.
    save, load : Keep a fitted forest in a file without pickle.

    Notes
    -----
    The defaults are those that a study of rankings chose: the gate is wide open, and thresholds are
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
    _paper: ClassVar[dict[str, Any]] = {
        **InferenceRegressor._paper,
        **FOREST_PAPER,
        **NUMBER.paper_forest,
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **InferenceRegressor._parameter_constraints,
        **FOREST_CONSTRAINTS,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        selector: str | list[str] = "quad",
        splitter: str = "mse",
        alpha_selector: float = 0.5,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = "minimum",
        n_resamples_splitter: str | int | None = "auto",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool = True,
        max_features: int | float | tuple[float, int] | str | None = (1 / 3, 500),
        threshold_method: str = "histogram",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        bootstrap: bool = True,
        replace: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        importance_type: str = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
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
        self.bootstrap = bootstrap
        self.replace = replace
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.importance_type = importance_type
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
