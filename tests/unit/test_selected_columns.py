"""`transform` returns columns as they came, whatever library they are of."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier

from inforest import FeatureSelector, PermutationFilter
from inforest._engine.feature import Feature
from inforest._engine.features import Encoded, Features
from inforest.selection.expansion import Expansion

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
SELECTORS = [PermutationFilter(k=2, random_state=0), FeatureSelector(k=2, random_state=0)]


def table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    return {"noise": rng.normal(size=60).astype(np.float32), "yes": y > 0, "n": y + 1}, y


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda one: type(one).__name__)
def test_columns_come_out_as_they_came(selector):
    columns, y = table()
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        X = make(columns)
        kept = selector.fit(X, y).transform(X)
        assert type(kept) is type(X)
        expected = X.select(["yes", "n"]) if make is not pd.DataFrame else X[["yes", "n"]]
        assert kept.equals(expected)


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda one: type(one).__name__)
def test_set_output_is_respected(selector):
    columns, y = table()
    X = pd.DataFrame(columns, index=np.arange(60) + 7)
    selector.fit(X, y)
    with config_context(transform_output="pandas"):
        assert selector.transform(X).equals(X[["yes", "n"]])
    with config_context(transform_output="polars"):
        kept = selector.transform(X)
    assert isinstance(kept, pl.DataFrame)
    assert kept.columns == ["yes", "n"]
    numbers = selector.fit(X.to_numpy(dtype=float), y).transform(X.to_numpy(dtype=float))
    assert isinstance(numbers, np.ndarray)


def test_wrong_columns_are_named():
    columns, y = table()
    X = pd.DataFrame(columns)
    selector = SELECTORS[0].fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(X.rename(columns={"n": "m"}))
    with pytest.raises(ValueError, match=r"2 features|feature names"):
        selector.transform(X[["yes", "n"]])


def test_another_packages_estimator_gets_the_frame():
    columns, y = table()
    X = pd.DataFrame(columns).assign(word=pd.Categorical(np.where(y, "a", "b")))

    class Seen(RandomForestClassifier):
        def fit(self, X, y):
            frames.append(X)
            return super().fit(X.assign(word=0), y)

    frames = []
    FeatureSelector(Seen(5), k=1, random_state=0).fit(X, y)
    assert frames[0].equals(X)


def test_expansion():
    word = Feature("category", ("a", "b", "c"), np.arange(3.0))
    nan = np.nan
    values = np.array([[1.0, 0.0, 5.0], [nan, 2.0, 6.0], [3.0, nan, 7.0]])
    X = Encoded(Features(3, {1: word}), np.asfortranarray(values))
    made = Expansion().fit(X)
    expected = [[1, 0, 1, 0, 0, 5], [2, 1, 0, 1, 0, 6], [3, 0, 0, 0, 1, 7]]
    assert_array_equal(made.transform(X), expected)
    # A level that the training rows did not have is no level of them.
    other = Encoded(X.features, np.array([[1.0, 1.0, nan]]))
    assert_array_equal(made.transform(other), [[1, 0, 0, 0, 0, 6]])
