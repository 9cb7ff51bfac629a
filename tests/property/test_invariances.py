"""What may not change a tree, and what may not break one: more than 1,000 generated inputs."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

import parts
from engine import COLUMNS, NO_TESTS, column, fortran, grow, leaves, node, permutation_test, target
from engine import tree as one_tree
from inforest import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    _core,
)

SELECTORS = {
    n_classes: _core.selector_names("labels" if n_classes else "scores") for n_classes in (0, 2, 3)
}
SPLITTERS = {
    n_classes: _core.splitter_names("labels" if n_classes else "scores") for n_classes in (0, 2, 3)
}


def examples(n):
    return settings(max_examples=n, derandomize=True, deadline=None, database=None)


seeds = st.integers(0, 2**32 - 1)
tasks = st.sampled_from([0, 2, 3])
small = st.integers(8, 40)
middling = st.integers(20, 40)


@st.composite
def problems(draw, n_rows=small, kinds=tuple(COLUMNS)):
    """(X, y, n_classes) of moderate numbers: columns of several kinds, some related to y."""
    n_classes = draw(tasks)
    rng = np.random.default_rng(draw(seeds))
    n = draw(n_rows)
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5))
    X = np.column_stack([column(rng, n, kind) for kind in chosen])
    strength = draw(st.sampled_from([0.0, 1.0, 4.0]))
    return X, target(rng, n, n_classes, strength * (X[:, 0] - X[:, 0].mean())), n_classes


@st.composite
def growing_options(draw, n_classes):
    """Any set of options the interface allows."""
    pick = st.sampled_from
    names = SELECTORS[n_classes]
    resamples = pick(["minimum", "auto", "maximum", 20, 47])
    stopping = pick([None, "curtailed", "adaptive"])
    return dict(
        selector=draw(st.lists(pick(names), min_size=1, max_size=len(names), unique=True)),
        splitter=draw(pick(SPLITTERS[n_classes])),
        n_resamples_selector=draw(st.none() | resamples),
        n_resamples_splitter=draw(st.none() | resamples),
        early_stopping_selector=draw(stopping),
        early_stopping_splitter=draw(stopping),
        adjust_alpha_selector=draw(pick([True, False, "maxt"])),
        adjust_alpha_splitter=draw(st.booleans()),
        feature_muting=draw(st.booleans()),
        feature_scanning=draw(st.booleans()),
        max_features=draw(pick([None, 1, 0.5, (0.5, 2), "sqrt", "log2"])),
        threshold_method=draw(pick(["exact", "random", "percentile", "histogram"])),
        threshold_scanning=draw(st.booleans()),
        max_thresholds=draw(pick([None, 1, 3, 0.5, "sqrt", "log2"])),
        splitter_test=draw(pick([None, "threshold", "max"])),
        max_depth=draw(pick([None, 1, 3])),
        min_samples_leaf=draw(st.integers(1, 3)),
    )


def by_content(X, arrays_of_trees):
    """Nodes with the feature's content in place of its index; counts of those that have any."""
    feature, counts = arrays_of_trees["feature"], arrays_of_trees["candidate_counts"]
    content = [None if f < 0 else X[:, f].tobytes() for f in feature]
    offered = sorted((X[:, f].tobytes(), counts[f]) for f in np.flatnonzero(counts))
    return {**arrays_of_trees, "feature": content, "candidate_counts": offered}


def assert_same(left, right, but=()):
    assert left.keys() == right.keys()
    for name in left.keys() - set(but):
        if name in ("feature", "candidate_counts"):
            assert list(left[name]) == list(right[name])
        else:
            assert_array_equal(left[name], right[name], err_msg=name)


# --- Columns --------------------------------------------------------------------------------------


@examples(120)
@given(data=st.data(), problem=problems(), seed=seeds)
def test_order_of_columns_does_not_matter(data, problem, seed):
    X, y, n_classes = problem
    order = data.draw(st.permutations(range(X.shape[1])))
    options = data.draw(growing_options(n_classes))
    grown = grow(X, y, n_classes, seeds=[seed, seed + 1], **options)
    shuffled = grow(X[:, order], y, n_classes, seeds=[seed, seed + 1], **options)
    assert_same(by_content(X, grown), by_content(X[:, order], shuffled))


@examples(100)
@given(data=st.data(), problem=problems(), seed=seeds)
def test_constant_columns_do_not_matter(data, problem, seed):
    X, y, n_classes = problem
    options = data.draw(growing_options(n_classes))
    wider = X
    for constant in data.draw(st.lists(st.sampled_from([0.0, 7.0, 1e300]), min_size=1, max_size=3)):
        place = data.draw(st.integers(0, wider.shape[1]))
        wider = np.insert(wider, place, constant, axis=1)
    grown = grow(X, y, n_classes, seeds=[seed], **options)
    assert_same(
        by_content(X, grown), by_content(wider, grow(wider, y, n_classes, seeds=[seed], **options))
    )


@examples(60)
@given(data=st.data(), problem=problems(middling, kinds=("continuous",)), seed=seeds)
def test_duplicated_columns_do_not_matter_without_tests(data, problem, seed):
    """With tests they cost Bonferroni; without, the best statistic is the same content twice.

    Nodes of ten continuous rows have no two different features with equal statistics.
    """
    X, y, n_classes = problem
    selector = ["mc"] if n_classes else [data.draw(st.sampled_from(["pc", "dc"]))]
    copies = data.draw(st.lists(st.integers(0, X.shape[1] - 1), min_size=1, max_size=3))
    wider = np.hstack([X[:, copies], X])
    how = dict(selector=selector, min_samples_split=10, seeds=[seed], **NO_TESTS)
    grown, doubled = grow(X, y, n_classes, **how), grow(wider, y, n_classes, **how)
    # Copies are candidates, too, and counted as such.
    counts = ["n_tests_feature", "candidate_counts"]
    assert_same(by_content(X, grown), by_content(wider, doubled), but=counts)


# --- Rows -----------------------------------------------------------------------------------------


@examples(100)
@given(data=st.data(), problem=problems(), seed=seeds)
def test_order_of_rows_does_not_change_a_statistic(data, problem, seed):
    X, y, n_classes = problem
    order = np.random.default_rng(seed).permutation(len(y))
    for name in SELECTORS[n_classes]:
        before = _core.statistics(fortran(X), y, n_classes, [name], seed)
        after = _core.statistics(fortran(X[order]), y[order], n_classes, [name], seed)
        assert_allclose(after, before, rtol=1e-9, atol=1e-9)
    rules = dict(method="histogram", max_thresholds=5, min_samples_leaf=2, seed=0)
    cuts = parts.core.thresholds(X[:, 0].copy(), **rules)
    assert_array_equal(parts.core.thresholds(X[order, 0].copy(), **rules), cuts)
    for name in SPLITTERS[n_classes]:
        before = parts.core.split_impurities(X[:, 0].copy(), y, n_classes, name, cuts)
        after = parts.core.split_impurities(X[order, 0].copy(), y[order], n_classes, name, cuts)
        assert_allclose(after, before, rtol=1e-9, atol=1e-12)


@examples(60)
@given(problem=problems(middling, kinds=("continuous",)), seed=seeds)
def test_order_of_rows_does_not_change_a_tree_without_tests(problem, seed):
    """Nodes of ten continuous rows: no ties that the order of summation could decide."""
    X, y, n_classes = problem
    order = np.random.default_rng(seed).permutation(len(y))
    keys = _core.feature_keys(fortran(X))
    how = dict(min_samples_split=10, keys=keys, **NO_TESTS)
    before, after = grow(X, y, n_classes, **how), grow(X[order], y[order], n_classes, **how)
    for name in ("feature", "threshold", "left", "right", "n_samples", "stop_reason"):
        assert_array_equal(before[name], after[name], err_msg=name)
    assert_allclose(after["value"], before["value"], rtol=1e-9, atol=1e-9)


# --- Scales ---------------------------------------------------------------------------------------

INCREASING = {
    "cube": lambda x: x**3,
    "exp": lambda x: np.exp(x / 10),
    "affine": lambda x: 3 * x - 1e3,
    "huge": lambda x: np.sign(x) * 2.0 ** (20 * np.abs(x)),
}


@examples(60)
@given(
    data=st.data(),
    n_classes=tasks,
    x=arrays(np.float64, 20, elements=st.integers(-50, 50).map(float)),
    name=st.sampled_from(sorted(INCREASING)),
    seed=seeds,
)
def test_rdc_sees_only_the_order_of_x(data, n_classes, x, name, seed):
    y = target(np.random.default_rng(seed), len(x), n_classes, signal=x / 50)
    mapped = INCREASING[name](x)
    before, after = (
        _core.statistics(fortran(v[:, None]), y, n_classes, ["rdc"], seed) for v in (x, mapped)
    )
    assert_array_equal(before, after)
    early_stopping = data.draw(st.sampled_from([None, "curtailed", "adaptive"]))
    tests = [
        permutation_test(
            v, y, n_classes, ["rdc"], n_resamples=60, early_stopping=early_stopping, seed=seed
        )
        for v in (x, mapped)
    ]
    assert tests[0] == tests[1]


@examples(100)
@given(data=st.data(), problem=problems(), seed=seeds, exponent=st.integers(-200, 200))
def test_scaling_x_by_a_power_of_two_scales_the_thresholds(data, problem, seed, exponent):
    """Exact in binary, so nothing may move. The keys stay: they name columns, not numbers."""
    X, y, n_classes = problem
    options = data.draw(growing_options(n_classes)) | {"keys": _core.feature_keys(fortran(X))}
    scale = 2.0**exponent
    before = grow(X, y, n_classes, seeds=[seed], **options)
    after = grow(X * scale, y, n_classes, seeds=[seed], **options)
    assert_same(before, after, but=["threshold"])
    assert_array_equal(before["threshold"] * scale, after["threshold"])


@examples(80)
@given(data=st.data(), seed=seeds, n=st.integers(8, 40), exponent=st.integers(-200, 200))
def test_scaling_y_by_a_power_of_two_scales_the_values(data, seed, n, exponent):
    rng = np.random.default_rng(seed)
    x, y = node(rng, n, 0, data.draw(st.sampled_from(sorted(COLUMNS))), strength=2.0)
    X = np.column_stack([x, rng.normal(size=(n, 2))])
    options = data.draw(growing_options(0))
    scale = 2.0**exponent
    before = grow(X, y, seeds=[seed], **options)
    after = grow(X, y * scale, seeds=[seed], **options)
    assert_same(before, after, but=["value", "impurity"])
    assert_array_equal(before["value"] * scale, after["value"])
    power = 2 if options["splitter"] == "mse" else 1
    assert_array_equal(before["impurity"] * scale**power, after["impurity"])


# --- Anything -------------------------------------------------------------------------------------

magnitudes = st.builds(
    lambda sign, mantissa, exponent: sign * mantissa * 10.0**exponent,
    st.sampled_from([-1, 1]),
    st.floats(1, 9.99),
    st.integers(-300, 299),
)
ELEMENTS = {
    "integers": st.integers(-1000, 1000).map(float),
    "tied": st.sampled_from([-1.0, 0.1, 0.2]),
    "magnitudes": magnitudes | st.just(0.0),
    "neighbours": st.sampled_from([1.0, 1.0 + 2**-52, 1.0 - 2**-53, 5e-324, 0.0, -0.0]),
    "largest": st.sampled_from([1.7976931348623157e308, -1.7976931348623157e308, 1e308, 0.0]),
}


@st.composite
def wild_problems(draw, n_classes, most=14):
    n, p = draw(st.integers(2, most)), draw(st.integers(1, 4))
    X = np.empty((n, p))
    for j in range(p):
        X[:, j] = draw(
            arrays(np.float64, n, elements=ELEMENTS[draw(st.sampled_from(sorted(ELEMENTS)))])
        )
    if n_classes:
        y = draw(arrays(np.float64, n, elements=st.integers(0, n_classes - 1).map(float)))
    else:
        kind = draw(st.sampled_from(sorted(ELEMENTS.keys() - {"largest"})))
        y = draw(arrays(np.float64, n, elements=ELEMENTS[kind]))
    return X, y


def assert_sound(X, y, n_classes, grown, options):
    """A tree of finite numbers whose splits separate the rows they say they separate."""
    nodes = one_tree(grown)
    is_leaf = nodes["feature"] == -1
    assert np.isfinite(nodes["value"]).all()
    assert np.isfinite(nodes["threshold"][~is_leaf]).all()
    assert np.isnan(nodes["threshold"][is_leaf]).all()
    assert_array_equal(nodes["stop_reason"] == 0, ~is_leaf)
    for name in ("p_value_feature", "p_value_threshold"):
        made = nodes[name][~np.isnan(nodes[name])]
        assert np.all((made > 0) & (made <= 1)), name
    if n_classes:
        assert_allclose(nodes["value"].sum(axis=1), 1, rtol=1e-12)
    else:
        assert nodes["value"].min() >= y.min() - 1e-9 * abs(y.min())
        assert nodes["value"].max() <= y.max() + 1e-9 * abs(y.max())
    assert nodes["n_samples"][0] == len(y)
    inner = np.flatnonzero(~is_leaf)
    left, right = nodes["left"][inner], nodes["right"][inner]
    assert_array_equal(left, inner + 1)
    sizes = nodes["n_samples"]
    assert_array_equal(sizes[left] + sizes[right], sizes[inner])
    assert np.all(sizes[1:] >= options["min_samples_leaf"])
    reached = np.bincount(leaves(X, grown)[:, 0], minlength=len(is_leaf))
    assert_array_equal(reached, np.where(is_leaf, sizes, 0))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_any_finite_input_grows_a_sound_tree(n_classes):
    @examples(180)
    @given(problem=wild_problems(n_classes), options=growing_options(n_classes), seed=seeds)
    def check(problem, options, seed):
        X, y = problem
        grown = grow(X, y, n_classes, seeds=[seed], **options)
        assert_sound(X, y, n_classes, grown, options)

    check()


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_any_finite_input_has_finite_statistics(n_classes):
    """In [0, 1]; mutual information in nats has no upper end but is never negative."""

    @examples(60)
    @given(problem=wild_problems(n_classes), seed=seeds)
    def check(problem, seed):
        X, y = problem
        if n_classes == 0:  # as the library hands it over
            y = np.ldexp(y, -np.frexp(np.abs(y).max())[1])
        for name in SELECTORS[n_classes]:
            values = _core.statistics(fortran(X), y, n_classes, [name], seed)
            assert np.isfinite(values).all(), name
            assert (values >= 0).all(), name
            assert name == "mi" or (values <= 1 + 1e-9).all(), name

    check()


@pytest.mark.parametrize("n_classes", [0, 2])
def test_honest_trees_of_any_finite_input_predict_finite_values(n_classes):
    @examples(40)
    @given(problem=wild_problems(n_classes), fraction=st.sampled_from([0.2, 0.5, 0.8]), seed=seeds)
    def check(problem, fraction, seed):
        X, y = problem
        how = dict(honesty=True, honesty_fraction=fraction, **NO_TESTS)
        grown = grow(X, y, n_classes, seeds=[seed], **how)
        assert np.isfinite(grown["value"]).all()
        if n_classes:
            assert_allclose(grown["value"].sum(axis=1), 1, rtol=1e-12)

    check()


# --- Estimators -----------------------------------------------------------------------------------


@examples(80)
@given(data=st.data(), problem=wild_problems(3), seed=st.integers(0, 1000))
def test_classifier_predicts_probabilities(data, problem, seed):
    X, y = problem
    y = y.copy()
    y[:2] = 0, 1  # one class alone is an error, tested elsewhere
    selector = data.draw(st.sampled_from(SELECTORS[3]))
    model = ConditionalInferenceTreeClassifier(
        selector=selector,
        alpha_selector=0.9,
        alpha_splitter=0.9,
        splitter_test=data.draw(st.sampled_from([None, "max", "threshold"])),
        min_samples_leaf=data.draw(st.integers(1, 2)),
        random_state=seed,
    ).fit(X, y)
    probabilities = model.predict_proba(X)
    assert np.isfinite(probabilities).all()
    assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    assert np.isin(model.predict(X), y).all()


@examples(80)
@given(data=st.data(), problem=wild_problems(0), seed=st.integers(0, 1000))
def test_regressor_predicts_finite_values(data, problem, seed):
    X, y = problem
    model = ConditionalInferenceTreeRegressor(
        selector=data.draw(st.sampled_from(SELECTORS[0])),
        splitter=data.draw(st.sampled_from(SPLITTERS[0])),
        alpha_selector=0.9,
        alpha_splitter=0.9,
        splitter_test=data.draw(st.sampled_from([None, "max", "threshold"])),
        random_state=seed,
    ).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


@examples(40)
@given(
    X=arrays(
        np.int64, st.tuples(st.integers(6, 30), st.integers(1, 4)), elements=st.integers(-9, 9)
    ),
    seed=st.integers(0, 1000),
)
def test_integers_are_floats(X, seed):
    y = X[:, 0] + np.random.default_rng(seed).integers(3, size=len(X))
    for estimator in (ConditionalInferenceTreeRegressor, ConditionalInferenceTreeClassifier):
        labels = y if estimator is ConditionalInferenceTreeRegressor else (y > np.median(y))
        if np.ptp(labels.astype(int)) == 0:
            continue
        model = estimator(random_state=seed)
        whole, real = (model.fit(V, labels).predict(X) for V in (X, X.astype(np.float64)))
        assert_array_equal(whole, real)


def test_no_warning_from_extreme_numbers():
    """NumPy's overflow warnings on the way in or out would be a sign of naive arithmetic."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1e300, 1e-300, 1.0]
    y = X[:, 0] / 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConditionalInferenceTreeRegressor(random_state=0).fit(X, y)
        assert np.ptp(model.predict(X)) > 0.5
