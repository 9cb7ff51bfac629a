"""Permutation budgets against the formulas of DESIGN."""

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
