"""Monte Carlo p-values against the enumeration of all n! permutations, ties included."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracle
import parts
from bands import assert_count
from engine import SELECTORS, column, grow, permutation_test, selector_id, target, tree, weights

N_DRAWS = 20_000
TIES = ("none", "x", "y", "both")


def small_node(n, n_classes, ties, seed):
    rng = np.random.default_rng([n, n_classes, TIES.index(ties), seed])
    x = column(rng, n, "tied" if ties in ("x", "both") else "continuous")
    if n_classes == 0 and ties in ("y", "both"):
        return x, column(rng, n, "tied")
    return x, target(rng, n, n_classes, signal=x)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("n", [4, 6])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_stage_a_converges_to_the_enumeration(case, n, ties):
    selectors, n_classes = case
    for seed in range(2):
        x, y = small_node(n, n_classes, ties, seed)
        exact = oracle.exact_p_value(x, y, n_classes, selectors, weights(selectors, seed))
        test = permutation_test(x, y, n_classes, selectors, n_resamples=N_DRAWS, seed=seed)
        assert test["n_draws"] == N_DRAWS
        assert test["p_value"] == (1 + test["n_exceedances"]) / (N_DRAWS + 1)
        assert_count(test["n_exceedances"], N_DRAWS, exact)


@pytest.mark.parametrize("ties", ["y", "both"])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_stage_a_converges_with_seven_rows(case, ties):
    """Tied y only: 5,040 different orders would take the oracle seconds."""
    selectors, n_classes = case
    x, y = small_node(7, n_classes, ties, seed=7)
    exact = oracle.exact_p_value(x, y, n_classes, selectors, weights(selectors, 0))
    test = permutation_test(x, y, n_classes, selectors, n_resamples=N_DRAWS)
    assert_count(test["n_exceedances"], N_DRAWS, exact)


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_two_different_seeds_draw_differently(case):
    selectors, n_classes = case
    x, y = small_node(6, n_classes, "none", seed=0)
    counts = {
        permutation_test(x, y, n_classes, selectors, n_resamples=997, seed=s)["n_exceedances"]
        for s in range(8)
    }
    exact = oracle.exact_p_value(x, y, n_classes, selectors, weights(selectors, 0))
    assert len(counts) > 1 or exact == 1


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_every_permutation_of_a_constant_ties(case):
    selectors, n_classes = case
    y = target(np.random.default_rng(0), 12, n_classes)
    test = permutation_test(np.full(12, 0.1), y, n_classes, selectors, n_resamples=50)
    assert (test["n_exceedances"], test["p_value"], test["rejected"]) == (50, 1.0, False)


STAGE_B = [("gini", 3), ("entropy", 3), ("chi2", 3), ("mse", 0), ("mae", 0)]


def stage_b_root(x, y, n_classes, splitter, splitter_test):
    """The root of a tree whose only feature is tested by Stage B with a fixed number of draws."""
    grown = grow(
        x[:, None],
        y,
        n_classes,
        splitter=splitter,
        splitter_test=splitter_test,
        n_resamples_selector=None,
        n_resamples_splitter=N_DRAWS,
        early_stopping_splitter=None,
        adjust_alpha_splitter=False,
        max_depth=1,
    )
    root = {name: values[0] for name, values in tree(grown).items() if np.ndim(values)}
    assert root["n_draws_threshold"] == N_DRAWS
    return round(root["p_value_threshold"] * (N_DRAWS + 1)) - 1


@pytest.mark.parametrize("tied_y", [False, True])
@pytest.mark.parametrize(("splitter", "n_classes"), STAGE_B)
def test_stage_b_of_one_threshold_converges_to_the_enumeration(splitter, n_classes, tied_y):
    for seed in range(3):
        rng = np.random.default_rng([seed, n_classes])
        x = rng.permutation([0.1, 0.1, 0.3, 0.3, 0.3, 0.3, 0.3])
        y = target(rng, 7, n_classes, signal=8 * x)
        if tied_y and not n_classes:
            y = column(rng, 7, "tied")
        exact = oracle.exact_split_p_value(x, y, n_classes, splitter, oracle.midpoints(x))
        count = stage_b_root(x, y, n_classes, splitter, "threshold")
        assert_count(count, N_DRAWS, exact)


@pytest.mark.parametrize("kind", ["continuous", "tied"])
@pytest.mark.parametrize(("splitter", "n_classes"), [*STAGE_B, ("gini", 2), ("entropy", 2)])
def test_stage_b_of_the_best_threshold_converges_to_the_enumeration(splitter, n_classes, kind):
    rng = np.random.default_rng(5)
    x = column(rng, 6, kind)
    y = target(rng, 6, n_classes, signal=x)
    exact = oracle.exact_split_p_value(x, y, n_classes, splitter, oracle.midpoints(x))
    assert_count(stage_b_root(x, y, n_classes, splitter, "max"), N_DRAWS, exact)


@cache
def small_tables(largest):
    """Every (n_left, n_ones, n, ones_left) with both children and both classes present."""
    return [
        (n_left, n_ones, n, ones_left)
        for n in range(2, largest + 1)
        for n_left in range(1, n)
        for n_ones in range(1, n)
        for ones_left in range(max(0, n_left + n_ones - n), min(n_left, n_ones) + 1)
    ]


@pytest.mark.parametrize("splitter", ["gini", "entropy"])
def test_two_class_tail_equals_hypergeometric_on_all_small_tables(splitter):
    tables = small_tables(10)
    expected = [oracle.two_class_tail(*table, splitter) for table in tables]
    actual = [parts.core.two_class_tail(*table, splitter) for table in tables]
    assert_allclose(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("splitter", ["gini", "entropy"])
def test_two_class_tail_equals_hypergeometric_on_large_tables(splitter):
    rng = np.random.default_rng(0)
    for n in (100, 1000, 3000):
        for _ in range(10):
            n_left, n_ones = rng.integers(1, n, size=2)
            centre = n_left * n_ones / n
            low, high = max(0, n_left + n_ones - n), min(n_left, n_ones)
            spread = 4 * np.sqrt(max(centre, 1))
            ones_left = int(np.clip(round(centre + spread * rng.normal()), low, high))
            table = (int(n_left), int(n_ones), n, ones_left)
            expected = oracle.two_class_tail(*table, splitter)
            assert_allclose(parts.core.two_class_tail(*table, splitter), expected, rtol=1e-9)


@pytest.mark.parametrize("splitter", ["gini", "entropy"])
def test_two_class_tail_equals_the_enumeration(splitter):
    """The tail is the share of the n! orders whose split is at least as pure: nothing less."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x, y = column(rng, 6, "two-valued"), target(rng, 6, 2)
        (cut,) = oracle.midpoints(x)
        exact = oracle.exact_split_p_value(x, y, 2, splitter, [cut])
        n_left, ones_left = int((x <= cut).sum()), int(y[x <= cut].sum())
        tail = parts.core.two_class_tail(n_left, int(y.sum()), 6, ones_left, splitter)
        assert tail == pytest.approx(exact, rel=1e-12)
