"""On pure noise nothing can be predicted: a selection that scores better has seen the test rows."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from bands import BAND, assert_count
from inforest import ConditionalInferenceForestClassifier, FeatureSelector

P, N = 5000, 100
DATA_SETS = 3
CV = KFold(5)
FOREST = ConditionalInferenceForestClassifier(20)


@pytest.fixture(scope="module")
def noise():
    """Labels are fair coins, independent of all features."""
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(N, P)), rng.integers(2, size=N)) for _ in range(DATA_SETS)]


def n_correct(model, data_sets):
    return sum((cross_val_predict(model, X, y, cv=CV) == y).sum() for X, y in data_sets)


def assert_at_chance_level(n):
    """As many correct predictions as of fair coins."""
    assert_count(n, DATA_SETS * N, 0.5)


@pytest.mark.parametrize(
    "params", [{"k": 20}, {"k": "auto", "k_grid": [1, 20, 200], "cv": 3}], ids=["k=20", "auto"]
)
def test_selection_inside_the_folds_is_at_chance_level(noise, params):
    """Nested cross-validation: ranking and k are chosen again in every fold."""
    selector = FeatureSelector(FOREST, random_state=0, **params)
    assert_at_chance_level(n_correct(make_pipeline(selector, LogisticRegression()), noise))


def test_selection_outside_the_folds_is_not(noise):
    """The mistake that the tests around would find."""
    selector = FeatureSelector(FOREST, k=20, random_state=0)
    selected = [(selector.fit_transform(X, y), y) for X, y in noise]
    assert n_correct(LogisticRegression(), selected) > binom.isf(BAND, DATA_SETS * N, 0.5)


def test_own_scores_are_at_chance_level(noise):
    """With a single k there is no choice, so that the selector's own scores are honest."""
    selector = FeatureSelector(FOREST, k_grid=[20], cv=CV, scoring="accuracy", random_state=0)
    correct = sum(N * selector.fit(X, y).cv_results_["mean_score"][0] for X, y in noise)
    assert_at_chance_level(round(correct))
