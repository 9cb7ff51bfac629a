"""Certificates and exact two-class tests split as often as the plain draws they replace.

On noise they must not split more often. On a signal that about half of the roots find, they must
not split less often either, beyond the 1e-3 of the certified rejections that they give back. Tests
of several thresholds are as independent as the plain rule's: each threshold is taken as often.

Data sets are paired: only those that are split in one way and not in the other tell something.
"""

import numpy as np
import pytest

from bands import (
    assert_as_often,
    assert_count_at_most,
    assert_no_more_often,
    assert_same_share,
)
from engine import SINGLE_SELECTORS, grow, selector_id

CASES = [("gini", 2), ("entropy", 2), ("gini", 4), ("mse", 0)]


def root_splits(
    n_classes, splitter, strength, n, *, n_data_sets=6000, two_valued=False, missing=0.0, **options
):
    """Which data sets' root is split; data set i is the same for every option."""
    splits = np.zeros(n_data_sets, dtype=bool)
    for i in range(n_data_sets):
        rng = np.random.default_rng([i, n_classes])
        X = rng.normal(size=(n, 4))
        X = np.sign(X) if two_valued else X
        score = strength * X[:, 0] + rng.normal(size=n)
        y = score if n_classes == 0 else np.floor(n_classes * score.argsort().argsort() / n)
        if missing:
            X[rng.random(X.shape) < missing] = np.nan
            options = options | {"holes": np.ones(4, dtype=np.uint8)}
        root = grow(X, y, n_classes, splitter=splitter, max_depth=1, seeds=[i], **options)
        splits[i] = root["feature"][0] >= 0
    return splits


@pytest.fixture
def both(record_property):
    """Root splits with shortcuts and by plain draws, for the same data sets."""

    def both(*case, **how):
        quick, plain = (root_splits(*case, **how, shortcuts=on) for on in (True, False))
        record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
        return quick, plain

    return both


@pytest.mark.parametrize(("two_valued", "alpha_splitter"), [(False, 0.9), (True, 0.1)])
@pytest.mark.parametrize(("splitter", "n_classes"), CASES)
def test_noise_is_split_no_more_often_than_by_plain_draws(
    splitter, n_classes, two_valued, alpha_splitter, both
):
    # High levels, so that there is something to count; both stages at work.
    how = dict(alpha_selector=0.5, alpha_splitter=alpha_splitter, two_valued=two_valued)
    quick, plain = both(n_classes, splitter, 0.0, 40, **how)
    assert plain.mean() > 0.05
    assert_no_more_often(quick, plain)


def test_long_tests_split_as_often_as_by_plain_draws(both):
    """Two classes and 4,000 draws per candidate, of which those that cannot exceed are not made."""
    # A low level: only where exceedances are rare is there another way to draw.
    how = dict(n_resamples_selector=1000, n_resamples_splitter=None, alpha_selector=0.004)
    quick, plain = both(2, "gini", 0.5, 80, **how)
    assert 0.2 < plain.mean() < 0.9
    assert (quick != plain).sum() > 100
    assert_as_often(quick, plain)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "splitter", "strength"), [(0, "mse", 0.5), (2, "gini", 0.7), (4, "gini", 0.7)]
)
def test_long_tests_with_holes_split_as_often_as_by_plain_draws(
    n_classes, splitter, strength, both
):
    """Tilted draws of two classes, short ones of the others."""
    how = dict(
        n_resamples_selector=1000,
        n_resamples_splitter=None,
        alpha_selector=0.004,
        missing=0.25,
    )
    quick, plain = both(n_classes, splitter, strength, 80, **how)
    assert 0.2 < plain.mean() < 0.9
    assert (quick != plain).sum() > 100
    assert_as_often(quick, plain)


@pytest.mark.slow
@pytest.mark.parametrize("adjust", [True, "maxt"])
@pytest.mark.parametrize("stopping", [None, "curtailed", "adaptive"])
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_every_selector_splits_as_often_as_by_plain_draws(case, stopping, adjust, both):
    """Stage A alone. Shared permutations make tests agree more, single ones are as they were."""
    (selector,), n_classes = case
    how = dict(
        selector=[selector],
        splitter="gini" if n_classes else "mse",
        splitter_test=None,
        early_stopping_selector=stopping,
        adjust_alpha_selector=adjust,
        alpha_selector=0.2,
        n_resamples_selector=29,
        n_data_sets=300 if selector in ("mi", "dc") else 1500,
    )
    quick, plain = both(n_classes, strength=0.3, n=40, **how)
    assert 0.1 < plain.mean() < 0.95
    assert_as_often(quick, plain)


@pytest.mark.parametrize(("splitter", "n_classes"), [*CASES, ("mae", 0)])
def test_the_best_cut_is_taken_as_often_as_by_plain_draws(splitter, n_classes, both):
    how = dict(n_resamples_selector=None, splitter_test="max", n_resamples_splitter=39)
    quick, plain = both(n_classes, splitter, 0.45, 50, n_data_sets=2000, **how)
    assert 0.2 < plain.mean() < 0.95
    assert_as_often(quick, plain)


@pytest.mark.parametrize(("splitter", "n_classes"), CASES)
def test_signal_is_split_as_often_as_by_plain_draws(splitter, n_classes, both):
    quick, plain = both(n_classes, splitter, 0.35, 120, two_valued=True, alpha_splitter=0.01)
    assert 0.2 < plain.mean() < 0.9
    assert_as_often(quick, plain)


RARE = [("mse", 0, 0.3), ("gini", 3, 0.4), ("entropy", 5, 0.35)]


@pytest.mark.slow
@pytest.mark.parametrize(("splitter", "n_classes", "strength"), RARE)
def test_rare_exceedances_split_as_often_as_plain_draws(splitter, n_classes, strength, both):
    """One threshold with thousands of draws, of which those that cannot exceed are not made."""
    how = dict(n_resamples_selector=None, n_resamples_splitter=4000, alpha_splitter=0.002)
    quick, plain = both(n_classes, splitter, strength, 160, two_valued=True, **how)
    assert 0.2 < plain.mean() < 0.9
    assert (quick != plain).sum() > 100
    assert_as_often(quick, plain)


@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 4), ("entropy", 3), ("mse", 0)])
def test_rare_exceedances_split_noise_no_more_often_than_plain_draws(splitter, n_classes, both):
    """The feature that looks best of four, taken untested: Stage B alone must refuse it."""
    how = dict(n_resamples_selector=None, alpha_splitter=0.1)
    quick, plain = both(n_classes, splitter, 0.0, 100, **how)
    assert plain.mean() > 0.05
    assert_no_more_often(quick, plain)


@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 4), ("mse", 0)])
def test_exhaustive_test_splits_as_often_as_by_plain_draws(splitter, n_classes, both):
    how = dict(early_stopping_selector=None, early_stopping_splitter=None)
    quick, plain = both(n_classes, splitter, 0.0, 40, alpha_selector=0.5, alpha_splitter=0.9, **how)
    assert plain.mean() > 0.05
    assert_as_often(quick, plain)


N_ROOTS = 6000
# The budget of 30 makes long tests, of which the draws that cannot exceed are not made.
RULES = [
    ("curtailed", "minimum"),
    ("curtailed", 30),
    ("adaptive", 30),
    (None, "minimum"),
    (None, 30),
]
WITH_SIGNAL = [
    ("gini", 2, 0.8),
    ("entropy", 2, 0.8),
    ("gini", 3, 0.4),
    ("entropy", 3, 0.4),
    ("gini", 10, 1.0),
    ("mse", 0, 0.2),
    ("mae", 0, 0.25),
]


def chosen_thresholds(X, y, n_classes, first_seed, **options):
    """The threshold that each tree's root takes; infinity if it takes none."""
    seeds = range(first_seed, first_seed + N_ROOTS)
    grown = grow(X, y, n_classes, seeds=seeds, n_resamples_selector=None, max_depth=1, **options)
    root = grown["offset"][:-1]
    return np.where(grown["feature"][root] >= 0, grown["threshold"][root], np.inf)


def as_often_as_plainly(splitter, n_classes, strength, **how):
    """Each threshold, and none, is taken as often as by the plain rule from other seeds."""
    rng = np.random.default_rng([n_classes, 7])
    X = rng.normal(size=(24, 1))
    y = strength * X[:, 0] + rng.normal(size=24)
    y = np.floor(n_classes * y.argsort().argsort() / 24) if n_classes else y
    how |= dict(splitter=splitter, alpha_splitter=0.3, early_stopping_confidence_splitter=0.8)
    quick = chosen_thresholds(X, y, n_classes, 0, **how)
    plain = chosen_thresholds(X, y, n_classes, N_ROOTS, shortcuts=False, **how)
    values = np.union1d(quick, plain)
    for value in values:
        assert_same_share((quick == value).sum(), (plain == value).sum(), N_ROOTS)
    return sum((plain == value).sum() > 100 for value in values)


@pytest.mark.parametrize(("stopping", "budget"), RULES)
@pytest.mark.parametrize(("splitter", "n_classes", "strength"), WITH_SIGNAL)
def test_each_threshold_is_taken_as_often_as_by_plain_draws(
    splitter, n_classes, strength, stopping, budget
):
    how = dict(early_stopping_splitter=stopping, n_resamples_splitter=budget)
    n_often = as_often_as_plainly(splitter, n_classes, strength, **how)
    assert n_often >= 2


@pytest.mark.slow
@pytest.mark.parametrize("leaf", [1, 10])
@pytest.mark.parametrize("method", ["exact", "histogram"])
@pytest.mark.parametrize("scanning", [True, False])
@pytest.mark.parametrize(("splitter", "n_classes", "strength"), WITH_SIGNAL)
def test_each_threshold_is_taken_as_often_among_few_and_many(
    splitter, n_classes, strength, scanning, method, leaf
):
    how = dict(
        threshold_method=method,
        max_thresholds=8,
        min_samples_leaf=leaf,
        threshold_scanning=scanning,
    )
    n_often = as_often_as_plainly(splitter, n_classes, strength, **how)
    assert n_often >= 2


def test_adaptive_stopping_splits_as_often_as_by_plain_draws(both):
    """An eager rule, which rejects long before its last draw."""
    how = dict(
        two_valued=True,
        n_resamples_selector=None,
        early_stopping_splitter="adaptive",
        early_stopping_confidence_splitter=0.55,
        n_resamples_splitter=38,
    )
    quick, plain = both(2, "gini", 0.35, 60, **how)
    assert 0.2 < plain.mean() < 0.9
    assert_as_often(quick, plain)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rare_class_and_rare_values_keep_the_level(n_classes):
    """Where the least likely arrangements are still likely: one-hot columns, four rare rows."""
    n_splits, n_data_sets = 0, 300
    for i in range(n_data_sets):
        rng = np.random.default_rng(i)
        X = np.eye(60)[rng.integers(60, size=1200)]
        y = np.zeros(1200)
        y[rng.choice(1200, 4 * (n_classes - 1), replace=False)] = np.repeat(
            np.arange(1, n_classes), 4
        )
        root = grow(
            X, y, n_classes, max_depth=1, seeds=[i], splitter_test=None, n_resamples_selector="auto"
        )
        n_splits += root["feature"][0] >= 0
    assert_count_at_most(n_splits, n_data_sets, 0.05)
