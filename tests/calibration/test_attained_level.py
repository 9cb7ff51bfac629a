"""Tests that may stop early reject noise as often as Polya's urn says, no more and no less."""

import numpy as np
import pytest

from bands import assert_count, assert_count_at_most
from engine import grow, permutation_test
from parts import core

pytestmark = pytest.mark.slow

N_SETS = 50_000
#: Level, budget and rule; the hasty ones are far from their level on either side.
RULES = [
    (0.1, 199, "curtailed", 0.95),
    (0.1, 199, "adaptive", 0.9),
    (0.2, 100, "adaptive", 0.75),
    (0.4, 100, "adaptive", 0.51),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize(("selector", "n_classes"), [("mc", 3), ("pc", 0)])
def test_as_often_as_the_urn_says(selector, n_classes, rule):
    """Continuous data: the permutation p-value is uniform, so the bound is attained."""
    tau, n_draws, early_stopping, confidence = rule
    test = dict(tau=tau, n_resamples=n_draws, early_stopping=early_stopping, confidence=confidence)
    rng = np.random.default_rng([n_draws, n_classes])
    n_rejected = 0
    for seed in range(N_SETS):
        x = rng.normal(size=12)
        y = rng.permutation(np.arange(12) % 3) if n_classes else rng.normal(size=12)
        n_rejected += permutation_test(x, y, n_classes, [selector], seed=seed, **test)["rejected"]
    assert_count(n_rejected, N_SETS, core.attained_level(**test))


def n_splits(n_trees, n_features, n_classes, **options):
    """How many roots split noise; Stage A alone decides."""
    rng = np.random.default_rng([n_features, n_classes])
    n_split = 0
    for seed in range(n_trees):
        X = rng.normal(size=(12, n_features))
        y = rng.permutation(np.arange(12) % 3) if n_classes else rng.normal(size=12)
        root = grow(X, y, n_classes, seeds=[seed], max_depth=1, splitter_test=None, **options)
        n_split += len(root["feature"]) == 3
    return n_split


@pytest.mark.parametrize(("selector", "n_classes"), [("mc", 3), ("pc", 0)])
def test_a_root_splits_noise_as_often_as_the_urn_says(selector, n_classes):
    """As trees run it, with all shortcuts: one candidate, a guess so hasty that it shows."""
    rule = dict(early_stopping="adaptive", confidence=0.51)
    options = dict(early_stopping_selector="adaptive", early_stopping_confidence_selector=0.51)
    options |= dict(selector=[selector], alpha_selector=0.4, n_resamples_selector=100)
    n_trees = 10_000
    level = core.attained_level(tau=0.4, n_resamples=100, **rule)
    assert level > 0.45
    assert_count(n_splits(n_trees, 1, n_classes, **options), n_trees, level)


@pytest.mark.parametrize("budget", ["maximum", 199])
@pytest.mark.parametrize(("selector", "n_classes"), [("mc", 3), ("pc", 0)])
def test_a_node_of_adaptive_tests_keeps_alpha(selector, n_classes, budget):
    """Bonferroni over five candidates on top of the theorem."""
    options = dict(early_stopping_selector="adaptive", n_resamples_selector=budget)
    n_split = n_splits(5000, 5, n_classes, selector=[selector], alpha_selector=0.2, **options)
    assert_count_at_most(n_split, 5000, 0.2)
