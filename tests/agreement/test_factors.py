"""Asymptotic tests of categories and of columns with holes: those of partykit at a root."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2

from factor_tables import simulated, tables
from inforest import independence_test

GOLDEN = json.loads(Path(__file__).with_name("golden_factors.json").read_text())["tables"]


def assert_p_value(ours, expected):
    """Equal to 1e-8; beyond 1e-20 R's pseudo-inverse leaves nine digits of a statistic only."""
    if expected > 1e-20:
        assert_allclose(ours, expected, rtol=1e-8)
    elif expected > 1e-290:
        assert_allclose(np.log(ours), np.log(expected), rtol=1e-8)
    else:
        assert ours < 1e-285


def assert_as_in_r(X, is_category, y, has_classes, golden):
    result = independence_test(
        X,
        y.astype(int) if has_classes else y,
        task="classification" if has_classes else "regression",
        method="asymptotic",
        categorical_features=np.flatnonzero(is_category).tolist() or None,
    )
    for j, statistic in enumerate(golden["statistic"]):
        x, classes = X[:, j], y[~np.isnan(X[:, j])]
        n_levels = len(np.unique(x[~np.isnan(x)])) if is_category[j] else 2
        contrasts = len(np.unique(classes)) - 1 if has_classes else 1
        # R takes a p-value off 1, which far tails do not survive: the tail at its own statistic.
        expected = chi2.sf(statistic, (n_levels - 1) * contrasts)
        if golden["p_value"][j] > 1e-6:
            assert_allclose(golden["p_value"][j], expected, rtol=1e-8)
        assert_p_value(result.p_observed[j], expected)


@pytest.mark.parametrize("name", list(simulated()))
def test_simulated(name):
    assert_as_in_r(*simulated()[name], GOLDEN[name])


@pytest.mark.skipif(
    "INFOREST_DATA_MORE" not in os.environ, reason="INFOREST_DATA_MORE names no folder of tables"
)
@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in simulated()])
def test_tables(name):
    assert_as_in_r(*tables()[name], GOLDEN[name])
