"""What a ranking says besides its order: what repeats what, which tests; and rows that weigh."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from inforest import ConditionalInferenceForestRegressor as Forest
from inforest import FeatureSelector, ForestRanker, independence_test, rank_features
from inforest._engine.progress import Progress, Whole, one_bar
from inforest.redundancy import rerank

NAMES = ["age", "dup", "near", "other"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    age, other = rng.normal(size=(2, 200))
    X = np.column_stack([age, age, age + 0.1 * rng.normal(size=200), other])
    return X, age + 0.5 * other + 0.3 * rng.normal(size=200)


def ranker():
    return ForestRanker(Forest(60, random_state=0))


def test_a_copy_says_what_it_repeats(table):
    ranking = rank_features(*table, feature_names=NAMES, estimator=ranker())
    said = {str(ranking.names[j]): ranking.repeats(j) for j in range(4)}
    first = ranking.names[ranking.order[0]]
    assert said[first] == ""
    assert said["other"] == ""
    copies = [name for name, words in said.items() if words.startswith("copy of")]
    assert copies == ["dup" if first != "dup" else "age"]
    rows = {row["feature"]: row["repeats"] for row in ranking.to_rows()}
    assert rows == said
    assert all(words in repr(ranking) for words in said.values())


def test_what_is_named_is_the_nearest_of_those_before(table):
    """By a full matrix of correlations, for many columns and whatever is brought up to date."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(150, 6))
    X = factors[:, rng.integers(6, size=90)] + 0.5 * rng.normal(size=(150, 90))
    forest = ranker().fit(X, X[:, :5].sum(axis=1) + rng.normal(size=150))
    r2 = np.corrcoef(X.T) ** 2
    place = np.argsort(forest.ranking_)
    for j in np.flatnonzero(forest.feature_importances_ > 0):
        before = np.flatnonzero((place < place[j]) & (forest.feature_importances_ > 0))
        if len(before) == 0:
            assert forest.nearest_[j] == -1
            continue
        best = before[r2[j, before].argmax()]
        assert forest.nearest_[j] == best
        assert forest.explained_[j] == pytest.approx(r2[j, best], abs=1e-4)
    assert_array_equal(forest.ranking_[:5], rerank(forest.feature_importances_, X)[:5])


def test_without_the_discount_nothing_is_repeated(table):
    ranking = rank_features(*table, feature_names=NAMES, estimator=ranker(), redundancy=0)
    assert ranking.nearest is None
    assert "repeats" not in ranking.to_rows()[0]


def test_p_values_name_their_statistic(table):
    ranking = rank_features(*table, estimator=ranker(), p_values="holm", random_state=0)
    assert ranking.statistic == "quad"
    assert "p (quad)" in repr(ranking)
    assert (
        independence_test(*table, n_resamples=99, random_state=0).to_rows()[0]["selector"] == "pc"
    )


def test_weights_are_those_of_forest_and_tests(table):
    X, y = table
    options = {"p_values": "holm", "random_state": 0, "n_estimators": 30}
    weight = np.random.default_rng(2).exponential(size=200)
    weighted = rank_features(X, y, sample_weight=weight, **options)
    plain = rank_features(X, y, **options)
    ones = rank_features(X, y, sample_weight=np.ones(200), **options)
    assert_array_equal(ones.scores, plain.scores)
    assert not np.array_equal(weighted.scores, plain.scores)
    tests = independence_test(
        X, y, selector="quad", adjust="holm", sample_weight=weight, random_state=0
    )
    assert_array_equal(weighted.p_values, tests.p_value)
    # Rows without a weight say nothing, whatever they hold.
    wild, none = X.copy(), np.ones(200)
    wild[:20], none[:20] = 1e3, 0
    left = rank_features(wild, y, sample_weight=none, estimator=LinearRegression())
    gone = rank_features(X[20:], y[20:], estimator=LinearRegression())
    np.testing.assert_allclose(left.scores[3], gone.scores[3], rtol=1e-6)


def test_weights_that_nobody_takes_are_refused(table):
    X, y = table

    class Nearest(KNeighborsRegressor):
        def fit(self, X, y):
            self.coef_ = np.ones(X.shape[1])
            return super().fit(X, y)

    with pytest.raises(ValueError, match=r"sample_weight is of no use here: Nearest\.fit"):
        rank_features(X, y, sample_weight=np.ones(200), estimator=Nearest())
    with pytest.raises(ValueError, match="Negative"):
        rank_features(X, y, sample_weight=-np.ones(200), estimator=LinearRegression())


def test_one_bar_for_the_whole_work(table, capsys):
    rank_features(*table, n_estimators=20, p_values="holm", random_state=0, verbose=1)
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["forests ...", "tests ..."]
    assert said[2].startswith("done, took")
    assert len(said) == 3
    assert Whole.present() is None
    FeatureSelector(Forest(5), k=2, verbose=1).fit(*table)


def test_the_bar_knows_how_far_the_whole_is():
    whole = Whole(4)
    with whole:
        whole.begin("first", 1)
        with Progress(10, "trees") as progress:
            progress.advance(5)
        assert " 12%" in whole.line(10.0)
        whole.begin("second", 3, n_parts=2)
        assert " 25%" in whole.line(10.0)
        with Progress(10, "fits") as progress:
            progress.advance(10)
        assert whole.line(10.0).endswith("62% second, about 6.0 s left")
        with one_bar(7, verbose=1) as inner:
            assert inner is None
    assert whole.line(10.0).endswith("100%, took 10.0 s")
