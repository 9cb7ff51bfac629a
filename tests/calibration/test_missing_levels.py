"""Features with missing values keep their level, whatever decides what is missing."""

import numpy as np
import pytest

from bands import assert_count, assert_count_at_least, assert_count_at_most
from engine import SINGLE_SELECTORS, fortran, selector_id
from inforest import _core

pytestmark = pytest.mark.slow

N = 60


def rejects(x, y, n_classes, selectors, missing, seed, n_draws=39):
    """The test at exactly 5 %, if ties are rare: p <= 0.05 with 39 draws."""
    exceedances, draws = _core.test_features(
        np.zeros(1, np.uint8),
        fortran(x[:, None]),
        y.astype(float),
        n_classes,
        selectors,
        np.zeros(1, np.int64),
        seed,
        n_resamples=n_draws,
        tau=0.05 + 1e-9,
        early_stopping="curtailed",
        confidence=0.95,
        weights=None,
        blocks=None,
        n_levels=None,
        missing=missing,
    )
    return (1 + exceedances[0]) / (1 + draws[0]) <= 0.05 + 1e-9


def responses(rng, n_classes, n=N):
    y = rng.normal(size=n)
    return np.digitize(y, [-0.4, 0.6][: n_classes - 1]) if n_classes else y


def at_random(rng, share):
    missing = np.zeros(N, dtype=bool)
    missing[rng.permutation(N)[: round(share * N)]] = True
    return missing


def by_another_feature(rng, share):
    z = rng.normal(size=N)
    return z < np.quantile(z, share)


@pytest.mark.parametrize("missing", ["incorporate", "ignore", "alone"])
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_level_if_y_knows_nothing(case, missing):
    """Exact: responses are exchangeable given the feature and its holes."""
    selectors, n_classes = case
    n_data, n_rejected = 0, 0
    for mechanism in (at_random, by_another_feature):
        for share in (0.05, 0.1, 0.3, 0.6, 0.9):
            for seed in range(400):
                rng = np.random.default_rng([seed, round(100 * share)])
                x = rng.normal(size=N)
                x[mechanism(rng, share)] = np.nan
                y = responses(rng, n_classes)
                n_rejected += rejects(x, y, n_classes, selectors, missing, seed)
                n_data += 1
    # Counts of classes have ties, which count as exceedances.
    check = assert_count if n_classes == 0 and missing != "alone" else assert_count_at_most
    check(n_rejected, n_data, 0.05)


@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_the_value_alone_if_its_absence_tells(case):
    """ "ignore": y's spread, or its mean, depends on the absence; the value says nothing.

    Valid in the limit; 0.06 is what 60 rows may cost. Divided by the spread of all y it would be
    beyond 0.12.
    """
    selectors, n_classes = case
    for effect in ("mean", "spread"):
        n_rejected = 0
        for seed in range(2000):
            rng = np.random.default_rng(seed)
            x, missing = rng.normal(size=N), at_random(rng, 0.4)
            y = rng.normal(size=N)
            y = y + 1.0 * missing if effect == "mean" else np.where(missing, 0.2, 1.0) * y
            y = np.digitize(y, [-0.4, 0.6][: n_classes - 1]) if n_classes else y
            x[missing] = np.nan
            n_rejected += rejects(x, y, n_classes, selectors, "ignore", seed)
        assert_count_at_most(n_rejected, 2000, 0.06, effect)


@pytest.mark.parametrize(
    ("truth", "missing", "least"),
    [
        ("value", "ignore", 0.58),
        ("value", "incorporate", 0.46),
        ("absence", "alone", 0.87),
        ("absence", "incorporate", 0.80),
        ("both", "incorporate", 0.77),
        ("both", "ignore", 0.42),
    ],
)
def test_power(truth, missing, least):
    """Where the value, its absence or both matter: n = 80, 40 % missing."""
    n_found = 0
    for seed in range(600):
        rng = np.random.default_rng(seed)
        x, absent = rng.normal(size=80), np.zeros(80, dtype=bool)
        absent[rng.permutation(80)[:32]] = True
        y = rng.normal(size=80)
        if truth in ("value", "both"):
            y = y + (0.345 if truth == "value" else 0.3) * x * ~absent
        if truth in ("absence", "both"):
            y = y + (0.77 if truth == "absence" else 0.58) * absent
        x[absent] = np.nan
        n_found += rejects(x, y, 0, ["pc"], missing, seed, n_draws=199)
    assert_count_at_least(n_found, 600, least)
