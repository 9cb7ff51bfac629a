"""Associations of features of all kinds, against their textbook forms and what chance makes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest._engine.association import Association
from inforest._engine.feature import Feature
from inforest._engine.features import Features
from inforest.redundancy import rerank

pd = pytest.importorskip("pandas")
NA = np.nan


def made(columns, n_levels, weight=None):
    special = {
        j: Feature("category", tuple(range(n)), np.arange(float(n)))
        for j, n in enumerate(n_levels)
        if n
    }
    return Association(np.column_stack(columns), Features(len(columns), special), weight)


def one(columns, n_levels, weight=None):
    return made(columns, n_levels, weight).squared(np.array([0]), np.array([1]))[0, 0]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_numbers_with_gaps(rng):
    x, y = rng.normal(size=(2, 60))
    y += x
    gaps = rng.random((2, 60)) < 0.2
    x[gaps[0]], y[gaps[1]] = NA, NA
    there = ~gaps.any(axis=0)
    expected = np.corrcoef(x[there], y[there])[0, 1] ** 2
    assert_allclose(one([x, y], [0, 0]), expected, rtol=1e-12)
    assert_allclose(one([1e200 * x, 1e-200 * y], [0, 0]), expected, rtol=1e-12)


def shrunk(share, most, n):
    chance = (most - 1) / (n - 1)
    return max(0.0, (share - chance) / (1 - chance))


def test_correlation_ratio(rng):
    g = rng.integers(4, size=80).astype(float)
    y = g % 2 + rng.normal(size=80)
    means = np.array([y[g == level].mean() for level in range(4)])[g.astype(int)]
    share = np.var(means) / np.var(y)
    for columns, n_levels in ([[g, y], [4, 0]], [[y, g], [0, 4]]):
        assert_allclose(one(columns, n_levels), shrunk(share, 3, 80), rtol=1e-12)


def test_cramers_v(rng):
    g = rng.integers(3, size=90).astype(float)
    h = np.where(rng.random(90) < 0.5, g, rng.integers(5, size=90))
    table = np.array([[((g == a) & (h == b)).sum() for b in range(5)] for a in range(3)])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / 90
    chi_square = ((table - expected) ** 2 / expected).sum()
    assert_allclose(one([g, h], [3, 5]), shrunk(chi_square / 90 / 2, 4, 90), rtol=1e-12)


@pytest.mark.parametrize("n_levels", [[0, 0], [4, 0], [4, 3]])
def test_whole_weights_are_copies_up_to_chance(rng, n_levels):
    columns = [
        rng.integers(n, size=50).astype(float) if n else rng.normal(size=50) for n in n_levels
    ]
    columns[1] = columns[0] % (n_levels[1] or 99)
    weight = rng.integers(0, 3, size=50).astype(float)
    rows = np.repeat(np.arange(50), weight.astype(int))
    weighted = one(columns, n_levels, weight)
    copied = one([column[rows] for column in columns], n_levels)
    assert_allclose(weighted, copied, atol=0.01)


@pytest.mark.parametrize("n_levels", [[20, 0], [20, 2], [20, 20], [2, 0]])
def test_independent_features_are_at_zero(rng, n_levels):
    found = []
    for _ in range(200):
        columns = [
            rng.integers(n, size=100).astype(float) if n else rng.normal(size=100) for n in n_levels
        ]
        found.append(one(columns, n_levels))
    assert np.mean(found) < 0.03  # the correlation ratio of 20 levels is 0.19


def test_copies_and_names(rng):
    g = rng.integers(5, size=100).astype(float)
    renamed = np.array([3, 1, 4, 0, 2])[g.astype(int)].astype(float)
    assert_allclose(one([g, renamed], [5, 5]), 1.0)
    y = rng.normal(size=100)
    assert_allclose(one([g, y], [5, 0]), one([renamed, y], [5, 0]), rtol=1e-12)
    assert one([g, np.full(100, NA)], [5, 0]) == 0
    assert one([g, np.ones(100)], [5, 0]) == 0
    assert one([np.zeros(100), g], [1, 5]) == 0
    assert one([y, np.ones(100)], [0, 0]) == 0


def test_rerank_a_table(rng):
    colour = np.array(["red", "green", "blue"])[rng.integers(3, size=200)]
    same = pd.Series(colour).map({"red": "r", "green": "g", "blue": "b"})
    other = rng.normal(size=200)
    other[::7] = NA
    X = pd.DataFrame({"colour": colour, "same": same, "other": other})
    assert_array_equal(rerank([0.5, 0.3, 0.2], X), [0, 2, 1])
    assert_array_equal(rerank([0.5, 0.3, 0.2], X, strength=0), [0, 1, 2])
