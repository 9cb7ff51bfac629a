"""No kind of feature is preferred on noise: Strobl et al.'s (2007) null design.

`benchmarks/fairness.py` and `fairness_tables.py` measure the same with more data sets, and other
methods beside it.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import fairness_tables as tables
from fairness_design import FAIR, KINDS, N_KINDS, TASKS, null

from bands import BAND, assert_count_at_least, assert_count_at_most
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    rank_features,
)

TREES = dict(
    zip(TASKS, [ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor], strict=True)
)
FORESTS = dict(
    zip(
        TASKS,
        [ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor],
        strict=True,
    )
)
#: How far from its fair share a kind may be.
ROOT, PER_OFFER, PLACE = 0.02, 0.03, 0.04
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("task", TASKS)]


def assert_fair(chosen, margin, kinds=KINDS):
    """Of features chosen in independent data sets, each kind has its share but for `margin`."""
    n = len(chosen)
    for kind, count in zip(kinds, np.bincount(chosen, minlength=N_KINDS), strict=True):
        assert_count_at_most(count, n, FAIR + margin, kind)
        assert_count_at_least(count, n, FAIR - margin)


def root_of_tree(task, seed):
    tree = TREES[task](max_depth=1, random_state=seed).fit(*null(task, seed))
    return tree.tree_.feature[0]


def root_of_forest(task, seed, **changes):
    """One tree of a data set, so that roots are independent."""
    forest = FORESTS[task](1, max_depth=1, max_features=None, random_state=seed, **changes)
    return forest.fit(*null(task, seed)).trees_.feature[0]


@pytest.mark.parametrize(("root", "n_sets"), [(root_of_tree, 15_000), (root_of_forest, 4_000)])
def test_roots(task, root, n_sets):
    """Roots that do not split are left out: a tree splits one of 20, a forest one of two."""
    chosen = np.array([root(task, seed) for seed in range(n_sets)])
    assert_fair(chosen[chosen >= 0], ROOT)


def splits_per_offer(task, n_sets):
    """Return each kind's splits and offers in each data set's forest."""
    splits, offers = np.empty((2, n_sets, N_KINDS))
    for seed in range(n_sets):
        forest = FORESTS[task](10, random_state=seed).fit(*null(task, seed))
        used = forest.trees_.feature
        splits[seed] = np.bincount(used[used >= 0], minlength=N_KINDS)
        offers[seed] = forest.candidate_counts_
    return splits, offers


def test_splits_per_offer(task):
    """A feature is a candidate only where it varies: a binary one is offered less often.

    Data sets are independent, nodes of one are not: so the band is a normal one over data sets.
    """
    splits, offers = splits_per_offer(task, 2_000)
    rate = splits.sum(axis=0) / offers.sum(axis=0)
    share = rate / rate.sum()
    moved = (splits - rate * offers) / offers.mean(axis=0) / rate.sum()
    moved -= share * moved.sum(axis=1, keepdims=True)
    error = moved.std(axis=0, ddof=1) / np.sqrt(len(splits))
    beyond = np.abs(share - FAIR) - PER_OFFER
    assert (beyond < norm.isf(BAND / 2) * error).all(), dict(zip(KINDS, share, strict=True))


def test_effects_on_unseen_rows_have_mean_zero(task):
    """Whatever cut the bag has chosen: out-of-bag responses on noise are exchangeable."""
    sums = np.empty((600, N_KINDS))
    for seed in range(len(sums)):
        trees = FORESTS[task](10, random_state=seed).fit(*null(task, seed)).trees_
        split = np.flatnonzero(~trees.is_leaf)
        sums[seed] = np.bincount(trees.feature[split], trees.unseen_effect[split], N_KINDS)
    error = sums.std(axis=0, ddof=1) / np.sqrt(len(sums))
    assert (np.abs(sums.mean(axis=0)) < norm.isf(BAND / 2) * error).all()


def test_first_places_of_forests(task):
    forests = (FORESTS[task](random_state=seed) for seed in range(1_500))
    assert_fair([f.fit(*null(task, seed)).ranking_[0] for seed, f in enumerate(forests)], PLACE)


def test_first_places_of_rank_features(task):
    chosen = []
    for seed in range(1_500):
        X, y = null(task, seed)
        ranking = rank_features(X, y, task=task, n_estimators=100, random_state=seed)
        chosen.append(ranking.order[0])
    assert_fair(chosen, PLACE)


def test_first_places_of_trees(task):
    """Nearly all trees are a root alone, so this is the order of features of equal importance."""
    trees = (TREES[task](random_state=seed) for seed in range(3_000))
    assert_fair([t.fit(*null(task, seed)).ranking_[0] for seed, t in enumerate(trees)], PLACE)


@pytest.mark.parametrize("missing", tables.WAYS)
def test_roots_by_missing_share_and_number_of_levels(task, missing):
    chosen = np.array(
        [tables.root_of(task, missing, tables.null(task, seed), seed) for seed in range(20_000)]
    )
    assert_fair(chosen[chosen >= 0], ROOT, tables.KINDS)


def test_first_places_by_missing_share_and_number_of_levels(task):
    chosen = []
    for seed in range(1_000):
        forest = FORESTS[task](categorical_features=tables.CATEGORIES, random_state=seed)
        chosen.append(forest.fit(*tables.null(task, seed)).ranking_[0])
    assert_fair(chosen, PLACE, tables.KINDS)


def test_the_judge_notices(task):
    """By its raw statistic a feature with a square beats one without."""
    raw = dict(feature_scanning="statistic", n_resamples_selector=None)
    with pytest.raises(AssertionError, match="may be"):
        assert_fair([root_of_forest(task, seed, **raw) for seed in range(3_000)], ROOT)


def test_the_judge_of_places_notices(task):
    """Scikit-learn's forests, whose importances are known to prefer features with many cuts."""
    kinds = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}
    chosen = []
    for seed in range(200):
        forest = kinds[task](10, random_state=seed).fit(*null(task, seed))
        chosen.append(forest.feature_importances_.argmax())
    with pytest.raises(AssertionError, match="may be"):
        assert_fair(chosen, PLACE)
