"""Weights, proximities, quantiles and intervals of forests against naive NumPy."""

import numpy as np
import pytest
from sklearn.base import clone

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    load,
    save,
)
from inforest.estimators import base_forest

N, N_NEW = 90, 7
SETTINGS = {
    "subsample": {},
    "bootstrap": {"replace": True},
    "all rows": {"bootstrap": False},
    "honest": {"honesty": True},
    "shallow": {"max_depth": 2},
}
rng = np.random.default_rng(5)
X = rng.normal(size=(N, 3)).round(1)
NUMBERS = (X[:, 0] + rng.normal(size=N)).round(1)  # ties among them
CLASSES = np.array(["a", "b", "c"])[np.digitize(NUMBERS, [-0.5, 1])]
WEIGHT = rng.integers(0, 4, N) / 2
NEW = rng.normal(size=(N_NEW, 3))


def regressor(weight=None, **settings):
    forest = ConditionalInferenceForestRegressor(15, random_state=3, **settings)
    return forest.fit(X, NUMBERS, weight)


def naive_weights(forest, weight, leaves, counts_for=None):
    """Weights from the samples and leaves; only without honesty."""
    own = np.ones(N) if weight is None else weight
    train = forest.apply(X)
    total, n_trees = np.zeros((len(leaves), N)), np.zeros(len(leaves))
    for tree, sample in enumerate(forest.estimators_samples_):
        count = np.bincount(sample, minlength=N) * own
        for i in range(len(leaves)):
            if counts_for is not None and i in sample:
                continue
            share = count * (train[:, tree] == leaves[i, tree])
            total[i] += share / share.sum()
            n_trees[i] += 1
    return total / n_trees[:, None]


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_weights_predict(settings, weight):
    forest = regressor(weight, **settings)
    weights = forest.weights(NEW)
    assert weights.shape == (N_NEW, N)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(weights @ NUMBERS, forest.predict(NEW), rtol=1e-10)
    assert (np.diff(weights.indices)[np.diff(weights.indptr).cumsum()[0] :] != 0).all()


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("settings", [{}, {"replace": True}], ids=["subsample", "bootstrap"])
def test_weights_are_the_naive_ones(settings, weight):
    forest = regressor(weight, **settings)
    expected = naive_weights(forest, weight, forest.apply(NEW))
    np.testing.assert_allclose(forest.weights(NEW).toarray(), expected, atol=1e-14)
    expected = naive_weights(forest, weight, forest.apply(X), counts_for="out of bag")
    np.testing.assert_allclose(forest.weights().toarray(), expected, atol=1e-14)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights_give_class_probabilities(class_weight):
    forest = ConditionalInferenceForestClassifier(15, random_state=0, class_weight=class_weight)
    forest.fit(X, CLASSES, WEIGHT)
    shares = forest.weights(NEW) @ (CLASSES[:, None] == forest.classes_)
    np.testing.assert_allclose(shares, forest.predict_proba(NEW), atol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"honesty": True}], ids=["plain", "honest"])
def test_out_of_bag_weights_give_out_of_bag_predictions(settings):
    forest = regressor(oob_score=True, **settings)
    np.testing.assert_allclose(forest.weights() @ NUMBERS, forest.oob_prediction_, rtol=1e-10)


def naive_quantile(weights, y, q):
    order = np.argsort(y, kind="stable")
    there = order[weights[order] > 0]
    reached = np.cumsum(weights[there]) >= q - 1e-12
    return y[there[np.argmax(reached)]]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
@pytest.mark.parametrize("samples", [NEW, None], ids=["new", "out of bag"])
def test_quantiles_and_distribution_are_the_naive_ones(weight, samples):
    forest = regressor(weight)
    weights = forest.weights(samples).toarray()
    levels, at = [0.5, 0, 1, 0.05, 1 / 3], [0.3, -9, 9, 0.3]
    expected = [[naive_quantile(one, NUMBERS, q) for q in levels] for one in weights]
    np.testing.assert_array_equal(forest.predict_quantiles(samples, levels), expected)
    expected = weights @ (NUMBERS[:, None] <= np.array(at))
    np.testing.assert_allclose(forest.predict_cdf(samples, at), expected, atol=1e-12)


def test_single_levels_have_no_axis():
    forest = regressor()
    median = forest.predict_quantiles(NEW, 0.5)
    assert median.shape == (N_NEW,)
    np.testing.assert_array_equal(median, forest.predict_quantiles(NEW)[:, 1])
    assert forest.predict_cdf(NEW, 0.0).shape == (N_NEW,)


@pytest.mark.parametrize("replace", [False, True])
def test_proximity_is_the_share_of_common_leaves(replace):
    forest = regressor(replace=replace)
    train, new = forest.apply(X), forest.apply(NEW)
    expected = (new[:, None] == train).mean(axis=2)
    np.testing.assert_array_equal(forest.proximity(NEW).toarray(), expected)

    missed = np.ones((N, 15), dtype=bool)
    for tree, sample in enumerate(forest.estimators_samples_):
        missed[sample, tree] = False
    both = missed[:, None] & missed
    together = (both & (train[:, None] == train)).sum(axis=2)
    expected = together / np.maximum(both.sum(axis=2), 1)
    np.testing.assert_array_equal(forest.proximity().toarray(), expected)


@pytest.mark.parametrize("coverage", [0.5, 0.9])
@pytest.mark.parametrize("settings", [{}, {"n_resamples_selector": None}], ids=["", "deep"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_calibrated_intervals_cover_out_of_bag_rows_as_often_as_wanted(coverage, settings, weight):
    y = NUMBERS + 1e-6 * np.arange(N)  # no ties
    forest = ConditionalInferenceForestRegressor(60, random_state=3, **settings)
    lower, upper = forest.fit(X, y, weight).predict_interval(coverage=coverage).T
    assert (lower <= upper).all()
    own = np.ones(N) if weight is None else weight
    inside = own @ ((lower <= y + 1e-9) & (y <= upper + 1e-9))
    needed = coverage * (own.sum() + own[own > 0].mean())
    assert inside >= needed * (1 - 1e-9)
    # Without ties a row less would be too few.
    assert inside - own.max() < needed or (lower == upper).any()


def test_intervals_without_calibration_are_quantiles():
    forest = regressor()
    np.testing.assert_array_equal(
        forest.predict_interval(NEW, 0.8, calibrated=False),
        forest.predict_quantiles(NEW, [(1 - 0.8) / 2, 1 - (1 - 0.8) / 2]),
    )


def test_a_margin_is_added_where_weights_do_not_reach_far_enough():
    forest = ConditionalInferenceForestRegressor(2, random_state=0, n_resamples_selector=None)
    forest.fit(X, NUMBERS)
    with_margin = forest.predict_interval(NEW, 0.9)
    most = forest.predict_quantiles(NEW, [0, 1])
    assert (with_margin[:, 0] < most[:, 0]).all()
    assert (with_margin[:, 1] > most[:, 1]).all()


def test_rows_that_all_trees_have_seen_have_no_out_of_bag_answer():
    forest = ConditionalInferenceForestRegressor(1, random_state=0).fit(X, NUMBERS)
    seen = np.zeros(N, dtype=bool)
    seen[forest.estimators_samples_[0]] = True
    assert (np.diff(forest.weights().indptr)[seen] == 0).all()
    assert np.isnan(forest.predict_quantiles(q=0.5)[seen]).all()
    assert np.isnan(forest.predict_cdf(y=0.0)[seen]).all()
    assert not np.isnan(forest.predict_quantiles(q=0.5)[~seen]).any()
    assert np.isfinite(forest.predict_interval(NEW)).all()


def test_pieces_and_jobs_make_no_difference(monkeypatch):
    forest = regressor()
    answers = [
        lambda: forest.weights(X).toarray(),
        lambda: forest.weights().toarray(),
        lambda: forest.predict_quantiles(X),
        lambda: forest.predict_cdf(y=[0, 1]),
        lambda: forest.proximity().toarray(),
    ]
    before = [answer() for answer in answers]
    monkeypatch.setattr("inforest._engine.leaf_rows._PIECE", 100)
    monkeypatch.setattr("inforest._engine.leaf_rows._LEAST_ROWS", 10)
    forest.set_params(n_jobs=2)
    for answer, expected in zip(answers, before, strict=True):
        np.testing.assert_array_equal(answer(), expected)


@pytest.mark.parametrize("settings", [{}, {"honesty": True}], ids=["plain", "honest"])
def test_files_keep_the_rows(settings, tmp_path):
    forest = regressor(WEIGHT, **settings)
    save(forest, tmp_path / "forest")
    copy = load(tmp_path / "forest")
    assert copy._kept.leaf.dtype == forest._kept.leaf.dtype
    for samples in (NEW, None):
        np.testing.assert_array_equal(
            copy.predict_quantiles(samples), forest.predict_quantiles(samples)
        )
        np.testing.assert_array_equal(
            copy.weights(samples).toarray(), forest.weights(samples).toarray()
        )


def test_warm_starts_keep_all_trees():
    forest = ConditionalInferenceForestRegressor(5, random_state=3, warm_start=True)
    forest.fit(X, NUMBERS).set_params(n_estimators=15).fit(X, NUMBERS)
    np.testing.assert_array_equal(forest.weights(NEW).toarray(), regressor().weights(NEW).toarray())


def test_leaves_may_be_forgotten(tmp_path):
    forest = regressor(keep_leaves=False)
    np.testing.assert_array_equal(forest.predict(NEW), regressor().predict(NEW))
    save(forest, tmp_path / "forest")
    for one in (forest, load(tmp_path / "forest")):
        with pytest.raises(ValueError, match="keep_leaves=True"):
            one.weights(NEW)


def test_leaves_of_very_many_rows_are_not_kept_unasked(monkeypatch):
    monkeypatch.setattr(base_forest, "MOST_LEAVES", 15 * len(X))
    assert regressor()._kept is not None
    monkeypatch.setattr(base_forest, "MOST_LEAVES", 15 * len(X) - 1)
    assert regressor()._kept is None
    assert regressor(keep_leaves=True)._kept is not None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: f.predict_quantiles(NEW, 1.5), "q must hold levels between 0 and 1; got 1.5"),
        (lambda f: f.predict_quantiles(NEW, [0.5, -0.1]), "between 0 and 1; got -0.1"),
        (lambda f: f.predict_quantiles(NEW, [0.5, np.nan]), "q must hold numbers; got nan"),
        (lambda f: f.predict_quantiles(NEW, "median"), "q must be a number or a list"),
        (lambda f: f.predict_quantiles(NEW, []), "q must be a number or a list"),
        (lambda f: f.predict_cdf(NEW, [[1.0]]), "y must be a number or a list"),
        (lambda f: f.predict_interval(NEW, 90), "coverage must be a number between 0 and 1"),
        (lambda f: f.predict_interval(NEW, 1.0), "both excluded; got 1.0"),
        (lambda f: f.weights(NEW[:, :2]), "features"),
        (lambda f: clone(f).weights(NEW), "not fitted"),
    ],
)
def test_bad_questions(call, words):
    with pytest.raises(ValueError, match=words):
        call(regressor())


def test_out_of_bag_needs_rows_outside():
    forest = regressor(bootstrap=False)
    for call in (forest.weights, forest.proximity, forest.predict_quantiles):
        with pytest.raises(ValueError, match="every tree on all rows"):
            call()
    with pytest.raises(ValueError, match="calibrated=False"):
        forest.predict_interval(NEW)
    assert forest.predict_interval(NEW, calibrated=False).shape == (N_NEW, 2)
