"""Categories keep their level in both stages, are preferred in neither, and have power."""

import numpy as np
import pytest

from bands import assert_count, assert_count_at_least, assert_count_at_most, assert_more_often
from engine import fortran, grow, permutation_test
from inforest import _core

pytestmark = pytest.mark.slow
N_ROWS = 60
ALPHA = 0.05


def levels(*counts):
    return np.array(counts, dtype=np.int32)


def noise(rng, n_classes, n=N_ROWS):
    return rng.normal(size=n) if n_classes == 0 else rng.integers(n_classes, size=n) * 1.0


DESIGNS = {
    "2 levels": lambda rng: rng.integers(2, size=N_ROWS),
    "20 levels": lambda rng: rng.integers(20, size=N_ROWS),
    "500 levels": lambda rng: rng.integers(500, size=N_ROWS),
    "levels of one row": lambda rng: np.where(np.arange(N_ROWS) < 5, np.arange(N_ROWS), 7),
    "holes": lambda rng: np.where(rng.random(N_ROWS) < 0.3, np.nan, rng.integers(6, size=N_ROWS)),
}


@pytest.mark.parametrize("n_classes", [0, 2, 4])
@pytest.mark.parametrize("design", DESIGNS)
def test_root_test_keeps_and_spends_its_level(design, n_classes):
    """Ties broken by lot: the level is exact, whatever the category."""
    rng = np.random.default_rng([n_classes, len(design)])
    n_tests, n_split = 1500, 0
    for seed in range(n_tests):
        x = np.asarray(DESIGNS[design](rng), dtype=float)
        y = noise(rng, n_classes)
        grown = grow(
            x[:, None],
            y,
            n_classes,
            seeds=(seed,),
            max_depth=1,
            n_levels=levels(500),
            n_resamples_selector=19,
            splitter_test=None,
            ties="random",
            strict_level=False,
        )
        n_split += grown["p_value_feature"][0] <= ALPHA
    assert_count(n_split, n_tests, ALPHA)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("k", [5, 20])
def test_stage_b_keeps_its_level_by_sorting_anew(k, n_classes):
    rng = np.random.default_rng([k, n_classes])
    n_tests, n_split = 800, 0
    for seed in range(n_tests):
        x, y = rng.integers(k, size=150) * 1.0, noise(rng, n_classes, 150)
        grown = grow(
            x[:, None],
            y,
            n_classes,
            seeds=(seed,),
            max_depth=1,
            n_levels=levels(k),
            n_resamples_selector=None,
            n_resamples_splitter=39,
            splitter_test="threshold" if seed % 2 else "max",
            ties="random",
            strict_level=False,
        )
        n_split += grown["feature"][0] >= 0
    assert_count(n_split, n_tests, ALPHA)


def test_the_data_s_own_order_would_not_do():
    """What the level would be if draws were cut in the order of the data: the paper's own test.

    The same column as a number whose values are the mean responses of its levels.
    """
    rng = np.random.default_rng(0)
    n_tests, n_split = 200, 0
    for seed in range(n_tests):
        x, y = rng.integers(20, size=150), rng.normal(size=150)
        means = np.array([y[x == k].mean() if (x == k).any() else 0.0 for k in range(20)])
        grown = grow(
            means[x][:, None],
            y,
            seeds=(seed,),
            max_depth=1,
            n_resamples_selector=None,
            n_resamples_splitter=39,
            splitter_test="max",
        )
        n_split += grown["feature"][0] >= 0
    assert_count_at_least(n_split, n_tests, 0.7)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("selector", ["quad", "rdc"])
def test_no_number_of_levels_is_preferred(selector, n_classes):
    """Numbers beside categories of 2, 5, 20 and 60 levels, all noise: each is chosen as often."""
    rng = np.random.default_rng([n_classes, len(selector)])
    n_sets = 1200 if selector == "quad" else 500
    kinds = levels(0, 2, 5, 20, 60)
    chosen = np.zeros(len(kinds), dtype=int)
    for seed in range(n_sets):
        columns = [rng.normal(size=200) if k == 0 else rng.integers(k, size=200) for k in kinds]
        grown = grow(
            np.column_stack(columns),
            noise(rng, n_classes, 200),
            n_classes,
            seeds=(seed,),
            max_depth=1,
            selector=[selector],
            n_levels=kinds,
            n_resamples_selector=None,
            splitter_test=None,
            feature_scanning=True,
        )
        chosen[grown["feature"][0]] += 1
    for count in chosen:
        assert_count_at_most(count, n_sets, 0.2 + 0.05)
        assert_count_at_least(count, n_sets, 0.2 - 0.05)


def test_westfall_young_is_not_drowned_by_many_levels():
    """A number with an effect beside categories of 60 levels: adjusted p-values on one scale."""
    rng = np.random.default_rng(1)
    found = []
    for seed in range(100):
        X = np.column_stack([rng.normal(size=100), *rng.integers(60, size=(4, 100))])
        y = 0.45 * X[:, 0] + rng.normal(size=100)
        kinds = levels(0, 60, 60, 60, 60)
        score, mean, variance = _core.tail_scores(fortran(X), y, 0, ["pc"], seed, n_levels=kinds)
        order = np.argsort(score, kind="stable").astype(np.int64)
        maxima = np.full(199, -np.inf), mean[order], variance[order]
        stop = np.zeros(1, dtype=np.uint8)
        _, stepped = _core.tally_draws(
            stop, fortran(X), y, 0, ["pc"], order, seed, maxima, 0, 199, n_levels=kinds
        )
        found.append((1 + stepped[order == 0][0]) / 200 <= ALPHA)
    assert_count_at_least(sum(found), 100, 0.8)


def test_one_category_has_more_power_than_its_dummies():
    """20 levels, of which four are higher: one test, or Bonferroni over 20."""
    rng = np.random.default_rng(2)
    whole, dummies = [], []
    effect = np.repeat([0.9, 0.0], [4, 16])
    for seed in range(150):
        x = rng.integers(20, size=160)
        y = effect[x] + rng.normal(size=160)
        rule = dict(n_resamples=399, early_stopping="curtailed", seed=seed)
        whole.append(
            permutation_test(x, y, 0, ["pc"], tau=ALPHA, n_levels=levels(20), **rule)["rejected"]
        )
        dummies.append(
            any(
                permutation_test(x == k, y, 0, ["pc"], tau=ALPHA / 20, **rule)["rejected"]
                for k in range(20)
            )
        )
    assert_more_often(np.array(whole), np.array(dummies))
