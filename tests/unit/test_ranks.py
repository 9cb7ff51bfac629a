"""Ranks computed once per fit stand for the values, wherever a selector looks at order alone."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from engine import fortran, grow
from inforest import _core

COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(-5, 5, size=n).astype(float),
    "wide integers": lambda rng, n: rng.integers(-(10**9), 10**9, size=n).astype(float),
    "halves": lambda rng, n: rng.integers(0, 9, size=n) + 0.5,
    "both zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1.0], size=n),
    # Counted from the lowest value, these would seem to tie.
    "hardly different": lambda rng, n: np.r_[-1e9, 1 + rng.choice([0, 2.0**-50], size=n - 1)] + 1,
    "extreme": lambda rng, n: rng.normal(size=n) * 1e300,
    "constant": lambda rng, n: np.full(n, 7.0),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("n", [1, 2, 50, 5000])
def test_ranks_number_the_distinct_values(column, n):
    rng = np.random.default_rng(n)
    X = fortran(np.column_stack([COLUMNS[column](rng, n) for _ in range(2)]))
    ranks = _core.column_ranks(X).reshape(2, n)
    for j in range(2):
        assert_array_equal(ranks[j], np.unique(X[:, j], return_inverse=True)[1])


@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_trees_from_ranks_are_those_from_values(n_classes):
    rng = np.random.default_rng(3)
    n = 300
    X = fortran(np.column_stack([make(rng, n) for make in COLUMNS.values()]))
    score = X[:, 0] + 0.3 * X[:, 1] + rng.normal(size=n)
    y = np.floor(n_classes * score.argsort().argsort() / n) if n_classes else score
    counts = np.bincount(rng.integers(n, size=n), minlength=n)
    how = dict(selector=["rdc"], case_counts=counts, seeds=range(5))
    plain = grow(X, y, n_classes, **how)
    ranked = grow(X, y, n_classes, **how, ranks=_core.column_ranks(X))
    assert (plain["feature"] >= 0).sum() > 10
    for name, values in plain.items():
        assert_array_equal(values, ranked[name], err_msg=name)


def test_ranks_of_another_matrix_are_refused():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match="one rank per value of X"):
        grow(X, X[:, 0], selector=["rdc"], ranks=_core.column_ranks(fortran(X[:5])))
