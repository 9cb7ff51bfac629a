"""One prepared data set per fit: nothing is checked, hashed, ranked or computed twice."""

from collections import Counter

import numpy as np
import pytest

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    FeatureSelector,
    ForestRanker,
    _core,
    rank_features,
)
from inforest._engine import features, training_set

N, P = 60, 7
ROUNDS = 6
ONCE = {"validate_data": 1, "feature_keys": 1, "rare_rows": 1}


@pytest.fixture
def calls(monkeypatch):
    """Count the calls that read all of X."""
    counter = Counter()

    def counted(owner, name):
        function = getattr(owner, name)

        def wrapper(*args, **options):
            # A single column is y, whose hash is part of a fit's fingerprint.
            if not (name == "feature_keys" and args[0].shape[1] == 1):
                counter[name] += 1
            return function(*args, **options)

        monkeypatch.setattr(owner, name, wrapper)

    for name in ("feature_keys", "column_ranks", "rare_rows", "statistics"):
        counted(_core, name)
    counted(features, "validate_data")
    return counter


def data(task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P))
    y = X[:, 0] + rng.normal(size=N)
    return X, (y if task == "regression" else (y > 0).astype(int))


@pytest.mark.parametrize(("task", "n_responses"), [("classification", 1), ("regression", ROUNDS)])
def test_rank_features_with_p_values(calls, task, n_responses):
    X, y = data(task)
    ranking = rank_features(X, y, n_estimators=12, p_values="holm", random_state=0)
    assert len(ranking.estimator.forests_) == n_responses
    # One root statistic per response: the residuals of each round are a response of their own, and
    # the tests take that of y itself from the first forest.
    assert calls == {
        "validate_data": 1,
        "feature_keys": 1,
        "rare_rows": 1,
        "statistics": n_responses,
    }


def test_columns_are_ranked_once(calls):
    X, y = data("regression")
    forest = ConditionalInferenceForestRegressor(12, selector="rdc", random_state=0)
    ranker = ForestRanker(forest, n_rounds=3)
    rank_features(X, y, estimator=ranker, p_values="holm", n_resamples=99, random_state=0)
    # The projections of rdc come from the seed, which the tests have of their own.
    assert calls == {
        "validate_data": 1,
        "feature_keys": 1,
        "rare_rows": 1,
        "column_ranks": 1,
        "statistics": 3 + 1,
    }


def test_a_forest_given_to_rank_features(calls):
    X, y = data("classification")
    forest = ConditionalInferenceForestClassifier(5, random_state=0)
    rank_features(X, y, estimator=forest, p_values="none", random_state=0)
    assert calls == {**ONCE, "statistics": 1}


def test_forest_ranker_alone(calls):
    X, y = data("regression")
    forest = ConditionalInferenceForestRegressor(12, random_state=0)
    ForestRanker(forest, n_rounds=3).fit(X, y)
    assert calls == {**ONCE, "statistics": 3}


def test_feature_selector_once_per_fold(calls):
    X, y = data("regression")
    forest = ConditionalInferenceForestRegressor(6, random_state=0)
    selector = FeatureSelector(ForestRanker(forest, n_rounds=2), cv=3, k_grid=[1, 2])
    selector.fit(X, y)
    # Itself, the ranker on all rows, the ranker in each of the folds.
    assert calls["validate_data"] == 1 + 1 + 3
    assert calls["feature_keys"] == 1 + 3


def test_another_response_shares_the_features():
    X, y = data("regression")
    kind = ConditionalInferenceForestRegressor._response_type
    one = training_set.prepare(np.asfortranarray(X), y, kind, "")
    other = one.with_response(kind.encode(-(y**2), None, ""))
    assert other.features is one.features
    assert not np.array_equal(other.statistics(["pc"], 0), one.statistics(["pc"], 0))
    statistic = one.statistics(["pc"], 0)
    statistic[:] = 0  # a copy
    assert one.statistics(["pc"], 1).all()
