"""Stage A statistics against the oracle, dcor and scikit-learn."""

import dcor
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, norm
from sklearn.feature_selection._mutual_info import _compute_mi_cd

import oracle
import parts
from bands import BAND
from engine import (
    COLUMNS,
    SELECTORS,
    SINGLE_SELECTORS,
    column,
    fortran,
    node,
    permutation_test,
    selector_id,
    target,
    weights,
)
from inforest import _core, independence_test

SIZES = (2, 3, 4, 7, 20, 101, 300)


def ranks(v):
    return np.argsort(np.argsort(v)).astype(float)


def core_statistic(x, y, n_classes, selectors, seed=0):
    return _core.statistics(fortran(x[:, None]), y, n_classes, selectors, seed)[0]


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_equals_oracle(case, n, kind):
    selectors, n_classes = case
    for seed in range(3):
        rng = np.random.default_rng([seed, n])
        X = np.column_stack([column(rng, n, kind) for _ in range(4)])
        y = target(rng, n, n_classes, signal=X[:, 0])
        expected = oracle.statistics(X, y, n_classes, selectors, weights(selectors, seed))
        actual = _core.statistics(fortran(X), y, n_classes, selectors, seed)
        assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["tied", "two-valued"])
@pytest.mark.parametrize("selectors", [["pc"], ["dc"], ["rdc"], ["pc", "dc"]])
def test_tied_targets_equal_oracle(selectors, kind):
    rng = np.random.default_rng(1)
    for n in SIZES:
        x, y = column(rng, n, "tied"), column(rng, n, kind)
        expected = oracle.statistic(x, y, 0, selectors, weights(selectors, 3))
        actual = core_statistic(x, y, 0, selectors, seed=3)
        # Squared: at independence the distance covariance is a difference of equal numbers.
        assert_allclose(actual**2, expected**2, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_offset_far_from_zero(case):
    """x = 1e6 + noise loses no digit that its own rounding has not lost already."""
    selectors, n_classes = case
    rng = np.random.default_rng(2)
    x = 1e6 + rng.normal(size=60)
    y = target(rng, 60, n_classes, signal=x - 1e6)
    expected = oracle.statistic(x - 1e6, y, n_classes, selectors, weights(selectors, 0))
    assert_allclose(core_statistic(x, y, n_classes, selectors), expected, rtol=1e-9)


@pytest.mark.parametrize("exponent", [-900, -520, -300, 300, 520, 900])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_squares_neither_overflow_nor_vanish(case, exponent):
    """Every statistic is free of scale, also where the square of a number is no number."""
    selectors, n_classes = case
    x, y = node(np.random.default_rng(10), 40, n_classes, "continuous", 1.0)
    expected = core_statistic(x, y, n_classes, selectors)
    scaled = np.ldexp(x, exponent)
    assert core_statistic(scaled, y, n_classes, selectors) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("exponent", [-900, -520, -300, 300, 520, 900])
@pytest.mark.parametrize("case", [case for case in SELECTORS if case[1] == 0], ids=selector_id)
def test_extreme_responses_are_brought_to_a_unit_that_can_be_squared(case, exponent):
    """The library does it once, before any statistic sees the response."""
    x, y = node(np.random.default_rng(10), 40, 0, "continuous", 1.0)

    def statistic(x, y):
        given = dict(selector=case[0], task="regression", n_resamples=1, random_state=0)
        return independence_test(x[:, None], y, **given).statistic[0]

    expected, scaled = statistic(x, y), np.ldexp(y, exponent)
    assert statistic(x, scaled) == pytest.approx(expected, rel=1e-9)
    assert statistic(np.ldexp(x, exponent), scaled) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [5, 50, 1000])
@pytest.mark.parametrize("kind", COLUMNS)
def test_distance_correlation_equals_dcor(kind, n):
    rng = np.random.default_rng(3)
    for strength in (0.0, 0.5, 3.0):
        x, y = node(rng, n, 0, kind, strength)
        expected = dcor.distance_correlation(x, y)
        assert_allclose(core_statistic(x, y, 0, ["dc"]), expected, rtol=1e-9)


def test_distance_correlation_of_a_large_node_equals_dcor():
    """Beyond a few thousand rows the core may hold no n x n matrix; the number stays the same."""
    rng = np.random.default_rng(4)
    x, y = node(rng, 6000, 0, "continuous", 0.3)
    expected = dcor.distance_correlation(x, y, method="avl")
    assert_allclose(core_statistic(x, y, 0, ["dc"]), expected, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", COLUMNS)
def test_mutual_information_equals_scikit_learn(kind, n_classes):
    """Equal classes: for a very small one scikit-learn takes distances that round differently."""
    rng = np.random.default_rng(5)
    for strength in (0.0, 1.0, 3.0):
        x = column(rng, 300, kind)
        y = ranks(strength * x + rng.normal(size=300)) * n_classes // 300
        expected = _compute_mi_cd(x, y, 3)
        assert_allclose(core_statistic(x, y, n_classes, ["mi"]), expected, rtol=1e-9, atol=1e-12)


def test_mutual_information_leaves_singleton_classes_out():
    rng = np.random.default_rng(6)
    x, y = node(rng, 60, 2, "continuous", 2.0)
    with_singleton = core_statistic(np.append(x, 0.5), np.append(y, 2.0), 3, ["mi"])
    assert with_singleton == pytest.approx(core_statistic(x, y, 2, ["mi"]), rel=1e-12)
    assert with_singleton > 0


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_constant_feature_has_statistic_zero(case):
    selectors, n_classes = case
    y = target(np.random.default_rng(7), 30, n_classes)
    for constant in (0.0, 0.1, 1e300):
        assert core_statistic(np.full(30, constant), y, n_classes, selectors) == 0


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_feature_that_decides_y_has_a_large_statistic(case):
    """The scale ends at 1; that of mutual information about at the entropy of y, in nats."""
    selectors, n_classes = case
    y = np.repeat([0.0, 1.0], 50)
    if selectors == ["mi"]:
        # Its neighbours must have distances: a two-valued x has none.
        x = np.arange(100) + 1000 * y
        assert core_statistic(x, y, n_classes, selectors) == pytest.approx(np.log(2), rel=0.02)
    else:
        assert core_statistic(y.copy(), y, n_classes, selectors) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_quad_is_the_multiple_correlation_with_x_and_its_square(scale):
    rng = np.random.default_rng(11)
    x = scale * (100 + rng.normal(size=80))
    y = (x / scale - 100) ** 2 + rng.normal(size=80)
    fit = np.polynomial.Polynomial.fit(x, y, 2)(x)
    expected = np.corrcoef(fit, y)[0, 1]
    assert core_statistic(x, y, 0, ["quad"]) == pytest.approx(expected, rel=1e-9)
    assert core_statistic(x, y, 0, ["pc"]) < 0.5 < expected
    two = (y > 1).astype(float)
    fit = np.polynomial.Polynomial.fit(x, two, 2)(x)
    expected = np.corrcoef(fit, two)[0, 1]
    assert core_statistic(x, two, 2, ["quad"]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [4, 31, 1000, 100_000])
def test_the_square_of_a_two_valued_feature_adds_nothing(n):
    rng = np.random.default_rng(12)
    for low, high in [(0.1, 0.3), (-1.0, 1.0), (1e6, 1e6 + 0.1)]:
        for n_high in {1, n // 3 or 1, n // 2}:
            x = np.repeat([high, low], [n_high, n - n_high])
            y, classes = rng.normal(size=n), np.arange(n) % 3.0
            pearson = core_statistic(x, y, 0, ["pc"])
            assert core_statistic(x, y, 0, ["quad"]) == pytest.approx(pearson, rel=1e-9)
            ratio = core_statistic(x, classes, 3, ["mc"])
            # Three classes could be told apart in two directions; a two-valued x has but one.
            quad = core_statistic(x, classes, 3, ["quad"])
            assert quad == pytest.approx(ratio / np.sqrt(2), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_a_list_of_one_is_the_selector_itself_and_order_does_not_matter(case):
    (name,), n_classes = case
    rng = np.random.default_rng(8)
    x, y = node(rng, 40, n_classes, "continuous", 1.0)
    names = _core.selector_names("labels" if n_classes else "scores")
    forward = core_statistic(x, y, n_classes, names)
    assert forward == core_statistic(x, y, n_classes, names[::-1])
    units = [oracle.unit_statistic(x, y, n_classes, n, weights(names, 0)) for n in names]
    assert forward == pytest.approx(max(units), rel=1e-9)
    assert core_statistic(x, y, n_classes, [name, name]) == pytest.approx(
        oracle.unit_statistic(x, y, n_classes, name, weights(names, 0)), rel=1e-9
    )


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_the_permutation_test_uses_the_same_statistic(case):
    selectors, n_classes = case
    rng = np.random.default_rng(9)
    for seed in range(5):
        x, y = node(rng, 25, n_classes, "continuous", 0.5)
        tested = permutation_test(x, y, n_classes, selectors, n_resamples=20, seed=seed)
        expected = core_statistic(x, y, n_classes, selectors, seed)
        assert tested["statistic"] == pytest.approx(expected, rel=1e-9)


def test_rdc_weights_are_a_function_of_the_seed():
    first = parts.core.rdc_weights(1)
    assert first.shape == (4, 10)
    assert_array_equal(first, parts.core.rdc_weights(1))
    assert not np.any(first == parts.core.rdc_weights(2))


def test_rdc_weights_have_standard_deviation_one_sixth():
    """Sum and sum of squares of 40,000 normal weights, in bands of their own laws at 1e-6."""
    drawn = 6 * np.concatenate([parts.core.rdc_weights(seed).ravel() for seed in range(1000)])
    low, high = chi2.ppf([BAND / 2, 1 - BAND / 2], drawn.size)
    assert low <= np.sum(drawn**2) <= high
    assert abs(drawn.sum()) <= norm.isf(BAND / 2) * np.sqrt(drawn.size)
