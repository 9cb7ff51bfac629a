"""The lists of nearly constant columns, made once for all pieces, and the count of grown trees."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from engine import fortran, grow
from inforest import _core


@pytest.fixture
def one_hot():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.random((300, 12)) < 0.05, np.ones(300)])
    return fortran(X), (X[:, 0] + 2 * X[:, 3] + rng.normal(size=300) > 0.5).astype(float)


def test_lists_name_the_rows_that_differ(one_hot):
    X, _ = one_hot
    begin, row = _core.rare_rows(X)
    lists = [row[begin[j] : begin[j + 1]] for j in range(X.shape[1])]
    assert len(begin) == X.shape[1] + 1
    assert len(lists[0]) == len(lists[-1]) == 0  # far from constant, and constant
    for j in range(1, 13):
        assert_array_equal(lists[j], np.flatnonzero(X[:, j]))
    assert begin[-1] == len(row) == X[:, 1:13].sum()


def test_lists_handed_over_are_lists_made_anew(one_hot):
    X, y = one_hot
    anew = grow(X, y, 2, seeds=(1, 2, 3))
    handed_over = grow(X, y, 2, seeds=(1, 2, 3), rare_rows=_core.rare_rows(X))
    for name, array in anew.items():
        assert_array_equal(array, handed_over[name], err_msg=name)


def test_lists_handed_over_are_read(one_hot):
    """A column whose list names none of a tree's rows is constant there, whatever it holds."""
    X, _ = one_hot
    begin, row = _core.rare_rows(X)
    wrong = row.copy()
    wrong[begin[3] : begin[4]] = 7
    case_counts = np.ones(300, dtype=np.int64)
    case_counts[7] = 0  # in no tree
    for lists, is_seen in (((begin, row), True), ((begin, wrong), False)):
        grown = grow(X, X[:, 3], 2, case_counts=case_counts, rare_rows=lists)
        assert (grown["candidate_counts"][3] > 0) == is_seen
        assert (grown["feature"][0] == 3) == is_seen


@pytest.mark.parametrize(
    "change",
    [
        lambda begin, row: (begin[:-1], row),
        lambda begin, row: (begin, row[:-1]),
        lambda begin, row: (begin + 1, row),
        lambda begin, row: (begin[::-1].copy(), row),
        lambda begin, row: (begin, row - 300),
        lambda begin, row: (begin, row + 300),
    ],
)
def test_lists_that_lead_elsewhere_are_refused(one_hot, change):
    X, y = one_hot
    with pytest.raises(ValueError, match="rare_rows must be what rare_rows"):
        grow(X, y, 2, rare_rows=change(*_core.rare_rows(X)))


def test_grown_trees_are_counted(one_hot):
    X, y = one_hot
    done = np.array([5])
    grow(X, y, 2, seeds=range(4), done=done)
    assert done[0] == 9
    with pytest.raises(ValueError, match="done must have one entry"):
        grow(X, y, 2, done=np.zeros(2, dtype=np.int64))
    with pytest.raises(TypeError):  # a copy would count for nobody
        grow(X, y, 2, done=np.zeros(1, dtype=np.int32))
