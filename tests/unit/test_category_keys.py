"""Categories at the border of the core: what levels may be, and columns known by their content."""

import numpy as np
import pytest

from engine import fortran, grow
from inforest import _core

LEVELS = np.array([3], dtype=np.int32)


def keys(*columns, n_levels):
    return _core.feature_keys(fortran(np.column_stack(columns)), np.array(n_levels, dtype=np.int32))


def test_keys_do_not_depend_on_what_levels_are_called():
    x = np.array([0, 2, 2, 1, 0, np.nan, 1])
    renamed = np.array([4, 0, 0, 3, 4, np.nan, 3])
    (key,), (other,) = keys(x, n_levels=[3]), keys(renamed, n_levels=[9])
    assert key == other


def test_keys_tell_partitions_and_kinds_apart():
    x = np.array([0.0, 1, 1, 2, 0, 1])
    joined = np.array([0.0, 1, 1, 1, 0, 1])
    hole = np.array([0.0, np.nan, 1, 2, 0, 1])
    as_number, category, *others = keys(x, x, joined, hole, n_levels=[0, 3, 2, 3])
    assert len({as_number, category, *others}) == 4
    # Where a value is missing is a level like another, whichever it is.
    assert keys(np.where(x == 1, np.nan, x), n_levels=[3])[0] == category


@pytest.mark.parametrize("value", [-1.0, 3.0, 0.5, np.inf])
def test_values_that_are_no_levels_are_refused(value):
    X = np.array([[0.0], [1.0], [value]])
    with pytest.raises(ValueError, match="values of a category must be 0, 1"):
        _core.feature_keys(fortran(X), LEVELS)
    with pytest.raises(ValueError, match="values of a category must be 0, 1"):
        grow(X, [0.0, 1.0, 2.0], keys=np.zeros(1, dtype=np.uint64), n_levels=LEVELS)


@pytest.mark.parametrize("n_levels", [[], [1, 1], [-1]])
def test_numbers_of_levels_that_do_not_fit_are_refused(n_levels):
    with pytest.raises(ValueError, match="number of levels"):
        _core.feature_keys(fortran(np.zeros((3, 1))), np.array(n_levels, dtype=np.int32))
