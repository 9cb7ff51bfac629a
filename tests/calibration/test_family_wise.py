"""Family-wise error and power of the adjustments, on correlated features."""

import numpy as np
import pytest

from bands import assert_count, assert_count_at_most, assert_more_often
from engine import fortran
from inforest import _core
from inforest.independence.adjustment import adjust_p_values, step_down

ALPHA = 0.1
N_DRAWS = 199
N_SAMPLES = 30
N_FEATURES = 8
N_DATA = 1500
STOP = np.zeros(1, dtype=np.uint8)
METHODS = ("bonferroni", "holm", "westfall-young")


def features(rng, n, correlation):
    """Equicorrelated normal features."""
    common = rng.normal(size=(n, 1))
    own = rng.normal(size=(n, N_FEATURES))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own


def simulate(seed, correlation, n_signals, selector, strength=0.9):
    """Return rejections of each method: data sets x features. The first features carry signal.

    A signal is y added to a feature. So it depends on y, and stays correlated with the null
    features, which are independent of y.
    """
    n_classes = 2 if selector == "mc" else 0
    rng = np.random.default_rng(seed)
    rejected = {method: np.zeros((N_DATA, N_FEATURES), dtype=bool) for method in METHODS}
    for i in range(N_DATA):
        X = features(rng, N_SAMPLES, correlation)
        y = rng.permutation(np.arange(N_SAMPLES) % 2).astype(float)
        if n_classes == 0:
            y = rng.normal(size=N_SAMPLES)
        X[:, :n_signals] += strength * (y / y.std())[:, None]
        data = fortran(X), y, n_classes, [selector]
        score, mean, variance = _core.tail_scores(*data, i)
        ascending = np.argsort(score, kind="stable").astype(np.int64)
        maxima = np.full(N_DRAWS, -np.inf), mean[ascending], variance[ascending]
        raw, stepped = _core.tally_draws(STOP, *data, ascending, i, maxima, 0, N_DRAWS)
        p = np.empty(N_FEATURES)
        p[ascending] = (1 + raw) / (1 + N_DRAWS)
        for method in METHODS[:2]:
            rejected[method][i] = adjust_p_values(p, method) < ALPHA
        adjusted = step_down((1 + stepped[::-1]) / (1 + N_DRAWS), ascending[::-1])
        rejected["westfall-young"][i] = adjusted < ALPHA
    return rejected


@pytest.mark.parametrize("selector", ["mc", "pc"])
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_complete_null(selector, correlation):
    for rejected in simulate(1, correlation, 0, selector).values():
        assert_count_at_most(rejected.any(axis=1).sum(), N_DATA, ALPHA)


@pytest.mark.parametrize("selector", ["mc", "pc"])
@pytest.mark.parametrize("correlation", [0.5, 0.9])
def test_partial_null(selector, correlation):
    n_signals = 3
    for rejected in simulate(2, correlation, n_signals, selector).values():
        false = rejected[:, n_signals:].any(axis=1).sum()
        assert_count_at_most(false, N_DATA, ALPHA)
        assert rejected[:, :n_signals].mean() > 0.2  # and it does find the signals


def test_westfall_young_spends_its_level():
    """On strongly correlated features, where Bonferroni gives much of it away."""
    rejected = {m: r.any(axis=1) for m, r in simulate(3, 0.95, 0, "pc").items()}
    # p < 0.1 among 200 ranks: the exact level is 19 / 200.
    assert_count(rejected["westfall-young"].sum(), N_DATA, 19 / 200)
    assert_more_often(rejected["westfall-young"], rejected["bonferroni"])


def test_westfall_young_rejects_more_than_others_on_correlated_features():
    rejected = {m: r[:, :3] for m, r in simulate(4, 0.9, 3, "pc", 0.6).items()}
    assert (rejected["bonferroni"] <= rejected["holm"]).all()
    for other in ("bonferroni", "holm"):
        for signal in range(3):
            assert_more_often(rejected["westfall-young"][:, signal], rejected[other][:, signal])
