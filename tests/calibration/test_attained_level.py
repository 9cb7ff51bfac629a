"""Tests that may stop early reject noise as often as Polya's urn says, no more and no less."""

import numpy as np
import pytest

from bands import assert_count
from engine import permutation_test
from parts import core

pytestmark = pytest.mark.slow

N_SETS = 50_000
#: Level, budget and rule; the hasty ones are far from their level on either side.
RULES = [
    (0.1, 199, "curtailed", 0.95),
    (0.1, 199, "adaptive", 0.9),
    (0.2, 100, "adaptive", 0.75),
    (0.4, 100, "adaptive", 0.51),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize(("selector", "n_classes"), [("mc", 3), ("pc", 0)])
def test_as_often_as_the_urn_says(selector, n_classes, rule):
    """Continuous data: the permutation p-value is uniform, so the bound is attained."""
    tau, n_draws, early_stopping, confidence = rule
    test = dict(tau=tau, n_resamples=n_draws, early_stopping=early_stopping, confidence=confidence)
    rng = np.random.default_rng([n_draws, n_classes])
    n_rejected = 0
    for seed in range(N_SETS):
        x = rng.normal(size=12)
        y = rng.permutation(np.arange(12) % 3) if n_classes else rng.normal(size=12)
        n_rejected += permutation_test(x, y, n_classes, [selector], seed=seed, **test)["rejected"]
    assert_count(n_rejected, N_SETS, core.attained_level(**test))
