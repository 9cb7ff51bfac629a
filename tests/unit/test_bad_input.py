"""Input that is wrong gets a clear error; input that is only extreme gets a tree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor

BOTH = pytest.mark.parametrize("cls", [Classifier, Regressor])


def data(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (np.arange(n) % 2).astype(float)


DATES = np.arange(30).astype("datetime64[D]").astype("datetime64[us]")


def assert_untouched(model):
    assert set(vars(model)) == set(model.get_params())


def with_value(value):
    X, _ = data()
    X[3, 1] = value
    return X


BAD_X = {
    "infinity": (with_value(np.inf), "infinity"),
    "no rows": (np.empty((0, 3)), r"0 sample\(s\)"),
    "no features": (np.empty((30, 0)), r"0 feature\(s\)"),
    "one dimension": (np.arange(30.0), "2D array"),
    "strings": ([["red", 1.0]] * 30, "X must hold numbers only.*'red'"),
    "complex": (data()[0] * 1j, "Complex"),
}


@BOTH
@pytest.mark.parametrize("case", BAD_X)
def test_bad_x(cls, case):
    X, message = BAD_X[case]
    model = cls()
    with pytest.raises(ValueError, match=message):
        model.fit(X, data(len(X))[1])
    assert_untouched(model)


@BOTH
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(29), "inconsistent numbers of samples"),
        (np.full(30, np.nan), "NaN"),
        (np.full(30, np.inf), "infinity"),
        (None, "requires y"),
    ],
)
def test_bad_y(cls, y, message):
    model = cls()
    with pytest.raises(ValueError, match=message):
        model.fit(data()[0], y)
    assert_untouched(model)


def test_classes_have_one_column():
    model = Classifier()
    with pytest.raises(ValueError, match="should be a 1d array"):
        model.fit(data()[0], np.zeros((30, 2)))
    assert_untouched(model)


def test_one_class():
    model = Classifier()
    with pytest.raises(ValueError, match=r"at least two classes; got one class only: 'a'"):
        model.fit(data()[0], ["a"] * 30)
    assert_untouched(model)


def test_numbers_as_classes():
    with pytest.raises(ValueError, match="continuous"):
        Classifier().fit(data()[0], np.linspace(0, 1, 30))


@pytest.mark.parametrize("y", [["a"] * 30, np.array(["a"] * 30, dtype=object), DATES], ids=str)
def test_labels_in_regression(y):
    message = "y must be numeric for regression; for labels use ConditionalInferenceTreeClassifier"
    with pytest.raises(ValueError, match=message):
        Regressor().fit(data()[0], y)


@BOTH
@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_y(cls, missing):
    labels = ["a", "b"] if cls is Classifier else [1.0, 2.0]
    y = np.array([missing, *labels] * 10, dtype=object)
    with pytest.raises(ValueError, match=r"Input y contains (NaN|None).*leave out the rows"):
        cls().fit(data()[0], y)


@BOTH
@pytest.mark.parametrize("words", [False, True])
def test_columns_of_one_name(cls, words):
    pandas = pytest.importorskip("pandas")
    X, y = data()
    frame = pandas.DataFrame(X[:, :3], columns=["same", "same", "other"])
    if words:
        frame["other"] = np.where(y > y.mean(), "high", "low")
    with pytest.raises(ValueError, match=r"a name of its own.*'same' \(2 times\)"):
        cls().fit(frame, y)


def frame(library, column):
    """A data frame with a column "odd"."""
    module = pytest.importorskip(library)
    X, _ = data()
    return module.DataFrame({"a": X[:, 0], "odd": column, "b": X[:, 1]})


@BOTH
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_column_without_numbers_is_named(cls, library):
    message = "X: column 'odd' holds words.*'red'"
    X, y = frame(library, ["red"] * 30), data()[1]
    with pytest.raises(ValueError, match=message):
        cls(categorical_features=None).fit(X, y)
    model = cls().fit(frame(library, y), y)
    with pytest.raises(ValueError, match=message):
        model.predict(X)


@BOTH
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.full(30, -1), "[Nn]egative"),
        (np.zeros(30), "zero"),
        (np.ones(29), "sample_weight.shape"),
        (np.full(30, np.nan), "NaN"),
        (np.full(30, np.inf), "infinity"),
    ],
)
def test_bad_weights(cls, weight, message):
    model = cls()
    with pytest.raises(ValueError, match=message):
        model.fit(*data(), sample_weight=weight)
    assert_untouched(model)


def test_weights_that_leave_one_class():
    X, y = data()
    with pytest.raises(ValueError, match=r"one class only.*sample_weight 0"):
        Classifier().fit(X, y, sample_weight=y)


BAD_PARAMETERS = [
    ({"selector": "pearson"}, "selector.*'(mc|pc)'.*'rdc'.*'pearson'"),
    ({"selector": ["rdc", "pearson"]}, "selector.*'(mc|pc)'.*'rdc'.*'pearson'"),
    ({"selector": []}, "selector"),
    ({"selector": ["rdc", "rdc"]}, "selector.*list of some.*'rdc' is there twice"),
    ({"splitter": "best"}, "splitter.*'best'"),
    ({"alpha_selector": 0}, "alpha_selector"),
    ({"alpha_splitter": 1.1}, "alpha_splitter"),
    ({"adjust_alpha_selector": "yes"}, "adjust_alpha_selector"),
    ({"n_resamples_selector": "many"}, "n_resamples_selector.*'auto'"),
    ({"n_resamples_splitter": 0}, "n_resamples_splitter"),
    ({"early_stopping_selector": "simple"}, "early_stopping_selector.*'curtailed'"),
    ({"early_stopping_confidence_selector": 0.5}, "early_stopping_confidence_selector"),
    ({"max_features": 0}, "max_features"),
    ({"max_features": 1.5}, "max_features"),
    ({"max_features": (0.5,)}, r"\(share, cap\)"),
    ({"max_features": (0.0, 5)}, r"\(share, cap\)"),
    ({"max_features": (1.5, 5)}, r"\(share, cap\)"),
    ({"max_features": (0.5, 0)}, r"\(share, cap\)"),
    ({"max_features": (0.5, 2.5)}, r"\(share, cap\)"),
    ({"max_features": ("sqrt", 5)}, r"\(share, cap\)"),
    ({"threshold_method": "quantile"}, "threshold_method.*'histogram'"),
    ({"max_thresholds": "all"}, "max_thresholds"),
    ({"splitter_test": "min"}, "splitter_test"),
    ({"max_depth": 0}, "max_depth"),
    ({"min_samples_split": 1}, "min_samples_split"),
    ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ({"min_impurity_decrease": -1.0}, "min_impurity_decrease"),
    ({"honesty_fraction": 1.0}, "honesty_fraction"),
    ({"random_state": -1}, "random_state"),
    # two that contradict each other
    ({"n_resamples_selector": 19}, "n_resamples_selector=19 and alpha_selector=0.05"),
    (
        {"n_resamples_splitter": 99, "alpha_splitter": 0.01, "splitter_test": "max"},
        "n_resamples_splitter=99 and alpha_splitter=0.01",
    ),
    (
        {"honesty": True, "honesty_fraction": 0.99},
        "honesty=True with honesty_fraction=0.99 contradicts n_samples=30",
    ),
]


@BOTH
@pytest.mark.parametrize(("params", "message"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(cls, params, message):
    model = cls(**params)  # never checked before fit
    with pytest.raises(ValueError, match=message):
        model.fit(*data())
    assert_untouched(model)


def test_selectors_of_the_other_task():
    with pytest.raises(ValueError, match=r"got 'pc'; 'pc' is for regression"):
        Classifier(selector="pc").fit(*data())
    with pytest.raises(ValueError, match=r"'mi' is for classification"):
        Regressor(selector=["pc", "mi"]).fit(*data())


@BOTH
@pytest.mark.parametrize(
    "params",
    [
        {"n_resamples_selector": 20, "n_resamples_splitter": 20},
        {"n_resamples_splitter": 2, "splitter_test": None},
        {"n_resamples_selector": None, "n_resamples_splitter": None, "selector": ["rdc"]},
        {"threshold_method": "exact", "max_thresholds": 3},
        {"min_samples_split": 2, "min_samples_leaf": 10},
        {"min_samples_split": 0.5, "min_samples_leaf": 0.2, "max_features": 0.5},
        {"max_features": 100},
        {"max_features": (1, np.int64(1))},
        {"alpha_selector": 1.0, "alpha_splitter": 1.0},
        {"alpha_selector": 1, "adjust_alpha_selector": False, "adjust_alpha_splitter": False},
        {"max_thresholds": None, "threshold_method": "random"},
        {"honesty": True},
        {"max_depth": np.int32(2), "alpha_selector": np.float32(0.05), "honesty": np.bool_(True)},
        {"n_resamples_selector": np.int64(50), "max_features": np.float64(0.5)},
        {"verbose": 1},
    ],
    ids=str,
)
def test_odd_but_fine_parameters(cls, params):
    X, y = data()
    assert len(cls(random_state=0, **params).fit(X, y).predict(X)) == len(X)


@BOTH
def test_honesty_needs_four_rows(cls):
    X, y = data(3)
    with pytest.raises(ValueError, match=r"honesty=True .* contradicts n_samples=3"):
        cls(honesty=True).fit(X, y)
    cls(honesty=True).fit(*data(4))


@BOTH
def test_bad_x_at_predict(cls):
    X, y = data()
    model = cls().fit(X, y)
    for method in ("predict", "apply", "decision_path"):
        with pytest.raises(ValueError, match=r"X has 2 features, but .* expecting 3 features"):
            getattr(model, method)(X[:, :2])
        with pytest.raises(ValueError, match="infinity"):
            getattr(model, method)(with_value(np.inf))
    with pytest.raises(ValueError, match=r"importance_type.*'split'.*'gain'"):
        model.importances("gain")


@BOTH
def test_unfitted(cls):
    for use in (
        lambda m: m.predict([[1.0]]),
        lambda m: m.apply([[1.0]]),
        lambda m: m.get_depth(),
        lambda m: m.feature_importances_,
        lambda m: m.ranking_,
    ):
        with pytest.raises(NotFittedError):
            use(cls())


@BOTH
def test_failed_refit_keeps_the_first_fit(cls):
    X, y = data()
    model = cls(random_state=0).fit(X, y)
    before = vars(model).copy()
    with pytest.raises(ValueError, match="infinity"):
        model.fit(with_value(np.inf), y)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[:, :2], y[1:])
    assert vars(model) == before


@BOTH
@pytest.mark.parametrize("size", [1e308, 1e200, 1e-200, 1e-308, 1e-315])
def test_extreme_x(cls, size):
    X, y = data(60)
    X[:, 0] = np.where(y > 0, 1, -1) * np.linspace(0.5, 1, 60)
    with np.errstate(under="ignore"):
        X = X / np.abs(X).max() * size
    model = cls(random_state=0).fit(X, y)
    assert model.ranking_[0] == 0
    assert model.get_n_leaves() >= 2
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.root_statistic_).all()
    assert_array_equal(model.predict(X) > 0.5, y > 0.5)


@pytest.mark.parametrize("splitter", ["mse", "mae"])
@pytest.mark.parametrize("size", [1.7e308, 1e200, 1e-200, 1e-308])
def test_extreme_y_is_scaled_exactly(size, splitter):
    X, y = data(60)
    X[:, 0] = y + np.linspace(0, 0.5, 60)
    exponent = int(np.log2(size))
    model = Regressor(random_state=0, splitter=splitter)
    expected = model.fit(X, y - 0.5).predict(X)
    y = np.ldexp(y - 0.5, exponent)
    model.fit(X, y)
    assert_array_equal(model.predict(X), np.ldexp(expected, exponent))
    assert np.isfinite(model.feature_importances_).all()
    # The bound is in the unit of the impurity: y squared for mse.
    decrease_exponent = exponent * (2 if splitter == "mse" else 1)
    bounded = model.set_params(min_impurity_decrease=1e300).fit(X, y)
    assert (bounded.get_n_leaves() > 1) == (decrease_exponent > np.log2(1e300))


@BOTH
@pytest.mark.parametrize(("n", "p"), [(2, 1), (2, 5), (3, 1), (30, 1)])
def test_small_data(cls, n, p):
    X, y = data(n, p)
    model = cls(random_state=0).fit(X, y)
    assert len(model.predict(X)) == n
    assert_array_equal(np.sort(model.ranking_), np.arange(p))


def test_one_row_is_enough_for_a_mean():
    assert Regressor().fit([[1.0]], [5.0]).predict([[7.0]]) == 5.0


@BOTH
def test_one_distinct_value(cls):
    X, y = np.full((30, 2), 1e308), data()[1]
    model = cls(random_state=0).fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.tree_.node(0).stop_reason == "no feature varies"
    assert_array_equal(model.root_statistic_, 0)
    assert_array_equal(model.feature_importances_, 0)
    assert_array_equal(model.ranking_, [0, 1])


def test_constant_y():
    model = Regressor().fit(data()[0], np.full(30, 3.25))
    assert model.tree_.node(0).stop_reason == "y is constant"
    assert_allclose(model.predict(data()[0]), 3.25, rtol=1e-14)


@pytest.mark.parametrize(
    "name",
    ["n_resamples_selector", "max_features", "max_thresholds", "max_depth", "min_samples_leaf"],
)
def test_counts_beyond_the_core_s_integers_are_refused(name):
    X, y = data()
    with pytest.raises(ValueError, match=name):
        Regressor(**{name: 2**70}).fit(X, y)
