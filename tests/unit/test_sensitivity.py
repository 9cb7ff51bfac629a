"""Sensitivity: overlaps by hand, rankings that depend on max_features and such that do not."""

import doctest
import importlib

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge

from forests import Classifier
from inforest.diagnostics import Overlap, Sensitivity, sensitivity
from inforest.inspection.diagnostics.sensitivity import Setting

mpl.use("Agg")


class ByParameter(BaseEstimator):
    """Ranks the columns in the order that max_features says, upwards or downwards."""

    def __init__(self, max_features="up", random_state=None):
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X, y):
        places = np.arange(X.shape[1], dtype=float)
        self.feature_importances_ = -places if self.max_features == "up" else places
        return self


def setting(tops, n_features=6, value=None):
    return Setting(value, 10, Overlap(np.array(tops), n_features), np.arange(float(n_features)))


def test_overlaps_by_hand():
    base = setting([[0, 1], [0, 2]])
    other = setting([[0, 1], [3, 4]])
    result = Sensitivity(np.array(list("abcdef"), dtype=object), 2, [base, other])
    # Base with itself: {0}. Across: {0, 1}, {}, {0}, {}: 3 in 4 pairs. The other with itself: {}.
    assert_allclose(result.common, [1, 3 / 4])
    assert_allclose(result.expected, [1, (1 + 0) / 2])
    assert_array_equal(result.changed, [False, False])


def test_expected_minus_common_is_a_distance():
    """For large numbers of fits: half the squared distance of the frequencies."""
    rng = np.random.default_rng(0)
    tops = [
        [rng.permutation(6)[:2] for _ in range(300)],
        [rng.permutation(4)[:2] for _ in range(300)],
    ]
    base, other = (setting(top) for top in tops)
    result = Sensitivity(np.arange(6), 2, [base, other])
    gap = other.overlap.frequency - base.overlap.frequency
    assert_allclose((result.expected - result.common)[1], (gap**2).sum() / 2, atol=0.02)


def test_agreement_is_spearman_among_scored_features():
    a, b = np.array([0, 0, 1.0, 2, 3, 3]), np.array([0, 1.0, 0, 2, 1, 4])
    settings = [Setting(v, 1, Overlap(np.array([[0], [0]]), 6), s) for v, s in ((1, a), (2, b))]
    result = Sensitivity(np.arange(6), 1, settings)
    assert_allclose(result.agreement, [1, spearmanr(a[1:], b[1:]).statistic])
    same = [Setting(v, 1, Overlap(np.array([[0], [0]]), 6), np.zeros(6)) for v in (1, 2)]
    assert np.isnan(Sensitivity(np.arange(6), 1, same).agreement).all()


def test_it_sees_that_the_top_depends_on_max_features():
    X = np.random.default_rng(0).normal(size=(20, 8))
    result = sensitivity(
        X, X[:, 0], k=2, estimator=ByParameter(), max_features=["up", "down"], n_repeats=2
    )
    assert [setting.max_features for setting in result.settings] == ["up", "down"]
    assert_array_equal(result.changed, [False, True])
    assert_allclose(result.common, [2, 0])
    assert_allclose(result.agreement, [1, -1])
    assert_array_equal(result.entering(1), [6, 7])
    assert result.conclusion.startswith(
        "The top 2 depends on max_features: with max_features='down', only 0.0 of 2 stay"
    )
    assert "enter the top: feature_6, feature_7" in repr(result)


def test_it_sees_that_the_top_does_not_depend_on_max_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    y = X[:, 0] + X[:, 1] > 0
    result = sensitivity(X, y, k=2, estimator=Classifier(30, max_features="sqrt"), random_state=0)
    assert not result.changed.any()
    assert result.conclusion.startswith("The top 2 does not depend on max_features: at least")
    assert [setting.max_features for setting in result.settings] == ["sqrt", 0.2, 0.5, None]
    assert [setting.n_estimators for setting in result.settings] == [30, 30, 30, 25]
    frame = result.to_frame()
    assert frame.index.tolist() == ["sqrt", "0.2", "0.5", "all features"]
    assert_allclose(frame["common"], result.common)


def test_the_base_is_the_estimator_as_it_is():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, max_features=None)
    result = sensitivity(
        X, y, estimator=forest, max_features=[1, 1.0], n_estimators_all=3, n_repeats=2
    )
    assert [setting.max_features for setting in result.settings] == [None, 1, 1.0]
    assert [setting.n_estimators for setting in result.settings] == [7, 7, 7]
    shorter = sensitivity(
        X, y, estimator=Classifier(7), max_features=[None], n_estimators_all=3, n_repeats=2
    )
    assert [setting.n_estimators for setting in shorter.settings] == [7, 3]
    full = sensitivity(
        X, y, estimator=Classifier(7), max_features=[None], n_estimators_all=None, n_repeats=2
    )
    assert [setting.n_estimators for setting in full.settings] == [7, 7]


def test_jobs_do_not_change_it_but_seeds_do():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:100], y[:100]
    options = {"max_features": [0.5], "n_repeats": 2}
    one, two, other = (
        sensitivity(X, y, random_state=seed, n_jobs=n_jobs, **options)
        for seed, n_jobs in [(0, 1), (0, 2), (1, 1)]
    )
    for a, b in zip(one.settings, two.settings, strict=True):
        assert_array_equal(a.overlap.top, b.overlap.top)
        assert_array_equal(a.scores, b.scores)
    assert (one.base.scores != other.base.scores).any()


@pytest.mark.parametrize("n_features", [5, 20_000])
def test_plot(n_features):
    X = np.random.default_rng(0).normal(size=(10, n_features))
    result = sensitivity(X, X[:, 0], estimator=ByParameter(), max_features=["down", None])
    ax = result.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["up (base)", "down", "all features"]
    assert result.plot(ax) is ax
    mpl.pyplot.close("all")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"estimator": Ridge()}, ValueError, "a parameter max_features, .* Ridge has none"),
        ({"max_features": "sqrt"}, TypeError, "sequence of values to compare; got 'sqrt'"),
        ({"max_features": 0.5}, TypeError, "sequence of values to compare; got 0.5"),
        ({"max_features": [(1 / 3, 500)]}, ValueError, r"the estimator's own, \(0.33.*, 500\)"),
        ({"max_features": []}, ValueError, r"got \[\]"),
        ({"k": 4}, ValueError, "less than the number of features, 4"),
        ({"n_repeats": 1}, ValueError, "'n_repeats' parameter of sensitivity"),
        ({"n_estimators_all": 0}, ValueError, "'n_estimators_all' parameter of sensitivity"),
        ({"max_features": ["cube"]}, ValueError, "'max_features' parameter"),
    ],
)
def test_what_it_refuses(change, error, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(error, match=words):
        sensitivity(X, y, **{"estimator": Classifier(2), **change})


def test_examples_run():
    module = importlib.import_module("inforest.inspection.diagnostics.sensitivity")
    assert doctest.testmod(module).failed == 0
