"""Adjusted p-values against computations by hand."""

import numpy as np
import pytest

from inforest.independence.adjustment import ADJUSTERS, adjust_p_values, step_down

P = [0.01, 0.04, 0.03, 0.005, 0.2]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bonferroni", [0.05, 0.2, 0.15, 0.025, 1.0]),
        # Sorted 0.005, 0.01, 0.03, 0.04, 0.2 times 5, 4, 3, 2, 1, then never decreasing.
        ("holm", [0.04, 0.09, 0.09, 0.025, 0.2]),
        ("sidak", [1 - 0.99**5, 1 - 0.96**5, 1 - 0.97**5, 1 - 0.995**5, 1 - 0.8**5]),
        # Sorted times 5/1, 5/2, 5/3, 5/4, 5/5, then the smallest of all larger ones.
        ("fdr_bh", [0.025, 0.05, 0.05, 0.025, 0.2]),
        ("fdr_by", np.array([0.025, 0.05, 0.05, 0.025, 0.2]) * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5)),
    ],
)
def test_adjusted_by_hand(method, expected):
    np.testing.assert_allclose(adjust_p_values(P, method), np.minimum(expected, 1), rtol=1e-12)


@pytest.mark.parametrize("method", ADJUSTERS)
def test_adjusted_p_values_keep_order_and_bounds(method):
    p = np.random.default_rng(0).random(200) ** 3
    p[:20] = p[20:40]  # ties
    adjusted = adjust_p_values(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= -1e-15).all()
    np.testing.assert_array_equal(adjust_p_values([0.3], method), [pytest.approx(0.3)])
    np.testing.assert_array_equal(adjust_p_values([1.0, 1.0], method), [1, 1])
    np.testing.assert_array_equal(adjust_p_values([0.0, 1.0], method), [0, 1])


def test_holm_is_never_larger_than_bonferroni():
    p = np.random.default_rng(1).random(100) ** 4
    assert (adjust_p_values(p, "holm") <= adjust_p_values(p, "bonferroni")).all()
    assert (adjust_p_values(p, "fdr_bh") <= adjust_p_values(p, "holm")).all()


def test_step_down_puts_p_values_back():
    adjusted = step_down(np.array([0.1, 0.05, 0.3]), np.array([2, 0, 1]))
    np.testing.assert_array_equal(adjusted, [0.1, 0.3, 0.1])


@pytest.mark.parametrize("p", [[], [[0.1]], [-0.1], [1.1], [np.nan]])
def test_bad_p_values(p):
    with pytest.raises(ValueError, match="p_value must be"):
        adjust_p_values(p, "holm")


def test_unknown_method():
    with pytest.raises(ValueError, match=r"method must be one of 'bonferroni', .*; got 'hope'"):
        adjust_p_values(P, "hope")
