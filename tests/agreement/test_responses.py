"""The asymptotic p-values of censored and ordered responses are those of partykit::ctree."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from inforest import (
    ConditionalInferenceSurvivalTree,
    ConditionalInferenceTreeOrdinal,
    independence_test,
)
from responses_data import FOLDER, SETS, read

GOLDEN = json.loads(Path(__file__).with_name("responses_golden.json").read_text())
needs_data = pytest.mark.skipif(
    not FOLDER, reason="INFOREST_DATA_MORE names no folder of data sets"
)
CENSORED = [name for name, columns in SETS.items() if columns.event]


@needs_data
@pytest.mark.parametrize("name", CENSORED)
def test_log_rank_tests_are_those_of_partykit(name):
    X, y = read(name)
    golden = GOLDEN[name]
    result = independence_test(X, y, task="survival", selector="pc", method="asymptotic")
    statistic = (len(X) - 1) * result.statistic**2
    assert_allclose(statistic, golden["statistic"], rtol=1e-8)
    assert_allclose(result.p_value, golden["p_value"], rtol=1e-8)


@needs_data
@pytest.mark.parametrize("name", ["veteran", "ovarian", "mgus2"])
def test_permutation_p_values_are_near(name):
    X, y = read(name)
    result = independence_test(
        X, y, task="survival", selector="pc", n_resamples=20_000, random_state=0
    )
    expected = np.array(GOLDEN[name]["p_value"])
    # Monte Carlo error, and what the normal limit is off by: it is no equality in small samples.
    assert_allclose(result.p_value, expected, atol=0.02 if len(X) < 50 else 0.012)


def check_tree(tree, golden):
    assert tree.feature.tolist() == golden["feature"]
    inner = ~tree.is_leaf
    cuts = np.array(golden["cut"], dtype=float)[inner]
    assert_allclose(tree.threshold[inner], cuts, rtol=0)
    assert tree.n_samples.tolist() == golden["n"]
    tested = np.array([one is not None for one in golden["statistic"]])
    assert_allclose(
        tree.chi_square[tested], np.array(golden["statistic"], dtype=float)[tested], rtol=1e-8
    )
    adjusted = -np.expm1(tree.n_tests_feature * np.log1p(-np.exp(tree.log_p_value)))
    assert_allclose(
        adjusted[tested], np.array(golden["p_value"], dtype=float)[tested], rtol=1e-8, atol=1e-300
    )


@needs_data
@pytest.mark.parametrize("alpha", ["0.05", "0.5"])
@pytest.mark.parametrize("name", CENSORED)
def test_a_survival_tree_is_that_of_partykit_node_for_node(name, alpha):
    X, y = read(name)
    tree = ConditionalInferenceSurvivalTree.ctree(alpha_selector=float(alpha)).fit(X, y)
    check_tree(tree.tree_, GOLDEN[name]["trees"][alpha])


@needs_data
def test_linear_by_linear_tests_are_those_of_partykit():
    X, y = read("wvs_poverty")
    golden = GOLDEN["wvs_poverty"]
    result = independence_test(X, y, selector="pc", method="asymptotic")  # an ordered categorical
    assert_allclose((len(X) - 1) * result.statistic**2, golden["statistic"], rtol=1e-8)
    assert_allclose(result.p_value, golden["p_value"], rtol=1e-8)


@needs_data
@pytest.mark.parametrize("alpha", ["0.05", "0.5"])
def test_an_ordinal_tree_is_that_of_partykit_node_for_node(alpha):
    X, y = read("wvs_poverty")
    tree = ConditionalInferenceTreeOrdinal.ctree(alpha_selector=float(alpha)).fit(X, y)
    check_tree(tree.tree_, GOLDEN["wvs_poverty"]["trees"][alpha])
