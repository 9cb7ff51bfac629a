"""Several numeric responses together: the root tests and the whole trees of R's ctree."""

import json
from pathlib import Path

import numpy as np
import pytest

from inforest import ConditionalInferenceTreeRegressor, independence_test

CASES = json.loads((Path(__file__).parent / "golden_several.json").read_text())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_p_values_are_those_of_partykit(case):
    X, Y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    result = independence_test(X, Y, selector="pc", method="asymptotic", adjust=None)
    np.testing.assert_allclose(result.p_value, case["p_value"], rtol=1e-8)
    np.testing.assert_allclose((len(X) - 1) * result.statistic**2, case["statistic"], rtol=1e-8)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_permutation_p_values_are_near_them(case):
    X, Y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    result = independence_test(X, Y, selector="pc", n_resamples=2000, random_state=0, adjust=None)
    # About 30 rows: the limit itself is off by a few hundredths.
    np.testing.assert_allclose(result.p_value, case["p_value"], atol=0.05)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tree_takes_the_same_feature(case):
    X, Y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    tree = ConditionalInferenceTreeRegressor(
        selector="pc", n_resamples_selector="asymptotic", random_state=0
    ).fit(X, Y)
    if min(case["p_value"]) * X.shape[1] < 0.05:
        assert tree.tree_.feature[0] == np.argmin(case["p_value"])


TREES = json.loads((Path(__file__).parent / "golden_several_trees.json").read_text())


def grown(case):
    X, Y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    return ConditionalInferenceTreeRegressor.ctree().fit(X, Y).tree_


def check_tests(tree, case):
    tested = np.array([one is not None for one in case["statistic"]])
    assert tested.sum() > 1
    adjusted = -np.expm1(tree.n_tests_feature * np.log1p(-np.exp(tree.log_p_value)))
    for ours, name in ((tree.chi_square, "statistic"), (adjusted, "p_value")):
        theirs = np.array(case[name], dtype=float)[tested]
        np.testing.assert_allclose(ours[tested], theirs, rtol=1e-8)


@pytest.mark.parametrize("case", TREES.values(), ids=TREES)
def test_a_tree_is_that_of_partykit_node_for_node(case):
    tree = grown(case)
    assert tree.feature.tolist() == case["feature"]
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(tree.threshold[inner], np.array(case["cut"], dtype=float)[inner])
    assert tree.n_samples.tolist() == case["n"]
    check_tests(tree, case)
