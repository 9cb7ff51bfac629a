"""Cuts of categories without a test: the best of all partitions, not of the sorted ones only."""

import itertools

import numpy as np
import pytest

from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor
from naive_ctree import indicators, quadratic_form


def table(seed, n_levels, n_classes, n=150):
    """A category whose levels differ in their classes or means, some of them rare."""
    rng = np.random.default_rng(seed)
    levels = rng.choice(n_levels, n, p=rng.dirichlet(np.full(n_levels, 2.0)))
    if not n_classes:
        return levels, rng.normal(size=n_levels)[levels] + rng.normal(size=n)
    shares = rng.dirichlet(np.full(n_classes, 0.7), n_levels)
    y = [rng.choice(n_classes, p=shares[level]) for level in levels]
    return levels, np.array(y)


def partitions(levels, smallest):
    """All sides that go left, the smallest level among them; R's order."""
    known = np.unique(levels)
    for right in itertools.product((False, True), repeat=len(known) - 1):
        goes_right = np.array([False, *right[::-1]])  # the lowest level changes most often
        left = ~goes_right[np.searchsorted(known, levels)]
        if smallest <= left.sum() <= len(levels) - smallest:
            yield left


@pytest.mark.parametrize("smallest", [1, 7, 30])
@pytest.mark.parametrize("n_classes", [0, 2, 3, 5])
@pytest.mark.parametrize("n_levels", [3, 5, 8])
def test_the_cut_is_the_best_of_all_partitions(n_levels, n_classes, smallest):
    cls = ConditionalInferenceTreeClassifier if n_classes else ConditionalInferenceTreeRegressor
    n_cut = 0
    for seed in range(6):
        levels, y = table(seed, n_levels, n_classes)
        tree = cls.ctree(
            alpha_selector=0.999,
            max_depth=1,
            min_samples_leaf=smallest,
            categorical_features=[0],
        ).fit(levels[:, None].astype(float), y)
        sides = list(partitions(levels, smallest))
        if not sides:
            assert tree.tree_.node_count == 1
            continue
        if tree.tree_.node_count == 1:  # no association at all
            continue
        n_cut += 1
        h = indicators(y, bool(n_classes))
        forms = [quadratic_form(side[:, None].astype(float), h)[0] for side in sides]
        left = tree.apply(levels[:, None].astype(float)) == 1
        found = quadratic_form(left[:, None].astype(float), h)[0]
        assert found == pytest.approx(max(forms), rel=1e-9)
    assert n_cut >= (1 if smallest == 30 else 4)


def test_of_equal_partitions_the_first_of_rs_order_is_taken():
    # Levels 1, 2 and 3 each hold a class of their own, so that any of them, or two, part perfectly.
    levels = np.repeat(np.arange(4), 20)
    tree = ConditionalInferenceTreeClassifier.ctree(max_depth=1, categorical_features=[0])
    tree.fit(levels[:, None].astype(float), levels)
    assert tree.tree_.levels_left(0).tolist() == [True, False, True, True]


def test_many_levels_are_sorted():
    levels, y = table(0, 40, 3, n=600)
    tree = ConditionalInferenceTreeClassifier.ctree(max_depth=1, categorical_features=[0])
    assert tree.fit(levels[:, None].astype(float), y).tree_.node_count == 3
