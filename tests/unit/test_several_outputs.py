"""Several numbers as one response, against naive NumPy and by what may not matter."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import r2_score

from bands import assert_count
from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    TableWarning,
    export_text,
    independence_test,
    load,
    rank_features,
    save,
)

N = 120
rng = np.random.default_rng(3)
X = rng.normal(size=(N, 4)).round(2)
Y = np.column_stack([X[:, 0] + rng.normal(size=N), 3 * X[:, 1] ** 2 + rng.normal(size=N)])
BOTH = (ConditionalInferenceTreeRegressor, ConditionalInferenceForestRegressor)


def fitted(cls=ConditionalInferenceForestRegressor, y=Y, **settings):
    settings = {"random_state": 0} | settings
    if cls is ConditionalInferenceForestRegressor:
        settings = {"n_estimators": 20} | settings
    weight = settings.pop("weight", None)
    blocks = settings.pop("blocks", None)
    return cls(**settings).fit(X, y, weight, blocks=blocks)


def naive_trace(x, y, selector, blocks=None):
    """Pillai's trace of x, or of x and x^2, and the columns of y, scaled to at most 1."""
    groups = np.zeros(len(x), dtype=int) if blocks is None else blocks

    def centred(table):
        table = table - table.mean(axis=0)
        for group in np.unique(groups):
            table[groups == group] -= table[groups == group].mean(axis=0)
        return table

    x = centred(x[:, None])
    g = x if selector == "pc" else np.column_stack([x, centred(x**2)])
    h = centred(y.copy())
    g_basis, h_basis = (np.linalg.svd(one, full_matrices=False)[0] for one in (g, h))
    rank = np.linalg.matrix_rank(h, tol=1e-6 * np.linalg.norm(h))
    h_basis = h_basis[:, :rank]
    most = 1 if selector == "pc" else min(rank, 2)
    return np.sqrt(((g_basis.T @ h_basis) ** 2).sum() / most)


@pytest.mark.parametrize("selector", ["pc", "quad"])
@pytest.mark.parametrize("blocks", [None, np.arange(N) % 3], ids=["", "blocks"])
def test_statistics_are_the_naive_ones(selector, blocks):
    result = independence_test(X, Y, selector=selector, blocks=blocks, n_resamples=20)
    expected = [naive_trace(x, Y, selector, blocks) for x in X.T]
    np.testing.assert_allclose(result.statistic, expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:y has one value")
@pytest.mark.parametrize("selector", ["pc", "quad"])
@pytest.mark.parametrize(
    "change",
    [
        lambda y: y * [1e-7, 1e9] + [5, -3],
        lambda y: y @ np.array([[1.0, 2.0], [-1.0, 0.5]]),
        lambda y: np.column_stack([y, y[:, 0], y.sum(axis=1)]),
        lambda y: np.column_stack([y, np.full(N, 7.0)]),
        lambda y: y[:, ::-1],
    ],
    ids=["units", "combinations", "copies", "a constant", "order"],
)
def test_only_what_the_columns_span_matters(selector, change):
    other = change(Y)
    one = independence_test(X, Y, selector=selector, n_resamples=99, random_state=0)
    two = independence_test(X, other, selector=selector, n_resamples=99, random_state=0)
    np.testing.assert_allclose(one.statistic, two.statistic, rtol=1e-6)
    np.testing.assert_array_equal(one.p_value, two.p_value)
    # In nodes of few rows the columns explain every feature fully: rounding would choose.
    trees = [fitted(y=y, selector=selector, min_samples_split=12).trees_ for y in (Y, other)]
    np.testing.assert_array_equal(trees[0].feature, trees[1].feature)
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


def test_leaves_keep_means_of_all_columns():
    tree = fitted(ConditionalInferenceTreeRegressor, selector="quad", splitter_test=None)
    leaf = tree.apply(X)
    assert len(np.unique(leaf)) > 2
    for node in np.unique(leaf):
        np.testing.assert_allclose(tree.predict(X[leaf == node])[0], Y[leaf == node].mean(axis=0))


def test_cut_is_the_one_with_the_least_squared_error_of_whitened_columns():
    tree = ConditionalInferenceTreeRegressor(
        max_depth=1, splitter_test=None, threshold_method="exact", max_thresholds=None,
        random_state=0,
    ).fit(X, Y)  # fmt: skip
    values, vectors = np.linalg.eigh(np.cov(Y.T))
    white = (Y - Y.mean(axis=0)) @ (vectors / np.sqrt(values))
    x = X[:, tree.tree_.feature[0]]
    errors = {
        cut: sum(side.var(axis=0).sum() * len(side) for side in (white[x <= cut], white[x > cut]))
        for cut in np.unique(x)[:-1]
    }
    best = min(errors, key=errors.get)
    assert best <= tree.tree_.threshold[0] < np.unique(x)[np.searchsorted(np.unique(x), best) + 1]


def explained(left, y, weight=None):
    """Return Pillai's trace of the side of each row and the columns of y, from their moments."""
    weight = np.ones(len(y)) if weight is None else weight
    centred = y - np.average(y, axis=0, weights=weight)
    sums = (weight * left) @ centred
    spread = np.linalg.pinv((weight * centred.T) @ centred)
    on_left = weight @ left
    return sums @ spread @ sums * weight.sum() / (on_left * (weight.sum() - on_left))


@pytest.mark.parametrize("weighs", [False, True], ids=["", "weighted"])
def test_chi2_cuts_where_the_columns_of_the_node_are_explained_best(weighs):
    weight = np.random.default_rng(1).integers(0, 3, N).astype(float) if weighs else np.ones(N)
    tree = ConditionalInferenceTreeRegressor(
        splitter="chi2", selector="pc", n_resamples_selector=None, splitter_test=None,
        min_samples_leaf=10, threshold_method="exact", max_thresholds=None, random_state=0,
    ).fit(X, Y, sample_weight=weight)  # fmt: skip
    nodes, inside = tree.tree_, tree.decision_path(X).toarray().astype(bool) & (weight > 0)[:, None]
    assert (~nodes.is_leaf).sum() > 2
    for node in np.flatnonzero(~nodes.is_leaf):
        rows = inside[:, node]
        x, y, w = X[rows, nodes.feature[node]], Y[rows], weight[rows]
        cuts = np.unique(x)[:-1]
        allowed = [cut for cut in cuts if 10 <= (x <= cut).sum() <= len(x) - 10]
        shares = [explained(x <= cut, y, w) for cut in allowed]
        assert explained(x <= nodes.threshold[node], y, w) == pytest.approx(max(shares), rel=1e-9)


def test_chi2_parts_levels_as_well_as_any_partition_does():
    """The columns at a node need not vary as they do on all rows."""
    draw = np.random.default_rng(5)
    level = draw.integers(7, size=N)
    y = draw.normal(size=(7, 3))[level] + draw.normal(size=(N, 3)) * [1, 5, 0.1]
    tree = ConditionalInferenceTreeRegressor.ctree(alpha_selector=0.999, max_depth=1).fit(
        pd.DataFrame({"level": pd.Categorical(level)}), y
    )
    goes_left = tree.apply(pd.DataFrame({"level": pd.Categorical(level)})) == 1
    best = max(
        explained(np.isin(level, some), y)
        for size in range(1, 7)
        for some in combinations(range(7), size)
        if 7 <= np.isin(level, some).sum() <= N - 7
    )
    assert explained(goes_left, y) == pytest.approx(best, rel=1e-9)


def test_chi2_of_one_number_is_mse():
    trees = [
        fitted(ConditionalInferenceTreeRegressor, y=Y[:, 0], splitter=name).tree_
        for name in ("mse", "chi2")
    ]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)
    np.testing.assert_array_equal(trees[0].impurity, trees[1].impurity)


@pytest.mark.parametrize("cls", BOTH)
def test_predictions_have_a_column_per_output(cls):
    model = fitted(cls)
    assert model.predict(X).shape == (N, 2)
    assert model.n_outputs_ == 2
    assert model.score(X, Y) == pytest.approx(r2_score(Y, model.predict(X)))
    assert set(model.ranking_[:2].tolist()) == {0, 1} or cls is ConditionalInferenceTreeRegressor


def test_out_of_bag_and_weights():
    forest = fitted(n_estimators=50, oob_score=True)
    assert forest.oob_prediction_.shape == (N, 2)
    assert forest.oob_score_ == pytest.approx(r2_score(Y, forest.oob_prediction_))
    np.testing.assert_allclose(forest.weights(X) @ Y, forest.predict(X), rtol=1e-9)
    np.testing.assert_allclose(forest.weights() @ Y, forest.oob_prediction_, rtol=1e-9)
    quantiles = forest.predict_quantiles(X[:5], [0.1, 0.9])
    assert quantiles.shape == (5, 2, 2)
    assert forest.predict_interval(X[:5]).shape == (5, 2, 2)
    assert (quantiles[:, :, 0] <= quantiles[:, :, 1]).all()


@pytest.mark.parametrize("splitter", ["mse", "chi2"])
@pytest.mark.parametrize("splitter_test", [None, "max", "threshold"])
@pytest.mark.parametrize("weighs", [False, True], ids=["", "weighted"])
def test_weights_and_tests_of_thresholds(splitter, splitter_test, weighs):
    weight = np.random.default_rng(0).integers(0, 3, N) if weighs else None
    forest = fitted(splitter=splitter, splitter_test=splitter_test, weight=weight)
    assert r2_score(Y, forest.predict(X)) > 0.2
    np.testing.assert_allclose(forest.weights(X) @ Y, forest.predict(X), rtol=1e-9)


def test_importances_and_rankings():
    forest = fitted(n_estimators=60, min_samples_split=12)
    importance = forest.permutation_importance(X, Y, random_state=0).importances_mean
    assert set(np.argsort(-importance)[:2]) == {0, 1}
    in_other_units = fitted(n_estimators=60, min_samples_split=12, y=Y * [1e-6, 1e6])
    other = in_other_units.permutation_importance(X, Y * [1e-6, 1e6], random_state=0)
    np.testing.assert_allclose(other.importances_mean, importance, rtol=1e-9)
    assert set(rank_features(X, Y, random_state=0).order[:2].tolist()) == {0, 1}


def test_one_column_is_what_it_was():
    forest = fitted(y=Y[:, 0])
    with pytest.warns(DataConversionWarning):
        same = fitted(y=Y[:, :1])
    np.testing.assert_array_equal(forest.predict(X), same.predict(X))
    assert same.predict(X).shape == (N,)


def test_files_and_text(tmp_path):
    for cls in BOTH:
        model = fitted(cls)
        save(model, tmp_path / "model")
        copy = load(tmp_path / "model")
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.n_outputs_ == 2
    text = export_text(fitted(ConditionalInferenceTreeRegressor))
    assert "value: " in text
    assert ", " in text.split("value: ")[1].split("  ")[0]


@pytest.mark.parametrize(
    ("y", "settings", "words"),
    [
        (np.where(np.arange(N)[:, None] == 5, np.nan, Y), {}, "Input y contains NaN"),
        (Y, {"selector": "rdc"}, "selector must be one of 'pc', 'quad' if y has several columns"),
        (Y, {"selector": ["pc", "dc"]}, "got 'dc', which reads a single one"),
        (Y, {"splitter": "mae"}, "splitter must be one of 'mse', 'chi2' if y has several columns"),
    ],
)
def test_bad_input(y, settings, words):
    with pytest.raises(ValueError, match=words):
        fitted(y=y, **settings)


def test_columns_that_do_not_vary_make_a_root():
    forest = fitted(y=np.full((N, 2), 3.0))
    assert forest.trees_.node_count == 20
    assert (forest.predict(X) == 3).all()


@pytest.mark.slow
@pytest.mark.parametrize("selector", ["pc", "quad"])
def test_level(selector):
    """Correlated columns with heavy tails, independent of skewed features."""
    n_sets, n_rejected = 1500, 0
    for seed in range(n_sets):
        draw = np.random.default_rng(seed)
        y = draw.standard_t(2, size=(25, 3)) @ np.array([[1, 1, 0], [0, 1, 0], [0, 0, 9.0]])
        x = draw.exponential(size=(25, 1)) ** 2
        result = independence_test(
            x, y, selector=selector, n_resamples=39, random_state=seed, adjust=None
        )
        n_rejected += result.p_value[0] <= 0.05
    assert_count(n_rejected, n_sets, 0.05)


def test_a_constant_column_counts_for_nothing():
    constant = np.column_stack([Y, np.full(N, 7.0)])
    plain = fitted(y=Y)
    with pytest.warns(TableWarning, match=r"in 1 of its 3 columns \(counted from 0: 2\)"):
        more = fitted(y=constant)
    np.testing.assert_array_equal(more.trees_.feature, plain.trees_.feature)
    assert (more.predict(X)[:, -1] == 7).all()
