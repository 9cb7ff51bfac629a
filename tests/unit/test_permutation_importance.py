"""Permutation importance: against a plain recomputation, and on data with a known answer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer

from bands import BAND
from forests import BOTH, Classifier, Regressor, data
from inforest.estimators.importance import correlated_features
from naive_importance import naive, small

EACH = pytest.mark.parametrize("cls", BOTH)


@EACH
@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("replace", [False, True])
def test_agrees_with_a_plain_recomputation(cls, conditional, replace):
    """A mean over drawn permutations is near that over all of them."""
    X, y = small(cls)
    forest = cls(n_estimators=3, max_features=None, replace=replace, random_state=0).fit(X, y)
    others = [[] for _ in range(4)]
    if conditional:
        r = np.abs(np.corrcoef(X, rowvar=False))
        others = [[k for k in range(4) if k != j and r[j, k] >= 0.2] for j in range(4)]
        assert others[0] == [1]
        assert others[1] == [0]
    n_repeats = 1000
    result = forest.permutation_importance(
        X, y, conditional=conditional, n_repeats=n_repeats, random_state=0
    )
    mean, variance = naive(forest, X, y, others)
    # The mean of so many repeats is normal.
    band = norm.isf(BAND / 2) * np.sqrt(variance / n_repeats)
    assert (np.abs(result.importances_per_tree - mean) <= band + 1e-12).all()
    assert (band < 0.1 * mean.max()).all()  # narrow enough to tell something
    unused = forest.tree_importances("count") == 0
    assert_array_equal(result.importances_per_tree[unused], 0)
    assert_allclose(result.importances_mean, result.importances_per_tree.mean(axis=0))
    assert_allclose(result.importances_std, result.importances_per_tree.std(axis=0))


def test_conditioning_exposes_the_follower():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]  # tells of y only through feature 0
    y = X[:, 0] + 0.5 * rng.normal(size=600)
    forest = Regressor(random_state=0, max_features=2).fit(X, y)
    plain = forest.permutation_importance(X, y, random_state=0).importances_mean
    strict = forest.permutation_importance(X, y, conditional=True, random_state=0).importances_mean
    assert strict[1] / strict[0] < 0.9 * plain[1] / plain[0]
    assert strict.argmax() == plain.argmax() == 0
    nothing = forest.permutation_importance(X, y, conditional=True, threshold=1.0, random_state=0)
    assert_array_equal(nothing.importances_mean, plain)


@EACH
def test_jobs_do_not_change_it_but_seeds_do(cls):
    X, y = data(cls)
    forest = cls(n_estimators=20, random_state=0).fit(X, y)
    options = dict(conditional=True, n_repeats=2)
    one, two, five = (
        forest.permutation_importance(X, y, random_state=0, n_jobs=n, **options) for n in (1, 2, 5)
    )
    assert_array_equal(one.importances_per_tree, two.importances_per_tree)
    assert_array_equal(one.importances_per_tree, five.importances_per_tree)
    other = forest.permutation_importance(X, y, random_state=1, **options)
    assert (one.importances_per_tree != other.importances_per_tree).any()


def test_correlations_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 30)) @ rng.normal(size=(30, 30)) * 10.0 ** rng.integers(-200, 200, 30)
    X[:, 4] = 3.0
    with np.errstate(all="ignore"):
        r = np.abs(np.corrcoef(X / np.abs(X).max(axis=0), rowvar=False))
    monkeypatch.setattr("inforest.estimators.importance._COLUMNS", 7)
    features = np.flatnonzero(np.arange(30) % 4 < 3).astype(np.int32)
    for j, others in zip(features, correlated_features(X, features, 0.2), strict=True):
        expected = [] if j == 4 else [k for k in features if k != j and r[j, k] >= 0.2]
        assert_array_equal(others, expected)
    weight = rng.integers(0, 4, 50)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(
            correlated_features(X, features, 0.2, weight),
            correlated_features(np.repeat(X, weight, axis=0), features, 0.2),
            strict=True,
        )
    )


@EACH
def test_what_it_refuses(cls):
    X, y = data(cls)
    forest = cls(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=f"{len(y)} rows; got {len(y) - 1}"):
        forest.permutation_importance(X[1:], y[1:])
    with pytest.raises(ValueError, match="as many rows with other values"):
        forest.permutation_importance(X[::-1], y)
    with pytest.raises(ValueError, match="n_repeats must be an int"):
        forest.permutation_importance(X, y, n_repeats=0)
    with pytest.raises(ValueError, match=r"threshold=0.3 .* conditional=True.* only"):
        forest.permutation_importance(X, y, threshold=0.3)
    with pytest.raises(ValueError, match="threshold must be a number"):
        forest.permutation_importance(X, y, conditional=True, threshold=2)
    everything = cls(n_estimators=3, bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="rows that a tree has not seen"):
        everything.permutation_importance(X, y)


def test_a_forest_of_stumps_without_splits():
    X, y = np.zeros((30, 2)), np.arange(30.0)
    forest = Regressor(n_estimators=3, random_state=0).fit(X, y)
    result = forest.permutation_importance(X, y, conditional=True)
    assert_array_equal(result.importances_mean, [0, 0])


def test_repr_names_the_ten_most_important_features():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = Classifier(30, random_state=0).fit(X, y)
    result = forest.permutation_importance(X, y, random_state=0)
    title, *lines, rest = repr(result).splitlines()
    assert "30 trees" in title
    top = (-result.importances_mean).argsort(kind="stable")[:10]
    assert {line.split("  ")[1] for line in lines} == set(X.columns[top])
    assert rest.strip() == "... 20 more features"
