"""Draws that end once they cannot exceed count as many exceedances as whole draws do."""

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

import oracle
from engine import column, permutation_test, target

N_DRAWS = 50_000
# A correct implementation fails one comparison in a million; the seeds are fixed besides.
BAND = 1e-6
CASES = pytest.mark.parametrize(
    ("selector", "n_classes"), [("pc", 0), ("mc", 3), ("mc", 8)], ids=["pc", "mc-3", "mc-8"]
)
KINDS = pytest.mark.parametrize("kind", ["continuous", "tied", "wild"])


def node(rng, n, n_classes, kind, strength):
    x = rng.standard_cauchy(n) if kind == "wild" else column(rng, n, kind)
    return x, target(rng, n, n_classes, signal=strength * np.clip(x, -3, 3))


def exceedances(x, y, n_classes, selector, own_draws):
    test = permutation_test(
        x, y, n_classes, [selector], n_resamples=N_DRAWS, own_draws=own_draws, seed=1
    )
    assert test["n_draws"] == N_DRAWS
    return test["n_exceedances"]


@KINDS
@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize(("selector", "n_classes"), [("pc", 0), ("mc", 3)], ids=["pc", "mc-3"])
def test_short_draws_converge_to_the_enumeration(selector, n_classes, n, kind):
    for seed in range(3):
        x, y = node(np.random.default_rng([n, seed]), n, n_classes, kind, strength=1.0)
        exact = oracle.exact_p_value(x, y, n_classes, [selector], None)
        low, high = binom.ppf([BAND / 2, 1 - BAND / 2], N_DRAWS, exact)
        assert low <= exceedances(x, y, n_classes, selector, own_draws=True) <= high


@KINDS
@CASES
@pytest.mark.parametrize(("n", "strength"), [(17, 0.5), (60, 0.3), (300, 0.05)])
def test_as_many_exceedances_as_whole_draws(n, strength, selector, n_classes, kind):
    x, y = node(np.random.default_rng([n, n_classes]), n, n_classes, kind, strength)
    counts = [exceedances(x, y, n_classes, selector, own) for own in (False, True)]
    assert fisher_exact([[count, N_DRAWS - count] for count in counts]).pvalue > BAND


@CASES
def test_short_draws_are_made(selector, n_classes):
    """Other draws than the whole ones, so another count: the test above compares two ways."""
    x, y = node(np.random.default_rng(0), 60, n_classes, "wild", strength=0.0)
    whole, short = (exceedances(x, y, n_classes, selector, own) for own in (False, True))
    assert whole != short
