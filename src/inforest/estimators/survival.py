"""Conditional inference trees and forests for censored times."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats, Trees
from inforest._engine.curves import LeafCurves, make_curves, thinned
from inforest._engine.parameters import constraints, documented
from inforest._engine.responses import SURVIVAL, ResponseType
from inforest._engine.responses.survival import concordance
from inforest._engine.sampling import Sampling
from inforest._engine.sklearn_private import check_sample_weight
from inforest._engine.training_set import TrainingSet
from inforest.estimators.base import BaseInference
from inforest.estimators.base_forest import Forest
from inforest.estimators.step_function import StepFunction
from inforest.estimators.tree import SingleTree


class InferenceSurvival(BaseInference):
    """Prediction of risks, survival curves and cumulative hazards."""

    _response_type: ClassVar[ResponseType] = SURVIVAL
    time_grid: Any
    #: What the leaves of all trees keep of the times.
    _curves: LeafCurves
    unique_times_: Floats
    event_times_: Floats

    def _keep(
        self, data: TrainingSet, trees: Trees, seeds: NDArray[np.uint64], sampling: Sampling
    ) -> None:
        assert data.response.kept is not None
        curves = make_curves(
            trees,
            data.X,
            data.response.kept,
            sampling.of_trees(seeds),
            honesty=float(self.honesty_fraction) if self.honesty else 0.0,
            weight=data.weight,
            n_jobs=self._jobs,
        )
        adds_to_others = trees.n_trees < self._trees.n_trees
        self._curves = LeafCurves.concatenate([self._curves, curves]) if adds_to_others else curves
        self.event_times_ = curves.event_times
        self.unique_times_ = thinned(curves.event_times, self.time_grid)

    @property
    def _predictors(self) -> Trees:
        """The trees with the risk of each leaf, which is a sum over time of what it averages."""
        return replace(self._trees, value=self._curves.risk(self.event_times_)[:, None])

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the risk: the cumulative hazard, summed over all event times of the fit.

        It says who is expected to have the event earlier; a higher risk means earlier. It is the
        number of events that a row with this hazard would be expected to have, had it been watched
        up to each of the event times in turn, and has no meaning beyond this fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        risk : ndarray of shape (n_samples,)
            One number per sample, 0 or more.

        """
        return self._predict(X)

    def predict_survival_function(self, X: ArrayLike, return_array: bool = False) -> NDArray[Any]:
        """Predict survival curves: Kaplan and Meier's estimate in each leaf, averaged over trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        return_array : bool, default=False
            Whether to return numbers instead of functions.

        Returns
        -------
        survival : ndarray
            Of shape (n_samples,) with a `StepFunction` per sample, or of shape (n_samples, n_times)
            with the share that is expected not to have had the event by each of `unique_times_`.

        """
        return self._predict_curves(X, return_array, survival=True)

    def predict_cumulative_hazard_function(
        self, X: ArrayLike, return_array: bool = False
    ) -> NDArray[Any]:
        """Predict cumulative hazards: Nelson and Aalen's estimate in each leaf, mean over trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        return_array : bool, default=False
            Whether to return numbers instead of functions.

        Returns
        -------
        hazard : ndarray
            Of shape (n_samples,) with a `StepFunction` per sample, or of shape (n_samples, n_times)
            with the values at each of `unique_times_`.

        """
        return self._predict_curves(X, return_array, survival=False)

    def _predict_curves(self, X: ArrayLike, return_array: bool, *, survival: bool) -> NDArray[Any]:
        checked, grid = self._checked(X), self.unique_times_
        curves = self._curves.predict(
            self._trees, checked, grid, survival=survival, n_jobs=self._jobs
        )
        np.maximum(curves, 0.0, out=curves)  # sums of jumps may end an ulp below
        if return_array:
            return curves
        functions = np.empty(len(curves), dtype=object)
        functions[:] = [StepFunction(grid, curve, start=float(survival)) for curve in curves]
        return functions

    def score(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return Harrell's concordance of the predicted risks with the times.

        Of all pairs of which is known who had the event first, the share in which that one has the
        higher risk; half of a pair with equal risks. 0.5 is a guess, 1 a perfect order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : structured array, data frame or pair
            Events and times, as in `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row weighs; a pair weighs the product.

        Returns
        -------
        concordance : float
            Between 0 and 1.

        """
        risk = self.predict(X)
        times, _ = self._response_type.read(y)
        if len(times) != len(risk):
            raise ValueError(
                f"X and y must have the same number of rows; got {len(risk)} and {len(times)}"
            )
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, risk, dtype=np.float64)
        found = concordance(times, risk, weight)
        if np.isnan(found):
            raise ValueError(
                "score needs a pair of rows of which is known who had the event first; these"
                f" {len(times)} rows, {int(times['event'].sum())} of them with an event, have none"
            )
        return found


@documented(SURVIVAL, is_forest=False)
class ConditionalInferenceSurvivalTree(SingleTree, InferenceSurvival):
    """A conditional inference tree for censored times.

    Each node tests every candidate feature's association with the log-rank scores of the times, by
    permutations. It picks a feature that passes (Stage A) and splits it at its best threshold
    (Stage B); if none passes, it is a leaf. A leaf has the survival curve of its rows.
    `export_text` and `plot_tree` show the tree with its p-values.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as flat arrays; `tree_.node(i)` shows one node. Its `value` is the mean
        log-rank score, negative where events come early.
    unique_times_ : ndarray of shape (n_times,)
        The times at which curves are given: see `time_grid`.
    event_times_ : ndarray of shape (n_event_times,)
        All distinct event times of the fit.
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
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceSurvivalForest : A forest of them.

    Notes
    -----
    What holds for the tests of `ConditionalInferenceTreeRegressor` holds here: the scores are
    computed once, from all rows, and a node permutes those of its rows. The null hypothesis is that
    (event, time) is independent of the features. A feature that goes along with censoring, but not
    with the event, is outside of it.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import ConditionalInferenceSurvivalTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, size=200)
    >>> y = {"event": time <= censored, "time": np.minimum(time, censored)}
    >>> tree = ConditionalInferenceSurvivalTree(random_state=0).fit(X, y)
    >>> int(tree.ranking_[0])
    0
    >>> tree.score(X, y) > 0.6
    True

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(SURVIVAL, is_forest=False)

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
        min_samples_leaf: int | float | tuple[float, int] = 5,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        ties: str = "random",
        strict_level: bool = False,
        missing: str = "incorporate",
        time_grid: int | Any | None = None,
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
        self.time_grid = time_grid
        self.ranking_ties = ranking_ties
        self.random_state = random_state
        self.verbose = verbose


@documented(SURVIVAL, is_forest=True)
class ConditionalInferenceSurvivalForest(Forest, InferenceSurvival):
    """A forest of conditional inference trees for censored times.

    Every tree is grown on its own sample of the rows. At every node the log-rank statistics of a
    random choice of the features are put in order by their tails, and the first one splits the
    node; by default no test stops a tree. The forest predicts the mean over its trees: of Kaplan
    and Meier's estimate of the survival curve in each leaf, of Nelson and Aalen's estimate of the
    cumulative hazard.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    trees_ : Trees
        All fitted trees in one set of flat arrays; `trees_.tree(i)` is one of them. Their `value`
        is the mean log-rank score, negative where events come early.
    estimators_ : list of ConditionalInferenceSurvivalTree
        The trees as estimators that share the arrays of `trees_`.
    estimators_samples_ : list of ndarray
        The rows each tree was grown from.
    unique_times_ : ndarray of shape (n_times,)
        The times at which curves are given: see `time_grid`.
    event_times_ : ndarray of shape (n_event_times,)
        All distinct event times of the fit.
    oob_score_ : float
        Score of the out-of-bag predictions; only with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,)
        Risk of each row by the trees that have not seen it, nan where there is none; only with
        `oob_score`.
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
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalInferenceSurvivalTree : A single tree, with the guarantee its tests have.
    save, load : Keep a fitted forest in a file without pickle.

    Notes
    -----
    y may be what scikit-survival uses, a structured array of a truth value and a time, and what
    `predict_survival_function` and `predict` return is what its metrics take. A leaf keeps the
    event times of its rows, how many had the event then and how many were at risk, and nothing
    else, so that a forest needs memory in proportion to the events of its samples.

    The defaults are those that predicted best on tables set aside for the choice, and much like
    those of R's cforest: a forest whose trees are stopped by tests predicts curves less well
    (docs/survival.md). So, other than the trees, and the forests for classes and numbers, this one
    promises no level: its roots split noise, too. No kind of feature is preferred all the same, of
    those that leaves of so many rows can cut. Tests that stop trees are one parameter away:
    ``n_resamples_selector="minimum"`` makes them at the level `alpha_selector`, and
    ``alpha_selector=0.05, n_resamples_selector="auto", splitter_test="max"`` rarely splits noise;
    what is said of the guarantee in `ConditionalInferenceForestRegressor` holds then, also for
    clusters. ``selector="quad"`` looks for features whose middle values are the risky ones, too.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import ConditionalInferenceSurvivalForest
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, size=200)
    >>> y = {"event": time <= censored, "time": np.minimum(time, censored)}
    >>> forest = ConditionalInferenceSurvivalForest(oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.6
    True
    >>> survival = forest.predict_survival_function(X[:2])
    >>> survival[0](0.0)
    1.0

    """

    _tree_class = ConditionalInferenceSurvivalTree
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(SURVIVAL, is_forest=True)

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        selector: str | list[str] = "pc",
        splitter: str = "mse",
        categorical_features: Any = "from_dtype",
        alpha_selector: float = 0.5,
        alpha_splitter: float = 0.05,
        adjust_alpha_selector: bool | str = True,
        adjust_alpha_splitter: bool = True,
        n_resamples_selector: str | int | None = None,
        n_resamples_splitter: str | int | None = "stable",
        early_stopping_selector: str | None = "curtailed",
        early_stopping_splitter: str | None = "curtailed",
        early_stopping_confidence_selector: float = 0.95,
        early_stopping_confidence_splitter: float = 0.95,
        feature_muting: bool = True,
        feature_scanning: bool | str = True,
        max_features: int | float | tuple[float, int] | str | None = "sqrt",
        split_tries: int = 1,
        threshold_method: str = "histogram",
        threshold_at: str = "midpoint",
        threshold_scanning: bool = True,
        max_thresholds: int | float | str | None = 256,
        splitter_test: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float | tuple[float, int] = 7,
        min_impurity_decrease: float = 0.0,
        honesty: bool = False,
        honesty_fraction: float = 0.5,
        ties: str = "random",
        strict_level: bool = False,
        missing: str = "incorporate",
        time_grid: int | Any | None = None,
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
        self.time_grid = time_grid
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

    def _kept_of_tree(self, index: int) -> dict[str, Any]:
        """Return the curves of one tree."""
        first, last = self.trees_.offset[index], self.trees_.offset[index + 1]
        return {
            "_curves": self._curves.part(first, last),
            "unique_times_": self.unique_times_,
            "event_times_": self.event_times_,
        }
