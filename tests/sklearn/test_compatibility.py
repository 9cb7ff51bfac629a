"""The estimators inside scikit-learn's tools and with other libraries' tables."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

TREES = [ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor]


def load(cls, **options):
    return (load_iris if cls is TREES[0] else load_diabetes)(return_X_y=True, **options)


def arrays(model):
    return {name: a for name, a in vars(model.tree_).items() if isinstance(a, np.ndarray)}


def assert_same_tree(one, other):
    for name, array in arrays(one).items():
        assert_array_equal(array, arrays(other)[name], err_msg=name)


@pytest.mark.parametrize("cls", TREES)
def test_clone_keeps_parameters_and_forgets_the_fit(cls):
    model = cls(alpha_selector=0.1, max_depth=2, random_state=3).fit(*load(cls))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(load(cls)[0])


@pytest.mark.parametrize("cls", TREES)
def test_pickle_keeps_tree_and_predictions(cls):
    X, y = load(cls)
    model = cls(random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert_same_tree(model, copy)
    assert_array_equal(model.predict(X), copy.predict(X))
    assert_array_equal(model.ranking_, copy.ranking_)
    assert_same_tree(copy.fit(X, y), model)


@pytest.mark.parametrize("cls", TREES)
def test_pipeline_cross_validation_and_grid_search(cls):
    X, y = load(cls)
    pipeline = make_pipeline(StandardScaler(), cls(random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > (0.85 if cls is TREES[0] else 0.2)
    grid = {
        "selector": ["rdc", ["rdc", "mc" if cls is TREES[0] else "pc"]],
        "max_depth": [1, None],
        "splitter_test": ["max", "threshold", None],
    }
    search = GridSearchCV(cls(random_state=0), grid, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("cls", TREES)
def test_set_output_of_the_steps_before_reaches_the_tree(cls):
    X, y = load(cls, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), cls(random_state=0)).set_output(transform="pandas")
    pipeline.fit(X, y)
    assert_array_equal(pipeline[-1].feature_names_in_, X.columns)
    assert isinstance(pipeline.predict(X), np.ndarray)


TABLES = {
    "pandas": lambda X: X,
    "pandas with Arrow columns": lambda X: X.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas,
    "Arrow": pa.Table.from_pandas,
    "lists": lambda X: X.to_numpy().tolist(),
    "integers and floats": lambda X: X.assign(**{X.columns[0]: X[X.columns[0]].astype(object)}),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("cls", TREES)
def test_tables_give_the_tree_of_the_array(cls, table):
    X, y = load(cls, as_frame=True)
    expected = cls(random_state=0).fit(X.to_numpy(), y.to_numpy())
    given = TABLES[table](X)
    model = cls(random_state=0).fit(given, y)
    assert_same_tree(model, expected)
    assert_array_equal(model.predict(given), expected.predict(X.to_numpy()))
    if table != "lists":
        assert_array_equal(model.feature_names_in_, X.columns)


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array, list, np.asarray])
def test_labels_of_any_kind(make):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = ConditionalInferenceTreeClassifier(random_state=0).fit(X, make(labels))
    assert_array_equal(model.classes_, np.unique(labels))
    assert np.mean(model.predict(X) == labels) > 0.9


@pytest.mark.parametrize("labels", [np.array([True, False]), np.array([-1, 7]), ["no", "yes"]])
def test_two_labels_of_any_type(labels):
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 3 * codes[:, None]
    y = np.asarray(labels)[codes]
    model = ConditionalInferenceTreeClassifier(random_state=0).fit(X, y)
    assert model.predict(X).dtype == y.dtype
    assert_array_equal(model.classes_, np.unique(y))


def test_metadata_routing_brings_the_weights():
    X, y = load_iris(return_X_y=True)
    weight = np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        tree = ConditionalInferenceTreeClassifier(random_state=0)
        steps = [
            StandardScaler().set_fit_request(sample_weight=False),
            tree.set_fit_request(sample_weight=True),
        ]
        pipeline = make_pipeline(*steps).fit(X, y, sample_weight=weight)
    assert pipeline[-1].tree_.n_samples[0] == (weight > 0).sum()
    alone = ConditionalInferenceTreeClassifier(random_state=0)
    alone.fit(StandardScaler().fit_transform(X), y, weight)
    assert_array_equal(pipeline[-1].tree_.value, alone.tree_.value)


def test_other_readers_of_importances_work():
    X, y = load_iris(return_X_y=True)
    model = ConditionalInferenceTreeClassifier(random_state=0).fit(X, y)
    other = permutation_importance(model, X, y, n_repeats=2, random_state=0).importances_mean
    assert set(np.argsort(other)[-2:]) == {2, 3}
    assert model.ranking_[0] in {2, 3}
