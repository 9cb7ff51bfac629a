"""Null check: its level on noise, p-values by hand, what it says about real features."""

import doctest
import importlib

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression

from bands import assert_count, assert_count_at_least, assert_count_at_most
from forests import Classifier, Regressor
from inforest import ConditionalInferenceTreeClassifier
from inforest.diagnostics import NullCheck, null_check
from inforest.inspection.diagnostics.null_check import explained_impurity
from inforest.ranking.ranker import screening_forest

mpl.use("Agg")


class Correlation(BaseEstimator):
    """Importance is the absolute correlation."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.feature_importances_ = np.abs((y - y.mean()) @ (X - X.mean(axis=0)) / X.std(axis=0))
        return self


class Remembering(Correlation):
    """Keeps every y that any copy of it was fitted to."""

    seen = []

    def fit(self, X, y):
        self.seen.append(y)
        return super().fit(X, y)


def rate_on_noise(n_data, alpha, n_repeats, make, estimator):
    """Return in how many data sets without signal anything was selected."""
    rng = np.random.default_rng(0)
    n_any = 0
    for seed in range(n_data):
        X, y = make(rng)
        result = null_check(
            X, y, estimator=estimator, alpha=alpha, n_repeats=n_repeats, random_state=seed
        )
        n_any += len(result.selected) > 0
    return n_any


def correlated_noise(rng, n=20, p=10):
    return rng.normal(size=(n, p)) + rng.normal(size=(n, 1)), rng.normal(size=n)


def noise_with_classes(rng, n=40, p=5):
    return rng.normal(size=(n, p)), rng.permutation(np.arange(n) % 2)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "n_repeats"), [(0.1, 19), (0.25, 7)])
def test_level_is_exact_on_noise(alpha, n_repeats):
    """Without ties, the rank of the largest importance is uniform: the level is met exactly."""
    n_data = 500
    n_any = rate_on_noise(n_data, alpha, n_repeats, correlated_noise, Correlation())
    assert_count(n_any, n_data, alpha)


def test_level_that_is_no_multiple_is_rounded_down():
    """p-values are multiples of 1/8: at level 0.2 the rate is 1/8."""
    n_data = 500
    n_any = rate_on_noise(n_data, 0.2, 7, correlated_noise, Correlation())
    assert_count(n_any, n_data, 1 / 8)


def test_level_of_a_forest_on_noise():
    """Forests that split nowhere tie at zero, which can only lower the rate."""
    n_data, alpha = 200, 0.2
    forest = Classifier(10)
    n_any = rate_on_noise(n_data, alpha, 4, noise_with_classes, forest)
    assert_count_at_most(n_any, n_data, alpha)
    assert_count_at_least(n_any, n_data, alpha / 2)


def test_level_of_a_strict_forest_on_noise():
    n_data, alpha = 100, 0.2
    strict = screening_forest("classification", n_estimators=5)
    n_any = rate_on_noise(n_data, alpha, 4, noise_with_classes, strict)
    assert_count_at_most(n_any, n_data, alpha)


def by_hand(importance, null_maximum, alpha=0.25):
    names = np.array([f"x{j}" for j in range(len(importance))], dtype=object)
    n = len(null_maximum)
    maximum = np.array(null_maximum, dtype=float)
    p = np.array([(1 + (maximum >= i).sum()) / (1 + n) for i in importance])
    used = np.array([1, 2, 3][:n])
    return NullCheck(names, np.array(importance), p, maximum, used, "importance", alpha)


def test_threshold_says_the_same_as_the_p_values():
    result = by_hand([0.5, 0.3, 0.0, 0.4], [0.1, 0.4, 0.2])
    assert_allclose(result.adjusted_p_value, [1 / 4, 2 / 4, 4 / 4, 2 / 4])
    assert result.threshold == 0.4
    assert_array_equal(result.selected, [0])
    assert result.n_used == 3
    assert result.conclusion == (
        "1 of 4 features matters more than luck explains (level 0.25, 3 fits to shuffled"
        " responses); with nothing to find, a fit uses 2 features, the real one uses 3."
    )
    nothing = by_hand([0.1, 0.0], [0.1, 0.4, 0.2])
    assert len(nothing.selected) == 0
    assert nothing.conclusion.startswith("None of the 2 features matters more")


def test_p_values_are_those_of_the_maxima():
    X, y = load_diabetes(return_X_y=True)
    result = null_check(X, y, estimator=Regressor(10), n_repeats=19, random_state=0)
    for importance, p in zip(result.importance, result.adjusted_p_value, strict=True):
        assert p == (1 + (result.null_maximum >= importance).sum()) / 20
    chosen = np.zeros(10, dtype=bool)
    chosen[result.selected] = True
    assert_array_equal(chosen, result.importance > result.threshold)
    frame = result.to_frame()
    assert frame["importance"].is_monotonic_decreasing
    assert_array_equal(frame["selected"], frame["adjusted_p_value"] <= 0.05)


def test_it_finds_what_is_there():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50))
    y = X[:, 3] + X[:, 7] + 0.5 * rng.normal(size=200)
    result = null_check(X, y, estimator=Regressor(50), n_repeats=39, random_state=0)
    assert {3, 7} <= set(result.selected.tolist())
    assert len(result.selected) <= 4
    assert "of 50 features matter more than luck explains" in result.conclusion


def test_the_first_fit_is_the_real_one_and_the_others_shuffle_the_same_values():
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = np.arange(12.0)
    Remembering.seen.clear()
    null_check(X, y, estimator=Remembering(), alpha=0.5, n_repeats=3, random_state=0)
    real, *shuffled = Remembering.seen
    assert_array_equal(real, y)
    assert len(shuffled) == 3
    for one in shuffled:
        assert_array_equal(np.sort(one), y)
        assert (one != y).any()
    assert (shuffled[0] != shuffled[1]).any()


def test_importance_of_forests_is_what_their_splits_explain():
    """In a tree grown to purity on one feature, that feature explains everything."""
    X = np.repeat([0.0, 1.0], 20)[:, None] + [[0.0, 0.0]]
    X[:, 1] = np.random.default_rng(0).normal(size=40)
    tree = ConditionalInferenceTreeClassifier(random_state=0).fit(X, X[:, 0])
    assert_allclose(explained_impurity(tree.tree_, 2), [1, 0])
    X, y = load_breast_cancer(return_X_y=True)
    forest = Classifier(10, random_state=0).fit(X, y)
    share = explained_impurity(forest.trees_, 30)
    expected = np.zeros(30)
    for tree in forest.estimators_:
        t = tree.tree_
        for i in np.flatnonzero(t.feature >= 0):
            left, right = t.left[i], t.right[i]
            gone = t.n_samples[i] * t.impurity[i]
            gone -= t.n_samples[left] * t.impurity[left] + t.n_samples[right] * t.impurity[right]
            expected[t.feature[i]] += gone / (t.n_samples[0] * t.impurity[0]) / 10
    assert_allclose(share, expected)
    assert 0.5 < share.sum() <= 1


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(5),
        LogisticRegression(max_iter=10_000),
        ConditionalInferenceTreeClassifier(),
    ],
)
def test_other_estimators(estimator):
    X, y = load_iris(return_X_y=True)
    result = null_check(
        X, np.array(["a", "b", "c"])[y], estimator=estimator, alpha=0.2, n_repeats=4, random_state=0
    )
    assert result.importance.shape == (4,)
    assert (result.adjusted_p_value >= 0.2).all()


def test_jobs_do_not_change_it_but_seeds_do():
    X, y = load_breast_cancer(return_X_y=True)
    one, two, other = (
        null_check(X[:100], y[:100], alpha=0.2, n_repeats=4, random_state=seed, n_jobs=n_jobs)
        for seed, n_jobs in [(0, 1), (0, 2), (1, 1)]
    )
    assert_array_equal(one.importance, two.importance)
    assert_array_equal(one.null_maximum, two.null_maximum)
    assert (one.null_maximum != other.null_maximum).any()


@pytest.mark.parametrize("n_features", [5, 20_000])
def test_plot(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, n_features))
    result = null_check(X, X[:, 0], estimator=Correlation(), alpha=0.5, n_repeats=3)
    ax = result.plot()
    assert len(ax.get_yticks()) == min(25, n_features)
    assert result.plot(ax) is ax
    mpl.pyplot.close("all")


def test_rounding_of_alpha_does_not_matter():
    X = np.random.default_rng(0).normal(size=(30, 3))
    result = null_check(
        X, X[:, 0], estimator=Correlation(), alpha=1 - 0.9, n_repeats=9, random_state=0
    )
    assert result.adjusted_p_value[0] == 0.1 > 1 - 0.9
    assert result.selected.tolist() == [0]
    assert result.to_frame()["selected"].tolist() == [True, False, False]
    assert result.importance[0] > result.threshold


def test_odd_names_in_figure_and_print():
    X = np.random.default_rng(0).normal(size=(30, 3))
    names = ["a" * 500, "cost $ per $^", r"$\foo$"]
    result = null_check(
        X, X[:, 0], estimator=Correlation(), n_repeats=19, feature_names=names, random_state=0
    )
    result.plot().figure.canvas.draw()
    mpl.pyplot.close("all")
    assert max(map(len, repr(result).splitlines()[:-1])) < 100


def test_the_callers_arrays_stay_writable():
    importance = np.array([0.5, 0.1])
    result = by_hand(importance, np.array([0.1, 0.2, 0.3]))
    importance[0] = 0
    assert result.importance[0] == 0.5


def test_repr_shows_the_best():
    text = repr(by_hand([0.5, 0.3, 0.0, 0.4], [0.1, 0.4, 0.2]))
    assert "x0           0.5000        0.25" in text
    assert "selected: importance > 0.4000" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_repeats": 18}, "n_repeats must be at least 19 for alpha=0.05: .* got 18"),
        ({"alpha": 0.0}, "'alpha' parameter of null_check"),
        ({"n_repeats": 0}, "'n_repeats' parameter of null_check"),
        ({"task": "ranking"}, "'task' parameter of null_check"),
        (
            {"estimator": RFE(LogisticRegression(max_iter=10_000)), "n_repeats": 19},
            "feature_importances_ or coef_ after fit, .* RFE has ranking_ only",
        ),
    ],
)
def test_what_it_refuses(change, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        null_check(X, y, **{"estimator": Classifier(2), **change})


def test_examples_run():
    module = importlib.import_module("inforest.inspection.diagnostics.null_check")
    assert doctest.testmod(module).failed == 0
