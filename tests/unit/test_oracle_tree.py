"""Whole trees grown without permutation tests against the oracle's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from engine import NO_TESTS, grow, leaves, tree

STRUCTURE = ("feature", "left", "right", "n_samples", "stop_reason")
CASES = [
    (["mc"], "gini", 2),
    (["mc"], "entropy", 3),
    (["mi"], "gini", 3),
    (["mc", "mi"], "entropy", 2),
    (["pc"], "mse", 0),
    (["pc"], "mae", 0),
    (["dc"], "mse", 0),
    (["pc", "dc"], "mae", 0),
]
RULES = [
    {},
    {"threshold_method": "histogram", "max_thresholds": 8},
    {"threshold_method": "percentile", "max_thresholds": 9},
    {"threshold_method": "histogram", "max_thresholds": "sqrt", "min_samples_leaf": 5},
    {"max_depth": 3},
    {"max_depth": 0},
    {"min_samples_split": 15},
    {"min_samples_leaf": 8},
    {"min_impurity_decrease": 0.0217},  # not a decrease that small counts can tie with
    {"min_samples_leaf": 60},
]


def rules_id(rules):
    return "-".join(f"{name}={value}" for name, value in rules.items()) or "defaults"


def dataset(n_classes, seed, n=100):
    """Signal, noise, a tied, a two-valued, a constant column and a column that dies in a branch."""
    rng = np.random.default_rng([seed, n_classes])
    X = rng.normal(size=(n, 6))
    X[:, 2] = rng.integers(4, size=n)
    X[:, 3] = rng.integers(2, size=n)
    X[:, 4] = 7.0
    X[:, 5] = np.where(X[:, 0] > 0, X[:, 5], 0.0)
    score = X[:, 0] + 0.5 * X[:, 1] * X[:, 3] + 0.3 * X[:, 2] + 0.5 * rng.normal(size=n)
    if n_classes == 0:
        return X, score
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.searchsorted(cuts, score).astype(float)


def assert_same_tree(grown, expected):
    for name in STRUCTURE:
        assert_array_equal(grown[name], expected[name], err_msg=name)
    assert_allclose(grown["threshold"], expected["threshold"], rtol=1e-12)
    assert_allclose(grown["value"], expected["value"].reshape(grown["value"].shape), rtol=1e-9)
    scale = expected["impurity"][0]
    assert_allclose(grown["impurity"], expected["impurity"], rtol=1e-9, atol=1e-12 * scale)


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{'+'.join(case[0])}-{case[1]}-{case[2]}")
def test_equals_oracle(case, rules):
    selector, splitter, n_classes = case
    X, y = dataset(n_classes, seed=0)
    how = dict(selector=selector, splitter=splitter, **rules)
    grown = tree(grow(X, y, n_classes, **how, **NO_TESTS))
    assert_same_tree(grown, oracle.grow_tree(X, y, n_classes, **how, follow=grown["feature"]))


@pytest.mark.parametrize(("selector", "n_classes"), [("mc", 2), ("pc", 0)])
def test_equals_oracle_on_many_data_sets(selector, n_classes):
    """Small nodes, where a wrong tie or an off-by-one shows."""
    for seed in range(40):
        X, y = dataset(n_classes, seed, n=25)
        splitter = "gini" if n_classes else "mse"
        grown = tree(grow(X, y, n_classes, selector=[selector], splitter=splitter, **NO_TESTS))
        expected = oracle.grow_tree(
            X, y, n_classes, selector=[selector], splitter=splitter, follow=grown["feature"]
        )
        assert_same_tree(grown, expected)


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_rdc_tree_equals_oracle_given_its_features(n_classes):
    """Which weights a node draws is the core's affair; what it does with the feature is not."""
    X, y = dataset(n_classes, seed=3)
    splitter = "entropy" if n_classes else "mae"
    grown = tree(grow(X, y, n_classes, selector=["rdc"], splitter=splitter, **NO_TESTS))
    expected = oracle.grow_tree(
        X, y, n_classes, selector=None, splitter=splitter, follow=grown["feature"]
    )
    assert_same_tree(grown, expected)


@pytest.mark.parametrize("n_classes", [2, 0])
def test_case_counts_are_repeated_rows(n_classes):
    X, y = dataset(n_classes, seed=4, n=60)
    counts = np.random.default_rng(0).integers(0, 4, size=60)
    selector, splitter = (["mc"], "gini") if n_classes else (["pc"], "mse")
    how = dict(selector=selector, splitter=splitter, min_samples_leaf=3)
    grown = tree(grow(X, y, n_classes, case_counts=counts, **how, **NO_TESTS))
    rows = np.repeat(np.arange(60), counts)
    expected = oracle.grow_tree(X[rows], y[rows], n_classes, **how, follow=grown["feature"])
    assert_same_tree(grown, expected)


@pytest.mark.parametrize("n_classes", [3, 0])
def test_no_test_means_no_p_value_and_no_draw(n_classes):
    X, y = dataset(n_classes, seed=5)
    grown = grow(X, y, n_classes, **NO_TESTS)
    assert np.isnan(grown["p_value_feature"]).all()
    assert np.isnan(grown["p_value_threshold"]).all()
    for name in ("n_draws_feature", "n_draws_threshold", "draws_selector", "draws_splitter"):
        assert not grown[name].any(), name


@pytest.mark.parametrize("n_classes", [2, 0])
def test_splitter_test_none_is_the_best_impurity(n_classes):
    """Two ways to switch Stage B's test off, one tree."""
    X, y = dataset(n_classes, seed=6)
    off = grow(X, y, n_classes, n_resamples_selector=None, splitter_test=None)
    for name, values in grow(X, y, n_classes, **NO_TESTS).items():
        assert_array_equal(off[name], values, err_msg=name)


@pytest.mark.parametrize("n_classes", [3, 0])
def test_rows_reach_the_leaf_that_counted_them(n_classes):
    X, y = dataset(n_classes, seed=7)
    grown = grow(X, y, n_classes, seeds=range(3), min_samples_leaf=4, **NO_TESTS)
    reached = leaves(X, grown)
    assert reached.shape == (100, 3)
    for index in range(3):
        nodes = tree(grown, index)
        is_leaf = nodes["feature"] == -1
        counts = np.bincount(reached[:, index], minlength=len(is_leaf))
        assert_array_equal(counts, np.where(is_leaf, nodes["n_samples"], 0))
