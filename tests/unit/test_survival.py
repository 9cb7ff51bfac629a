"""Survival trees and forests: scores, leaves, curves, concordance."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest import (
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceSurvivalTree,
    ConditionalInferenceTreeRegressor,
    load,
    save,
)
from inforest._engine.responses import SURVIVAL
from inforest._engine.responses.censored import read_censored
from inforest._engine.responses.survival import concordance, log_rank_scores
from inforest.io import writing
from survival_data import censored, data, naive_curve, naive_scores


def naive_concordance(y, risk, weight):
    comparable = concordant = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            later = y["time"][j] > y["time"][i]
            outlived = y["time"][j] == y["time"][i] and not y["event"][j]
            if y["event"][i] and (later or outlived):
                w = weight[i] * weight[j]
                comparable += w
                concordant += w * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return concordant / comparable


def test_scores_are_those_of_the_formula():
    _, y = data(60)
    assert_allclose(log_rank_scores(y), naive_scores(y), atol=1e-12)
    assert abs(log_rank_scores(y).sum()) < 1e-10


def test_scores_are_of_the_rows_that_count():
    _, y = data(60)
    there = np.arange(60) % 3 > 0
    assert_allclose(log_rank_scores(y, there)[there], naive_scores(y[there]), atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_concordance_is_that_of_all_pairs(weighted):
    _, y = data(80)
    rng = np.random.default_rng(1)
    for risk in (rng.normal(size=80), rng.integers(4, size=80).astype(float), np.zeros(80)):
        weight = rng.uniform(size=80) if weighted else np.ones(80)
        found = concordance(y, risk, weight if weighted else None)
        assert_allclose(found, naive_concordance(y, risk, weight), rtol=1e-12)


def test_no_comparable_pair():
    y = censored([True, True], [1.0, 1.0])
    assert np.isnan(concordance(y, np.zeros(2)))


def test_the_tree_is_that_of_the_scores():
    X, y = data()
    tree = ConditionalInferenceSurvivalTree(random_state=0).fit(X, y)
    like = ConditionalInferenceTreeRegressor(min_samples_leaf=5, random_state=0)
    like.fit(X, log_rank_scores(y))
    assert tree.tree_.n_leaves > 2
    for name in ("feature", "threshold", "value", "p_value_feature", "n_draws_feature"):
        assert_array_equal(getattr(tree.tree_, name), getattr(like.tree_, name))


@pytest.mark.parametrize("params", [{}, {"replace": True}, {"time_grid": 7, "n_jobs": 2}])
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_are_means_of_those_of_the_leaves(params, weighted):
    X, y = data(90)
    weight = np.random.default_rng(2).uniform(0, 2, size=90) if weighted else None
    if weighted:
        weight[:5] = 0
    forest = ConditionalInferenceSurvivalForest(8, random_state=0, **params)
    forest.fit(X, y, sample_weight=weight)
    grid = forest.unique_times_
    own = np.ones(90) if weight is None else weight
    leaves, new = forest.apply(X), X[:10]
    for survival, predict in (
        (True, forest.predict_survival_function),
        (False, forest.predict_cumulative_hazard_function),
    ):
        expected = np.zeros((10, len(grid)))
        for t, tree in enumerate(forest.estimators_):
            counts = np.bincount(forest.estimators_samples_[t], minlength=90) * own
            for i, leaf in enumerate(tree.apply(new)):
                rows = np.flatnonzero((leaves[:, t] == leaf) & (counts > 0))
                expected[i] += naive_curve(y[rows], counts[rows], grid, survival=survival)
        assert_allclose(predict(new, return_array=True), expected / 8, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_honest_leaves_keep_the_rows_of_their_values(weighted):
    rng = np.random.default_rng(0)
    X, _ = data(120)
    y = censored(np.ones(120), rng.exponential(np.exp(-X[:, 0])))  # a time tells its row
    weight = rng.uniform(0.5, 2, size=120) if weighted else np.ones(120)
    params = {"honesty": True, "min_samples_leaf": 1, "random_state": 0}
    forest = ConditionalInferenceSurvivalForest(10, **params)
    forest.fit(X, y, sample_weight=weight if weighted else None)
    row_of, scores = np.argsort(y["time"]), log_rank_scores(y)
    for tree in forest.estimators_:
        for leaf in np.flatnonzero(tree.tree_.is_leaf):
            rows = row_of[tree._curves.part(leaf, leaf + 1).time]
            mean = np.average(scores[rows], weights=weight[rows])
            assert_allclose(mean, tree.tree_.value[leaf, 0], atol=1e-10)


def test_by_default_no_test_stops_a_tree():
    X, y = data()
    X = np.random.default_rng(1).normal(size=X.shape)  # noise
    forest = ConditionalInferenceSurvivalForest(20, random_state=0).fit(X, y)
    assert (forest.trees_.feature[forest.trees_.offset[:-1]] >= 0).all()
    strict = {"alpha_selector": 0.01, "n_resamples_selector": "minimum"}
    tested = ConditionalInferenceSurvivalForest(20, random_state=0, **strict).fit(X, y)
    assert (tested.trees_.feature[tested.trees_.offset[:-1]] >= 0).mean() < 0.3


def test_a_level_without_tests_is_named():
    X, y = data()
    with pytest.warns(UserWarning, match=r"alpha_selector=0.05 does nothing without tests"):
        ConditionalInferenceSurvivalForest(2, alpha_selector=0.05).fit(X, y)
    # No warning: tests that were asked for, and those that were switched off by name.
    ConditionalInferenceSurvivalForest.paper(n_estimators=2).fit(X, y)
    ConditionalInferenceSurvivalForest.cforest(n_estimators=2).fit(X, y)
    ConditionalInferenceSurvivalTree(alpha_selector=0.2, n_resamples_selector=None).fit(X, y)


def test_risk_sums_the_hazard_over_all_event_times():
    X, y = data()
    for params in ({}, {"time_grid": 5}):
        forest = ConditionalInferenceSurvivalForest(10, random_state=0, **params).fit(X, y)
        every = ConditionalInferenceSurvivalForest(10, random_state=0).fit(X, y)
        hazard = every.predict_cumulative_hazard_function(X, return_array=True)
        assert_allclose(forest.predict(X), hazard.sum(axis=1), rtol=1e-10)


def test_grid_of_times():
    X, y = data()
    times = np.unique(y["time"][y["event"]])
    every = ConditionalInferenceSurvivalForest(5, random_state=0).fit(X, y)
    assert_array_equal(every.unique_times_, times)
    curves = every.predict_survival_function(X, return_array=True)
    for grid in (6, [0.05, 0.4, 1.0, 99.0]):
        forest = ConditionalInferenceSurvivalForest(5, time_grid=grid, random_state=0).fit(X, y)
        some = forest.unique_times_
        assert len(some) == (6 if isinstance(grid, int) else 4)
        place = np.searchsorted(times, some, side="right")
        full = np.column_stack([np.ones(len(X)), curves])
        found = forest.predict_survival_function(X, return_array=True)
        assert_allclose(found, full[:, place], atol=1e-12)
    with pytest.raises(ValueError, match="time_grid must be None, a number of times, or ascending"):
        ConditionalInferenceSurvivalForest(5, time_grid=[2, 1]).fit(X, y)


def test_functions_are_the_arrays():
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(5, random_state=0).fit(X, y)
    array = forest.predict_survival_function(X[:4], return_array=True)
    for function, values in zip(forest.predict_survival_function(X[:4]), array, strict=True):
        assert_array_equal(function(forest.unique_times_), values)
        assert function(0.0) == 1.0
        assert function(1e9) == values[-1]
        assert "last value" in repr(function)
    hazard = forest.predict_cumulative_hazard_function(X[:4])
    assert hazard[0](0.0) == 0.0
    assert hazard[0].domain == (0.0, forest.unique_times_[-1])


def test_out_of_bag():
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(40, oob_score=True, random_state=0).fit(X, y)
    expected, n_trees = np.zeros(len(X)), np.zeros(len(X))
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        expected[out] += tree.predict(X[out])
        n_trees[out] += 1
    assert_allclose(forest.oob_prediction_, expected / n_trees, rtol=1e-10)
    assert forest.oob_score_ == concordance(y, forest.oob_prediction_)
    assert 0.6 < forest.oob_score_ < forest.score(X, y)


def test_more_trees_are_those_of_one_fit():
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(5, warm_start=True, random_state=0).fit(X, y)
    forest.set_params(n_estimators=12).fit(X, y)
    whole = ConditionalInferenceSurvivalForest(12, random_state=0).fit(X, y)
    for new in (forest, pickle.loads(pickle.dumps(forest))):
        assert_array_equal(
            new.predict_survival_function(X, return_array=True),
            whole.predict_survival_function(X, return_array=True),
        )
    with pytest.raises(ValueError, match="got other data"):
        forest.set_params(n_estimators=15).fit(X, censored(y["event"], 2 * y["time"]))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_nothing(n_jobs):
    X, y = data()
    one = ConditionalInferenceSurvivalForest(20, random_state=0).fit(X, y)
    other = ConditionalInferenceSurvivalForest(20, random_state=0, n_jobs=n_jobs).fit(X, y)
    assert_array_equal(one.predict(X), other.predict(X))


def test_all_forms_of_y():
    X, y = data(60)
    event, time = y["event"], y["time"]
    reference = ConditionalInferenceSurvivalTree(random_state=0).fit(X, y).predict(X)
    swapped = np.empty(60, dtype=[("futime", np.int64), ("fustat", np.bool_)])
    swapped["fustat"], swapped["futime"] = event, np.round(10 * time)
    forms = [
        (event, time),
        (event.astype(int), time.tolist()),
        {"event": event, "time": time},
        np.column_stack([event, time]),
        pd.DataFrame({"status": event.astype(int), "time": time}),
        pd.DataFrame({"time": time, "status": event.astype(float)}),
        pd.DataFrame({"time": time, "dead": event}),
        pd.DataFrame({"dead": event.astype(object), "time": time}),
        swapped,
    ]
    for form in forms:
        tree = ConditionalInferenceSurvivalTree(random_state=0).fit(X, form)
        assert_array_equal(tree.predict(X), reference)
        assert tree.score(X, form) == concordance(y, reference)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (([False] * 4, [1, 2, 3, 4]), "at least one event; all times are censored"),
        (([True] * 4, [2, 2, 2, 2]), "y leaves nothing to explain: whenever the event happened"),
        (([True] * 4, [1, -2, 3, 4]), "must not be negative; the smallest is -2"),
        (([1, 2, 2, 1], [1, 2, 3, 4]), "'first of the pair' holds 1, 2. Codes 1 and 2 become"),
        ((["a", "b", "a", "b"], [1, 2, 3, 4]), "must be True or False, or 1 or 0.*holds a, b"),
        (([True] * 4, [1, np.nan, 3, 4]), "1 of 4 times are missing or not finite"),
        (
            ([True] * 4, ["a", "b", "c", "d"]),
            "must be numbers; 'second of the pair' holds",
        ),
        (([True] * 3, [1, 2, 3, 4]), "as many events as times; got columns of the lengths 3 and 4"),
        ([1.0, 2.0, 3.0, 4.0], "a data frame with two columns.*got one column of 4 values"),
        (np.ones((4, 3)), "got 3 columns"),
        (None, "y must hold censored times"),
    ],
)
def test_bad_y(y, words):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match=words):
        ConditionalInferenceSurvivalTree().fit(X, y)


def test_events_at_one_time_are_enough():
    X, _ = data(60)
    time = np.where(np.arange(60) % 2, 5.0, 7.0)
    y = censored(time == 5, time)
    forest = ConditionalInferenceSurvivalForest(5, random_state=0).fit(X, y)
    assert_array_equal(forest.unique_times_, [5.0])
    assert forest.predict_survival_function(X, return_array=True).shape == (60, 1)


def test_scores_of_no_pair():
    X, y = data(30)
    tree = ConditionalInferenceSurvivalTree(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="score needs a pair of rows"):
        tree.score(X[:2], censored([False, False], [1, 2]))
    with pytest.raises(ValueError, match="same number of rows; got 30 and 2"):
        tree.score(X, censored([False, True], [1, 2]))


def test_columns_of_a_frame_keep_their_type():
    y = read_censored(pd.DataFrame({"time": [1, 0, 1], "event": [True, False, True]}))
    assert_array_equal(y["time"], [1, 0, 1])
    assert SURVIVAL.declares(y)
    assert not SURVIVAL.declares(np.arange(3))


def test_permutation_importance_is_lost_concordance():
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(20, random_state=0).fit(X, y)
    result = forest.permutation_importance(X, y, random_state=0)
    assert result.importances_mean.argmax() == 0
    # A feature that all rows share cannot be missed; a reversed order costs 2 C - 1.
    tree, rows = forest.estimators_[0], forest.estimators_samples_[0]
    out = np.setdiff1d(np.arange(len(X)), rows)
    best = concordance(y[out], tree.predict(X[out]))
    unused = np.setdiff1d(np.arange(4), tree.tree_.feature)
    assert_array_equal(result.importances_per_tree[0, unused], 0)
    lost = []
    for seed in range(300):
        shuffled = X[out].copy()
        shuffled[:, 0] = np.random.default_rng(seed).permutation(shuffled[:, 0])
        lost.append(best - concordance(y[out], tree.predict(shuffled)))
    many = forest.permutation_importance(X, y, n_repeats=300, random_state=1)
    error = np.std(lost) / np.sqrt(150)
    assert abs(many.importances_per_tree[0, 0] - np.mean(lost)) < 5 * error
    assert (forest.permutation_importance(X, y, conditional=True, random_state=0)
            .importances_mean.argmax() == 0)  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
def test_files(tmp_path, weighted):
    X, y = data()
    weight = np.random.default_rng(0).uniform(size=len(y)) if weighted else None
    forest = ConditionalInferenceSurvivalForest(
        40, oob_score=True, time_grid=[0.5, 1.0, 2.0], random_state=0
    ).fit(X, y, sample_weight=weight)
    for model in (forest, forest.estimators_[3], ConditionalInferenceSurvivalTree().fit(X, y)):
        save(model, tmp_path / "model")
        copy = load(tmp_path / "model")
        assert_array_equal(copy.predict(X), model.predict(X))
        assert_array_equal(copy.unique_times_, model.unique_times_)
        curves = copy.predict_survival_function(X, return_array=True)
        assert_array_equal(curves, model.predict_survival_function(X, return_array=True))
    save(forest, tmp_path / "model")
    copy = load(tmp_path / "model")
    assert copy.oob_score_ == forest.oob_score_
    assert_array_equal(copy.oob_prediction_, forest.oob_prediction_)
    assert_array_equal(
        copy.permutation_importance(X, y, random_state=0).importances_mean,
        forest.permutation_importance(X, y, random_state=0).importances_mean,
    )


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("event_times", lambda a: a[::-1], "event_times do not ascend"),
        ("curve_length", lambda a: a + 1, "a curve has no leaf"),
        ("curve_time", lambda a: a + 10_000, "an event has no time"),
        ("curve_events", lambda a: a + 1000, "more events than rows at risk"),
        ("curve_at_risk", lambda a: a[1:], "has the shape"),
    ],
)
def test_damaged_files(tmp_path, monkeypatch, name, change, words):
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(3, random_state=0).fit(X, y)
    arrays = writing._curve_arrays
    monkeypatch.setattr(
        writing, "_curve_arrays", lambda c: arrays(c) | {name: change(arrays(c)[name])}
    )
    save(forest, tmp_path / "model")
    with pytest.raises(ValueError, match=words):
        load(tmp_path / "model")
