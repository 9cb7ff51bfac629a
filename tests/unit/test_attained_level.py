"""The level of a test that may stop early, exactly: Polya's urn against every possible sequence."""

from itertools import product
from math import factorial

import numpy as np
import pytest

import oracle
from inforest import _core
from parts import core

RULES = [(None, 0.95), ("curtailed", 0.95), *(("adaptive", c) for c in (0.6, 0.75, 0.9, 0.95))]
#: Level and budget of tests small enough to write down all their outcomes.
SMALL = [(0.5, 5), (0.5, 12), (0.4, 11), (0.3, 12), (0.25, 12), (0.15, 13), (0.05, 9)]


def attained_level(tau, n_resamples, early_stopping, confidence):
    return core.attained_level(
        n_resamples=n_resamples, tau=tau, early_stopping=early_stopping, confidence=confidence
    )


def rejections(tau, n_draws, early_stopping, confidence):
    """Whether each sequence of exceedances rejects, by the rule draw by draw."""
    return {
        sequence: oracle.stop(sequence, tau, early_stopping, confidence)[2]
        for sequence in product((0, 1), repeat=n_draws)
    }


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("test", SMALL, ids=str)
def test_is_the_sum_over_all_sequences(test, rule):
    """With theta uniform, a sequence with k exceedances has probability k! (B - k)! / (B + 1)!."""
    tau, n_draws = test
    level = sum(
        factorial(sum(sequence)) * factorial(n_draws - sum(sequence)) / factorial(n_draws + 1)
        for sequence, rejected in rejections(tau, n_draws, *rule).items()
        if rejected
    )
    assert attained_level(tau, n_draws, *rule) == pytest.approx(level, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("test", SMALL, ids=str)
def test_one_exceedance_less_never_loses_a_rejection(test, rule):
    """What the proof rests on: so the probability of a rejection falls with theta."""
    tau, n_draws = test
    rejected = rejections(tau, n_draws, *rule)
    for sequence in (one for one, does in rejected.items() if does):
        for b in np.flatnonzero(sequence):
            assert rejected[(*sequence[:b], 0, *sequence[b + 1 :])]


def test_early_stopping_is_seen():
    """The small tests do differ, so that agreeing with all sequences means something."""
    levels = {attained_level(0.3, 12, *rule) for rule in RULES}
    assert len(levels) >= 4


@pytest.mark.parametrize("n_draws", [1, 19, 52, 199, 1999])
@pytest.mark.parametrize("tau", [0.5, 0.05, 0.01])
def test_without_a_guess_it_is_what_counting_says(tau, n_draws):
    """One of B + 1 exchangeable statistics is among the `most` + 1 largest."""
    most = max(k for k in range(-1, n_draws) if k < 0 or oracle.stop(
        [True] * k + [False] * (n_draws - k), tau, None, 0.95)[2])  # fmt: skip
    for early_stopping in (None, "curtailed"):
        level = attained_level(tau, n_draws, early_stopping, 0.95)
        assert level == pytest.approx((most + 1) / (n_draws + 1), rel=1e-9, abs=1e-15)


LEVELS = [0.5, 0.5 / 3, 0.1, 0.05, 0.05 / 2, 0.05 / 5, 0.05 / 10, 0.05 / 100, 0.05 / 1000]
#: A level a little above tau makes p <= tau of the strict rule p < tau.
BOTH_RULES = (1, 1 + 1e-9)
BUDGETS = ["minimum", "auto", "maximum", 19, 199, 999]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("tau", LEVELS)
def test_no_setting_exceeds_its_level(tau, budget):
    n_candidates = max(1, round(0.05 / tau))
    n_draws = _core.budget(budget, tau * n_candidates, n_candidates, True)
    if n_draws > 300_000:
        n_draws = 300_000  # the urn takes a step for each draw; more of them change little
    for early_stopping, confidence in [
        (None, 0.95),
        ("curtailed", 0.95),
        *(("adaptive", confidence) for confidence in (0.9, 0.95, 0.99)),
    ]:
        for rule in BOTH_RULES:
            level = attained_level(tau * rule, n_draws, early_stopping, confidence)
            assert level <= tau * (1 + 1e-6)


def test_a_hasty_guess_costs_more_than_the_level():
    """Why the page says from which confidence on and up to which level: these exceed theirs."""
    assert attained_level(0.1, 20, "adaptive", 0.7) > 1.05 * 0.1
    assert attained_level(0.45, 999, "adaptive", 0.9) > 1.01 * 0.45


@pytest.mark.slow
def test_no_budget_exceeds_its_level_at_the_default_confidence():
    for tau, confidence, rule in product(
        (1 / 3, 0.25, 0.1, 0.05, 0.025, 0.01), (0.95, 0.99), BOTH_RULES
    ):
        for n_draws in range(1, 501):
            level = attained_level(tau * rule, n_draws, "adaptive", confidence)
            assert level <= tau * (1 + 1e-6), (tau, confidence, n_draws)
