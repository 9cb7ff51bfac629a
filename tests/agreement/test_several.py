"""Several numeric responses together: the root tests of R's ctree."""

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
