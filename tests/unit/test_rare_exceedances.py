"""Long tests of two classes: after the first draws only those are made that may exceed."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, multivariate_hypergeom

from bands import BAND
from engine import permutation_test

N_DRAWS, TAU = 40_000, 0.025
# A test that rejects is over when the draws to come can no longer change that.
N_SURELY_DRAWN = N_DRAWS - int(TAU * N_DRAWS)


def node(n, n_members, kind, seed, strength):
    rng = np.random.default_rng([n, n_members, seed])
    y = np.arange(n) < n_members
    x = strength * y + (rng.exponential(size=n) if kind == "skewed" else rng.normal(size=n))
    return (np.round(2 * x) / 2 if kind == "tied" else x), y


def exceedances(x, y, certify):
    rule = dict(tau=TAU, n_resamples=N_DRAWS, early_stopping="curtailed", seed=1)
    test = permutation_test(x, y, 2, ["mc"], certify=certify, **rule)
    assert test["rejected"]
    assert test["n_draws"] >= N_SURELY_DRAWN
    return test["n_exceedances"]


def exact_p_value(x, y):
    """Of all subsets of the members' size, those whose mean is at least as far from the others'."""
    x = x - x.mean()
    members = np.array(list(combinations(range(len(x)), np.count_nonzero(y))))
    return np.mean(np.abs(x[members].sum(axis=1)) >= np.abs(x[y].sum()) * (1 - 1e-9))


@pytest.mark.parametrize("kind", ["continuous", "tied", "skewed"])
@pytest.mark.parametrize(("n", "n_members"), [(14, 7), (18, 5), (16, 12)])
def test_count_of_a_long_test_is_that_of_the_enumeration(n, n_members, kind):
    n_rare = 0
    for seed in range(60):
        x, y = node(n, n_members, kind, seed, strength=2.5)
        p = exact_p_value(x, y)
        if p < 0.01:
            quick = exceedances(x, y, certify=True)
            assert binom.ppf(BAND / 2, N_SURELY_DRAWN, p) <= quick
            assert quick <= binom.isf(BAND / 2, N_DRAWS, p)
            # Another count than that of the plain draws has been found in another way.
            n_rare += quick != exceedances(x, y, certify=False)
    assert n_rare >= 10


@pytest.mark.parametrize("n_members", [20, 100])
def test_count_of_a_long_test_is_that_of_plain_draws(n_members):
    n_rare = 0
    for seed in range(60):
        x, y = node(200, n_members, "skewed", seed, strength=0.6)
        test = permutation_test(x, y, 2, ["mc"], tau=TAU, n_resamples=N_DRAWS)
        if 5 <= test["n_exceedances"] <= 600:
            counts = [exceedances(x, y, certify) for certify in (True, False)]
            assert fisher_exact([[count, N_DRAWS - count] for count in counts]).pvalue > BAND
            n_rare += counts[0] != counts[1]
    assert n_rare >= 2


# --- Numbers with holes: the sum over a random number of observed rows ----------------------------

RULES = pytest.mark.parametrize("missing", ["incorporate", "ignore", "alone"])


def node_with_holes(n, n_members, seed, strength, share=0.3):
    """The value says something, and so does its absence."""
    x, y = node(n, n_members, "continuous", seed, strength)
    rng = np.random.default_rng([seed, 9])
    absence = rng.permutation(n) - 0.3 * n * strength * y
    return np.where(absence.argsort().argsort() < round(share * n), np.nan, x), y


def statistic_with_holes(x, labels, missing):
    """Of rows of labels, each a subset of the members."""
    n, is_there = len(x), ~np.isnan(x)
    n_there = is_there.sum()
    here = (labels & is_there).sum(axis=1)
    total = np.zeros(len(labels))
    if missing != "alone":
        own = np.where(is_there, x - np.nanmean(x), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (labels @ own) ** 2 / (own @ own) * (1 / here + 1 / (n_there - here))
        value[(here == 0) | (here == n_there)] = 0.0
        total += value * ((n_there - 1) / (n - 1) if missing == "incorporate" else 1.0)
    if missing != "ignore":
        size = labels[0].sum()
        off = here - size * n_there / n
        total += off**2 * (1 / size + 1 / (n - size)) * n / (n_there * (n - n_there))
    return total


def p_value_with_holes(x, y, missing):
    """Of all subsets of the members' size, those whose statistic is at least that of the data."""
    members = np.array(list(combinations(range(len(x)), np.count_nonzero(y))))
    labels = np.zeros((len(members), len(x)), dtype=bool)
    np.put_along_axis(labels, members, True, axis=1)
    observed = statistic_with_holes(x, y[None, :], missing)[0]
    return np.mean(statistic_with_holes(x, labels, missing) >= observed * (1 - 1e-9))


def exceedances_with_holes(x, y, missing, certify):
    rule = dict(tau=TAU, n_resamples=N_DRAWS, early_stopping="curtailed", seed=3, missing=missing)
    test = permutation_test(x, y, 2, ["mc"], certify=certify, **rule)
    assert test["rejected"]
    return test["n_exceedances"]


@RULES
@pytest.mark.parametrize(("n", "n_members"), [(16, 8), (16, 6), (17, 9)])
def test_count_with_holes_is_that_of_the_enumeration(n, n_members, missing):
    n_rare, share = 0, 0.45 if missing == "alone" else 0.32
    for seed in range(60):
        x, y = node_with_holes(n, n_members, seed, 2.5, share)
        p = p_value_with_holes(x, y, missing)
        if 1e-6 < p < 0.01:
            quick = exceedances_with_holes(x, y, missing, certify=True)
            assert binom.ppf(BAND / 2, N_SURELY_DRAWN, p) <= quick
            assert quick <= binom.isf(BAND / 2, N_DRAWS, p)
            n_rare += quick != exceedances_with_holes(x, y, missing, certify=False)
    assert n_rare >= 5


@RULES
@pytest.mark.parametrize("n_members", [40, 100])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_count_with_holes_is_that_of_plain_draws(n_members, missing, share):
    n_rare, strength = 0, 0.6 if n_members == 40 else 0.45
    for seed in range(60):
        x, y = node_with_holes(200, n_members, seed, strength, share)
        test = permutation_test(x, y, 2, ["mc"], tau=TAU, n_resamples=N_DRAWS, missing=missing)
        if 5 <= test["n_exceedances"] <= 600:
            counts = [exceedances_with_holes(x, y, missing, certify) for certify in (True, False)]
            assert fisher_exact([[count, N_DRAWS - count] for count in counts]).pvalue > BAND
            n_rare += counts[0] != counts[1]
    assert n_rare >= 2


# --- Categories: the table of levels and classes --------------------------------------------------


def table_p_value(x, y):
    """Of all tables with these margins, those whose statistic is at least that of the data."""
    size, observed = np.bincount(x), np.bincount(x[y], minlength=x.max() + 1)
    expected = size * y.mean()
    tables = [t for t in product(*(range(m + 1) for m in size)) if sum(t) == y.sum()]
    squares = ((np.array(tables) - expected) ** 2 / size).sum(axis=1)
    reached = squares >= ((observed - expected) ** 2 / size).sum() * (1 - 1e-9)
    return multivariate_hypergeom.pmf(tables, size, y.sum())[reached].sum()


def exceedances_of_levels(x, y, certify):
    options = dict(n_levels=np.array([x.max() + 1], dtype=np.int32), seed=2)
    test = permutation_test(
        x, y, 2, ["mc"], tau=TAU, n_resamples=N_DRAWS, early_stopping="curtailed",
        certify=certify, **options,
    )  # fmt: skip
    assert test["rejected"]
    assert test["n_draws"] >= N_SURELY_DRAWN
    return test["n_exceedances"]


@pytest.mark.parametrize(("n", "n_members"), [(24, 12), (24, 7), (30, 22)])
def test_count_of_levels_is_that_of_all_tables(n, n_members):
    n_rare = 0
    for seed in range(40):
        rng = np.random.default_rng([n, n_members, seed])
        y = np.arange(n) < n_members
        x = np.where(rng.random(n) < 0.75, 2 * y, 0) + rng.integers(2, size=n)
        x = np.unique(x, return_inverse=True)[1]
        p = table_p_value(x, y)
        if 1e-6 < p < 0.01:
            quick = exceedances_of_levels(x, y, certify=True)
            assert binom.ppf(BAND / 2, N_SURELY_DRAWN, p) <= quick
            assert quick <= binom.isf(BAND / 2, N_DRAWS, p)
            n_rare += quick != exceedances_of_levels(x, y, certify=False)
    assert n_rare >= 5


def test_count_of_many_levels_is_that_of_plain_draws():
    n_rare = 0
    for seed in range(60):
        rng = np.random.default_rng([20, seed])
        x = np.unique(rng.integers(20, size=300), return_inverse=True)[1]
        y = rng.random(300) < 0.5 + 0.17 * np.where(x % 2, 1, -1)
        test = permutation_test(
            x, y, 2, ["mc"], tau=TAU, n_resamples=N_DRAWS,
            n_levels=np.array([20], dtype=np.int32),
        )  # fmt: skip
        if 5 <= test["n_exceedances"] <= 400:
            counts = [exceedances_of_levels(x, y, certify) for certify in (True, False)]
            assert fisher_exact([[count, N_DRAWS - count] for count in counts]).pvalue > BAND
            n_rare += counts[0] != counts[1]
    assert n_rare >= 2
