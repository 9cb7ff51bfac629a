"""Several numbers as one response: all kinds of features keep the level, none is preferred."""

import numpy as np
import pandas as pd
import pytest

from bands import assert_count
from inforest import ConditionalInferenceTreeRegressor

pytestmark = pytest.mark.slow


def responses(rng, n):
    """Return correlated columns with heavy tails in units of their own."""
    return rng.standard_t(3, size=(n, 3)) @ np.array([[1, 1, 0], [0, 1, 0], [0, 0, 9.0]])


def holed(rng, n, share):
    x = rng.normal(size=n)
    x[rng.permutation(n)[: round(share * n)]] = np.nan
    return x


KINDS = {
    "five levels": lambda rng: rng.integers(5, size=40).astype(float),
    "rare levels": lambda rng: np.where(np.arange(40) < 4, np.arange(40), 9.0),
    "holes": lambda rng: holed(rng, 40, 0.4),
    "few observed": lambda rng: holed(rng, 40, 0.8),
}


@pytest.mark.parametrize("kind", KINDS)
def test_level(kind):
    n_sets, n_rejected = 1000, 0
    is_category = "levels" in kind
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        x = KINDS[kind](rng)
        X = pd.DataFrame({"x": pd.Categorical(x) if is_category else x})
        tree = ConditionalInferenceTreeRegressor(
            max_depth=1, splitter_test=None, min_samples_leaf=1, random_state=seed
        ).fit(X, responses(rng, 40))
        n_rejected += tree.tree_.feature[0] >= 0
    assert_count(n_rejected, n_sets, 0.05)


@pytest.mark.parametrize("weighs", [False, True], ids=["", "weighted"])
def test_level_of_the_best_cut_by_chi2(weighs):
    """Weights stay at their rows, so that every permutation has a covariance of its own."""
    n_sets, n_rejected = 1000, 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        weight = rng.random(30) if weighs else None
        tree = ConditionalInferenceTreeRegressor(
            max_depth=1, splitter="chi2", n_resamples_selector=None, splitter_test="max",
            min_samples_leaf=1, random_state=seed,
        ).fit(rng.normal(size=(30, 1)), responses(rng, 30), weight)  # fmt: skip
        n_rejected += tree.tree_.feature[0] >= 0
    assert_count(n_rejected, n_sets, 0.05)


def test_no_kind_of_feature_is_preferred():
    """Noise of five kinds, one response of three columns: each is a root as often."""
    chosen = np.zeros(6, dtype=int)
    for seed in range(600):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(
            {
                "number": rng.normal(size=80),
                "two values": (rng.random(80) < 0.5).astype(float),
                "holes": holed(rng, 80, 0.3),
                "two levels": pd.Categorical(rng.integers(2, size=80)),
                "twelve levels": pd.Categorical(rng.integers(12, size=80)),
            }
        )
        tree = ConditionalInferenceTreeRegressor(
            max_depth=1, alpha_selector=1.0, splitter_test=None, min_samples_leaf=1,
            random_state=seed,
        ).fit(X, responses(rng, 80))  # fmt: skip
        chosen[tree.tree_.feature[0]] += 1  # the last one counts the leaves
    for count in chosen[:-1]:
        assert_count(count, chosen[:-1].sum(), 0.2)
