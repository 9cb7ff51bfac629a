"""Other tools say of our trees what we say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)
from inforest.interop import to_shap, to_treelite

CASES = {
    "numbers": (ConditionalInferenceForestRegressor, load_diabetes, {"n_estimators": 20}),
    "two classes": (ConditionalInferenceForestClassifier, load_breast_cancer, {"n_estimators": 20}),
    "three classes": (ConditionalInferenceForestClassifier, load_iris, {"n_estimators": 20}),
    "tree of numbers": (ConditionalInferenceTreeRegressor, load_diabetes, {}),
    "tree of classes": (ConditionalInferenceTreeClassifier, load_iris, {}),
}


@pytest.fixture(params=[(name, holes) for name in CASES for holes in (False, True)])
def fitted(request):
    name, holes = request.param
    kind, load, options = CASES[name]
    X, y = load(return_X_y=True)
    if holes:
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = kind(random_state=0, **options).fit(X, y)
    assert (model._trees.feature >= 0).any()
    expected = model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)
    return model, X, expected


def test_shap_values_add_up(fitted):
    shap = pytest.importorskip("shap")
    model, X, expected = fitted
    explainer = shap.TreeExplainer(to_shap(model))
    values = explainer.shap_values(X, check_additivity=False)
    total = values.sum(axis=1) + explainer.expected_value
    size = np.abs(expected).max()
    np.testing.assert_allclose(total, expected, rtol=0, atol=1e-10 * size)


def test_treelite_predicts_the_same(fitted):
    treelite = pytest.importorskip("treelite")
    model, X, expected = fitted
    found = treelite.gtil.predict(to_treelite(model), X)
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("convert", [to_shap, to_treelite])
def test_what_has_no_form_there_is_refused(convert):
    if convert is to_treelite:
        pytest.importorskip("treelite")
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abc"), 200)
    X = pd.DataFrame({"letter": pd.Categorical(letters)})
    y = (letters == "b") + 0.1 * rng.normal(size=200)
    with pytest.raises(ValueError, match="split on categories"):
        convert(ConditionalInferenceForestRegressor(3, random_state=0).fit(X, y))
    times = np.array(
        [(True, t) for t in rng.exponential(size=50)], dtype=[("event", bool), ("time", float)]
    )
    survival = ConditionalInferenceSurvivalForest(3, random_state=0).fit(
        rng.normal(size=(50, 2)), times
    )
    with pytest.raises(ValueError, match="predicts curves"):
        convert(survival)
    with pytest.raises(TypeError, match="tree or a forest of inforest"):
        convert("forest")
