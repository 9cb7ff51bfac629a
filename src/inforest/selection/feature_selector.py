"""`FeatureSelector`: keeps the best k features of a ranking, and can choose k itself."""

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.sparsefuncs import min_max_axis
from sklearn.utils.validation import check_is_fitted

from inforest._engine.design import make_design
from inforest._engine.features import TABLE_CONSTRAINTS
from inforest._engine.limits import JOBS
from inforest._engine.parallel import workers
from inforest._engine.patience import Patience
from inforest._engine.responses import ResponseType, any_response_type
from inforest._engine.seeds import root_entropy
from inforest._engine.sklearn_private import (
    Interval,
    RealNotInt,
    StrOptions,
    check_sample_weight,
    fit_context,
)
from inforest._engine.table import ColumnSelector, Table
from inforest._engine.words import names_of_features
from inforest.estimators.base import all_or_nothing
from inforest.ranking.ranker import (
    check_ranker,
    checked_data,
    default_ranker,
    make_ranking,
    name_doubtful,
    read_response,
    reading_settings,
    response_type_of,
    routes_metadata,
    seeded,
    taken,
    weight_argument,
)
from inforest.selection.choice_of_k import (
    RULES,
    check_grid,
    choose_k,
    default_grid,
    number_to_keep,
    tabulate,
)
from inforest.selection.k_curve import (
    Metadata,
    Plan,
    check_splits,
    default_downstream,
    default_scorer,
    k_curve,
)

_WEIGHT, _BLOCKS, _GROUPS = "sample_weight", "blocks", "groups"


class FeatureSelector(ColumnSelector, MetaEstimatorMixin, BaseEstimator):
    """Keep the best k features of a ranking; k is given or chosen by cross-validation.

    With ``k="auto"`` the data are split, and in every split the features are ranked anew on the
    training rows alone. A downstream model is fitted to the best k of them and scored on the rows
    left out, for every k of a grid. The k that `rule` picks is then taken from the ranking on all
    rows.

    Parameters
    ----------
    estimator : estimator object or None, default=None
        What ranks; see `rank_features` for what is accepted. None: the `ForestRanker` of
        `rank_features`, for classification or regression as `downstream` says, else as y looks.
    k : "auto", int or float, default="auto"
        How many features to keep: a number, a share in (0, 1] of the features that vary, or the
        choice of the cross-validation. Note that 1 keeps one feature, 1.0 all that vary.
    k_grid : array-like of int or None, default=None
        The numbers of features that ``k="auto"`` tries. None: 1, 2, 5, 10, 25, 50, 100, 250, ...
        (up to 200 features more of them: 1, 2, 3, 5, 7, 10, 15, 20, ...) and, to see whether
        selection helps at all, every feature that varies.
    downstream : estimator object or None, default=None
        The model that shall use the selected features; it scores each k. It gets the columns of a
        data frame as they came. None: logistic regression or ridge regression on standardized
        features; in every split, categories become a column per level of the training rows, and
        gaps the median with a column that says where they were.
    cv : int, cross-validation generator or iterable, default=5
        The splits: an int means so many folds of shuffled rows, stratified in classification; with
        `groups`, rows of a group are in one fold. For rows in the order of time, say how to split:
        ``cv=TimeSeriesSplit()``.
    scoring : str, callable or None, default=None
        Score of the downstream model, the larger the better. None: balanced accuracy, in which rare
        classes count as much as frequent ones, or R^2.
    rule : {"best", "one_se"}, default="best"
        "best": the highest mean score, the smallest k of equals. "one_se": the smallest k whose
        mean score is within one standard error of the highest; fewer features at a small price.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categories: those whose type says so (categories, strings), those of a
        mask, indices or names, or none. An `estimator` of this package says so itself.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        What missing values are: something to learn from, nothing, or an error. An `estimator` of
        this package says so itself.
    n_jobs : int or None, default=None
        Splits that are worked on at once, and threads of the default forest. The result does not
        depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds the ranking, with a stream of its own in every split, and the downstream model: every
        `random_state` they have. None leaves theirs. The splits are seeded in `cv`.
    verbose : int, default=0
        1 shows a progress bar if fit takes longer than a second.

    Attributes
    ----------
    k_ : int
        How many features are kept.
    support_ : ndarray of shape (n_features_in_,)
        True for the features that are kept.
    ranking_ : ndarray of shape (n_features_in_,)
        Indices of the features, best first (not ranks, as in RFE): those kept are `ranking_[:k_]`.
    result_ : Ranking
        The ranking with scores and names, as a table (`result_.to_frame()`) or a figure
        (`result_.plot()`).
    estimator_ : estimator object
        The estimator that ranked, fitted to all rows.
    cv_results_ : dict of ndarray
        Only with ``k="auto"``. One entry per k: `k`, `mean_score` and its `std_error` over the
        splits, `n_splits`, and each split's score, `split0_score`, `split1_score`, ...
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    rank_features : The ranking alone.
    PermutationFilter : Keeps the features whose tests reject, each judged by itself.

    Notes
    -----
    The cross-validated score at the chosen k is too good: k was chosen by looking at it. An honest
    score comes from rows that had no part in the choice: put the selector into a pipeline with the
    model and cross-validate the pipeline, so that the whole choice is made again in every split::

        cross_val_score(make_pipeline(FeatureSelector(), model), X, y)

    The splits share most of their training rows, so that the standard errors are rough guides.

    With the default forest, neither the order of the columns nor an added constant column changes
    which features are kept for the same `random_state`, apart from features that are tied.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from inforest import FeatureSelector
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = FeatureSelector(k=5, random_state=0)
    >>> selector.fit_transform(X, y).shape
    (569, 5)

    Five of these thirty columns make the response; nobody says so to the selector:

    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(300, n_features=30, random_state=0)
    >>> selector = FeatureSelector(k="auto", rule="one_se", random_state=0).fit(X, y)
    >>> selector.cv_results_["k"]
    array([ 1,  2,  3,  5,  7, 10, 15, 20, 25, 30])
    >>> selector.k_
    5

    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",  # by check_ranker, whose message says more
        "k": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "k_grid": ["array-like", None],
        "downstream": "no_validation",  # by check_scoring
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "rule": [StrOptions(set(RULES))],
        **TABLE_CONSTRAINTS,
        "n_jobs": JOBS,
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    cv_results_: dict[str, NDArray[Any]]
    #: What the figure of k says besides the scores.
    _of_plot: dict[str, Any]

    def __init__(
        self,
        estimator: Any = None,
        k: str | int | float = "auto",
        *,
        k_grid: Sequence[int] | None = None,
        downstream: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "best",
        categorical_features: Any = "from_dtype",
        missing: str = "incorporate",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.k_grid = k_grid
        self.downstream = downstream
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.categorical_features = categorical_features
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, **params: Any) -> Self:
        """Rank the features, and choose how many to keep if ``k="auto"``.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Any table: numbers, categories, dates, with gaps. Sparse only if the estimators take it.
        y : array-like of shape (n_samples,)
            Class labels of any type, or finite numbers.
        **params
            `sample_weight` goes to the ranking and the downstream model, where they accept it, and
            to the default scoring; `groups` goes to `cv` and to the ranking, if it accepts it;
            `blocks` goes to the ranking. With scikit-learn's metadata routing switched on, the
            parts get what they request, whatever it is.

        Returns
        -------
        self : object
            The fitted selector. After an error or Ctrl-C it is what it was before.

        """
        with all_or_nothing(self):
            self._fit(X, y, params)
        return self

    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        if isinstance(self.k, bool):  # an Integral, too
            raise ValueError(f"k must be 'auto', a whole number or a share; got {self.k!r}")
        if self.estimator is not None:
            check_ranker(self.estimator)
        if self.downstream is not None and not hasattr(self.downstream, "fit"):
            raise TypeError(
                "downstream must be None or an estimator, with fit and predict; got"
                f" {self.downstream!r}"
            )
        models = [self.estimator, self.downstream]
        y, known = read_response("auto", models, y)
        table, y = checked_data(
            self,
            X,
            y,
            self._models(any_response_type()),
            categorical_features=self.categorical_features,
            missing=self.missing,
        )
        name_doubtful(X, table, also_of_equal=False)
        self._features = table.features
        kind = known or response_type_of("auto", models, y)
        metadata = self._routed(params, table.numbers, kind)
        n_useful = n_varying(table.numbers)
        if hasattr(self, "cv_results_"):
            del self.cv_results_  # of an earlier fit
        if self.k == "auto":
            grid = default_grid(n_useful)
            if self.k_grid is not None:
                grid = check_grid(self.k_grid, table.shape[1])
            self.cv_results_ = self._cross_validate(table, y, kind, metadata, grid)
            self.k_ = choose_k(self.cv_results_, self.rule)
            self._of_plot = {"n_features": n_useful, "score_name": self._score_name(kind)}
        else:
            self.k_ = number_to_keep(self.k, table.shape[1], n_useful)
        self.estimator_ = seeded(self._ranker(kind, self.n_jobs), self.random_state)
        self.estimator_.fit(table.of(self.estimator_), y, **metadata.ranker)
        self.result_ = make_ranking(self.estimator_, names_of_features(self, None))
        self.support_ = np.zeros(table.shape[1], dtype=bool)
        self.support_[self.ranking_[: self.k_]] = True

    def _cross_validate(
        self,
        table: Table,
        y: NDArray[Any],
        kind: ResponseType,
        metadata: Metadata,
        grid: NDArray[np.intp],
    ) -> dict[str, NDArray[Any]]:
        """Return the scores of every k of the grid."""
        cv = kind.check_cv(self.cv, y, has_groups=metadata.splitter.get(_GROUPS) is not None)
        splits = check_splits(cv.split(table.numbers, kind.folding(y), **metadata.splitter), len(y))
        if not splits:
            raise ValueError(f"cv must give at least one split; got {self.cv!r}")
        seeds: list[int | None] = [None] * len(splits)
        if self.random_state is not None:
            # Without a spawn key: no stream of the forest on all rows has the same. 31 bits: what
            # other packages accept as a seed.
            stream = np.random.SeedSequence(root_entropy(self.random_state))
            seeds = [int(word) >> 1 for word in stream.generate_state(len(splits))]
        # Processors that no split needs are left to the forests.
        n_workers = workers(self.n_jobs)
        threads = max(1, n_workers // len(splits)) if n_workers > 1 else None
        plan = Plan(
            ranker=self._ranker(kind, threads),
            downstream=self._downstream(kind, table),
            scorer=self._scorer(kind),
            grid=grid,
            splits=splits,
            seeds=seeds,
            metadata=metadata,
            config=get_config(),
        )
        with Patience(len(splits), "splits") if self.verbose else nullcontext() as progress:
            done = progress.advance if progress else None
            return tabulate(grid, k_curve(table, y, plan, self.n_jobs, done))

    def _ranker(self, kind: ResponseType, n_jobs: int | None = None) -> Any:
        if self.estimator is None:
            reading = reading_settings(self.categorical_features, self.missing)
            return default_ranker(kind, n_jobs=n_jobs, **reading)
        return self.estimator

    def _downstream(self, kind: ResponseType, table: Table | None = None) -> Any:
        return default_downstream(kind, table) if self.downstream is None else self.downstream

    def _scorer(self, kind: ResponseType) -> Any:
        if self.scoring is None:
            return default_scorer(kind)
        return check_scoring(self._downstream(kind), self.scoring)

    def _score_name(self, kind: ResponseType) -> str:
        scoring = kind.scoring if self.scoring is None else self.scoring
        return scoring.replace("_", " ") if isinstance(scoring, str) else "score"

    def _models(self, kind: ResponseType) -> list[Any]:
        """Return the models that will see X, which limit what it may be."""
        # The default downstream model takes whatever the ranker takes.
        others = [] if self.downstream is None or self.k != "auto" else [self.downstream]
        return [self._ranker(kind), *others]

    def _routed(self, params: dict[str, Any], X: Any, kind: ResponseType) -> Metadata:
        """Return what each part gets besides X and y."""
        if routes_metadata():
            routed = process_routing(self, "fit", **params)
            splitter = routed.get("splitter")
            return Metadata(
                ranker=routed.estimator.fit,
                downstream=routed.downstream.fit,
                scorer=routed.scorer.score,
                splitter=splitter.split if splitter else {},
            )
        unknown = sorted(set(params) - {_WEIGHT, _BLOCKS, _GROUPS})
        if unknown:
            raise ValueError(
                f"fit accepts {_WEIGHT}, {_BLOCKS} and {_GROUPS} besides X and y; got"
                f" {unknown[0]!r}, which needs sklearn.set_config(enable_metadata_routing=True)"
            )
        weight = params.get(_WEIGHT)
        design = make_design(params.get(_BLOCKS), params.get(_GROUPS), X.shape[0])
        ranker = taken(self._ranker(kind), design, elsewhere=(_GROUPS,))
        splitter = {} if design.groups is None else {_GROUPS: design.groups}
        if weight is None:
            return Metadata(ranker=ranker, splitter=splitter)
        weight = check_sample_weight(weight, X, dtype=np.float64)
        weighted = weight_argument(self._ranker(kind), weight)
        if not weighted:
            warnings.warn(
                f"{type(self.estimator).__name__} does not accept {_WEIGHT}: it ranks the features"
                " without the weights",
                UserWarning,
                stacklevel=5,
            )
        return Metadata(
            ranker={**ranker, **weighted},
            downstream=weight_argument(self._downstream(kind), weight),
            scorer={_WEIGHT: weight} if self.scoring is None else {},
            splitter=splitter,
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who gets what of the arguments of fit, when metadata routing is switched on.

        Returns
        -------
        routing : MetadataRouter
            Arguments of fit go to `estimator` and `downstream` (fit), `scoring` (score) and `cv`
            (split), whichever requests them.

        """
        kind = any_response_type()
        in_fit = MethodMapping().add(caller="fit", callee="fit")
        router = (
            MetadataRouter(owner=self)
            .add(estimator=self._ranker(kind), method_mapping=in_fit)
            .add(downstream=self._downstream(kind), method_mapping=in_fit)
            .add(
                scorer=self._scorer(kind),
                method_mapping=MethodMapping().add(caller="fit", callee="score"),
            )
        )
        # Not by way of check_cv: it would use up an iterator of splits, which requests nothing.
        in_split = MethodMapping().add(caller="fit", callee="split")
        if hasattr(self.cv, "get_metadata_routing"):
            router.add(splitter=self.cv, method_mapping=in_split)
        elif isinstance(self.cv, Integral):  # with groups, folds of groups
            folds = kind.check_cv(self.cv, np.empty(0), has_groups=True)
            router.add(splitter=folds, method_mapping=in_split)
        return router

    @property
    def ranking_(self) -> NDArray[np.intp]:
        """Indices of the features, best first."""
        check_is_fitted(self)
        return self.result_.order

    def plot_k(self, ax: Any = None) -> Any:
        """Draw the cross-validated score against k, with standard errors.

        The chosen k and the full set of features are marked. Needs ``k="auto"``.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        from inforest.ranking.plots import plot_k_curve

        check_is_fitted(self)
        if not hasattr(self, "cv_results_"):
            raise ValueError(f"plot_k needs k='auto', which tries several k; got k={self.k!r}")
        return plot_k_curve(self.cv_results_, self.k_, rule=self.rule, ax=ax, **self._of_plot)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inputs = [get_tags(model).input_tags for model in self._models(any_response_type())]
        tags.input_tags.sparse = all(one.sparse for one in inputs)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inputs)
        tags.target_tags.required = True
        return tags


def n_varying(X: Any) -> int:
    """Return the number of columns that are not constant, at least 1; a gap is a value, too."""
    if issparse(X):
        low, high = min_max_axis(X, axis=0)
        varies = low != high
    else:
        varies = (X[:1] != X).any(axis=0)
        varies &= ~np.isnan(X).all(axis=0)
    return max(1, int(varies.sum()))
