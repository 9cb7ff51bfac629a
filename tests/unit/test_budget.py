"""Permutation budgets against the formulas of DESIGN."""

import math

import pytest

import oracle
from inforest import _core

ALPHAS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
N_TESTS = (1, 2, 3, 7, 10, 49, 100, 257)


@pytest.mark.parametrize(
    ("n_tests", "minimum", "maximum", "auto"), [(1, 20, 100, 52), (10, 200, 10_000, 1321)]
)
def test_worked_examples_at_five_percent(n_tests, minimum, maximum, auto):
    assert _core.budget("minimum", 0.05, n_tests, True) == minimum
    assert _core.budget("maximum", 0.05, n_tests, True) == maximum
    assert _core.budget("auto", 0.05, n_tests, True) == auto


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("n_tests", N_TESTS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_resamples", ["minimum", "maximum", "auto", 20, 999])
def test_equals_oracle(n_resamples, alpha, n_tests, adjust):
    expected = oracle.budget(n_resamples, alpha, n_tests, adjust)
    assert _core.budget(n_resamples, alpha, n_tests, adjust) == expected


@pytest.mark.parametrize("alpha", ALPHAS)
def test_minimum_rejects_with_no_exceedance_and_only_then(alpha):
    """1/(B+1) < tau <= 2/(B+1), however the division rounds."""
    for n_tests in range(1, 400):
        tau = alpha / n_tests
        draws = _core.budget("minimum", alpha, n_tests, True)
        assert 1 / (draws + 1) < tau
        assert 2 / (draws + 1) >= tau


@pytest.mark.parametrize("n_resamples", ["minimum", "stable", "auto", "maximum"])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.03])
def test_budgets_of_the_defaults_spend_alpha(alpha, n_resamples):
    """Without ties, p <= tau has the probability k / (B + 1), k the whole part of (B + 1) tau.

    So a null node of m independent tests rejects with 1 - (1 - k / (B + 1))^m. What Bonferroni
    itself leaves of alpha for many tests is 1 - exp(-alpha).
    """
    for n_tests in [*range(1, 40), 100, 257, 1000]:
        tau = alpha / n_tests
        draws = _core.budget(n_resamples, alpha, n_tests, True, strict_level=False)
        level = math.floor((draws + 1) * tau * (1 + 1e-12)) / (draws + 1)
        # One exceedance is all there is to count where 1 / tau is not whole.
        least = 0.999 * tau if n_resamples == "stable" else 1 / math.ceil(1 / tau - 1e-9)
        assert least * (1 - 1e-12) <= level <= tau * (1 + 1e-12)
        if alpha == 0.05:
            assert 1 - (1 - level) ** n_tests >= 0.97 * alpha
