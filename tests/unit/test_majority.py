"""`missing="majority"`: cuts of the rows that have a value; the others follow the larger part."""

import numpy as np
import pytest

from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor


def grown(x, y, **options):
    make = ConditionalInferenceTreeRegressor.ctree(missing="majority", max_depth=1, **options)
    return make.fit(x[:, None], y).tree_


def with_holes(n_missing=74):
    """26 values, of which the first six have a low response; the other rows have none."""
    rng = np.random.default_rng(0)
    x = np.concatenate([np.arange(1.0, 27.0), np.full(n_missing, np.nan)])
    return x, rng.normal(size=len(x)) - 10 * (x <= 6)


def test_missing_rows_follow_the_larger_part():
    x, y = with_holes()
    assert list(grown(x, y).n_samples) == [100, 7, 93]
    assert list(grown(-x, y).n_samples) == [100, 93, 7]


def test_a_share_of_the_node_is_one_of_all_its_rows():
    x, y = with_holes()
    assert grown(x, y, min_samples_leaf=(0.1, 7)).threshold[0] == 10.0


def test_the_cut_is_that_of_the_rows_with_a_value():
    x, y = with_holes()
    there = ~np.isnan(x)
    whole, alone = grown(x, y), grown(x[there], y[there])
    assert whole.threshold[0] == alone.threshold[0]
    assert whole.chi_square[0] == pytest.approx(alone.chi_square[0], rel=1e-12)


def test_they_go_right_where_both_parts_are_as_large():
    x = np.concatenate([np.repeat([0.0, 1.0], 13), np.full(74, np.nan)])
    y = np.random.default_rng(0).normal(size=100) + 3 * (x == 1)
    assert list(grown(x, y).n_samples) == [100, 13, 87]


def test_levels_and_classes():
    pd = pytest.importorskip("pandas")
    words = np.array(["a"] * 14 + ["b"] * 13 + [None] * 73, dtype=object)
    X = pd.DataFrame({"word": pd.Categorical(words)})
    y = np.concatenate([np.zeros(14), np.ones(13), np.tile([0, 1], 37)[:73]])
    tree = ConditionalInferenceTreeClassifier.ctree(missing="majority", max_depth=1).fit(X, y)
    leaf = tree.apply(X)
    assert len(set(leaf[words == "a"])) == len(set(leaf[words == "b"])) == 1
    assert set(leaf[27:]) == set(leaf[:14]) != set(leaf[14:27])
