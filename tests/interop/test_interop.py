"""Other tools say of our trees what we say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.tree import export_text as sklearn_text

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    PermutationFilter,
    TableWarning,
)
from inforest.interop import (
    to_numbers,
    to_onnx,
    to_shap,
    to_sklearn,
    to_treelite,
    trusted_types,
)
from inforest.interop.plain_trees import levels_left

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


def run_onnx(model, X, name="X"):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {name: X})


def test_onnx_predicts_the_same(fitted):
    pytest.importorskip("onnx")
    model, X, expected = fitted
    *labels, found = run_onnx(to_onnx(model), X)
    assert found.dtype == np.float64
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-13 * size)
    if labels:
        # As the probabilities have it: equal ones may be told apart by their last digits.
        clear = np.diff(np.sort(expected, axis=1)[:, -2:], axis=1).ravel() > 1e-9
        np.testing.assert_array_equal(labels[0][clear], model.predict(X)[clear])


def test_onnx_of_words_stumps_and_several_numbers():
    pytest.importorskip("onnx")
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    forest = ConditionalInferenceForestClassifier(9, random_state=0).fit(X, words)
    label, probabilities = run_onnx(to_onnx(forest), X)
    np.testing.assert_array_equal(label, forest.predict(X))
    np.testing.assert_allclose(probabilities, forest.predict_proba(X), atol=1e-14)
    stumps = ConditionalInferenceForestRegressor(3, max_depth=None, min_samples_split=1000)
    np.testing.assert_allclose(
        run_onnx(to_onnx(stumps.fit(X, y)), X)[0].ravel(), stumps.predict(X), atol=1e-14
    )
    several = ConditionalInferenceForestRegressor(5, random_state=0).fit(X[:, :2], X[:, 2:])
    found = run_onnx(to_onnx(several), X[:, :2])[0]
    np.testing.assert_allclose(found, several.predict(X[:, :2]), atol=1e-13)


WORD_CASES = {
    "numbers": (ConditionalInferenceForestRegressor, {"n_estimators": 20}),
    "classes": (ConditionalInferenceForestClassifier, {"n_estimators": 20}),
    "tree of numbers": (ConditionalInferenceTreeRegressor, {}),
    "tree of classes": (ConditionalInferenceTreeClassifier, {}),
}


def table_of_words(n_rows, kinds, streets, rng):
    """A table with gaps in all columns, and what y is made of."""
    kind, street = rng.choice(kinds, n_rows), rng.choice(streets, n_rows)
    size = rng.normal(size=n_rows)
    gap = rng.random((n_rows, 3)) < [0.15, 0.1, 0.1]
    is_good = np.isin([name[-1] for name in street], ["1", "4", "7"])
    effect = 3.0 * (kind == "oak") + 2.0 * is_good + size
    X = pd.DataFrame({"kind": kind, "size": size, "street": street}).astype(
        {"kind": object, "street": object}
    )
    # Some nodes part rows without a kind from all others: a set of levels with none in it.
    return X.mask(gap), effect - 6.0 * gap[:, 0] + 2.0 * gap[:, 2]


@pytest.fixture(params=WORD_CASES)
def fitted_on_words(request):
    kind, options = WORD_CASES[request.param]
    rng = np.random.default_rng(0)
    kinds, streets = ["elm", "fir", "oak"], [f"street {i}" for i in range(300)]
    X, y = table_of_words(1500, kinds, streets, rng)
    y = np.digitize(y, [-2, 2]) if "classes" in request.param else y
    model = kind(random_state=0, **options).fit(X, y)
    # Levels that were not there in fit are sorted among those that were.
    new, _ = table_of_words(500, [*kinds, "ash"], [*streets, "street 10b", "street 2b"], rng)
    expected = model.predict_proba(new) if hasattr(model, "classes_") else model.predict(new)
    return model, new, expected


def test_words_have_all_kinds_of_splits(fitted_on_words):
    """So that the tests below see what they are about."""
    model, new, _ = fitted_on_words
    trees = model._trees
    split = trees.level_set >= 0
    assert set(trees.feature[split]) == {0, 2}
    assert set(trees.missing_left[split]) == {0, 1}
    numbers = to_numbers(model, new)
    assert np.isnan(numbers[new["kind"] == "ash", 0]).all()
    assert np.nanmax(numbers[:, 2]) > 250
    if not hasattr(model, "classes_"):
        assert min(map(len, levels_left(trees).values())) == 0


def test_treelite_predicts_the_same_of_words(fitted_on_words):
    treelite = pytest.importorskip("treelite")
    model, new, expected = fitted_on_words
    found = treelite.gtil.predict(to_treelite(model), to_numbers(model, new))
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-12)


def test_onnx_predicts_the_same_of_words(fitted_on_words):
    pytest.importorskip("onnx")
    model, new, expected = fitted_on_words
    found = run_onnx(to_onnx(model), to_numbers(model, new))[-1]
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-12)


def test_numbers_are_those_of_predict():
    X = pd.DataFrame(
        {
            "word": ["b", "a", None, "b"] * 10,
            "grade": pd.Categorical(["low", "high"] * 20, ["low", "mid", "high"], ordered=True),
            "day": pd.to_datetime(["1970-01-03", "1970-01-02"] * 20),
            "x": np.arange(40, dtype=np.float32),
        }
    )
    with pytest.warns(TableWarning, match="dates became numbers"):
        tree = ConditionalInferenceTreeRegressor(random_state=0).fit(X, np.arange(40))
    new = X[:4].assign(grade=pd.Categorical(["mid", "low", "high", "low"]))
    expected = [[1, 0.5, 2, 0], [0, 0, 1, 1], [np.nan, 1, 2, 2], [1, 0, 1, 3]]
    found = to_numbers(tree, new)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(to_numbers(tree, new[["word", "grade", "day", "x"]]), found)
    with pytest.raises(TypeError, match="tree or a forest of inforest"):
        to_numbers("forest", new)


def test_single_precision_goes_down_other_branches():
    """Why the input is doubles: one row is enough to show it."""
    pytest.importorskip("onnx")
    X, y = load_diabetes(return_X_y=True)
    forest = ConditionalInferenceForestRegressor(20, random_state=0).fit(X, y)
    rounded = run_onnx(to_onnx(forest), X.astype(np.float32).astype(np.float64))[0].ravel()
    assert np.abs(rounded - forest.predict(X)).max() > 0.1


def test_pipelines_become_onnx():
    pytest.importorskip("skl2onnx")
    X, y = load_diabetes(return_X_y=True)
    X[::9, 3] = np.nan
    forest = ConditionalInferenceForestRegressor(10, random_state=0)
    for steps in ([StandardScaler()], [MinMaxScaler(), StandardScaler()]):
        pipeline = make_pipeline(*steps, forest).fit(X, y)
        found = run_onnx(to_onnx(pipeline), X)[0].ravel()
        # The scaler divides in its own way: a row that is at a threshold may go elsewhere.
        close = np.isclose(found, pipeline.predict(X), atol=1e-9)
        assert close.mean() > 0.98
    X, y = load_iris(return_X_y=True)
    classes = ConditionalInferenceForestClassifier(5, random_state=0)
    pipeline = make_pipeline(FunctionTransformer(), classes).fit(X, y)
    label, probabilities = run_onnx(to_onnx(pipeline), X)
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(X), atol=1e-13)
    np.testing.assert_array_equal(label, pipeline.predict(X))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_selectors_in_pipelines_become_onnx(place):
    pytest.importorskip("skl2onnx")
    X, y = load_diabetes(return_X_y=True)
    steps = [MinMaxScaler(), StandardScaler(with_std=False)]
    steps.insert(place, FeatureSelector(k=4, random_state=0))
    steps.append(PermutationFilter(k=3, n_resamples=19, random_state=0))
    forest = ConditionalInferenceForestRegressor(10, random_state=0)
    pipeline = make_pipeline(*steps, forest).fit(X, y)
    model = to_onnx(pipeline)
    assert [len(model.graph.input), model.graph.input[0].name] == [1, "X"]
    close = np.isclose(run_onnx(model, X)[0].ravel(), pipeline.predict(X), atol=1e-9)
    assert close.mean() > 0.98


def test_skops_needs_our_types_only(fitted, tmp_path):
    skops = pytest.importorskip("skops.io")
    model, X, expected = fitted
    skops.dump(model, tmp_path / "model.skops")
    asked = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert asked
    assert set(asked) <= set(trusted_types())
    copy = skops.load(tmp_path / "model.skops", trusted=trusted_types())
    found = copy.predict_proba(X) if hasattr(model, "classes_") else copy.predict(X)
    np.testing.assert_array_equal(found, expected)


def test_skops_of_selectors_and_curves(tmp_path):
    skops = pytest.importorskip("skops.io")
    X, y = load_diabetes(return_X_y=True)
    frame = pd.DataFrame(X[:100]).rename(columns=str).assign(sex=pd.Categorical(X[:100, 1]))
    times = np.array([(True, t) for t in y[:100]], dtype=[("event", bool), ("time", float)])
    for model, target in (
        (FeatureSelector(k=3, random_state=0), y[:100]),
        (PermutationFilter(n_resamples=99, adjust=None, random_state=0), y[:100]),
        (ConditionalInferenceSurvivalForest(3, random_state=0), times),
    ):
        skops.dump(model.fit(frame, target), tmp_path / "model.skops")
        asked = skops.get_untrusted_types(file=tmp_path / "model.skops")
        assert set(asked) <= set(trusted_types()), asked
        skops.load(tmp_path / "model.skops", trusted=trusted_types())


def test_scikit_learn_draws_our_trees(fitted):
    model, _, _ = fitted
    proxy = to_sklearn(model)
    members = getattr(proxy, "estimators_", [proxy])
    trees = model._trees
    for i, member in enumerate(members):
        begin, end = trees.offset[i : i + 2]
        assert member.tree_.node_count == end - begin
        inner = member.tree_.children_left >= 0
        expected = trees.threshold[begin:end][inner]
        np.testing.assert_array_equal(member.tree_.threshold[inner], expected)
        assert sklearn_text(member).count("|---") >= end - begin
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(proxy.classes_, model.classes_)
    assert model._repr_html_().startswith("<style>")


def test_scikit_learn_inspects_our_forests():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = ConditionalInferenceForestRegressor(30, random_state=0).fit(X, y)
    curve = partial_dependence(forest, X, ["bmi"], grid_resolution=5)
    assert curve["average"].shape == (1, 5)
    assert curve["average"][0, -1] > curve["average"][0, 0] + 20  # y rises with bmi
    found = permutation_importance(forest, X, y, n_repeats=2, random_state=0)
    best = X.columns[np.argsort(-found.importances_mean)[:2]]
    assert set(best) == {"bmi", "s5"}


def forest_of_letters():
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abc"), 200)
    X = pd.DataFrame({"letter": pd.Categorical(letters)})
    y = (letters == "b") + 0.1 * rng.normal(size=200)
    return ConditionalInferenceForestRegressor(3, random_state=0), X, y


@pytest.mark.parametrize("convert", [to_shap, to_sklearn])
def test_categories_are_refused_where_there_are_none(convert):
    forest, X, y = forest_of_letters()
    with pytest.raises(ValueError, match="split on categories"):
        convert(forest.fit(X, y))


def test_categories_behind_other_steps_are_refused():
    pytest.importorskip("onnx")
    forest, X, y = forest_of_letters()
    pipeline = make_pipeline(FeatureSelector(k=1, random_state=0), forest).fit(X, y)
    with pytest.raises(ValueError, match="split on categories, and a pipeline in ONNX"):
        to_onnx(pipeline)


@pytest.mark.parametrize("convert", [to_shap, to_treelite, to_onnx, to_sklearn])
def test_what_has_no_form_there_is_refused(convert):
    if convert in (to_treelite, to_onnx):
        pytest.importorskip("treelite" if convert is to_treelite else "onnx")
    rng = np.random.default_rng(0)
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
