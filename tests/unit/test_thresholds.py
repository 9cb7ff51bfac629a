"""Threshold sets against the oracle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
import parts
from bands import assert_count

METHODS = ("exact", "random", "percentile", "histogram")
CAPS = (None, 1, 2, 5, 9, 17, 256, 0.1, 0.5, 1.0, "sqrt", "log2")


def core_thresholds(x, method="exact", max_thresholds=None, min_samples_leaf=1, seed=0):
    return parts.core.thresholds(
        np.asarray(x, dtype=np.float64),
        method=method,
        max_thresholds=max_thresholds,
        min_samples_leaf=min_samples_leaf,
        seed=seed,
    )


def n_left(x, cuts):
    return [int((x <= cut).sum()) for cut in cuts]


@pytest.mark.parametrize("min_samples_leaf", [1, 4])
@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("method", ["exact", "percentile", "histogram"])
def test_continuous_column_equals_oracle(method, cap, min_samples_leaf):
    rules = dict(method=method, max_thresholds=cap, min_samples_leaf=min_samples_leaf)
    for n in (2, 5, 6, 30, 300):
        x = np.random.default_rng(n).normal(size=n)
        expected = oracle.thresholds(x, **rules)
        actual = core_thresholds(x, **rules)
        assert n_left(x, actual) == n_left(x, expected)
        assert_allclose(actual, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("min_samples_leaf", [1, 4])
@pytest.mark.parametrize(
    ("method", "cap"),
    # Caps for which edges and percentiles of integers are exact in binary: whether a value that
    # lies on an edge goes left is then a matter of the rule and not of rounding.
    [("exact", None), ("percentile", 5), ("percentile", 9), ("histogram", 4), ("histogram", 8)],
)
def test_tied_column_equals_oracle(method, cap, min_samples_leaf):
    rules = dict(method=method, max_thresholds=cap, min_samples_leaf=min_samples_leaf)
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n_values = int(rng.integers(12, 40))  # more than any cap, which would otherwise shrink
        x = np.concatenate([np.arange(n_values), rng.integers(n_values, size=60)]).astype(float)
        assert_array_equal(core_thresholds(x, **rules), oracle.thresholds(x, **rules))


@pytest.mark.parametrize("method", ["percentile", "histogram"])
def test_skewed_column_equals_oracle(method):
    """A heavy tail leaves most bins of the histogram empty: edges of the same partition go."""
    for seed in range(20):
        x = np.exp(3 * np.random.default_rng(seed).normal(size=100))
        rules = dict(method=method, max_thresholds=64)
        expected = oracle.thresholds(x, **rules)
        actual = core_thresholds(x, **rules)
        assert n_left(x, actual) == n_left(x, expected)
        assert_allclose(actual, expected, rtol=1e-12)
        if method == "histogram":
            assert len(actual) < 30


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("method", METHODS)
def test_at_most_four_values_give_all_midpoints(method, cap):
    x = np.array([3.0, 1.0, 1.0, 8.0, 2.0, 8.0])
    assert_array_equal(core_thresholds(x, method, cap), [1.5, 2.5, 5.5])


@pytest.mark.parametrize("cap", CAPS)
def test_random_is_a_sample_of_the_midpoints(cap):
    x = np.random.default_rng(0).normal(size=80)
    middle = oracle.midpoints(x)
    size = min(oracle.resolve(cap, 80), 79)
    samples = [core_thresholds(x, "random", cap, seed=seed) for seed in range(30)]
    for sample in samples:
        assert len(sample) == size
        assert np.all(np.diff(sample) > 0)
        assert np.isin(sample, middle).all()
    assert_array_equal(samples[0], core_thresholds(x, "random", cap, seed=0))
    if size < 79:
        assert len({tuple(sample) for sample in samples}) > 1


def test_random_reaches_every_midpoint_alike():
    """Each of 19 midpoints is in a sample of 5 with probability 5/19."""
    x = np.arange(20.0)
    counts, n_samples = np.zeros(19), 20_000
    for seed in range(n_samples):
        counts[(core_thresholds(x, "random", 5, seed=seed) - 0.5).astype(int)] += 1
    for count in counts:
        assert_count(count, n_samples, 5 / 19)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_cut(method):
    assert len(core_thresholds([2.0, 2.0, 2.0], method)) == 0
    assert len(core_thresholds([1.0, 2.0, 3.0, 4.0], method, min_samples_leaf=3)) == 0


@pytest.mark.parametrize("method", METHODS)
def test_neighbouring_floats_are_still_separated(method):
    low = np.array([1.0, -1.0, 5e-324, -5e-324, 1e300, 0.0])
    for a in low:
        b = np.nextafter(a, np.inf)
        (cut,) = core_thresholds([a, b], method)
        assert a <= cut < b


@pytest.mark.parametrize("method", METHODS)
def test_largest_floats_do_not_overflow(method):
    biggest = np.finfo(np.float64).max
    x = np.concatenate([np.linspace(-1, 1, 20) * biggest, [0.0]])
    cuts = core_thresholds(x, method, 8)
    assert np.isfinite(cuts).all()
    assert 0 < min(n_left(x, cuts)) <= max(n_left(x, cuts)) < len(x)
    assert len(cuts) >= 8
