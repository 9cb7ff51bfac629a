"""Several numeric responses, categories and gaps: the tests and the partitions of R's ctree."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inforest import ConditionalInferenceTreeRegressor, independence_test

CASES = json.loads(Path(__file__).with_name("golden_several_kinds.json").read_text())


def tables(case):
    X, Y = pd.DataFrame(case["x"]), pd.DataFrame(case["y"]).to_numpy()
    for name in X.select_dtypes(exclude="number"):
        X[name] = X[name].astype("category")
    return X, Y


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_root_tests_are_those_of_partykit(case):
    X, Y = tables(case)
    result = independence_test(
        X, Y, selector="pc", method="asymptotic", missing="ignore", adjust=None
    )
    np.testing.assert_allclose(result.p_value, case["p_value"], rtol=1e-8)


def grown(case):
    X, Y = tables(case)
    tree = ConditionalInferenceTreeRegressor.ctree(missing="majority").fit(X, Y)
    return tree, X


def p_values(nodes):
    return -np.expm1(nodes.n_tests_feature * np.log1p(-np.exp(nodes.log_p_value)))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tree_is_theirs_node_for_node(case):
    tree, X = grown(case)
    pairs = {*zip(tree.apply(X).tolist(), case["leaf"], strict=True)}
    assert len(pairs) == len(set(case["leaf"])) == tree.get_n_leaves()
    nodes, inner = tree.tree_, tree.tree_.feature >= 0
    assert nodes.feature[inner].tolist() == case["feature"]
    np.testing.assert_allclose(nodes.chi_square[inner], case["node_statistic"], rtol=1e-8)
    np.testing.assert_allclose(p_values(nodes)[inner], case["node_p_value"], rtol=1e-8)
