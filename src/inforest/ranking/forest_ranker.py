"""`ForestRanker`: forests on what earlier forests left over, ranked without repetition."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats
from inforest._engine.features import Encoded, Features
from inforest._engine.limits import FACTOR
from inforest._engine.progress import one_bar
from inforest._engine.responses.scale import size_exponent
from inforest._engine.sampling import VALIDATED_TYPES
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest._engine.sklearn_private import Interval, fit_context
from inforest._engine.training_set import TrainingSet, make_training_set, table_options
from inforest.estimators.base import all_or_nothing
from inforest.estimators.base_forest import Forest
from inforest.ranking.redundancy import discounted

#: What residuals may differ by without meaning anything, where |y| is between 0.5 and 1.
_ROUNDING = 64 * np.finfo(np.float64).eps


def _worth(predicted: Floats, y: Floats, weight: Any) -> float:
    """Return the slope of y on its out-of-bag predictions, at least 0 and at most 1.

    It is 1 where there is something to predict: a forest's predictions rather say too little. On
    noise it is 0, and nothing must be taken off y: predictions that know nothing of y are a random
    function of the features, which the next forest would find in the residuals, and all the more of
    those features that have many values and so were split more often.
    """
    centred = predicted - np.average(predicted, weights=weight)
    variance = np.average(centred * centred, weights=weight)
    if not variance > _ROUNDING**2:
        return 0.0
    covariance = np.average(centred * (y - np.average(y, weights=weight)), weights=weight)
    return float(np.clip(covariance / variance, 0.0, 1.0))


class ForestRanker(MetaEstimatorMixin, BaseEstimator):
    """Rank features for predictions from few of them.

    Two things are done to the importances of a forest. In regression, several smaller forests take
    turns: each is fitted to what the ones before it could not explain, so that weak features are
    found behind strong ones. And a feature that repeats a better one moves down, as
    `inforest.redundancy.rerank` describes.

    `rank_features` and `FeatureSelector` rank like this by default.

    Parameters
    ----------
    forest : ConditionalInferenceForestClassifier or ConditionalInferenceForestRegressor
        The forest; its `n_estimators` trees are divided among the rounds, rounded up.
    n_rounds : int, default=1
        Number of forests, for regression only. One: a single forest on y itself.
    learning_rate : float, default=0.6
        Share of a forest's predictions that the next one no longer sees. It is multiplied by the
        slope of y on the out-of-bag predictions, at most 1: predictions that say nothing about y
        are not taken off.
    redundancy : float, default=1.0
        Strength of the discount for correlation with better features; 0 ranks by importance alone.

    Attributes
    ----------
    forests_ : list of forests
        One per round, the first fitted to y itself. Fewer if nothing is left to explain, one if
        the trees leave out less than a tenth of the rows.
    feature_importances_ : ndarray of shape (n_features,)
        Mean importances over the forests, of the forest's `importance_type`; sum 1, or 0 if nothing
        was split. Of type "weighted" if that needs rows left out and there are hardly any.
    scores_ : ndarray of shape (n_features,)
        What is left of them after the discount for redundancy.
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first: by `scores_`, then importance, then as the forest's
        `ranking_ties` says, then index.
    nearest_ : ndarray of shape (n_features,)
        The better feature that each one repeats most, by its index; -1 where there is none.
    explained_ : ndarray of shape (n_features,)
        The share of each feature that this one explains, as `inforest.redundancy.rerank` has it.
    root_statistic_ : ndarray of shape (n_features,)
        Association of each feature with y on all samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    rank_features : Ranks with one line.
    inforest.redundancy.rerank : The discount, for any importances.

    Notes
    -----
    The tests of the first forest are those of y. Later forests test residuals, which depend on all
    samples through the earlier forests: their tests steer the choice of splits and have no proven
    level. For error control use `independence_test` or `PermutationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from inforest import ConditionalInferenceForestRegressor, ForestRanker
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestRegressor(100, random_state=0)
    >>> ranker = ForestRanker(forest, n_rounds=5).fit(X, y)
    >>> sorted(ranker.feature_names_in_[ranker.ranking_[:2]].tolist())
    ['bmi', 's5']

    """

    _reads_encoded: ClassVar[bool] = True
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"blocks": True, "groups": True}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "forest": [Forest],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "redundancy": [FACTOR],
    }

    def __init__(
        self,
        forest: Any,
        *,
        n_rounds: int = 1,
        learning_rate: float = 0.6,
        redundancy: float = 1.0,
    ) -> None:
        self.forest = forest
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.redundancy = redundancy

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.forest)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        blocks: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Grow the forests and rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            As in the forest's `fit`. The correlations of the discount are weighted, too.
        blocks, groups : array-like of shape (n_samples,) or None, default=None
            As in the forest's `fit`.

        Returns
        -------
        self : ForestRanker
            The fitted ranker.

        """
        with all_or_nothing(self):
            self._check_rounds()
            forest = self.forest
            data = make_training_set(
                self,
                X,
                y,
                sample_weight,
                forest._kind,
                blocks=blocks,
                groups=groups,
                called=type(forest).__name__,
                in_place=True,
                **table_options(forest),
            )
            self._fit(data)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def _fit_prepared(self, data: TrainingSet) -> Self:
        """Do what `fit` does, with data that were checked and converted before."""
        if type(self).fit is not ForestRanker.fit:  # a subclass does more than this
            y = data.response.type.decode(data.response)
            return self.fit(data.table, y, **data.fit_arguments)
        with all_or_nothing(self):
            self._check_rounds()
            self.n_features_in_ = data.X.shape[1]
            self._features = data.features.columns or Features(self.n_features_in_)
            self._fit(data)
        return self

    def _check_rounds(self) -> None:
        kind = self.forest._kind
        if self.n_rounds > 1 and not kind.leaves_residuals:
            what = kind.plural
            if getattr(kind, "influence", None) is not None:
                what += " with an influence function"
            raise ValueError(
                f"n_rounds must be 1 for {what}, which leave no residuals; got {self.n_rounds}"
            )
        if self.n_rounds > 1 and not self.forest.bootstrap:
            raise ValueError(
                f"n_rounds={self.n_rounds} needs rows that a tree has not seen, and with"
                " bootstrap=False there are none"
            )

    def _fit(self, data: TrainingSet) -> None:
        self.forests_ = self._grow(data)
        if hasattr(self, "feature_names_in_"):
            for forest in self.forests_:
                forest.feature_names_in_ = self.feature_names_in_
        self._rank(data)

    def _grow(self, data: TrainingSet) -> list[Any]:
        """Fit each forest to what those before it have left over."""
        n_rounds = int(self.n_rounds)
        whole = clone(self.forest)
        if n_rounds == 1:
            return [whole._fit_prepared(data)]
        n_trees = -(-whole.n_estimators // n_rounds)
        streams = seeds(root_entropy(whole.random_state), Purpose.ROUND, n_rounds)
        with one_bar(n_rounds, whole.verbose) as bar:
            if bar is not None:
                bar.begin("forests", n_rounds, n_rounds)
            return self._take_turns(data, whole, n_trees, streams)

    def _take_turns(
        self, data: TrainingSet, whole: Any, n_trees: int, streams: NDArray[np.uint64]
    ) -> list[Any]:
        forests: list[Any] = []
        for stream in streams:
            if forests:
                data = self._left_over(forests[-1], data, is_first=len(forests) == 1)
                if np.ptp(data.y) <= _ROUNDING:  # nothing is left to explain
                    break
            forest = clone(whole).set_params(
                n_estimators=n_trees,
                random_state=int(stream % 2**32),
                keep_leaves=False,  # nobody asks what rows say about residuals
            )
            forests.append(forest._fit_prepared(data))
            if len(forests) == 1 and not forest._sampling.leaves_rows_out:
                return [whole._fit_prepared(data)]
        return forests

    def _left_over(self, forest: Any, data: TrainingSet, *, is_first: bool) -> TrainingSet:
        """Take the out-of-bag predictions off the responses; X stays as it is."""
        response = data.response
        if response.scale is not None:
            return self._left_over_columns(forest, data)
        # After the first round, and from then on, in a unit in which sums exist.
        unit = size_exponent(response.values) if is_first else 0
        y = np.ldexp(response.values, -unit)
        predicted, n_votes = forest._predict_out_of_bag(data.X)
        known = np.ldexp(predicted[:, 0], -unit - response.exponent)
        mean = np.average(y, weights=data.weight)
        known = np.where(n_votes > 0, known, mean)
        left = y - self.learning_rate * _worth(known, y, data.weight) * known
        return data.with_response(replace(response, values=left, exponent=0))

    def _left_over_columns(self, forest: Any, data: TrainingSet) -> TrainingSet:
        """Do the same for several numbers, each by itself."""
        response = data.response
        y = response.type.decode(response) / response.in_unit
        predicted, n_votes = forest._predict_out_of_bag(data.X)
        left = np.empty_like(y)
        for k, column in enumerate(y.T):
            mean = np.average(column, weights=data.weight)
            known = np.where(n_votes > 0, (predicted / response.in_unit)[:, k], mean)
            worth = _worth(known, column, data.weight)
            left[:, k] = column - self.learning_rate * worth * known
        return data.with_response(response.type.encode(left, data.weight, ""))

    def _rank(self, data: TrainingSet) -> None:
        # All forests sample alike, so the first one speaks for them.
        kind = self.forests_[0]._importance_type
        if kind in VALIDATED_TYPES and not self.forests_[0]._sampling.leaves_rows_out:
            kind = "weighted"
        total = np.sum([forest.importances(kind) for forest in self.forests_], axis=0)
        # Those of one forest stay as they are, to the last digit.
        scale = total.sum() if len(self.forests_) > 1 else 1.0
        self.feature_importances_ = total / (scale or 1.0)
        self.root_statistic_ = self.forests_[0].root_statistic_
        found = discounted(
            self.feature_importances_,
            Encoded(self._features, data.X),  # which was checked
            strength=self.redundancy,
            tie_breaker=self._tie_breaker,
            weight=data.weight,
        )
        self.ranking_, self.scores_ = found.order, found.scores
        self.nearest_, self.explained_ = found.nearest, found.explained

    @property
    def _tie_breaker(self) -> Floats | None:
        """What orders features of equal importance: what the forest's `ranking_ties` says."""
        return self.forests_[0]._tie_breaker

    @property
    def candidate_counts_(self) -> NDArray[np.int64]:
        """At how many nodes of all forests together each feature was a candidate."""
        check_is_fitted(self)
        return np.sum([forest.candidate_counts_ for forest in self.forests_], axis=0)
