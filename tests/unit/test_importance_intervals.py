"""`importance_intervals`: by hand, by groups, and how often they hold what they are to hold."""

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.model_selection import KFold

from bands import assert_count_at_least
from inforest import ConditionalInferenceForestRegressor, importance_intervals


def data(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, 2 * X[:, 0] + X[:, 1] + rng.normal(size=n)


def test_by_hand():
    X, y = data()
    found = importance_intervals(X, y, features=[1, 3], n_estimators=10, n_folds=3, random_state=5)
    rng = np.random.default_rng(np.random.SeedSequence(5).spawn(1)[0])
    lost = np.zeros((120, 2))
    folds = KFold(3, shuffle=True, random_state=int(rng.integers(2**31)))
    for train, test in folds.split(X):
        forest = ConditionalInferenceForestRegressor(
            10, max_features=None, random_state=int(rng.integers(2**31))
        )
        for k, seen in enumerate([[0, 2, 3], [0, 1, 2]]):
            without = forest.fit(X[train][:, seen], y[train]).predict(X[test][:, seen])
            lost[test, k] += (y[test] - without) ** 2
        lost[test] -= ((y[test] - forest.fit(X[train], y[train]).predict(X[test])) ** 2)[:, None]
    around = (y - y.mean()) ** 2
    share = lost.mean(axis=0) / around.mean()
    np.testing.assert_allclose(found.importance, share, rtol=1e-6, atol=1e-9)
    left = lost - np.outer(around, share)
    error = left.std(axis=0, ddof=1) / around.mean() / np.sqrt(120) * np.sqrt(2.5)
    np.testing.assert_allclose(found.standard_error, error, rtol=1e-6)
    half = student.ppf(0.95, 119) * error
    np.testing.assert_allclose(found.high - found.low, 2 * half, rtol=1e-6)
    assert found.to_frame().index.tolist() == ["feature_1", "feature_3"]


@pytest.mark.parametrize("kind", ["classes", "words"])
def test_other_tables(kind):
    pd = pytest.importorskip("pandas")
    X, y = data(200)
    table = pd.DataFrame(X, columns=list("abcd"))
    if kind == "classes":
        y = np.digitize(y, [-1, 1])
    else:
        table["a"] = pd.Categorical(np.digitize(X[:, 0], [-1, 0, 1]).astype(str))
        table.loc[::9, "b"] = np.nan
    one, two = (
        importance_intervals(table, y, n_estimators=30, random_state=0, n_jobs=k) for k in (1, 2)
    )
    np.testing.assert_array_equal(one.importance, two.importance)
    assert one.ranking[0] == 0
    assert one.low[0] > one.high[2:].max()
    assert "90% interval" in repr(one)


def test_features_are_left_out_together_and_rows_of_a_group_count_once():
    X, y = data()
    X = np.column_stack([X, X[:, 0]])
    result = importance_intervals(X, y, feature_groups={"copies": [0, 4]}, n_estimators=20,
                                  random_state=0)  # fmt: skip
    alone = importance_intervals(X, y, features=[0], n_estimators=20, random_state=0)
    assert result.low[result.feature_names == "copies"] > 0.3
    assert abs(alone.importance[0]) < 0.05
    repeated = importance_intervals(
        np.repeat(X, 3, axis=0), np.repeat(y, 3), features=[1], n_estimators=20, random_state=0,
        groups=np.repeat(np.arange(120), 3),
    )  # fmt: skip
    blind = importance_intervals(
        np.repeat(X, 3, axis=0), np.repeat(y, 3), features=[1], n_estimators=20, random_state=0
    )
    assert repeated.n_observations == 120
    assert repeated.standard_error[0] > 1.3 * blind.standard_error[0]


def test_all_features_left_out_leave_the_mean():
    X, y = data()
    result = importance_intervals(X, y, feature_groups={"all": range(4)}, n_estimators=20,
                                  random_state=0)  # fmt: skip
    assert 0.5 < result.importance[0] < 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"level": 1}, "level must be between 0 and 1; got 1"),
        ({"n_folds": 1}, "n_folds must be a whole number, at least 2; got 1"),
        ({"task": "ranking"}, "task must be one of .*; got 'ranking'"),
        ({"features": ["z"]}, "features names 'z', which is no column of X"),
    ],
)
def test_bad_parameters(change, words):
    with pytest.raises(ValueError, match=words):
        importance_intervals(*data(), random_state=0, **change)


def test_too_few_rows():
    with pytest.raises(ValueError, match="importance_intervals needs at least 50 rows"):
        importance_intervals(*data(40))


@pytest.mark.slow
def test_intervals_hold_what_forests_lose():
    """Of 200 tables at 80 %; the truth is the mean over forests of other rows, as many."""
    lost = np.empty((40, 2))
    for seed in range(40):
        X, y = data(120, 1000 + seed)
        X_test, y_test = data(3000, 2000 + seed)
        forest = ConditionalInferenceForestRegressor(20, max_features=None, random_state=seed)

        def error(seen, X=X, y=y, X_test=X_test, y_test=y_test, forest=forest):
            predicted = forest.fit(X[:, seen], y).predict(X_test[:, seen])
            return np.mean((y_test - predicted) ** 2)

        lost[seed] = [error([1, 2, 3]), error([0, 2, 3])]
        lost[seed] -= error([0, 1, 2, 3])
    truth = lost.mean(axis=0) / 6  # the variance of y
    held = np.zeros(2)
    for seed in range(200):
        found = importance_intervals(
            *data(150, seed), features=[0, 1], level=0.8, n_estimators=20, random_state=seed
        )
        held += (found.low <= truth) & (truth <= found.high)
    for count in held:
        assert_count_at_least(count, 200, 0.8)
        assert count < 200  # nor are they so wide that they cannot miss
