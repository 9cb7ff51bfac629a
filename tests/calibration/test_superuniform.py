"""Theorem 1: under the null, P(p <= a) <= a, for every selector, tie pattern, n and B.

Features are tested by the function that `independence_test` uses.
"""

import numpy as np
import pytest

from bands import assert_count_at_least, assert_count_at_most
from engine import COLUMNS, column, fortran
from inforest import _core

LEVELS = (0.01, 0.05, 0.1, 0.5)
#: Selector, number of classes (0: a numeric target).
CASES = [
    *(("mc", 2), ("mc", 3), ("mi", 2), ("rdc", 2), ("quad", 2), ("quad", 3)),
    *(("pc", 0), ("dc", 0), ("rdc", 0), ("quad", 0)),
]
#: Tests per cell; fewer where one of them takes a millisecond.
N_TESTS = {8: 800, 30: 800, 200: 500}
SLOW = {"dc": 200, "mi": 200, "rdc": 400}
STOP = np.zeros(1, dtype=np.uint8)
FIRST = np.zeros(1, dtype=np.int64)


def response(rng, n, n_classes, shape):
    """Balanced classes or 95 : 5; numbers that are normal, or two values 95 : 5."""
    rare = max(1, round(0.05 * n))
    if shape == "95:5":
        y = np.zeros(n)
        y[:rare] = 1
        if n_classes == 3:
            y[-rare:] = 2
    elif n_classes:
        y = (np.arange(n) % n_classes).astype(float)
    else:
        y = rng.normal(size=n)
    return rng.permutation(y)


def p_values(case, kind, shape, n, n_draws, n_tests):
    selector, n_classes = case
    rng = np.random.default_rng([n, n_draws, n_classes, len(kind), len(shape)])
    counts = np.empty(n_tests)
    for seed in range(n_tests):
        X = fortran(column(rng, n, kind)[:, None])
        y = response(rng, n, n_classes, shape)
        counts[seed] = _core.tally_draws(
            STOP, X, y, n_classes, [selector], FIRST, seed, None, 0, n_draws
        )[0][0]
    return (1 + counts) / (1 + n_draws)


@pytest.mark.parametrize("n_draws", [19, 199])
@pytest.mark.parametrize("n", N_TESTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1] or 'numbers'}")
def test_p_values_are_superuniform(case, n, n_draws):
    n_tests = N_TESTS[n]
    if n == 200 or case[0] == "rdc":
        n_tests = SLOW.get(case[0], n_tests)
    for kind in COLUMNS:
        for shape in ("balanced", "95:5"):
            p = p_values(case, kind, shape, n, n_draws, n_tests)
            for level in LEVELS:
                count = (p <= level + 1e-12).sum()
                assert_count_at_most(count, n_tests, level, (kind, shape, level))
            if case[0] in ("mc", "pc", "quad") and kind == "continuous" and shape == "balanced":
                # Without ties p is uniform on its grid: the test is not merely conservative.
                assert_count_at_least((p <= 0.5 + 1e-12).sum(), n_tests, 0.5)
