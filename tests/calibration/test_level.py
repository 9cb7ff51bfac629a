"""Level on pure noise: no test rejects more often than it says.

One that rejects at twice its level fails.
"""

import math

import numpy as np
import pytest

from bands import assert_count, assert_count_at_least, assert_count_at_most
from engine import (
    COLUMNS,
    SELECTORS,
    SINGLE_SELECTORS,
    column,
    grow,
    permutation_test,
    selector_id,
    target,
)
from inforest import _core

#: Statistics without ties on continuous data.
SPENDING = [
    *((["mc"], 2), (["mc"], 3), (["quad"], 2), (["quad"], 3)),
    *((["pc"], 0), (["dc"], 0), (["rdc"], 0), (["quad"], 0)),
]
ALPHA = 0.05
N_ROWS = 30


def rejections(case, kind, n_tests, **rules):
    selectors, n_classes = case
    rng = np.random.default_rng([len(kind), n_classes])
    return sum(
        permutation_test(
            column(rng, N_ROWS, kind),
            target(rng, N_ROWS, n_classes),
            n_classes,
            selectors,
            tau=ALPHA,
            seed=seed,
            **rules,
        )["rejected"]
        for seed in range(n_tests)
    )


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_root_test_keeps_its_level(case, kind):
    """The smallest budget as the engine runs it: curtailed and with certificates."""
    n_tests = 3000
    rules = dict(n_resamples=20, early_stopping="curtailed", certify=True)
    assert_count_at_most(rejections(case, kind, n_tests, **rules), n_tests, ALPHA)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_root_test_of_fixed_budget_keeps_its_level(case, kind):
    n_tests = 2000
    assert_count_at_most(rejections(case, kind, n_tests, n_resamples=99), n_tests, ALPHA)


@pytest.mark.parametrize("n_resamples", [20, 99])
@pytest.mark.parametrize("case", SPENDING)
def test_root_test_spends_its_level(case, n_resamples):
    """Without ties the level is known exactly: a test that never rejects has none."""
    n_tests = 4000
    n_accepted_ranks = math.ceil(ALPHA * (n_resamples + 1)) - 1
    level = n_accepted_ranks / (n_resamples + 1)
    rules = dict(n_resamples=n_resamples, early_stopping="curtailed")
    assert_count(rejections(case, "continuous", n_tests, **rules), n_tests, level)


def root_splits(n_trees, n_features, kind, n_classes, **options):
    """Trees of one node or one split, each on noise of its own."""
    rng = np.random.default_rng([len(kind), n_classes, n_features])
    n_split = 0
    for seed in range(n_trees):
        X = np.column_stack([column(rng, N_ROWS, kind) for _ in range(n_features)])
        y = target(rng, N_ROWS, n_classes)
        grown = grow(X, y, n_classes, seeds=[seed], max_depth=1, **options)
        n_split += len(grown["feature"]) == 3
    return n_split


STAGE_A_RULES = {
    "curtailed": {"n_resamples_selector": "minimum", "early_stopping_selector": "curtailed"},
    "fixed": {"n_resamples_selector": "minimum", "early_stopping_selector": None},
    "maxt": {"n_resamples_selector": "minimum", "adjust_alpha_selector": "maxt"},
}


@pytest.mark.parametrize("rule", STAGE_A_RULES)
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_share_of_trees_that_split_noise(case, kind, rule):
    """Bonferroni or maxT over five features; Stage B takes any threshold: Stage A alone decides."""
    selectors, n_classes = case
    n_trees = 800
    options = STAGE_A_RULES[rule] | dict(selector=selectors, splitter_test=None)
    n_split = root_splits(n_trees, 5, kind, n_classes, **options)
    assert_count_at_most(n_split, n_trees, ALPHA)


@pytest.mark.parametrize("n_resamples", ["minimum", "auto", 99])
@pytest.mark.parametrize("case", SPENDING, ids=selector_id)
def test_maxt_spends_its_level_on_correlated_features(case, n_resamples):
    """Exactly: without ties all ranks of the observed maximum are equally likely."""
    selectors, n_classes = case
    n_draws = _core.budget(n_resamples, ALPHA, 1, False)
    level = (math.ceil(ALPHA * (n_draws + 1)) - 1) / (n_draws + 1)
    n_data, n_split = 1500, 0
    for seed in range(n_data):
        rng = np.random.default_rng([seed, n_classes])
        X = rng.normal(size=(N_ROWS, 1)) + 0.3 * rng.normal(size=(N_ROWS, 6))
        y = rng.normal(size=N_ROWS) if n_classes == 0 else rng.permutation(N_ROWS) % n_classes
        root = grow(
            X, y, n_classes, selector=selectors, seeds=[seed], max_depth=1, splitter_test=None,
            n_resamples_selector=n_resamples, adjust_alpha_selector="maxt",
        )  # fmt: skip
        n_split += len(root["feature"]) == 3
    assert_count(n_split, n_data, level)


@pytest.mark.parametrize("splitter_test", ["threshold", "max"])
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize(
    ("splitter", "n_classes"),
    [("gini", 2), ("entropy", 2), ("gini", 3), ("entropy", 3), ("mse", 0), ("mae", 0)],
)
def test_share_of_thresholds_accepted_on_noise(splitter, n_classes, kind, splitter_test):
    """Stage A switched off, one feature: Stage B alone decides, over all its thresholds."""
    n_trees = 800
    n_split = root_splits(
        n_trees,
        1,
        kind,
        n_classes,
        splitter=splitter,
        splitter_test=splitter_test,
        n_resamples_selector=None,
    )
    assert_count_at_most(n_split, n_trees, ALPHA)


@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 2), ("gini", 3), ("mse", 0)])
def test_best_threshold_test_spends_its_level(splitter, n_classes):
    """On a two-valued x both Stage B tests are the same test; on a continuous one the maximum has
    few ties, so with 99 draws its level lies just under 4/100 and far above zero."""
    n_trees = 1500
    n_split = root_splits(
        n_trees,
        1,
        "continuous",
        n_classes,
        splitter=splitter,
        splitter_test="max",
        n_resamples_selector=None,
        n_resamples_splitter=99,
    )
    assert_count_at_least(n_split, n_trees, 0.025)
    assert_count_at_most(n_split, n_trees, ALPHA)
