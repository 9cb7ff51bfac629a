"""Asymptotic tests of categories, and of columns with holes where they are there: those of R."""

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


def assert_as_in_r(X, is_category, y, has_classes, golden):
    # R takes a p-value off 1, which far tails do not survive: the tail at its own statistic.
    expected = chi2.sf(golden["statistic"], np.maximum(golden["degrees"], 1))
    for j, p_value in enumerate(expected):
        there = ~np.isnan(X[:, j])
        result = independence_test(
            X[there, j : j + 1],
            y[there].astype(int) if has_classes else y[there],
            task="classification" if has_classes else "regression",
            method="asymptotic",
            categorical_features=[0] if is_category[j] else None,
        )
        # R's pseudo-inverse leaves nine digits of a statistic, which far tails multiply.
        if p_value > 1e-20:
            assert_allclose(result.p_value[0], p_value, rtol=1e-8)
        elif p_value > 1e-290:
            assert_allclose(np.log(result.p_value[0]), np.log(p_value), rtol=1e-8)
        else:
            assert result.p_value[0] < 1e-285


@pytest.mark.parametrize("name", list(simulated()))
def test_simulated(name):
    assert_as_in_r(*simulated()[name], GOLDEN[name])


@pytest.mark.skipif(
    "INFOREST_DATA_MORE" not in os.environ, reason="INFOREST_DATA_MORE names no folder of tables"
)
@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in simulated()])
def test_tables(name):
    assert_as_in_r(*tables()[name], GOLDEN[name])
