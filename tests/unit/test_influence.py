"""`influence=`: the user's own scores of y in tests and impurities, means of y in leaves."""

import numpy as np
import pytest
from sklearn.base import clone

import inforest
from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    ForestRanker,
    independence_test,
)


def rate_scores(y):
    """Counts less what their exposures lead one to expect: the score of a Poisson rate."""
    count, exposure = y.T
    return count - exposure * count.sum() / exposure.sum()


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    exposure = rng.uniform(0.1, 10, size=400)
    count = rng.poisson(exposure * np.exp(0.7 * (X[:, 1] > 0)))
    return X, np.column_stack([count, exposure]).astype(float)


def same_splits(one, other):
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_array_equal(one.threshold, other.threshold)


def test_splits_are_those_of_the_scores_and_leaves_keep_means_of_y(counts):
    X, y = counts
    ours = ConditionalInferenceTreeRegressor(influence=rate_scores, random_state=0).fit(X, y)
    plain = ConditionalInferenceTreeRegressor(random_state=0).fit(X, rate_scores(y))
    same_splits(ours.tree_, plain.tree_)
    assert ours.tree_.feature[0] == 1
    leaf = ours.apply(X)
    for node in np.unique(leaf):
        mean = y[leaf == node].mean(axis=0)
        np.testing.assert_allclose(ours.predict(X[leaf == node][:1])[0], mean, rtol=1e-12)


def test_several_scores_are_tested_together(counts):
    X, y = counts
    both = ConditionalInferenceTreeRegressor(
        influence=lambda one: np.column_stack([np.log1p(one), one > 3]), random_state=0
    )
    single = ConditionalInferenceTreeRegressor(random_state=0)
    count = y[:, 0]
    both.fit(X, count)
    single.fit(X, np.column_stack([np.log1p(count), count > 3]))
    same_splits(both.tree_, single.tree_)
    assert both.predict(X).shape == (400,)
    assert both.n_outputs_ == 1


def test_root_p_value_is_that_of_the_scores(counts):
    X, y = counts
    tree = ConditionalInferenceTreeRegressor.ctree(influence=rate_scores).fit(X, y)
    scores = rate_scores(y)
    p = independence_test(X, scores, selector="pc", method="asymptotic").p_value
    assert tree.tree_.p_value_feature[0] == pytest.approx(1 - (1 - p[1]) ** 5, rel=1e-6)


def test_forest_importances_scores_quantiles_and_weights(counts):
    X, y = counts
    count = y[:, 0]
    forest = ConditionalInferenceForestRegressor(
        50, influence=lambda one: np.sqrt(one), oob_score=True, random_state=0
    ).fit(X, count)
    assert forest.ranking_[0] == 1
    assert forest.oob_prediction_.shape == (400,)
    np.testing.assert_allclose(forest.weights(X) @ count, forest.predict(X))
    assert forest.predict_quantiles(X, [0.1, 0.9]).shape == (400, 2)
    found = forest.permutation_importance(X, count, random_state=0)
    assert found.importances_mean.argmax() == 1
    assert forest.score(X, count) > 0


def test_monotone_score_makes_a_rank_test(counts):
    """With ranks as scores, a monotone map of y changes no split."""
    X, y = counts
    y = y[:, 1]
    tree = ConditionalInferenceTreeRegressor(
        influence=lambda one: np.argsort(np.argsort(one)), alpha_selector=0.9, random_state=0
    )
    same_splits(clone(tree).fit(X, y).tree_, clone(tree).fit(X, np.exp(y)).tree_)


def test_rows_of_weight_zero_are_not_shown(counts):
    X, y = counts
    weight = (np.arange(400) % 3 > 0).astype(float)
    seen = []

    def influence(one):
        seen.append(len(one))
        return rate_scores(one)

    tree = ConditionalInferenceTreeRegressor(influence=influence, random_state=0)
    tree.fit(X, y, sample_weight=weight)
    assert set(seen) == {266}


@pytest.mark.parametrize(
    ("influence", "words"),
    [
        (lambda y: y[:-1], r"shape \(400,\) or \(400, q\); it returned the shape \(399,\)"),
        (lambda y: y[:, None, None], "it returned the shape"),
        (lambda y: np.log(y - y.min()), "NaN or infinity"),
        (lambda y: "a word", "finite number"),
        (lambda y: None, "NaN or infinity|finite number|the shape"),
        (lambda y: np.zeros(len(y)), "tell rows apart"),
        (lambda y: np.cumsum(y), "function of the responses alone"),
    ],
)
def test_scores_that_cannot_be_tested_are_refused(counts, influence, words):
    X, y = counts
    tree = ConditionalInferenceTreeRegressor(influence=influence)
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match=words):
        tree.fit(X, y[:, 1])


def test_statistics_for_single_scores_are_refused_for_several(counts):
    X, y = counts
    tree = ConditionalInferenceTreeRegressor(
        selector="dc", influence=lambda one: np.column_stack([one, one**2])
    )
    with pytest.raises(ValueError, match="selector must be one of 'pc', 'quad'"):
        tree.fit(X, y[:, 1])


def test_rounds_of_residuals_are_refused(counts):
    X, y = counts
    forest = ConditionalInferenceForestRegressor(20, influence=np.sqrt, random_state=0)
    with pytest.raises(ValueError, match="influence function, which leave no residuals"):
        ForestRanker(forest, n_rounds=2).fit(X, y[:, 0])
    ranker = ForestRanker(forest, n_rounds=1).fit(X, y[:, 0])
    assert ranker.ranking_[0] == 1


def test_saved_without_its_function(counts, tmp_path):
    X, y = counts
    forest = ConditionalInferenceForestRegressor(10, influence=rate_scores, random_state=0)
    forest.fit(X, y)
    with pytest.raises(ValueError, match="influence"):
        inforest.save(forest, tmp_path / "forest")
    predicted = forest.predict(X)
    inforest.save(forest.set_params(influence=None), tmp_path / "forest")
    np.testing.assert_array_equal(inforest.load(tmp_path / "forest").predict(X), predicted)
