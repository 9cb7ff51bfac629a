"""Level with blocks that shift features and response: permutations inside blocks keep it.

Permutations among all rows take the blocks for an association and reject nearly always.
"""

import math

import numpy as np
import pytest

from bands import assert_as_often, assert_count, assert_count_at_least, assert_count_at_most
from engine import SELECTORS, SINGLE_SELECTORS, grow, permutation_test, selector_id
from inforest import _core

ALPHA = 0.05
#: Centres of unequal size, or matched pairs.
DESIGNS = {
    "centres": np.repeat([0, 1, 2], [14, 10, 8]).astype(np.int32),
    "pairs": np.repeat(np.arange(16), 2).astype(np.int32),
}
#: Statistics without ties on continuous data.
SPENDING = [
    *((["mc"], 2), (["mc"], 3), (["quad"], 2), (["quad"], 3)),
    *((["pc"], 0), (["dc"], 0), (["rdc"], 0), (["quad"], 0)),
]


def noise(rng, blocks, n_classes, n_features=1, strength=0.0):
    """Features and a response that have nothing to do with each other inside blocks."""
    shift = 2.0 * rng.permutation(np.linspace(-1, 1, blocks.max() + 1))[blocks]
    X = rng.normal(size=(len(blocks), n_features)) + shift[:, None]
    score = rng.normal(size=len(blocks)) + shift + strength * (X[:, 0] - shift)
    if n_classes == 0:
        return X, score
    cuts = np.linspace(-1, 1, n_classes + 1)[1:-1]
    return X, np.searchsorted(cuts, score).astype(np.float64)


def rejections(case, design, n_tests, *, knows_blocks=True, **rules):
    selectors, n_classes = case
    blocks = DESIGNS[design]
    rng = np.random.default_rng([len(design), n_classes])
    count = 0
    for seed in range(n_tests):
        X, y = noise(rng, blocks, n_classes)
        known = blocks if knows_blocks else None
        rules = dict(n_resamples=20, early_stopping="curtailed", certify=True) | rules
        test = permutation_test(
            X[:, 0], y, n_classes, selectors, tau=ALPHA, seed=seed, blocks=known, **rules
        )
        count += test["rejected"]
    return count


@pytest.mark.parametrize("shared_draws", ["all", "none"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_blocked_test_keeps_its_level(case, design, shared_draws):
    n_tests = 2500
    count = rejections(case, design, n_tests, shared_draws=shared_draws)
    assert_count_at_most(count, n_tests, ALPHA)


@pytest.mark.parametrize("case", SPENDING, ids=selector_id)
def test_blocked_test_spends_its_level(case):
    n_tests, n_resamples = 4000, 99
    level = (math.ceil(ALPHA * (n_resamples + 1)) - 1) / (n_resamples + 1)
    count = rejections(case, "centres", n_tests, n_resamples=n_resamples)
    assert_count(count, n_tests, level)


def six_pairs(seed, n_classes):
    """Six pairs that differ alike, and many rows without a partner: 64 arrangements."""
    n = 500
    rng = np.random.default_rng(seed)
    blocks = np.append(np.repeat(np.arange(6), 2), np.arange(6, n - 6)).astype(np.int32)
    x, y = rng.normal(size=n), np.zeros(n)
    x[1:12:2] += 50.0
    y[1:12:2] = 1.0
    if n_classes == 3:
        y[1] = 2.0
    return x, y if n_classes else y + 1e-3 * rng.normal(size=n), blocks


@pytest.mark.parametrize("n_resamples", [150, 1000])
@pytest.mark.parametrize("shared_draws", ["all", "first", "none"])
@pytest.mark.parametrize("case", SPENDING, ids=selector_id)
def test_six_pairs_never_reject_at_one_percent(case, shared_draws, n_resamples):
    """No p-value is below 1/64. Among all permutations of the rows these data are one in 10^12."""
    selectors, n_classes = case
    for seed in range(20):
        x, y, blocks = six_pairs(seed, n_classes)
        options = dict(tau=0.01, n_resamples=n_resamples, shared_draws=shared_draws)
        options |= dict(early_stopping="curtailed", certify=True, seed=seed, blocks=blocks)
        assert not permutation_test(x, y, n_classes, selectors, **options)["rejected"]


@pytest.mark.parametrize("adjust", [True, "maxt"])
@pytest.mark.parametrize("case", SPENDING, ids=selector_id)
def test_six_pairs_are_never_split_at_one_percent(case, adjust):
    selectors, n_classes = case
    for seed in range(20):
        x, y, blocks = six_pairs(seed, n_classes)
        for part in ("selector", "splitter"):
            options = dict(n_resamples_selector=1000) if part == "selector" else {}
            if part == "splitter":
                options = dict(n_resamples_selector=None, n_resamples_splitter=1000)
            root = grow(
                x[:, None],
                y,
                n_classes,
                alpha_selector=0.01,
                alpha_splitter=0.01,
                adjust_alpha_selector=adjust,
                selector=selectors,
                threshold_method="histogram",
                max_thresholds=2,
                max_depth=1,
                seeds=[seed],
                blocks=blocks,
                **options,
            )
            assert len(root["feature"]) == 1


@pytest.mark.parametrize("case", [(["mc"], 2), (["pc"], 0), (["rdc"], 0)], ids=selector_id)
def test_unrestricted_test_takes_blocks_for_an_association(case):
    n_tests = 300
    assert_count_at_least(rejections(case, "centres", n_tests, knows_blocks=False), n_tests, 0.5)


RULES = {
    "curtailed": {},
    "fixed": {"early_stopping_selector": None},
    "maxt": {"adjust_alpha_selector": "maxt"},
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_share_of_trees_that_split_noise_in_blocks(case, rule, design):
    """Five features; Stage B takes any threshold: Stage A alone decides."""
    selectors, n_classes = case
    blocks, n_trees, n_split = DESIGNS[design], 700, 0
    rng = np.random.default_rng([len(rule), n_classes])
    for seed in range(n_trees):
        X, y = noise(rng, blocks, n_classes, 5)
        options = RULES[rule] | dict(selector=selectors, splitter_test=None, max_depth=1)
        n_split += len(grow(X, y, n_classes, seeds=[seed], blocks=blocks, **options)["feature"]) > 1
    assert_count_at_most(n_split, n_trees, ALPHA)


@pytest.mark.parametrize("case", SPENDING, ids=selector_id)
def test_maxt_in_blocks_spends_its_level(case):
    selectors, n_classes = case
    blocks, n_trees, n_split = DESIGNS["centres"], 1500, 0
    n_draws = _core.budget(99, ALPHA, 1, False)
    level = (math.ceil(ALPHA * (n_draws + 1)) - 1) / (n_draws + 1)
    rng = np.random.default_rng([7, n_classes])
    options = dict(adjust_alpha_selector="maxt", n_resamples_selector=99, splitter_test=None)
    for seed in range(n_trees):
        X, y = noise(rng, blocks, n_classes, 4)
        X[:, 1:] += X[:, :1]  # correlated
        options |= dict(selector=selectors, max_depth=1, seeds=[seed], blocks=blocks)
        n_split += len(grow(X, y, n_classes, **options)["feature"]) > 1
    assert_count(n_split, n_trees, level)


@pytest.mark.slow
@pytest.mark.parametrize("splitter_test", [None, "threshold", "max"])
@pytest.mark.parametrize("stopping", [None, "curtailed"])
@pytest.mark.parametrize("case", [(["mc"], 2), (["quad"], 3), (["pc"], 0)], ids=selector_id)
def test_blocked_trees_split_as_often_as_by_plain_draws(case, stopping, splitter_test):
    selectors, n_classes = case
    blocks, n_data = DESIGNS["centres"], 2500
    splits = np.zeros((2, n_data), dtype=bool)
    for i in range(n_data):
        X, y = noise(np.random.default_rng([i, n_classes]), blocks, n_classes, 2, strength=0.4)
        for row, shortcuts in enumerate((True, False)):
            root = grow(
                X,
                y,
                n_classes,
                selector=selectors,
                alpha_selector=0.3,
                alpha_splitter=0.5,
                n_resamples_selector=10,
                early_stopping_selector=stopping,
                early_stopping_splitter=stopping,
                splitter_test=splitter_test,
                threshold_method="histogram",
                max_thresholds=3,
                max_depth=1,
                seeds=[i],
                blocks=blocks,
                shortcuts=shortcuts,
            )
            splits[row, i] = root["feature"][0] >= 0
    assert 0.1 < splits.mean() < 0.95
    assert (splits[0] != splits[1]).sum() > 50
    assert_as_often(*splits)
