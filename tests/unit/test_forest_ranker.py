"""`ForestRanker`: rounds on residuals, the discount, and what it promises about seeds and jobs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import linregress
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from inforest import ConditionalInferenceForestClassifier as Classifier
from inforest import ConditionalInferenceForestRegressor as Regressor
from inforest import ForestRanker, rank_features
from inforest._engine.order import rank
from inforest.ranking.forest_ranker import _worth
from inforest.ranking.ranker import default_ranker
from inforest.redundancy import rerank


@pytest.fixture
def diabetes():
    return load_diabetes(return_X_y=True)


def test_one_round_without_discount_is_the_forest(diabetes):
    forest = Regressor(30, random_state=0)
    ranker = ForestRanker(forest, redundancy=0).fit(*diabetes)
    alone = clone(forest).fit(*diabetes)
    assert_array_equal(ranker.ranking_, alone.ranking_)
    assert_array_equal(ranker.feature_importances_, alone.feature_importances_)
    assert_array_equal(ranker.scores_, alone.feature_importances_)
    assert_array_equal(ranker.root_statistic_, alone.root_statistic_)
    assert_array_equal(ranker.candidate_counts_, alone.candidate_counts_)


def test_discount_is_that_of_rerank():
    X, y = load_breast_cancer(return_X_y=True)
    ranker = ForestRanker(Classifier(30, random_state=0)).fit(X, y)
    importances = ranker.feature_importances_
    n_used = np.count_nonzero(importances)
    assert_array_equal(ranker.ranking_[:n_used], rerank(importances, X)[:n_used])
    assert_array_equal(ranker.ranking_[n_used:], rank(importances, ranker.root_statistic_)[n_used:])
    assert (np.diff(ranker.scores_[ranker.ranking_]) <= 0).all()


def test_each_round_is_fitted_to_what_is_left(diabetes):
    X, y = diabetes
    ranker = ForestRanker(Regressor(40, random_state=0), n_rounds=4, learning_rate=0.7).fit(X, y)
    assert [forest.n_estimators for forest in ranker.forests_] == [10] * 4
    left, slopes = y.copy(), []
    for forest in ranker.forests_:
        again = clone(forest).set_params(oob_score=True)
        with pytest.warns(UserWarning, match="out-of-bag"):  # ten trees: some rows are in all
            again.fit(X, left)
        assert_array_equal(again.feature_importances_, forest.feature_importances_)
        oob = again.oob_prediction_
        predicted = np.where(np.isnan(oob), left.mean(), oob)
        share = _worth(predicted, left, None)
        slopes.append(linregress(predicted, left).slope)
        assert_allclose(share, np.clip(slopes[-1], 0, 1))
        left = left - 0.7 * share * predicted
    assert min(slopes) < 1
    assert left.var() < 0.8 * y.var()


def test_predictions_that_say_nothing_are_not_taken_off():
    """On noise; else the next forest would find them, as functions of the features."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.normal(size=100)
    ranker = ForestRanker(Regressor(300, random_state=0), n_rounds=3).fit(X, y)
    predicted, _ = ranker.forests_[0]._predict_out_of_bag(np.asfortranarray(X))
    assert linregress(predicted[:, 0], y).slope < 0
    for forest in ranker.forests_:
        assert_array_equal(forest.trees_.feature, clone(forest).fit(X, y).trees_.feature)


def test_rounds_find_a_weak_feature_behind_strong_ones():
    """A linear response: a share of each coefficient's square is all that one forest sees."""
    places = {1: [], 6: []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 30))
        y = X[:, :5] @ [5, 5, 5, 5, 1.2] + rng.normal(size=300)
        for n_rounds, found in places.items():
            params = {"n_estimators": 120, "random_state": seed, "n_rounds": n_rounds}
            ranker = default_ranker("regression", **params).fit(X, y)
            found.append(ranker.ranking_.tolist().index(4))
    assert np.median(places[6]) == 4
    assert sum(places[6]) + 10 < sum(places[1])


def test_seeds_decide_and_jobs_do_not(diabetes):
    def order(random_state, n_jobs):
        forest = Regressor(20, random_state=random_state, n_jobs=n_jobs)
        return ForestRanker(forest, n_rounds=3).fit(*diabetes).feature_importances_

    assert_array_equal(order(0, 1), order(0, 2))
    assert not np.array_equal(order(0, 1), order(1, 1))
    seeds = [one.random_state for one in
             ForestRanker(Regressor(3), n_rounds=3).fit(*diabetes).forests_]  # fmt: skip
    assert len(set(seeds)) == 3


def test_weights_reach_every_forest(diabetes):
    X, y = diabetes
    weight = np.repeat([0, 1, 2], [42, 200, 200])
    twice = ForestRanker(Regressor(10, random_state=0), n_rounds=2)
    weighted = clone(twice).fit(X, y, weight).forests_
    assert not np.array_equal(
        weighted[1].feature_importances_, clone(twice).fit(X, y).forests_[1].feature_importances_
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ForestRanker(Classifier(3), n_rounds=2), "n_rounds must be 1 for classes"),
        (lambda: ForestRanker(Regressor(4, bootstrap=False), n_rounds=2), "has not seen"),
        (lambda: ForestRanker("forest"), "forest"),
        (lambda: ForestRanker(Regressor(3), redundancy=-1), "redundancy"),
    ],
)
def test_what_cannot_be_done_is_said(make, words):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        make().fit(X[:50], y[:50])


def test_names_of_columns_are_known():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    ranker = ForestRanker(Regressor(6, random_state=0), n_rounds=2).fit(X, y)
    assert ranker.n_features_in_ == 10
    for knows in [ranker, *ranker.forests_]:
        assert knows.feature_names_in_.tolist() == X.columns.tolist()


def test_ties_are_broken_like_those_of_the_forest(diabetes):
    forest = Regressor(10, importance_type="count", random_state=0)
    ranker = ForestRanker(forest, redundancy=0).fit(*diabetes)
    alone = clone(forest).fit(*diabetes)
    counts = alone.feature_importances_
    assert len(np.unique(counts)) < len(counts)
    assert_array_equal(ranker.ranking_, alone.ranking_)


@pytest.mark.parametrize("y", [0.1, 1e6 / 3, -1e300, 0.0])
def test_nothing_is_found_in_a_constant_response(y):
    X = np.random.default_rng(0).normal(size=(60, 4))
    ranker = default_ranker("regression", n_estimators=60, random_state=0)
    assert not ranker.fit(X, np.full(60, y)).feature_importances_.any()


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_the_unit_of_y_does_not_matter(diabetes, unit):
    X, y = diabetes
    power = 2.0 ** np.round(np.log2(unit))  # exact
    ranker = default_ranker("regression", n_estimators=30, random_state=0)
    expected = clone(ranker).fit(X, y / 512).feature_importances_
    assert_array_equal(clone(ranker).fit(X, y / 512 * power).feature_importances_, expected)


def test_a_failed_fit_changes_nothing(diabetes):
    X, y = diabetes
    ranker = ForestRanker(Regressor(5, random_state=0)).fit(X, y)
    before = ranker.ranking_
    with pytest.raises(ValueError, match="NaN"):
        ranker.fit(X[:, :3], np.full(len(y), np.nan))
    assert ranker.ranking_ is before
    assert ranker.n_features_in_ == X.shape[1]


def test_large_samples_leave_too_few_rows_to_validate_splits_on(diabetes):
    """Then all trees are in one forest, judged by the rows they have seen."""
    X, y = diabetes
    ranker = default_ranker("regression", n_estimators=60, random_state=0)
    large = clone(ranker).set_params(forest__max_samples=len(y) - 1).fit(X, y)
    assert [forest.n_estimators for forest in large.forests_] == [60]
    weighted = large.forests_[0].importances("weighted")
    assert_allclose(large.feature_importances_, weighted / weighted.sum(), rtol=1e-14)
    assert {2, 8} <= set(large.ranking_[:3])
    # What rows weigh does not matter: a heavy row is left out as often as a light one.
    assert len(ranker.fit(X, y, np.arange(1, len(y) + 1)).forests_) == 6


def test_a_generator_is_read_not_moved(diabetes):
    for n_rounds in (1, 3):
        forest = Regressor(6, random_state=np.random.RandomState(0))
        ranker = ForestRanker(forest, n_rounds=n_rounds)
        first = ranker.fit(*diabetes).feature_importances_
        assert_array_equal(ranker.fit(*diabetes).feature_importances_, first)


def test_the_task_is_that_of_the_forest(diabetes):
    X, y = diabetes
    ranker = ForestRanker(Regressor(5, selector="pc", random_state=0))
    few = np.round(y / 100)
    ranking = rank_features(X, few, estimator=ranker, p_values="holm", random_state=0)
    assert ranking.p_values is not None
    alone = rank_features(X, few, estimator=ranker, redundancy=0, random_state=0)
    assert_array_equal(alone.scores, alone.estimator.feature_importances_)


def test_a_subclass_is_fitted_by_its_own_fit():
    class Counting(Regressor):
        def fit(self, X, y, sample_weight=None):
            self.n_fits_ = getattr(self, "n_fits_", 0) + 1
            return super().fit(X, y, sample_weight)

    X, y = load_diabetes(return_X_y=True)
    ranker = ForestRanker(Counting(12, random_state=0), n_rounds=3).fit(X, y)
    assert [forest.n_fits_ for forest in ranker.forests_] == [1, 1, 1]
    plain = ForestRanker(Regressor(12, random_state=0), n_rounds=3)
    assert_array_equal(ranker.ranking_, plain.fit(X, y).ranking_)


def test_rank_features_takes_a_subclass_without_weights():
    class Unweighted(Regressor):
        def fit(self, X, y):
            return super().fit(X, y)

    X, y = load_diabetes(return_X_y=True)
    ranking = rank_features(X, y, estimator=Unweighted(10, random_state=0), random_state=0)
    plain = rank_features(X, y, estimator=Regressor(10, random_state=0), random_state=0)
    assert_array_equal(ranking.order, plain.order)
