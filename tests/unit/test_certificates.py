"""Certificates: bounds on permutation p-values that replace draws where a rejection is clear."""

from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import multivariate_hypergeom

import parts
from bands import assert_count
from engine import permutation_test

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) ** 2,
    "two-valued": lambda rng, n: rng.integers(2, size=n).astype(float),
    "outlier": lambda rng, n: np.r_[rng.normal(size=n - 1), 30.0],
}


#: Selectors with a certificate, and numbers of classes.
CERTIFIED = [("mc", 2), ("mc", 5), ("quad", 2), ("quad", 5), ("pc", 0), ("quad", 0)]


def subset_bound(values, size, enough, t):
    return parts.core.subset_sum_tail(values, size, t, enough)


def permutation_bound(x, y, t):
    return parts.core.permutation_sum_tail(x, y, t, 1e-9)


def class_bound(class_size, size, t):
    return parts.core.class_count_tail(class_size, size, t, 1e-9)


def assert_bounds(sums, bound):
    """`bound(t)` is at least the share of |sums| >= t, at every t that occurs."""
    sums = np.abs(sums)
    for t in np.unique(sums.round(12)):
        if t > 0:
            assert bound(t) >= np.mean(sums >= t * (1 - 1e-9)) - 1e-12


@pytest.mark.parametrize("enough", [1.0, 1e-9], ids=["cheap", "refined"])
@pytest.mark.parametrize("shape", SHAPES)
def test_subset_sums_are_bounded_over_all_subsets(shape, enough):
    rng = np.random.default_rng(0)
    for n in (5, 9, 14):
        values = SHAPES[shape](rng, n)
        centred = values - values.mean()
        for size in {1, n // 3, n // 2}:
            sums = np.array([centred[list(part)].sum() for part in combinations(range(n), size)])
            assert_bounds(sums, partial(subset_bound, values, size, enough))


@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize("n", [50, 700, 5000, 100_000])
def test_one_outlier_in_a_small_subset_is_bounded(n, size):
    """All the mass in one value: its subset has probability size / n, however far out it is."""
    values = np.zeros(n)
    values[3] = 1.0
    deviation = (1 - size / n) * (1 - 1e-9)
    assert parts.core.subset_sum_tail(values, size, deviation, 1e-12) >= size / n


@pytest.mark.parametrize("shape", SHAPES)
def test_permutation_sums_are_bounded_over_all_permutations(shape):
    rng = np.random.default_rng(1)
    for n in (4, 7):
        x, y = SHAPES[shape](rng, n), SHAPES["skewed"](rng, n)
        a, b = x - x.mean(), y - y.mean()
        sums = np.array([a @ b[list(order)] for order in permutations(range(n))])
        assert_bounds(sums, partial(permutation_bound, x, y))


@pytest.mark.parametrize("sizes", [(3, 4, 5), (1, 1, 10), (2, 2, 2, 2, 2), (5, 5)], ids=str)
def test_class_counts_are_bounded_over_all_subsets(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    for size in range(1, len(labels)):
        parts = [labels[list(part)] for part in combinations(range(len(labels)), size)]
        counts = np.array([np.bincount(part, minlength=len(sizes)) for part in parts])
        expected = np.array(sizes) * size / len(labels)
        squares = ((counts - expected) ** 2).sum(axis=1)
        class_size = np.array(sizes, dtype=np.uint32)
        assert_bounds(squares, partial(class_bound, class_size, size))


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_hold_on_larger_samples(shape):
    """Against 20,000 random arrangements, where the bounds are small but visible."""
    rng = np.random.default_rng(2)
    n = 400
    x, y = SHAPES[shape](rng, n), rng.normal(size=n)
    a, b = x - x.mean(), y - y.mean()
    sums = np.array([a @ rng.permutation(b) for _ in range(20_000)])
    subsets = np.array([rng.permutation(a)[:150].sum() for _ in range(20_000)])
    for level in (0.5, 0.1, 0.01, 0.001):
        t = np.quantile(np.abs(sums), 1 - level)
        assert parts.core.permutation_sum_tail(x, y, t, 1e-9) >= level
        t = np.quantile(np.abs(subsets), 1 - level)
        assert parts.core.subset_sum_tail(x, 150, t, 1e-9) >= level


@pytest.mark.parametrize("shape", SHAPES)
def test_tilted_draws_exceed_as_often_as_permutations(shape):
    """Against the exact probability over all subsets, at every deviation that is rare enough."""
    rng = np.random.default_rng(6)
    n_draws, n_tested = 200_000, 0
    for n, size in ((10, 3), (14, 7), (18, 4)):
        values = SHAPES[shape](rng, n)
        centred = values - values.mean()
        sums = np.abs([centred[list(part)].sum() for part in combinations(range(n), size)])
        for t in np.quantile(sums, [0.7, 0.95, 0.99, 1.0]) * (1 - 1e-9):
            q, count = parts.core.tilted_exceedances(values, size, t, n_draws, n_tested)
            p = np.mean(sums >= t)
            assert q >= p
            if q >= 1:
                continue
            n_tested += 1
            assert_count(count, n_draws, p)
    assert n_tested >= 3


@pytest.mark.parametrize("power", [2.0, 1.3])
@pytest.mark.parametrize("sizes", [(5, 6, 7), (2, 3, 4, 12), (1, 2, 30), (9, 11)])
def test_tilted_counts_exceed_as_often_as_permutations(sizes, power):
    """Against the exact probability over all class counts, at every limit that is rare enough."""
    n_draws, n_tested = 200_000, 0
    for subset in (4, sum(sizes) // 2):
        score = [np.arange(min(size, subset) + 1.0) ** power / size for size in sizes]
        law = multivariate_hypergeom(sizes, subset)
        counts = [c for c in product(*(range(len(s)) for s in score)) if sum(c) == subset]
        total = np.array([sum(s[k] for s, k in zip(score, c, strict=True)) for c in counts])
        chance = law.pmf(counts)
        for tail in (0.3, 0.05, 1e-2, 1e-3, 0):
            rare = np.cumsum(chance[np.argsort(-total)]) <= tail
            limit = np.sort(total)[::-1][max(rare.sum() - 1, 0)] - 1e-9
            q, count = parts.core.tilted_count_exceedances(
                sizes, subset, np.concatenate(score), limit, n_draws, n_tested
            )
            p = chance[total >= limit].sum()
            assert q >= p * (1 - 1e-9)
            if q >= 1:
                continue
            n_tested += 1
            assert_count(count, n_draws, p)
    assert n_tested >= 2


@pytest.mark.parametrize("subset", [20, 200])
def test_class_count_bound_holds_on_larger_samples(subset):
    rng = np.random.default_rng(5)
    class_size = np.array([10, 40, 50, 100, 200], dtype=np.uint32)
    labels = np.repeat(np.arange(5), class_size)
    counts = np.array(
        [np.bincount(rng.permutation(labels)[:subset], minlength=5) for _ in range(20_000)]
    )
    squares = ((counts - class_size * subset / 400) ** 2).sum(axis=1)
    for level in (0.5, 0.1, 0.01, 0.001):
        t = np.quantile(squares, 1 - level)
        assert parts.core.class_count_tail(class_size, subset, t, 1e-9) >= level


@pytest.mark.parametrize("level_size", [(1, 1, 1), (2, 5, 6), (4, 4, 4, 4), (1, 12), (1, 1, 9, 3)])
def test_level_count_bound_holds_over_all_tables(level_size):
    n = sum(level_size)
    for subset in range(1, n):
        tables = [t for t in product(*(range(m + 1) for m in level_size)) if sum(t) == subset]
        mass = multivariate_hypergeom.pmf(tables, level_size, subset)
        size = np.array(level_size)
        squares = ((np.array(tables) - size * subset / n) ** 2 / size).sum(axis=1)
        for t in np.unique(squares.round(12)):
            share = mass[squares >= t - 1e-9].sum()
            assert parts.core.level_count_tail(len(size), n, subset, t) >= share - 1e-12


@pytest.mark.parametrize("subset", [20, 200])
def test_level_count_bound_holds_on_larger_samples(subset):
    rng = np.random.default_rng(5)
    size = np.array([10, 40, 50, 100, 200])
    labels = np.repeat(np.arange(5), size)
    counts = [np.bincount(rng.permutation(labels)[:subset], minlength=5) for _ in range(20_000)]
    squares = ((np.array(counts) - size * subset / 400) ** 2 / size).sum(axis=1)
    for level in (0.5, 0.1, 0.01, 0.001):
        t = np.quantile(squares, 1 - level)
        assert parts.core.level_count_tail(5, 400, subset, t) >= level
    # Where both classes are as large, it is Chernoff's bound of chi-square, but for a factor.
    strong = parts.core.level_count_tail(20, 4000, 2000, 150 / 4)
    assert strong == pytest.approx(
        8000**0.5 / 2 * np.exp(-(131 - 19 * np.log(150 / 19)) / 2), rel=0.5
    )


@pytest.mark.parametrize(("selector", "n_classes"), CERTIFIED)
def test_strong_signals_need_no_draws(selector, n_classes):
    rng = np.random.default_rng(3)
    score = rng.normal(size=5000)
    y = score if n_classes == 0 else np.floor(n_classes * (score.argsort().argsort() / 5000))
    x = score + rng.normal(size=5000)
    options = dict(n_resamples=1000, tau=0.001, early_stopping="curtailed")
    certified = permutation_test(x, y, n_classes, [selector], **options, certify=True)
    assert certified["rejected"]
    assert certified["n_draws"] == 0
    assert certified["p_value"] == 1 / 1001
    drawn = permutation_test(x, y, n_classes, [selector], **options, certify=False)
    assert drawn["rejected"]
    assert drawn["n_draws"] == 1000


@pytest.mark.parametrize(("selector", "n_classes"), CERTIFIED)
def test_noise_is_never_certified(selector, n_classes):
    rng = np.random.default_rng(4)
    for seed in range(200):
        x = rng.normal(size=60)
        y = rng.normal(size=60) if n_classes == 0 else np.arange(60.0) % n_classes
        test = permutation_test(
            x,
            y,
            n_classes,
            [selector],
            n_resamples=20,
            tau=0.05,
            early_stopping="curtailed",
            certify=True,
            seed=seed,
        )
        assert test["n_draws"] > 0


#: What a bound must be to spare the draws of a test, about.
ENOUGH = 1e-6


def certified_sums(rng):
    """Bound and candidate probability of a subset sum whose test a bound may decide."""
    n = int(rng.integers(20, 400))
    subset = int(rng.integers(2, n // 2 + 1))
    values = [rng.normal, rng.standard_exponential, rng.standard_cauchy][rng.integers(3)](size=n)
    values = np.clip(values, -30, 30) - np.clip(values, -30, 30).mean()
    spread = np.sqrt(subset / n * (1 - subset / n) * (values**2).sum())
    deviation = spread * rng.uniform(4, 12)
    bound = parts.core.subset_sum_tail(values, subset, deviation, 1.0)
    return bound, parts.core.tilted_exceedances(values, subset, deviation, 1, 0)[0]


def test_candidates_of_sums_are_rarer_than_the_bound_that_spares_them():
    """So that what a bound leaves open is decided by candidates, with the right probability."""
    n_certified = 0
    for seed in range(3000):
        bound, candidates = certified_sums(np.random.default_rng(seed))
        if 0.0 < bound <= ENOUGH:  # a bound of zero leaves nothing open
            n_certified += 1
            assert candidates <= bound
    assert n_certified > 300


def test_a_sum_that_cannot_be_is_certified_and_one_that_can_is_not():
    values = np.r_[np.ones(3), np.full(97, -3 / 97)]  # the largest sum of three is three
    assert parts.core.subset_sum_tail(values, 3, 3.0 * (1 + 1e-5), 1.0) == 0.0
    assert parts.core.subset_sum_tail(values, 3, 3.0, 1.0) > 1 / 161700  # C(100, 3)
