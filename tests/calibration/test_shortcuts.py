"""Certificates and exact two-class tests split as often as the plain draws they replace.

On noise they must not split more often. On a signal that about half of the roots find, they must
not split less often either, beyond the 1e-3 of the certified rejections that they give back: seen
on two-valued features, where Stage B makes a single test. (Several thresholds of two classes read
one stream of random numbers, which makes their tests agree more than shared permutations do. That
changes no single test, but makes the node reject a little less often.)

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


def root_splits(n_classes, splitter, strength, n, *, n_data_sets=6000, two_valued=False, **options):
    """Which data sets' root is split; data set i is the same for every option."""
    splits = np.zeros(n_data_sets, dtype=bool)
    for i in range(n_data_sets):
        rng = np.random.default_rng([i, n_classes])
        X = rng.normal(size=(n, 4))
        X = np.sign(X) if two_valued else X
        score = strength * X[:, 0] + rng.normal(size=n)
        y = score if n_classes == 0 else np.floor(n_classes * score.argsort().argsort() / n)
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


def chosen_thresholds(X, y, n_classes, n_trees, **options):
    """The threshold that each tree's root takes; infinity if it takes none."""
    how = dict(n_resamples_selector=None, early_stopping_splitter=None, max_depth=1)
    grown = grow(X, y, n_classes, seeds=range(n_trees), **how, **options)
    root = grown["offset"][:-1]
    return np.where(grown["feature"][root] >= 0, grown["threshold"][root], np.inf)


def impurity_falls(y, n_classes, splitter, ends):
    """How far each cut lowers the impurity of the children, up to a constant; a row per y."""
    if n_classes == 0:
        sums = np.cumsum(y, axis=1)[:, ends - 1] - ends * y.mean(axis=1, keepdims=True)
        return sums**2 / (ends * (y.shape[1] - ends))
    ones = y[:, :, None] == np.arange(n_classes)
    left = np.cumsum(ones, axis=1)[:, ends - 1]
    right = ones.sum(axis=1)[:, None] - left
    sizes = ends[:, None], y.shape[1] - ends[:, None]
    if splitter == "gini":
        return sum((c**2 / size).sum(axis=2) for c, size in zip((left, right), sizes, strict=True))
    terms = [c * np.log(np.maximum(c, 1) / n) for c, n in zip((left, right), sizes, strict=True)]
    return sum(term.sum(axis=2) for term in terms)


def naive_thresholds(y, n_classes, splitter, ends, thresholds, n_trees, n_draws, most, rng):
    """The same by permutations that all thresholds share; the fewest exceedances win."""
    observed = impurity_falls(y[None], n_classes, splitter, ends)
    limit = observed - 1e-9 * np.abs(observed)
    chosen = np.full(n_trees, np.inf)
    for tree in range(n_trees):
        drawn = impurity_falls(rng.permuted(np.tile(y, (n_draws, 1)), axis=1), n_classes, splitter,
                               ends)  # fmt: skip
        count = (drawn >= limit).sum(axis=0)
        if count.min() <= most:
            chosen[tree] = rng.choice(thresholds[count == count.min()])
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 3), ("entropy", 4), ("mse", 0)])
def test_exhaustive_test_takes_each_threshold_as_often_as_shared_draws(splitter, n_classes):
    """The thresholds have to share their draws: with draws of their own more roots would split."""
    rng = np.random.default_rng(3)
    x = np.repeat(np.arange(6.0), 8)
    y = 0.62 * np.abs(x - 1.6) + rng.normal(size=48)
    y = y if n_classes == 0 else np.floor(n_classes * y.argsort().argsort() / 48)
    how = dict(splitter=splitter, n_resamples_splitter=30, alpha_splitter=0.05)
    quick = chosen_thresholds(x[:, None], y, n_classes, 6000, **how)
    thresholds, n_draws = np.arange(0.5, 5), 5 * 30
    most = 0  # (1 + 1) / 151 is above 0.05 / 5
    ends = np.arange(8, 48, 8)
    naive = naive_thresholds(y, n_classes, splitter, ends, thresholds, 6000, n_draws, most, rng)
    assert sum((naive == threshold).sum() > 150 for threshold in thresholds) >= 2
    for threshold in (*thresholds, np.inf):
        counts = (quick == threshold).sum(), (naive == threshold).sum()
        assert_same_share(*counts, 6000)


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
