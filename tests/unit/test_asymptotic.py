"""Tests by their limit inside trees: chi-square tails, order, Sidak, ties, and the whole ctree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaincc, gammaln
from scipy.stats import chi2

import naive_ctree
import parts
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)


def tree_class(n_classes):
    return ConditionalInferenceTreeClassifier if n_classes else ConditionalInferenceTreeRegressor


def table(seed, n, n_classes):
    rng = np.random.default_rng([seed, n, n_classes])
    X = np.column_stack(
        [rng.normal(size=(n, 3)), rng.integers(4, size=n), rng.random(n).round(1), np.full(n, 3.0)]
    )
    score = X[:, 0] + 0.7 * X[:, 3] * (X[:, 1] > 0) + rng.normal(size=n)
    if not n_classes:
        return X, score
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def sidak(tree):
    m, log_p = tree.n_tests_feature, tree.log_p_value
    return -np.expm1(m * np.log1p(-np.exp(log_p)))


# --- Tails ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 30, 400])
def test_tails_are_those_of_chi_square(degrees):
    statistic = np.concatenate([np.logspace(-12, 0, 25), np.linspace(1, 3 * degrees + 500, 400)])
    actual = np.array([parts.core.log_chi_square_tail(c, degrees) for c in statistic])
    tail = gammaincc(degrees / 2, statistic / 2)
    seen = tail > 1e-290
    assert_allclose(actual[seen], np.log(tail[seen]), rtol=1e-11, atol=1e-15)
    # Where p is near 1 its logarithm is known by the other tail.
    near = chi2.cdf(statistic, degrees) < 1e-8
    assert_allclose(actual[near], -chi2.cdf(statistic[near], degrees), rtol=1e-7)


@pytest.mark.parametrize("degrees", [1, 2, 5, 40])
def test_tails_beyond_the_smallest_number_are_those_of_the_expansion(degrees):
    for statistic in (3e3, 1e5, 1e7):
        x, a = statistic / 2, degrees / 2
        # Gamma(a, x) ~ x^(a - 1) e^-x (1 + (a - 1) / x + (a - 1)(a - 2) / x^2 + ...)
        terms = np.cumprod([1.0, *((a - 1 - np.arange(6)) / x)])
        expected = (a - 1) * np.log(x) - x + np.log(terms.sum()) - gammaln(a)
        actual = parts.core.log_chi_square_tail(statistic, degrees)
        assert actual == pytest.approx(expected, rel=1e-13)
        assert np.exp(actual) == 0.0


def test_a_statistic_of_nothing_has_p_1():
    assert parts.core.log_chi_square_tail(0.0, 3) == 0.0


# --- The whole tree -------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.5])
@pytest.mark.parametrize("n_classes", [0, 2, 3, 6])
def test_a_ctree_is_the_plain_one_node_for_node(n_classes, alpha):
    n_splits = 0
    for seed in range(4):
        X, y = table(seed, 260, n_classes)
        tree = tree_class(n_classes).ctree(alpha_selector=alpha).fit(X, y).tree_
        expected = naive_ctree.grow(X, y, bool(n_classes), alpha=alpha)
        feature, threshold, n, statistic, p_value = map(np.array, zip(*expected, strict=True))
        assert_array_equal(tree.feature, feature)
        assert_array_equal(tree.threshold, threshold)
        assert_array_equal(tree.n_samples, n)
        assert_allclose(tree.chi_square, statistic, rtol=1e-9)
        assert_allclose(sidak(tree), p_value, rtol=1e-9)
        n_splits += (feature >= 0).sum()
    assert n_splits > 8


def test_share_of_the_node_bounds_its_children():
    X, y = table(0, 900, 0)
    for share, least in ((0.1, 7), (0.01, 30)):
        tree = ConditionalInferenceTreeRegressor.ctree(min_samples_leaf=(share, least)).fit(X, y)
        nodes = tree.tree_
        inner = np.flatnonzero(nodes.feature >= 0)
        smaller = np.minimum(
            nodes.n_samples[nodes.left[inner]], nodes.n_samples[nodes.right[inner]]
        )
        assert len(inner) > 1
        assert (smaller >= np.maximum(least, np.ceil(share * nodes.n_samples[inner]))).all()
    expected = naive_ctree.grow(X, y, False, minprob=0.01, minbucket=30)
    assert_array_equal(nodes.feature, [node[0] for node in expected])


def test_a_feature_without_an_admissible_cut_gives_way_to_the_next():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X[:, 1] = np.arange(200) < 5  # five rows: no child may have so few
    y = 8 * X[:, 1] + X[:, 0] + 0.3 * rng.normal(size=200)
    make = ConditionalInferenceTreeRegressor.ctree
    assert make(split_tries=1).fit(X, y).tree_.node_count == 1
    root = make().fit(X, y).tree_.node(0)
    assert root.feature == 0
    assert root.chi_square == pytest.approx(199 * np.corrcoef(X[:, 0], y)[0, 1] ** 2)
    noise = rng.normal(size=200)
    alone = np.column_stack([noise - noise @ y / (y @ y) * y, X[:, 1]])
    assert make().fit(alone, y).tree_.node_count == 1  # the next one must reject, too


def test_thresholds_are_values_that_go_left():
    X, y = table(1, 300, 3)
    tree = ConditionalInferenceTreeClassifier.ctree(alpha_selector=0.5).fit(X, y).tree_
    middle = ConditionalInferenceTreeClassifier.ctree(
        alpha_selector=0.5, threshold_at="midpoint"
    ).fit(X, y)
    assert_array_equal(tree.n_samples, middle.tree_.n_samples)
    for node in np.flatnonzero(tree.feature >= 0):
        column = np.unique(X[:, tree.feature[node]])
        assert tree.threshold[node] in column
        assert tree.threshold[node] < middle.tree_.threshold[node]


def test_of_equal_columns_the_last_one_is_taken():
    X, y = table(2, 200, 0)
    doubled = np.column_stack([X[:, 0], X[:, 0] * -3, X[:, 0]])
    tree = ConditionalInferenceTreeRegressor.ctree(random_state=1).fit(doubled, y).tree_
    assert set(tree.feature) == {-1, 2}


def test_features_are_told_apart_beyond_the_smallest_p_value():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=4000)
    weaker, stronger = signal + 0.35 * rng.normal(size=4000), signal + 0.3 * rng.normal(size=4000)
    for order in ([0, 1], [1, 0]):
        X = np.column_stack([weaker, stronger])[:, order]
        root = ConditionalInferenceTreeRegressor.ctree(max_depth=1).fit(X, signal).tree_.node(0)
        assert root.p_value_feature == 0.0
        assert root.log_p_value < -1000
        assert root.feature == order.index(1)


@pytest.mark.parametrize(("x_unit", "y_unit"), [(1e-6, 1.0), (1.0, 1e-5), (1e150, 1e-150)])
def test_units_change_nothing(x_unit, y_unit):
    """R's ctree takes variances below 1.5e-8 for none, and does not split then."""
    X, y = table(3, 300, 0)
    plain = ConditionalInferenceTreeRegressor.ctree().fit(X, y).tree_
    scaled = ConditionalInferenceTreeRegressor.ctree().fit(X * x_unit, y * y_unit).tree_
    assert plain.n_leaves > 3
    assert_array_equal(scaled.feature, plain.feature)
    assert_allclose(scaled.chi_square, plain.chi_square, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_quad_is_tested_with_both_its_columns(n_classes):
    X, y = table(4, 250, n_classes)
    make = tree_class(n_classes).ctree
    root = make(selector="quad", max_depth=1).fit(X[:, :1], y).tree_.node(0)
    h = naive_ctree.indicators(y, bool(n_classes))
    form, degrees = naive_ctree.quadratic_form(X[:, [0]] ** [1, 2], h)
    assert root.chi_square == pytest.approx(form, rel=1e-9)
    assert root.log_p_value == pytest.approx(chi2.logsf(form, degrees), rel=1e-9)


def test_sidak_is_the_level_of_independent_tests():
    """With permutations, too: the budget of one test follows its level."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(100, 8)), rng.normal(size=100)
    p_values = ConditionalInferenceTreeRegressor.ctree(max_depth=1).fit(X, y).tree_.p_value_feature
    level = 1 - (1 - 0.3) ** (1 / 8)
    for alpha, splits in ((0.3, level), (1 - (1 - p_values[0]) ** 8 * (1 - 1e-9), None)):
        tree = ConditionalInferenceTreeRegressor.ctree(alpha_selector=alpha, max_depth=1).fit(X, y)
        expected = p_values[0] < splits if splits else True
        assert (tree.tree_.node_count > 1) == expected
    permuted = ConditionalInferenceTreeRegressor(
        adjust_alpha_selector="sidak", n_resamples_selector="minimum", alpha_selector=0.5
    )
    assert permuted.fit(X, y).tree_.n_tests_feature[0] == 8


@pytest.mark.parametrize("n_classes", [0, 3])
def test_a_cforest_is_its_parameters(n_classes):
    X, y = table(6, 300, n_classes)
    cls = ConditionalInferenceForestClassifier if n_classes else ConditionalInferenceForestRegressor
    forest = cls.cforest(n_estimators=30, random_state=0, n_jobs=2).fit(X, y)
    again = cls.cforest(n_estimators=30, random_state=0, n_jobs=1).fit(X, y)
    assert_array_equal(forest.trees_.threshold, again.trees_.threshold)
    roots = forest.trees_.offset[:-1]
    assert (forest.trees_.n_samples[roots] == 190).all()
    assert (forest.trees_.n_tests_feature[roots] == 3).all()
    # Every node that could be split was.
    leaf = forest.trees_.is_leaf
    assert (forest.trees_.n_samples[leaf] < 20).mean() > 0.5
    assert forest.trees_.node_count > 30 * 9


# --- Refusals -------------------------------------------------------------------------------------


def test_what_has_no_limit_is_refused():
    X, y = table(7, 60, 3)
    make = ConditionalInferenceTreeClassifier.ctree
    with pytest.raises(ValueError, match="selector='mc' or 'quad'; got 'rdc'"):
        make(selector="rdc").fit(X, y)
    with pytest.raises(ValueError, match=r"got .'mc', 'quad'."):
        make(selector=["mc", "quad"]).fit(X, y)
    with pytest.raises(ValueError, match=r"maxt.*asymptotic"):
        make(adjust_alpha_selector="maxt").fit(X, y)
    with pytest.raises(ValueError, match="knows nothing of blocks"):
        make().fit(X, y, blocks=np.arange(60) % 2)
    with pytest.raises(ValueError, match="split_tries=2 needs"):
        ConditionalInferenceTreeClassifier(split_tries=2).fit(X, y)
    for pair in ((0.7, 7), (0.01, 0), (0.01,), ("a", 3)):
        with pytest.raises(ValueError, match="min_samples_leaf as a pair"):
            make(min_samples_leaf=pair).fit(X, y)
