"""Columns that nearly repeat another: found, said as they are, and nothing claimed of others."""

import time

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from inforest._engine.near_copies import near_copies

N = 300


def said_of(x, y, *, categories=(False, False)):
    """Return what is said of y after x."""
    return near_copies(["x", "y"], [np.asarray(x, float), np.asarray(y, float)], categories)


def with_correlation(x, r, rng):
    noise = rng.normal(size=len(x))
    return r * x + np.sqrt(1 - r * r) * noise


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("sign", [1, -1])
def test_near_copies_are_named_with_the_correlation_of_ranks(sign, rng):
    x = rng.normal(size=N)
    y = sign * with_correlation(x, 0.998, rng)
    r = np.trunc(spearmanr(x, y).statistic * 1000) / 1000
    assert abs(r) > 0.99
    assert said_of(x, y) == [f"'y' is nearly 'x' (r = {r:.3f})"]
    (words,) = said_of(x, np.exp(3 * y))  # ranks do not know units
    assert words == f"'y' is nearly 'x' (r = {r:.3f})"


@pytest.mark.parametrize("r", [0, 0.5, 0.95, 0.98])
def test_correlated_columns_are_not(r, rng):
    x = rng.normal(size=N)
    assert said_of(x, with_correlation(x, r, rng)) == []


def test_the_limit_is_0_99(rng):
    x = rng.normal(size=N)
    found = set()
    for r in np.linspace(0.985, 0.997, 40):
        y = with_correlation(x, r, rng)
        is_near = bool(spearmanr(x, y).statistic >= 0.99)
        assert bool(said_of(x, y)) == is_near
        found.add(is_near)
    assert found == {True, False}


def test_other_units_have_the_same_order(rng):
    x = rng.normal(size=N)
    assert said_of(x, np.exp(x)) == ["'y' has the order of 'x'"]
    assert said_of(x, 3 - 12 * x) == ["'y' has the order of 'x', reversed"]
    one_pair = np.exp(x)
    one_pair[[0, 1]] = one_pair[[1, 0]]
    (words,) = said_of(x, one_pair)
    assert words.startswith("'y' is nearly 'x' (r = 0.99")


def test_one_large_value_makes_nobody_alike(rng):
    x, y = rng.normal(size=(2, N))
    x[7] = y[7] = 1e6
    assert np.corrcoef(x, y)[0, 1] > 0.999
    assert said_of(x, y) == []


def test_nearly_constant_columns_are_not_compared(rng):
    x = np.zeros(N)
    x[:9] = 1
    assert said_of(x, 2 * x) == []
    x[9] = 1
    assert said_of(x, 2 * x) == ["'y' has the order of 'x'"]


def test_gaps(rng):
    x = rng.normal(size=N)
    y = np.exp(x)
    gap = np.where(rng.random(N) < 0.3, np.nan, 0.0)
    assert said_of(x + gap, y + gap) == ["'y' has the order of 'x'"]
    assert said_of(x + gap, y) == []  # 30 % of one are not there
    assert said_of(x + gap, y + gap[::-1]) == []
    is_early = np.arange(N) < N / 2
    assert said_of(np.where(is_early, x, np.nan), np.where(is_early, np.nan, y)) == []
    few = y.copy()
    few[0] = np.nan
    (words,) = said_of(x, few)
    assert words.startswith("'y' is nearly 'x' (r = 0.99")
    assert said_of(np.full(N, np.nan), x) == []


def test_the_most_similar_earlier_column_is_named(rng):
    x = rng.normal(size=N)
    columns = [x, with_correlation(x, 0.9975, rng), x**3]
    first, second = near_copies(["a", "b", "c"], columns, [False] * 3)
    assert first.startswith("'b' is nearly 'a'")
    assert second == "'c' has the order of 'a'"


def test_categories_one_to_one(rng):
    state = rng.integers(5, size=N)
    other = np.array([3, 0, 4, 1, 2])[state]
    said = ["'y' is 'x' by other names"]
    assert said_of(state, other, categories=(True, True)) == said
    assert said_of(state, other, categories=(True, False)) == said  # its codes
    assert said_of(other, state, categories=(False, True)) == ["'x' is 'y' by other names"]
    assert said_of(state, other, categories=(False, False)) == []  # neither order nor category
    gap = np.where(np.arange(N) % 7, 0.0, np.nan)
    assert said_of(state + gap, other + gap, categories=(True, True)) == said
    assert said_of(state + gap, other, categories=(True, True)) == []
    wrong = other.copy()
    wrong[5] = (wrong[5] + 1) % 5
    assert said_of(state, wrong, categories=(True, True)) == []
    merged = np.minimum(other, 3)
    assert said_of(state, merged, categories=(True, True)) == []


def test_levels_that_nobody_shares_are_one_to_one_with_everything(rng):
    x, y = rng.permutation(N), rng.permutation(N)
    assert said_of(x, y, categories=(True, True)) == []


def test_all_rows_decide_and_not_the_sample(rng):
    x = rng.normal(size=20_000)
    y = np.exp(x)
    half = y.copy()
    half[::2] = rng.permutation(half[::2])
    late = np.where(np.arange(len(x)) == 12_345, -1, y)  # one row in 20,000
    assert near_copies(["x", "half"], [x, half], [False] * 2) == []
    (words,) = near_copies(["x", "late"], [x, late], [False] * 2)
    r = spearmanr(rankdata(x), rankdata(late)).statistic
    assert words == f"'late' is nearly 'x' (r = {np.trunc(r * 1000) / 1000:.3f})"


@pytest.mark.slow
def test_of_very_many_columns_those_in_the_same_order_quickly(rng):
    X = rng.normal(size=(20_000, 400))
    X[-1], X[-2] = np.exp(X[3]), -X[4]
    X[-3] = X[5] + 0.05 * rng.normal(size=400)  # nearly the same order is not looked for
    X[100:2100] = rng.binomial(1, 0.01, size=(2000, 400))  # rare: alike by chance
    began = time.process_time()
    said = near_copies([f"f{j}" for j in range(len(X))], list(X), [False] * len(X))
    assert time.process_time() - began < 20  # about one second
    assert said == ["'f19998' has the order of 'f4', reversed", "'f19999' has the order of 'f3'"]


def test_noise_of_few_rows_says_nothing(rng):
    for n in (11, 15, 25):
        X = [*rng.normal(size=(400, n))]
        assert near_copies([str(j) for j in range(400)], X, [False] * 400) == []


def test_nothing_to_compare():
    assert near_copies([], [], []) == []
    assert near_copies(["a"], [np.arange(50.0)], [False]) == []
    assert near_copies(["a", "b"], [np.empty(0), np.empty(0)], [False, False]) == []
    assert said_of(np.arange(10.0), np.arange(10.0) * 2) == []  # ten rows are too few
