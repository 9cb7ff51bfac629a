"""Where rows with missing values go: into the child that the split's bit says."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from forests import BOTH, data
from inforest import _core, load, save
from inforest.io import persistence

NAN = np.nan
#: The same to everybody: NaN, another sign, another payload.
MISSING = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000123], np.uint64).view(
    np.float64
)


def leaves(X, threshold, missing_left):
    X = np.asfortranarray(np.asarray(X, dtype=float).reshape(-1, 1))
    found = _core.apply(
        X,
        offset=np.array([0, 3]),
        feature=np.array([0, -1, -1], dtype=np.int32),
        threshold=np.array([threshold, NAN, NAN]),
        missing_left=np.array([missing_left, 0, 0], dtype=np.uint8),
        right=np.array([2, -1, -1], dtype=np.int32),
    )
    return found[:, 0]


@pytest.mark.parametrize("n", [1, 7, 8, 300])
def test_missing_values_go_where_the_bit_says(n):
    X = np.resize([0.0, 1.0, 2.0, *MISSING], n)
    is_missing = np.isnan(X)
    assert_array_equal(leaves(X, 1.0, 0) == 1, X <= 1.0)
    assert_array_equal(leaves(X, 1.0, 1) == 1, (X <= 1.0) | is_missing)
    assert_array_equal(leaves(X, np.inf, 0) == 1, ~is_missing)


@pytest.mark.parametrize("cls", BOTH)
def test_never_seen_missing_values_go_into_the_larger_child(cls):
    trees = cls(n_estimators=20, random_state=0).fit(*data(cls)).trees_
    inner = np.flatnonzero(~trees.is_leaf)
    root = trees.offset[trees.tree_index[inner]]
    left, right = (trees.weight[root + side[inner]] for side in (trees.left, trees.right))
    assert_array_equal(trees.missing_left[inner], left > right)
    assert not trees.missing_left[trees.is_leaf].any()
    assert 0 < trees.missing_left.sum() < len(inner)


@pytest.mark.parametrize("cls", BOTH)
def test_files_keep_it_and_older_ones_get_it(cls, tmp_path, monkeypatch):
    forest = cls(n_estimators=5, random_state=0).fit(*data(cls))
    save(forest, tmp_path / "file")
    assert_array_equal(load(tmp_path / "file").trees_.missing_left, forest.trees_.missing_left)
    arrays = persistence.arrays_of

    def without(estimator):
        return {name: a for name, a in arrays(estimator).items() if name != "missing_left"}

    monkeypatch.setattr(persistence, "arrays_of", without)
    save(forest, tmp_path / "old")
    assert_array_equal(load(tmp_path / "old").trees_.missing_left, forest.trees_.missing_left)


def test_a_bit_is_0_or_1(tmp_path):
    cls = BOTH[0]
    forest = cls(n_estimators=2, random_state=0).fit(*data(cls))
    missing_left = forest.trees_.missing_left.copy()
    missing_left[0] = 2
    forest.trees_ = replace(forest.trees_, missing_left=missing_left)
    save(forest, tmp_path / "file")
    with pytest.raises(ValueError, match="missing_left is neither 0 nor 1"):
        load(tmp_path / "file")
