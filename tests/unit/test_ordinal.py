"""Trees and forests for ordered classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceTreeOrdinal,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    ForestRanker,
    PermutationFilter,
    export_text,
    independence_test,
    load,
    rank_features,
    save,
)
from inforest._engine.responses import ORDINAL
from inforest._engine.responses.ordinal import quadratic_kappa
from inforest.diagnostics import stability
from inforest.report import make_report

ORDER = ["low", "middle", "high"]


def data(n=150, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    place = np.searchsorted([-0.5, 0.9], X[:, 0] + 0.5 * rng.normal(size=n))
    return X, np.array(ORDER)[place], place


@pytest.mark.parametrize("scores", [None, [1, 2, 10]])
def test_the_tree_is_that_of_the_scores_with_shares_in_its_leaves(scores):
    X, y, place = data()
    tree = ConditionalInferenceTreeOrdinal(order=ORDER, scores=scores, random_state=0).fit(X, y)
    values = np.array(scores or [1, 2, 3], dtype=float)[place]
    numbers = ConditionalInferenceTreeRegressor(random_state=0).fit(X, values)
    assert tree.tree_.n_leaves > 2
    for name in ("feature", "threshold", "p_value_feature", "impurity"):
        assert_array_equal(getattr(tree.tree_, name), getattr(numbers.tree_, name))
    leaf = tree.apply(X)
    for node in np.unique(leaf):
        share = np.bincount(place[leaf == node], minlength=3) / (leaf == node).sum()
        assert_allclose(tree.tree_.value[node], share)
    assert tree.classes_.tolist() == ORDER
    assert_allclose(tree.predict_cumulative(X), np.cumsum(tree.predict_proba(X), axis=1))
    assert f"class: {tree.predict(X[:1])[0]} (" in export_text(tree)


def test_mode_and_median():
    X, y, _ = data()
    mode = ConditionalInferenceForestOrdinal(20, order=ORDER, random_state=0).fit(X, y)
    median = ConditionalInferenceForestOrdinal(
        20, order=ORDER, prediction="median", random_state=0
    ).fit(X, y)
    p = mode.predict_proba(X)
    assert_array_equal(p, median.predict_proba(X))
    assert_array_equal(mode.predict(X), np.array(ORDER)[p.argmax(axis=1)])
    expected = [next(k for k in range(3) if row[: k + 1].sum() >= 0.5 - 1e-9) for row in p]
    assert_array_equal(median.predict(X), np.array(ORDER)[expected])


def test_where_the_order_comes_from():
    X, y, place = data()
    reference = ConditionalInferenceTreeOrdinal(order=ORDER, random_state=0).fit(X, y)
    forms = [
        pd.Series(pd.Categorical(y, ORDER, ordered=True)),
        pd.Categorical(y, ORDER, ordered=True),
        pl.Series(y.tolist(), dtype=pl.Enum(ORDER)),
    ]
    for form in forms:
        tree = ConditionalInferenceTreeOrdinal(random_state=0).fit(X, form)
        assert_array_equal(tree.predict(X), reference.predict(X))
        assert tree.classes_.tolist() == ORDER
        assert ORDINAL.declares(form)
    for numbers in (place, place / 2, place > 0):
        tree = ConditionalInferenceTreeOrdinal(random_state=0).fit(X, numbers)
        assert tree.classes_.tolist() == sorted(set(numbers.tolist()))
    assert not ORDINAL.declares(pd.Series(pd.Categorical(y, ORDER)))
    # A class without rows counts in the scores, and is none of the classes.
    more = [*ORDER[:1], "never", *ORDER[1:]]
    wider = ConditionalInferenceTreeOrdinal(order=more, random_state=0).fit(X, y)
    like = ConditionalInferenceTreeOrdinal(order=ORDER, scores=[1, 3, 4], random_state=0).fit(X, y)
    assert wider.classes_.tolist() == ORDER
    assert_array_equal(wider.tree_.impurity, like.tree_.impurity)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "the order of the classes is not known: y holds words. Say order="),
        ({"order": ["low", "high"]}, "order must name all classes of y; it misses 'middle'"),
        ({"order": [*ORDER, "low"]}, "order must name each class once"),
        ({"order": ORDER, "scores": [1, 2]}, "one number per class, 3; got 2"),
        ({"order": ORDER, "scores": [1, 3, 2]}, "scores must ascend with the order"),
        ({"order": ORDER, "prediction": "mean"}, "The 'prediction' parameter"),
    ],
)
def test_bad_orders(params, words):
    X, y, _ = data(30)
    with pytest.raises(ValueError, match=words):
        ConditionalInferenceTreeOrdinal(**params).fit(X, y)


def test_bad_classes():
    X, y, _ = data(30)
    with pytest.raises(ValueError, match="got one class only: 'low'"):
        ConditionalInferenceTreeOrdinal(order=ORDER).fit(X, np.full(30, "low"))
    missing = pd.Series(pd.Categorical(np.where(y == "low", None, y), ORDER, ordered=True))
    with pytest.raises(ValueError, match="y contains NaN"):
        ConditionalInferenceTreeOrdinal().fit(X, missing)


def test_out_of_bag_importance_and_files(tmp_path):
    X, y, place = data()
    forest = ConditionalInferenceForestOrdinal(60, order=ORDER, oob_score=True, random_state=0)
    forest.fit(X, y)
    own = np.array(ORDER)[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == quadratic_kappa(y, own, np.array(ORDER))
    result = forest.permutation_importance(X, y, random_state=0)
    assert result.importances_mean.argmax() == 0
    # Of one tree: the ranked probability score of shuffled rows, less that of the rows.
    tree, rows = forest.estimators_[0], forest.estimators_samples_[0]
    out = np.setdiff1d(np.arange(len(y)), rows)
    seen = place[out, None] <= np.arange(2)

    def ranked(points):
        return ((tree.predict_cumulative(points)[:, :2] - seen) ** 2).sum(axis=1).mean() / 2

    grown = []
    for seed in range(200):
        mixed = X[out].copy()
        mixed[:, 0] = np.random.default_rng(seed).permutation(mixed[:, 0])
        grown.append(ranked(mixed) - ranked(X[out]))
    many = forest.permutation_importance(X, y, n_repeats=200, random_state=1)
    error = 5 * np.std(grown) / 10
    assert abs(many.importances_per_tree[0, 0] - np.mean(grown)) < error
    for model in (forest, tree):
        save(model, tmp_path / "model")
        copy = load(tmp_path / "model")
        assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        assert copy.classes_.tolist() == ORDER


def test_tested_ranked_and_filtered():
    X, y, place = data()
    y = pd.Series(pd.Categorical(y, ORDER, ordered=True))
    options = {"selector": "pc", "n_resamples": 199, "random_state": 0}
    numbers = independence_test(X, place + 1.0, task="regression", **options)
    assert_array_equal(independence_test(X, y, **options).p_value, numbers.p_value)
    result = independence_test(X, place, task="ordinal", **options)
    assert_array_equal(result.p_value, numbers.p_value)
    assert PermutationFilter(random_state=0).fit(X, y).get_support()[0]
    ranking = rank_features(X, y, n_estimators=30, p_values="westfall-young", random_state=0)
    assert isinstance(ranking.estimator.forest, ConditionalInferenceForestOrdinal)
    assert ranking.order[0] == 0
    given = rank_features(X, y, estimator=ConditionalInferenceForestOrdinal(20), random_state=0)
    assert given.order[0] == 0
    nominal = rank_features(X, y, estimator=ConditionalInferenceForestClassifier(20))
    assert nominal.order[0] == 0


@pytest.mark.slow
def test_selected_repeated_and_reported():
    X, labels, _ = data()
    y = pd.Series(pd.Categorical(labels, ORDER, ordered=True))
    ranker = ForestRanker(ConditionalInferenceForestOrdinal(20, order=ORDER))
    selector = FeatureSelector(ranker, k_grid=[1, 3], cv=3, random_state=0).fit(X, y)
    assert selector.support_[0]
    assert selector.cv_results_["mean_score"][0] > 0.3
    again = stability(X, y, estimator=ranker, k=1, n_repeats=4, vary="subsample", random_state=0)
    assert again.frequency[0] == 1
    report = make_report(X, y, n_estimators=20, checks=False, k=2, random_state=0)
    assert report.content.question.task == "ordinal"
    assert [name for name, _ in report.content.question.classes] == ORDER


def test_kappa():
    order = np.array(ORDER)
    y = np.array(["low", "low", "high", "high"])
    assert quadratic_kappa(y, y, order) == 1
    near = quadratic_kappa(y, ["low", "middle", "high", "high"], order)
    far = quadratic_kappa(y, ["low", "high", "high", "high"], order)
    assert 1 > near > far
    assert quadratic_kappa(y, ["low"] * 4, order) == 0
