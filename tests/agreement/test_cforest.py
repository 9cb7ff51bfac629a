"""`.cforest()` and conditional importances agree with R in distribution (see README.md).

Over as many seeds as R had, means are within 3 standard errors of R's.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from ctree_tables import FORESTS, MTRY, N_SEEDS, N_TREES, strobl
from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

GOLDEN = json.loads(Path(__file__).with_name("golden_cforest.json").read_text())
pytestmark = pytest.mark.slow


def distances(rows, golden):
    """How many standard errors our means are from R's; 0 where neither varies."""
    error = np.hypot(np.std(rows, axis=0, ddof=1), golden["std"]) / np.sqrt(N_SEEDS)
    gap = np.mean(rows, axis=0) - golden["mean"]
    return np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)


def facts(forest, X, y, n_classes, seed):
    """Splits per tree of each feature, leaves, depth, error, importances and their order."""
    trees = forest.trees_
    splits = np.bincount(trees.feature[~trees.is_leaf], minlength=X.shape[1]) / N_TREES
    deepest = np.maximum.reduceat(trees.depth(), trees.offset[:-1]).mean()
    # partykit's definition without conditions: nothing has 1 - p above 1.
    importance = forest.permutation_importance(
        X, y, conditional="partykit", threshold=1.0, random_state=seed
    ).importances_mean
    if n_classes:
        votes = forest.oob_decision_function_
        seen = ~np.isnan(votes[:, 0])
        error = (votes[seen].argmax(axis=1) != y[seen]).mean()
    else:
        error = np.nanmean((forest.oob_prediction_ - y) ** 2)
    size = [trees.is_leaf.sum() / N_TREES, deepest]
    return [*splits, *size, error, *importance, *rankdata(importance)]


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.filterwarnings("ignore:.*out-of-bag")
def test_forests_are_those_of_partykit_in_distribution(name):
    X, y, n_classes = FORESTS[name]()
    cls = ConditionalInferenceForestClassifier if n_classes else ConditionalInferenceForestRegressor
    rows = []
    for seed in range(N_SEEDS):
        forest = cls.cforest(n_estimators=N_TREES, oob_score=True, random_state=seed).fit(X, y)
        rows.append(facts(forest, X, y, n_classes, seed))
    p = X.shape[1]
    away = np.abs(distances(rows, GOLDEN[name]))
    splits, size, error, importance, order = np.split(away, [p, p + 2, p + 3, 2 * p + 3])
    assert splits.max() < 3
    assert size.max() < 3
    assert error.max() < 3
    assert importance.max() < 3
    assert order.max() < 3


@pytest.mark.parametrize("definition", ["party", "partykit"])
def test_conditional_importances_are_those_of_r(definition):
    X, y = strobl()
    rows = []
    for seed in range(N_SEEDS):
        forest = ConditionalInferenceForestRegressor.cforest(
            n_estimators=N_TREES, max_features=MTRY, random_state=seed
        ).fit(X, y)
        result = forest.permutation_importance(X, y, conditional=definition, random_state=seed)
        rows.append(result.importances_mean)
    assert np.abs(distances(rows, GOLDEN[definition])).max() < 3
