"""Stage A of features with missing values: statistics, exact and Monte Carlo p-values."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, chi2

import oracle_missing as naive
import oracle_weights
from bands import BAND
from engine import SELECTORS, SINGLE_SELECTORS, fortran, selector_id, target, weights
from inforest import _core, independence_test

NAN = np.nan
PARTS = tuple(naive.RULES)


def holed(rng, n, share, kind="continuous"):
    x = rng.normal(size=n) if kind == "continuous" else rng.choice([0.1, 0.2, 0.7], size=n)
    x[rng.permutation(n)[: round(share * n)]] = NAN
    return x


def core_statistic(x, y, n_classes, selectors, part, seed=0, **options):
    given = fortran(x[:, None]), y, n_classes, selectors, seed
    return _core.statistics(*given, missing=naive.RULES[part], **options)[0]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_equals_oracle(case, part):
    selectors, n_classes = case
    for n, share in [(12, 0.5), (40, 0.1), (40, 0.9), (101, 0.3), (150, 0.05)]:
        for kind in ("continuous", "tied"):
            rng = np.random.default_rng([n, round(100 * share)])
            x = holed(rng, n, share, kind)
            y = target(rng, n, n_classes, signal=np.where(np.isnan(x), 1.0, x))
            projections = weights(selectors, 3)
            expected = naive.statistic(x, y, n_classes, selectors, part, projections)
            actual = core_statistic(x, y, n_classes, selectors, part, seed=3)
            assert_allclose(actual**2, expected**2, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_few_rows_say_nothing(case):
    """Below five rows a part is left out; a column without any part is a constant."""
    selectors, n_classes = case
    rng = np.random.default_rng(5)
    y = target(rng, 60, n_classes)
    x = rng.normal(size=60)
    x[:4] = NAN
    complete = _core.statistics(fortran(x[4:, None]), y[4:], n_classes, selectors, 0)[0]
    assert core_statistic(x, y, n_classes, selectors, "absence") == 0.0
    value = core_statistic(x, y, n_classes, selectors, "value")
    # "quad" divides by what is possible with the node's classes, all of which are there.
    assert_allclose(value, complete, rtol=1e-9)
    x[:] = NAN
    x[:4] = 1.0, 2.0, 3.0, 4.0
    for part in PARTS:
        assert core_statistic(x, y, n_classes, selectors, part) == 0.0
    x[:] = NAN
    assert core_statistic(x, y, n_classes, selectors, "joint") == 0.0


@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_a_constant_with_holes_is_its_absence(case):
    selectors, n_classes = case
    rng = np.random.default_rng(6)
    x = np.where(rng.random(80) < 0.3, NAN, 7.0)
    y = target(rng, 80, n_classes, signal=np.isnan(x).astype(float))
    joint = core_statistic(x, y, n_classes, selectors, "joint")
    assert joint == core_statistic(x, y, n_classes, selectors, "absence") > 0
    assert core_statistic(x, y, n_classes, selectors, "value") == 0.0


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_how_missing_is_coded_changes_nothing(case):
    selectors, n_classes = case
    rng = np.random.default_rng(7)
    x = holed(rng, 90, 0.3)
    other = x.copy()
    codes = np.array([0xFFF8000000000000, 0x7FF8000000000123, 0x7FF0000000000001], np.uint64)
    other[np.isnan(x)] = np.resize(codes.view(np.float64), np.isnan(x).sum())
    y = target(rng, 90, n_classes)
    X, Y = fortran(x[:, None]), fortran(other[:, None])
    assert_array_equal(_core.feature_keys(X), _core.feature_keys(Y))
    assert_array_equal(_core.column_ranks(X), _core.column_ranks(Y))
    for part in PARTS:
        given = (y, n_classes, selectors, part)
        assert core_statistic(x, *given) == core_statistic(other, *given)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("selector", ["mc", "pc", "quad"])
def test_weights_equal_oracle(selector, part):
    """The value and its absence as weighted columns; responses are counted, not weighed."""
    rng = np.random.default_rng(8)
    n, n_classes = 70, 0 if selector == "pc" else 3
    x, weight = holed(rng, n, 0.3), rng.random(n) + 0.1
    y = target(rng, n, n_classes)
    there = ~np.isnan(x)
    share = (there.sum() - 1) / (n - 1) if part == "joint" else 1.0
    on_there = oracle_weights.statistic(x[there], y[there], n_classes, selector, weight[there])
    absence = oracle_weights.statistic(there.astype(float), y, n_classes, selector, weight)
    expected = share * on_there**2 * (part != "absence") + absence**2 * (part != "value")
    actual = core_statistic(x, y, n_classes, [selector], part, weights=weight)
    assert_allclose(actual**2, expected, rtol=1e-8)


# --- Tests ----------------------------------------------------------------------------------------


def all_two_class_orders(y):
    for ones in combinations(range(len(y)), int(y.sum())):
        labels = np.zeros(len(y))
        labels[list(ones)] = 1
        yield labels


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("selectors", [["mc"], ["mi"], ["rdc"], ["quad"], ["mc", "mi"]])
def test_exact_and_monte_carlo_p_values_equal_enumeration(selectors, part):
    """All orders of y among all rows, each with the statistic from the beginning."""
    rng = np.random.default_rng(9)
    x = holed(rng, 11, 5 / 11)
    y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0], dtype=float)
    seed, projections = 3, weights(selectors, 3)
    values = np.array(
        [
            naive.statistic(x, labels, 2, selectors, part, projections) ** 2
            for labels in all_two_class_orders(y)
        ]
    )
    observed = naive.statistic(x, y, 2, selectors, part, projections) ** 2
    exact = np.mean(values >= observed - (1e-9 * observed + 1e-12))
    stop, features = np.zeros(1, np.uint8), np.zeros(1, np.int64)
    rule = naive.RULES[part]
    hits = _core.count_arrangements(
        stop, fortran(x[:, None]), y, 2, selectors, features, seed, missing=rule
    )
    assert hits[0] == round(exact * len(values))
    n_draws = 4000
    exceedances, _ = _core.tally_draws(
        *(stop, fortran(x[:, None]), y, 2, selectors, features, seed, None, 0, n_draws),
        missing=rule,
    )
    low, high = binom.ppf([BAND / 2, 1 - BAND / 2], n_draws, exact)
    assert low <= exceedances[0] <= high


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("selectors", [["pc"], ["dc"], ["rdc"], ["quad"], ["pc", "dc"]])
def test_monte_carlo_p_values_of_numbers(selectors, part):
    """Against permutations drawn here, each with the statistic from the beginning."""
    rng = np.random.default_rng(10)
    x = holed(rng, 26, 0.35)
    y = rng.normal(size=26) + 0.3 * np.where(np.isnan(x), -1.0, x)
    projections = weights(selectors, 3)
    observed = naive.statistic(x, y, 0, selectors, part, projections)
    n_naive, n_draws = 1500, 6000
    reached = sum(
        naive.statistic(x, rng.permutation(y), 0, selectors, part, projections) >= observed
        for _ in range(n_naive)
    )
    exceedances, _ = _core.tally_draws(
        np.zeros(1, np.uint8), fortran(x[:, None]), y, 0, selectors, np.zeros(1, np.int64), 3,
        None, 0, n_draws, missing=naive.RULES[part],
    )  # fmt: skip
    pooled = (reached + exceedances[0]) / (n_naive + n_draws)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n_naive + 1 / n_draws))
    assert abs(reached / n_naive - exceedances[0] / n_draws) < 5 * spread + 1e-3


# --- independence_test ----------------------------------------------------------------------------


def table(rng, n=120):
    X = rng.normal(size=(n, 4))
    X[rng.random(n) < 0.4, 1] = NAN
    X[rng.random(n) < 0.2, 2] = NAN
    return X, 2.0 * np.isnan(X[:, 1]) + rng.normal(size=n)


def test_parts_say_whether_it_is_the_value_or_its_absence():
    rng = np.random.default_rng(11)
    X, y = table(rng)
    y = y + 1.5 * np.where(np.isnan(X[:, 2]), 0.0, X[:, 2])
    result = independence_test(X, y, random_state=0)
    assert_array_equal(result.n_missing, np.isnan(X).sum(axis=0))
    assert_array_equal(np.isnan(result.p_missing), [True, False, False, True])
    assert result.p_missing[1] == result.p_joint[1] == 0.001
    assert result.p_observed[1] > 0.05
    assert result.p_observed[2] == result.p_joint[2] == 0.001
    assert result.p_missing[2] > 0.05
    assert_array_equal(result.p_value, result.p_joint)
    complete = [0, 3]
    assert_array_equal(result.p_observed[complete], result.p_value[complete])
    ignoring = independence_test(X, y, missing="ignore", random_state=0)
    assert_array_equal(ignoring.p_value, ignoring.p_observed)
    for name in ("p_observed", "p_missing", "p_joint"):
        assert_array_equal(getattr(ignoring, name), getattr(result, name))
    frame = result.to_frame()
    assert list(frame)[-4:] == ["n_missing", "p_observed", "p_missing", "p_joint"]
    assert "p_missing" in repr(result)
    bare = independence_test(X[:, complete], y, random_state=0)
    assert "p_missing" not in repr(bare)
    assert "p_missing" not in bare.to_frame()
    assert_array_equal(bare.p_value, result.p_value[complete])


def test_missing_values_may_be_an_error():
    X, y = table(np.random.default_rng(12))
    with pytest.raises(ValueError, match="contains NaN"):
        independence_test(X, y, missing="error")
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        independence_test(X, y)
    with pytest.raises(ValueError, match="NaN"):
        independence_test(np.nan_to_num(X), np.where(y > 0, NAN, y))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_asymptotic_p_values_are_those_of_the_complete_rows(n_classes):
    rng = np.random.default_rng(13)
    X, y = table(rng)
    y = target(rng, len(y), n_classes) if n_classes else y
    task = "classification" if n_classes else "regression"
    given = {"method": "asymptotic", "task": task}
    result = independence_test(X, y, missing="ignore", **given)
    for j in (1, 2):
        there = ~np.isnan(X[:, j])
        alone = independence_test(X[there, j : j + 1], y[there], **given)
        assert_allclose(result.p_value[j], alone.p_value[0], rtol=1e-10)
        absence = independence_test((~there)[:, None].astype(float), y, **given)
        assert_allclose(result.p_missing[j], absence.p_value[0], rtol=1e-10)
        df = max(1, n_classes - 1)
        parts = chi2.isf([alone.p_value[0], absence.p_value[0]], df).sum()
        assert_allclose(result.p_joint[j], chi2.sf(parts, 2 * df), rtol=1e-6)


@pytest.mark.parametrize("selector", ["pc", "quad"])
def test_westfall_young_with_holes(selector):
    """Adjusted p-values come from the same permutations, on the scale of tails."""
    rng = np.random.default_rng(14)
    X, y = table(rng)
    given = {"selector": selector, "adjust": "westfall-young", "random_state": 0}
    result = independence_test(X, y, **given)
    assert result.rejected.tolist() == [False, True, False, False]
    assert (result.adjusted_p_value >= result.p_value).all()
    turned = independence_test(X[:, ::-1], y, **given)
    assert_array_equal(turned.adjusted_p_value[::-1], result.adjusted_p_value)


def test_groups_have_the_means_of_what_is_there():
    rng = np.random.default_rng(15)
    X, y = table(rng, 40)
    groups = np.repeat(np.arange(40), 3)
    rows = np.repeat(X, 3, axis=0)
    rows[::3, 2] = NAN
    expected = independence_test(X, y, random_state=0)
    result = independence_test(rows, np.repeat(y, 3), groups=groups, random_state=0)
    assert_array_equal(result.p_value, expected.p_value)
