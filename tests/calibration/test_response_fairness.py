"""Whatever the response, no kind of feature is preferred on noise (see test_fairness.py)."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from fairness_design import FAIR, KINDS, N_KINDS, N_ROWS, null

from bands import assert_count_at_least, assert_count_at_most
from inforest import (
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceSurvivalForest,
)

pytestmark = pytest.mark.slow
#: How far from its fair share a kind may be.
ROOT = 0.02


def censored(rng, share):
    """Return times of which about such a share is censored."""
    time, end = rng.exponential(size=N_ROWS), rng.exponential((1 - share) / share, size=N_ROWS)
    return {"event": time <= end, "time": np.minimum(time, end)}


RESPONSES = {
    "half censored": (ConditionalInferenceSurvivalForest, lambda rng: censored(rng, 0.5)),
    "nearly all censored": (ConditionalInferenceSurvivalForest, lambda rng: censored(rng, 0.9)),
    "ordered classes": (
        ConditionalInferenceForestOrdinal,
        lambda rng: rng.choice(4, size=N_ROWS, p=[0.5, 0.3, 0.15, 0.05]),
    ),
    "three columns": (
        ConditionalInferenceForestRegressor,
        lambda rng: rng.standard_t(3, size=(N_ROWS, 3)) @ rng.normal(size=(3, 3)),
    ),
}


def roots(response, n_sets):
    """Return the feature of the root of one tree per data set, where it splits."""
    forest, draw = RESPONSES[response]
    chosen = []
    for seed in range(n_sets):
        X, _ = null("regression", seed)
        y = draw(np.random.default_rng([21, seed]))
        one = forest(1, max_depth=1, max_features=None, min_samples_leaf=1, random_state=seed).fit(
            X, y
        )
        chosen.append(one.trees_.feature[0])
    chosen = np.array(chosen)
    return chosen[chosen >= 0]


@pytest.mark.parametrize("response", RESPONSES)
def test_roots(response):
    chosen = roots(response, 1_000)
    assert len(chosen) > 300
    for kind, count in zip(KINDS, np.bincount(chosen, minlength=N_KINDS), strict=True):
        assert_count_at_most(count, len(chosen), FAIR + ROOT, kind)
        assert_count_at_least(count, len(chosen), FAIR - ROOT)
