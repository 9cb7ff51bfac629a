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

from bands import assert_as_often, assert_count_at_most, assert_no_more_often
from engine import grow

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


@pytest.mark.parametrize(("splitter", "n_classes"), CASES)
def test_signal_is_split_as_often_as_by_plain_draws(splitter, n_classes, both):
    quick, plain = both(n_classes, splitter, 0.35, 120, two_valued=True, alpha_splitter=0.01)
    assert 0.2 < plain.mean() < 0.9
    assert_as_often(quick, plain)


RARE = [("mse", 0, 0.25, "curtailed"), ("mse", 0, 0.25, None)]
RARE += [("gini", 3, 0.35, "curtailed"), ("entropy", 5, 0.3, "curtailed")]


@pytest.mark.slow
@pytest.mark.parametrize(("splitter", "n_classes", "strength", "stopping"), RARE)
def test_rare_exceedances_split_as_often_as_plain_draws(
    splitter, n_classes, strength, stopping, both
):
    """Thousands of draws per threshold: tilted draws, and certificates in the exhaustive test."""
    how = dict(n_resamples_selector=None, early_stopping_splitter=stopping, n_data_sets=4500)
    quick, plain = both(n_classes, splitter, strength, 160, **how)
    assert 0.2 < plain.mean() < 0.9
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


# Of the thresholds, budgets of 30 allow no exceedance, of 400 some: those are tilted draws too.
@pytest.mark.parametrize(("budget", "alpha"), [(30, 0.05), (400, 0.05), (40, 0.3)])
@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 3), ("entropy", 4), ("mse", 0)])
def test_exhaustive_test_takes_each_threshold_as_often_as_plain_draws(
    splitter, n_classes, budget, alpha
):
    """The thresholds have to share their draws: with draws of their own more roots would split."""
    rng = np.random.default_rng(3)
    x = np.repeat(np.arange(6.0), 8)
    shift = {0.05: 0.62, 0.3: 0.35}[alpha]
    y = shift * np.abs(x - 1.6) + rng.normal(size=48)
    y = y if n_classes == 0 else np.floor(n_classes * y.argsort().argsort() / 48)
    how = dict(splitter=splitter, n_resamples_splitter=budget, alpha_splitter=alpha)
    n_trees = 45_000 if budget == 30 else 6000  # the cheapest shows most
    quick = chosen_thresholds(x[:, None], y, n_classes, n_trees, **how)
    plain = chosen_thresholds(x[:, None], y, n_classes, n_trees, **how, shortcuts=False)
    thresholds = (0.5, 1.5, 2.5, 3.5, 4.5, np.inf)
    assert sum((plain == threshold).sum() > 150 for threshold in thresholds) >= 2
    for threshold in thresholds:
        assert_as_often(quick == threshold, plain == threshold)


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
