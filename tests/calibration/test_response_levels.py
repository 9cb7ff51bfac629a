"""Tests of censored and ordered responses spend their level, and not more."""

import numpy as np
import pytest

from bands import assert_count
from inforest import ConditionalInferenceSurvivalTree, ConditionalInferenceTreeOrdinal
from inforest._engine.responses.censored import censored
from inforest._engine.responses.survival import log_rank_scores

LEVEL, N_SETS = 0.05, 1000


def censored_times(rng, n, share, decimals):
    """Return times of which about such a share is censored, independently of anything."""
    time = rng.exponential(size=n)
    end = rng.exponential((1 - share) / share, size=n)
    return censored(time <= end, np.round(np.minimum(time, end), decimals))


def roots_that_reject(make, draw, has_two_values, n_sets):
    """Count data sets of noise, with one feature, at whose root Stage A rejects."""
    rejected = 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=40), draw(rng)
        if has_two_values:
            x = (x > np.sort(x)[29]).astype(float)
        tree = make(max_depth=1, splitter_test=None, min_samples_leaf=1, random_state=seed)
        rejected += tree.fit(x[:, None], y).tree_.feature[0] >= 0
    return rejected


@pytest.mark.slow
@pytest.mark.parametrize("has_two_values", [False, True])
@pytest.mark.parametrize("decimals", [9, 1])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_roots_of_survival_trees_spend_their_level(share, decimals, has_two_values):
    def draw(rng):
        while True:
            y = censored_times(rng, 40, share, decimals)
            if y["event"].any() and np.ptp(log_rank_scores(y)) > 0:
                return y

    make = ConditionalInferenceSurvivalTree
    assert_count(roots_that_reject(make, draw, has_two_values, N_SETS), N_SETS, LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("has_two_values", [False, True])
@pytest.mark.parametrize("shares", [[0.34, 0.33, 0.33], [0.8, 0.15, 0.05]])
def test_roots_of_ordinal_trees_spend_their_level(shares, has_two_values):
    def draw(rng):
        while True:
            y = rng.choice(3, size=40, p=shares)
            if len(set(y)) > 1:
                return y

    make = ConditionalInferenceTreeOrdinal
    assert_count(roots_that_reject(make, draw, has_two_values, N_SETS), N_SETS, LEVEL)


@pytest.mark.slow
def test_a_score_that_knows_the_feature_would_be_noticed():
    """The band is narrow enough: a feature with a slight influence leaves it."""

    def draw(rng):
        return censored_times(rng, 40, 0.5, 9)

    rejected = 0
    for seed in range(N_SETS):
        rng = np.random.default_rng(seed)
        y = draw(rng)
        x = rng.normal(size=40) - 0.3 * np.log(y["time"])
        tree = ConditionalInferenceSurvivalTree(max_depth=1, splitter_test=None, random_state=seed)
        rejected += tree.fit(x[:, None], y).tree_.feature[0] >= 0
    with pytest.raises(AssertionError):
        assert_count(rejected, N_SETS, LEVEL)
