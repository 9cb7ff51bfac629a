"""Draws that end once they cannot exceed count as many exceedances as whole draws do."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

import oracle
from bands import BAND, assert_count
from engine import column, permutation_test, target

N_DRAWS = 50_000
CASES = pytest.mark.parametrize(
    ("selector", "n_classes"), [("pc", 0), ("mc", 3), ("mc", 6)], ids=["pc", "mc-3", "mc-6"]
)
KINDS = pytest.mark.parametrize("kind", ["continuous", "tied", "wild", "skewed"])


def node(n, n_classes, kind, strength):
    """The first node in which all classes are present: two classes take whole draws."""
    for seed in range(1000):
        rng = np.random.default_rng([n, n_classes, seed])
        if kind in ("continuous", "tied"):
            x = column(rng, n, kind)
        else:
            x = rng.standard_cauchy(n) if kind == "wild" else rng.exponential(size=n)
        y = target(rng, n, n_classes, signal=strength * np.clip(x, -3, 3))
        if n_classes in (0, len(np.unique(y))) and len(np.unique(x)) > 1:
            return x, y
    raise AssertionError("no such node")


def exceedances(x, y, n_classes, selector, shared_draws="none"):
    test = permutation_test(
        x, y, n_classes, [selector], n_resamples=N_DRAWS, shared_draws=shared_draws, seed=1
    )
    assert test["n_draws"] == N_DRAWS
    return test["n_exceedances"]


def assert_exact(x, y, n_classes, selector):
    exact = oracle.exact_p_value(x, y, n_classes, [selector], None)
    assert_count(exceedances(x, y, n_classes, selector), N_DRAWS, exact)


@KINDS
@pytest.mark.parametrize("strength", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize(("selector", "n_classes"), [("pc", 0), ("mc", 3)], ids=["pc", "mc-3"])
def test_short_draws_converge_to_the_enumeration(selector, n_classes, n, strength, kind):
    assert_exact(*node(n, n_classes, kind, strength), n_classes, selector)


@pytest.mark.parametrize("n_classes", [0, 3, 4])
def test_the_bound_is_exact_where_it_is_tight(n_classes):
    """x a function of y and an outlier: what is left can add as much as the bound says."""
    y = np.array([0, 0, 0, 1, 1, 2, 2]) if n_classes == 3 else np.array([0, 0, 0, 1, 1, 2, 3])
    x = np.array([1.0, 5, 5, 9])[y] + [0, 0, 0, 0, 0, 0, 4]
    assert_exact(x, y, n_classes, "mc" if n_classes else "pc")


@KINDS
@CASES
@pytest.mark.parametrize("shared_draws", ["first", "none"])
@pytest.mark.parametrize(("n", "strength"), [(17, 0.5), (60, 0.6), (300, 0.3)])
def test_as_many_exceedances_as_whole_draws(n, strength, shared_draws, selector, n_classes, kind):
    x, y = node(n, n_classes, kind, strength)
    counts = [exceedances(x, y, n_classes, selector, how) for how in ("all", shared_draws)]
    assert fisher_exact([[count, N_DRAWS - count] for count in counts]).pvalue > BAND


HOLES = pytest.mark.parametrize("missing", ["incorporate", "ignore"])


def with_holes(x, y, share, seed=0):
    """Missing where y is low, and elsewhere."""
    rng = np.random.default_rng(seed)
    order = (rng.normal(size=len(x)) + 0.3 * (y - y.mean()) / y.std()).argsort().argsort()
    return np.where(order < round(share * len(x)), np.nan, x)


@HOLES
@KINDS
@CASES
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
@pytest.mark.parametrize(("n", "strength"), [(17, 0.5), (60, 0.6), (300, 0.3)])
def test_as_many_exceedances_with_holes_as_whole_draws(
    n, strength, share, selector, n_classes, kind, missing
):
    x, y = node(n, n_classes, kind, strength)
    x = with_holes(x, y, share)
    counts = [
        permutation_test(
            x, y, n_classes, [selector], n_resamples=20_000, shared_draws=how, seed=1,
            missing=missing,
        )["n_exceedances"]
        for how in ("all", "none")
    ]  # fmt: skip
    assert fisher_exact([[count, 20_000 - count] for count in counts]).pvalue > BAND


@HOLES
@CASES
def test_short_draws_are_made_with_holes(selector, n_classes, missing):
    x, y = node(60, n_classes, "wild", strength=0.0)
    x = with_holes(x, y, 0.2)
    counts = {
        permutation_test(
            x, y, n_classes, [selector], n_resamples=20_000, shared_draws=how, seed=1,
            missing=missing,
        )["n_exceedances"]
        for how in ("all", "none")
    }  # fmt: skip
    assert len(counts) == 2


@CASES
def test_short_draws_are_made(selector, n_classes):
    """Other draws than the shared ones, so another count: the tests above compare two ways."""
    x, y = node(60, n_classes, "wild", strength=0.0)
    assert exceedances(x, y, n_classes, selector, "all") != exceedances(x, y, n_classes, selector)


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
@pytest.mark.parametrize("shared_draws", ["first", "none"])
@CASES
def test_extreme_magnitudes_on_both_sides_change_nothing(selector, n_classes, shared_draws, scale):
    x, y = node(60, n_classes, "continuous", strength=0.2)
    y_scaled = y if n_classes else y * scale
    scaled = exceedances(x * scale, y_scaled, n_classes, selector, shared_draws)
    assert scaled == exceedances(x, y, n_classes, selector, shared_draws)


def test_unknown_shared_draws_are_named():
    with pytest.raises(ValueError, match="'all', 'first' or 'none'"):
        exceedances(np.arange(9.0), np.arange(9.0), 0, "pc", "some")
