"""Certificates and exact two-class tests split as often as the plain draws they replace.

On noise they must not split more often. On a signal that about half of the roots find, they must
not split less often either, beyond the 1e-3 of the certified rejections that they give back: seen
on two-valued features, where Stage B makes a single test. (Several thresholds of two classes read
one stream of random numbers, which makes their tests agree more than shared permutations do. That
changes no single test, but makes the node reject a little less often.)
"""

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency, norm

from engine import grow

N_DATA_SETS = 1500
CASES = [("gini", 2), ("entropy", 2), ("gini", 4), ("mse", 0)]


def root_splits(n_classes, splitter, strength, n, *, two_valued=False, **options):
    """Which data sets' root is split; data set i is the same for every option."""
    splits = np.zeros(N_DATA_SETS, dtype=bool)
    for i in range(N_DATA_SETS):
        rng = np.random.default_rng([i, n_classes])
        X = rng.normal(size=(n, 4))
        X = np.sign(X) if two_valued else X
        score = strength * X[:, 0] + rng.normal(size=n)
        y = score if n_classes == 0 else np.floor(n_classes * score.argsort().argsort() / n)
        root = grow(X, y, n_classes, splitter=splitter, max_depth=1, seeds=[i], **options)
        splits[i] = root["feature"][0] >= 0
    return splits


def z_score(with_shortcuts, plain):
    """Standardised difference of the paired shares (McNemar without correction)."""
    more, fewer = (with_shortcuts & ~plain).sum(), (~with_shortcuts & plain).sum()
    return (more - fewer) / np.sqrt(max(more + fewer, 1))


@pytest.mark.parametrize(("splitter", "n_classes"), CASES)
def test_noise_is_split_no_more_often_than_by_plain_draws(splitter, n_classes, record_property):
    # A high level, so that there is something to count; both stages at work.
    how = dict(alpha_selector=0.5, alpha_splitter=0.9)
    quick = root_splits(n_classes, splitter, 0.0, 40, **how)
    plain = root_splits(n_classes, splitter, 0.0, 40, **how, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert plain.mean() > 0.05
    assert z_score(quick, plain) <= 2


def test_noise_is_split_no_more_often_by_long_tests_than_by_plain_draws(record_property):
    """Two classes and 1,600 draws per candidate, of which those that cannot exceed are not made."""
    how = dict(n_resamples_selector=400, n_resamples_splitter=None, alpha_selector=0.1)
    quick = root_splits(2, "gini", 0.0, 80, **how)
    plain = root_splits(2, "gini", 0.0, 80, **how, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert plain.mean() > 0.05
    assert z_score(quick, plain) <= 2


@pytest.mark.parametrize(("splitter", "n_classes"), CASES)
def test_signal_is_split_as_often_as_by_plain_draws(splitter, n_classes, record_property):
    how = dict(two_valued=True, alpha_splitter=0.01)
    quick = root_splits(n_classes, splitter, 0.35, 120, **how)
    plain = root_splits(n_classes, splitter, 0.35, 120, **how, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert 0.2 < plain.mean() < 0.9
    assert abs(z_score(quick, plain)) <= norm.isf(1e-3)


RARE = [("mse", 0, 0.25, "curtailed"), ("mse", 0, 0.25, None)]
RARE += [("gini", 3, 0.35, "curtailed"), ("entropy", 5, 0.45, "curtailed")]


@pytest.mark.parametrize(("splitter", "n_classes", "strength", "stopping"), RARE)
def test_rare_exceedances_split_as_often_as_plain_draws(
    splitter, n_classes, strength, stopping, record_property
):
    """Thousands of draws per threshold: tilted draws, and certificates in the exhaustive test."""
    how = dict(n_resamples_selector=None, early_stopping_splitter=stopping)
    quick = root_splits(n_classes, splitter, strength, 160, **how)
    plain = root_splits(n_classes, splitter, strength, 160, **how, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert 0.2 < plain.mean() < 0.9
    assert abs(z_score(quick, plain)) <= norm.isf(1e-3)


@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 4), ("entropy", 3), ("mse", 0)])
def test_rare_exceedances_split_noise_no_more_often_than_plain_draws(
    splitter, n_classes, record_property
):
    """The feature that looks best of four, taken untested: Stage B alone must refuse it."""
    how = dict(n_resamples_selector=None, alpha_splitter=0.1)
    quick = root_splits(n_classes, splitter, 0.0, 100, **how)
    plain = root_splits(n_classes, splitter, 0.0, 100, **how, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert plain.mean() > 0.05
    assert z_score(quick, plain) <= 2


@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 4), ("mse", 0)])
def test_exhaustive_test_splits_as_often_as_by_plain_draws(splitter, n_classes, record_property):
    how = dict(early_stopping_selector=None, early_stopping_splitter=None)
    noise = dict(alpha_selector=0.5, alpha_splitter=0.9, **how)
    quick = root_splits(n_classes, splitter, 0.0, 40, **noise)
    plain = root_splits(n_classes, splitter, 0.0, 40, **noise, shortcuts=False)
    record_property("share with shortcuts, plain", f"{quick.mean():.4f}, {plain.mean():.4f}")
    assert plain.mean() > 0.05
    assert z_score(quick, plain) <= 2


def chosen_thresholds(X, y, n_classes, n_trees, **options):
    """How often the root of a tree takes each threshold; the last is how often it takes none."""
    how = dict(n_resamples_selector=None, early_stopping_splitter=None, max_depth=1)
    grown = grow(X, y, n_classes, seeds=range(n_trees), **how, **options)
    root = grown["offset"][:-1]
    taken = np.where(grown["feature"][root] >= 0, grown["threshold"][root], np.inf)
    return [np.count_nonzero(taken == t) for t in (0.5, 1.5, 2.5, 3.5, 4.5, np.inf)]


# Of the thresholds, budgets of 30 allow no exceedance, of 400 some: those are tilted draws too.
@pytest.mark.parametrize(("budget", "alpha"), [(30, 0.05), (400, 0.05), (40, 0.3)])
@pytest.mark.parametrize(("splitter", "n_classes"), [("gini", 3), ("entropy", 4), ("mse", 0)])
def test_exhaustive_test_takes_each_threshold_as_often_as_plain_draws(
    splitter, n_classes, budget, alpha, record_property
):
    """The thresholds have to share their draws: with draws of their own more roots would split."""
    rng = np.random.default_rng(3)
    x = np.repeat(np.arange(6.0), 8)
    shift = {0.05: 0.62, 0.3: 0.35}[alpha]
    y = shift * np.abs(x - 1.6) + rng.normal(size=48)
    y = y if n_classes == 0 else np.floor(n_classes * y.argsort().argsort() / 48)
    how = dict(splitter=splitter, n_resamples_splitter=budget, alpha_splitter=alpha)
    n_trees = 30_000 if budget == 30 else 4000  # the cheapest shows most
    quick = chosen_thresholds(x[:, None], y, n_classes, n_trees, **how)
    plain = chosen_thresholds(x[:, None], y, n_classes, n_trees, **how, shortcuts=False)
    record_property("quick, plain", f"{quick}, {plain}")
    assert sum(np.array(plain) > 100) >= 2
    seen = np.array([quick, plain])
    assert chi2_contingency(seen[:, seen.sum(axis=0) > 0]).pvalue > 1e-4


def test_adaptive_stopping_splits_as_often_as_by_plain_draws():
    """An eager rule, which rejects long before its last draw."""
    how = dict(
        two_valued=True,
        n_resamples_selector=None,
        early_stopping_splitter="adaptive",
        early_stopping_confidence_splitter=0.55,
        n_resamples_splitter=38,
    )
    quick = root_splits(2, "gini", 0.35, 60, **how)
    plain = root_splits(2, "gini", 0.35, 60, **how, shortcuts=False)
    assert 0.2 < plain.mean() < 0.9
    assert abs(z_score(quick, plain)) <= norm.isf(1e-3)


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
    assert n_splits <= binom.isf(1e-6, n_data_sets, 0.05)
