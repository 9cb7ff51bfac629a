"""The asymptotic p-values are those of partykit::ctree (see README.md)."""

import json
from pathlib import Path

import numpy as np
import pytest

from inforest import independence_test

CASES = json.loads(Path(__file__).with_name("golden.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_asymptotic_p_values_are_those_of_partykit(case):
    X = np.array(case["X"]).T
    selector = "mc" if isinstance(case["y"][0], str) else "pc"
    result = independence_test(X, case["y"], selector=selector, method="asymptotic")
    np.testing.assert_allclose(result.p_value, case["p_value"], rtol=1e-8)
