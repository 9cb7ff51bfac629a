"""Weights of rows: statistics, impurities and p-values against naive ones, and what they change."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.utils.class_weight import compute_sample_weight

import oracle
import oracle_weights
import parts
from bands import assert_count
from engine import column, fortran, grow, permutation_test, target, weights
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    ForestRanker,
    _core,
    independence_test,
    load,
    save,
)
from inforest.redundancy import rerank

CASES = [("mc", 2), ("mc", 3), ("quad", 2), ("quad", 4), ("rdc", 2), ("rdc", 3)]
CASES += [("pc", 0), ("quad", 0), ("rdc", 0)]
SPLITTERS = [
    *(("gini", 2), ("gini", 4), ("entropy", 2), ("entropy", 3), ("chi2", 2), ("chi2", 4)),
    *(("mse", 0), ("mae", 0)),
]
#: Rows weigh; classes, too, or not.
WEIGHED = [(*one, False) for one in SPLITTERS] + [(*one, True) for one in SPLITTERS if one[1]]
TREES = [ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor]
FORESTS = [ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor]
#: Tails are those of so many rows, whatever they weigh; the statistic itself is that of more rows.
WITHOUT_TESTS = {
    "n_resamples_selector": None,
    "splitter_test": None,
    "feature_scanning": "statistic",
}


def row_weights(rng, n, kind="real"):
    weight = rng.exponential(size=n)
    if kind == "heavy":
        weight[rng.integers(n)] *= 100
    return weight / weight.max()


def node(n, n_classes, seed, ties=False):
    rng = np.random.default_rng([n, n_classes, seed])
    x = column(rng, n, "tied" if ties else "continuous")
    return x, target(rng, n, n_classes, signal=x), row_weights(rng, n)


def data(cls):
    load_data = load_breast_cancer if "Classifier" in cls.__name__ else load_diabetes
    X, y = load_data(return_X_y=True)
    return X[:200, :8], y[:200]


def assert_same_trees(one, other, names=None, **tolerance):
    for name in names or ("feature", "threshold", "n_samples", "value", "impurity"):
        assert_allclose(getattr(one, name), getattr(other, name), err_msg=name, **tolerance)


# --- Against naive versions -----------------------------------------------------------------------


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("kind", ["real", "heavy"])
@pytest.mark.parametrize(("selector", "n_classes"), CASES)
def test_statistics(selector, n_classes, kind, ties):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, y, _ = node(40, n_classes, seed, ties)
        weight = row_weights(rng, 40, kind)
        found = _core.statistics(fortran(x[:, None]), y, n_classes, [selector], seed, weight)
        projections = weights([selector], seed)
        expected = oracle_weights.statistic(x, y, n_classes, selector, weight, projections)
        assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("selector", "n_classes"), CASES)
def test_p_values_of_stage_a(selector, n_classes):
    n_draws = 20_000
    for seed in range(3):
        x, y, weight = node(6, n_classes, seed)
        exact = oracle_weights.exact_p_value(
            x, y, n_classes, selector, weight, weights([selector], seed)
        )
        rules = dict(n_resamples=n_draws, seed=seed, weights=weight)
        test = permutation_test(x, y, n_classes, [selector], **rules)
        assert_count(test["n_exceedances"], n_draws, exact)


@pytest.mark.parametrize(("splitter", "n_classes", "classes_weigh"), WEIGHED)
def test_impurities(splitter, n_classes, classes_weigh):
    class_weight = np.array([0.3, 1.0, 0.6, 0.8])[:n_classes] if classes_weigh else None
    for seed in range(5):
        x, y, weight = node(30, n_classes, seed, ties=True)
        total = weight if class_weight is None else weight * class_weight[y.astype(int)]
        how = n_classes, splitter
        assert_allclose(
            parts.core.impurity(y, *how, weight, class_weight),
            oracle_weights.impurity(y, *how, total),
        )
        places = oracle.midpoints(x)
        found = parts.core.split_impurities(x, y, *how, places, weight, class_weight)
        expected = [oracle_weights.split_impurity(x, y, *how, t, total) for t in places]
        assert_allclose(found, expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shortcuts", [True, False])
@pytest.mark.parametrize(("splitter", "n_classes", "classes_weigh"), WEIGHED)
def test_p_values_of_stage_b(splitter, n_classes, classes_weigh, shortcuts):
    """One threshold, and the best of all: both are tests of the decrease of impurity."""
    class_weight = np.array([0.2, 1.0, 0.5, 0.7])[:n_classes] if classes_weigh else None
    n_draws = 4000
    for two_valued in (True, False):
        x, y, weight = node(6, n_classes, seed=8)
        x = (x > np.median(x)).astype(float) if two_valued else x
        exact = oracle_weights.exact_split_p_value(
            x, y, n_classes, splitter, oracle.midpoints(x), weight, class_weight
        )
        for test in ("threshold", "max") if two_valued else ("max",):
            grown = grow(
                *(x[:, None], y, n_classes), splitter=splitter, weights=weight,
                class_weight=class_weight, n_resamples_selector=None, splitter_test=test,
                threshold_method="exact", max_thresholds=None, n_resamples_splitter=n_draws,
                early_stopping_splitter=None, max_depth=1, shortcuts=shortcuts,
            )  # fmt: skip
            n_exceedances = round(grown["p_value_threshold"][0] * (n_draws + 1)) - 1
            assert grown["n_draws_threshold"][0] == n_draws
            assert_count(n_exceedances, n_draws, exact)


@pytest.mark.parametrize(("selector", "n_classes"), [case for case in CASES if case[0] != "rdc"])
def test_independence_tests_are_the_same_tests(selector, n_classes):
    """Enumerated, screened in single precision and stopped early."""
    x, y, weight = node(7, n_classes, seed=3)
    task = "classification" if n_classes else "regression"
    how = dict(selector=selector, task=task, sample_weight=weight, random_state=0)
    exact = independence_test(x[:, None], y, method="exact", **how)
    expected = oracle_weights.exact_p_value(x, y, n_classes, selector, weight)
    assert_allclose(exact.p_value, expected)
    assert_allclose(exact.statistic, oracle_weights.statistic(x, y, n_classes, selector, weight))
    n_draws = 20_000
    drawn = independence_test(x[:, None], y, n_resamples=n_draws, **how)
    assert_count(round(drawn.p_value[0] * (n_draws + 1)) - 1, n_draws, expected)
    stopped = independence_test(
        x[:, None], y, n_resamples=n_draws, early_stopping="curtailed", alpha=0.9999, **how
    )
    assert 0 < stopped.n_draws[0] <= n_draws


# --- What is the same without weights -------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 3.7])
@pytest.mark.parametrize("cls", [*TREES, *FORESTS])
def test_equal_weights_are_none(cls, value):
    X, y = data(cls)
    model = cls(random_state=0, **({"n_estimators": 5} if cls in FORESTS else {}))
    plain, weighted = clone(model).fit(X, y), clone(model).fit(X, y, np.full(len(y), value))
    for name, array in vars(plain._trees).items():
        assert_array_equal(getattr(weighted._trees, name), array, err_msg=name)
    assert_array_equal(weighted.root_statistic_, plain.root_statistic_)
    test = independence_test(X, y, random_state=0, n_resamples=99)
    same = independence_test(X, y, random_state=0, n_resamples=99, sample_weight=np.full(200, 3))
    assert_array_equal(test.p_value, same.p_value)
    assert_array_equal(test.statistic, same.statistic)


@pytest.mark.parametrize("cls", [*TREES, *FORESTS])
def test_only_ratios_matter(cls):
    X, y = data(cls)
    weight = np.random.default_rng(0).exponential(size=len(y))
    model = cls(random_state=0, **({"n_estimators": 5} if cls in FORESTS else {}))
    one, two, three = (clone(model).fit(X, y, weight * by)._trees for by in (1, 2.0**20, 3))
    for name, array in vars(one).items():
        assert_array_equal(getattr(two, name), array, err_msg=name)
    assert_same_trees(three, one, rtol=1e-9)


@pytest.mark.parametrize("cls", TREES)
def test_rows_of_weight_0_are_not_there(cls):
    X, y = data(cls)
    rng = np.random.default_rng(1)
    for weight in (rng.integers(0, 2, len(y)), rng.exponential(size=len(y)) * (y != y[0])):
        there = weight > 0
        if len(np.unique(y[there])) < 2:
            continue
        model = cls(random_state=0)
        one = clone(model).fit(X, y, weight)
        other = clone(model).fit(X[there], y[there], weight[there])
        assert_same_trees(one.tree_, other.tree_, rtol=1e-12)
        assert_allclose(one.root_statistic_, other.root_statistic_, rtol=1e-12)
        spoilt = np.where(there, y, rng.permutation(y))
        assert_same_trees(clone(model).fit(X, spoilt, weight).tree_, one.tree_)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("cls", FORESTS)
def test_samples_do_not_look_at_weights(cls, replace):
    X, y = data(cls)
    weight = np.random.default_rng(0).exponential(size=len(y))
    model = cls(3, random_state=0, replace=replace)
    plain, weighted = clone(model).fit(X, y), clone(model).fit(X, y, weight)
    for one, other in zip(plain.estimators_samples_, weighted.estimators_samples_, strict=True):
        assert_array_equal(one, other)
        counts = np.bincount(one, minlength=len(y))
    last = weighted.trees_.tree(2)
    share = last.weight[0] / (weight / 2.0 ** np.frexp(weight.max())[1] * counts).sum()
    assert_allclose(share, 1)
    assert last.n_samples[0] == counts.sum()


# --- Where nothing is tested, a row of weight w is w rows -----------------------------------------

AS_ROWS = [("mc", "gini", 2), ("mc", "entropy", 4), ("quad", "gini", 2), ("quad", "gini", 4)]
AS_ROWS += [("pc", "mse", 0), ("pc", "mae", 0), ("quad", "mse", 0)]


@pytest.mark.parametrize(("selector", "splitter", "n_classes"), AS_ROWS)
def test_without_tests_weights_are_repeated_rows(selector, splitter, n_classes):
    cls = TREES[0] if n_classes else TREES[1]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 6))
        y = target(rng, 60, n_classes, signal=X[:, 0])
        weight = rng.integers(0, 5, size=60)
        model = cls(selector=selector, splitter=splitter, max_depth=2, **WITHOUT_TESTS)
        one = clone(model).fit(X, y, weight)
        rows = np.repeat(np.arange(60), weight)
        other = clone(model).fit(X[rows], y[rows])
        names = ("feature", "threshold", "left", "right", "value", "impurity")
        assert_same_trees(one.tree_, other.tree_, names, rtol=1e-9, atol=1e-12)
        size = 2.0 ** np.frexp(weight.max())[1]
        assert_allclose(one.tree_.weight * size, other.tree_.n_samples)
        for kind in ("split", "weighted"):
            assert_allclose(one.importances(kind), other.importances(kind), rtol=1e-9, atol=1e-12)
        # In nodes of a few rows features tie, and which one wins depends on all of X.
        deep, same = (clone(model).set_params(max_depth=None) for _ in range(2))
        deep.fit(X, y, weight)
        same.fit(X[rows], y[rows])
        assert_allclose(deep.predict(X[rows]), same.predict(X[rows]), rtol=1e-9)


# --- Honest leaves, rankings, power ---------------------------------------------------------------


@pytest.mark.parametrize("cls", TREES)
def test_honest_values_are_weighted(cls):
    X, y = data(cls)
    weight = np.random.default_rng(0).exponential(size=len(y))
    model = cls(honesty=True, random_state=0).fit(X, y, weight)
    assert not model.tree_.is_leaf[0]
    # The values are those of the rows that have not grown the tree; nearly all of the weight is on
    # rows with a large y.
    heavy = np.where(y > np.median(y), 1e6, 1)
    root = cls(honesty=True, max_depth=1, random_state=0).fit(X, y, heavy).tree_.value[0]
    expected = np.average(y if cls is TREES[1] else y == 1, weights=heavy)
    assert_allclose(root[-1], expected, rtol=0.1)


def test_weights_say_which_rows_matter():
    """Half of the rows have a signal in one feature, half in the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    first = np.arange(400) < 200
    y = np.where(first, X[:, 0], X[:, 1]) + 0.3 * rng.normal(size=400)
    for heavy, best in [(first, 0), (~first, 1)]:
        weight = np.where(heavy, 1.0, 0.01)
        result = independence_test(X, y, sample_weight=weight, n_resamples=999, random_state=0)
        assert result.p_value[best] == 0.001
        assert result.statistic[best] > 3 * result.statistic[1 - best]
        for selector in ("pc", "quad", "rdc"):
            model = TREES[1](selector=selector, random_state=0).fit(X, y, weight)
            assert model.tree_.feature[0] == best
            assert model.ranking_[0] == best


def test_redundancy_is_weighted():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    same = np.arange(200) < 100
    X = np.column_stack([a, np.where(same, a, b), rng.normal(size=200)])
    y = X @ [1, 0.9, 0.4] + 0.1 * rng.normal(size=200)
    ranker = ForestRanker(FORESTS[1](20, random_state=0), redundancy=1.0)
    found = {}
    for share in (1e-6, 1.0):
        weight = np.where(same, 1.0, share)
        ranker.fit(X, y, weight)
        found[share] = ranker.scores_[1] / ranker.feature_importances_[1]
    assert_array_equal(rerank([0.5, 0.3, 0.2], X), [0, 1, 2])
    assert found[1e-6] < 0.01 < found[1.0]


@pytest.mark.parametrize("selector", ["dc", "mi", ["rdc", "dc"], ["mc", "mi"]])
def test_statistics_without_a_weighted_form_refuse_weights(selector):
    is_number = "dc" in selector
    cls = TREES[is_number]
    X, y = data(cls)
    weight = np.arange(1, len(y) + 1)
    name = "dc" if is_number else "mi"
    with pytest.raises(ValueError, match=f"selector '{name}' does not take sample_weight"):
        cls(selector=selector).fit(X, y, weight)
    with pytest.raises(ValueError, match=f"selector '{name}' does not take sample_weight"):
        independence_test(X, y, selector=selector, sample_weight=weight)
    cls(selector=selector, n_resamples_selector="minimum").fit(X[:50], y[:50], np.full(50, 2.0))


# --- class_weight ---------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {0: 1, 1: 0.2}])
def test_class_weights_are_weights_of_rows_where_nothing_is_tested(class_weight):
    X, y = data(TREES[0])
    model = TREES[0](random_state=0, max_depth=2, **WITHOUT_TESTS)
    one = clone(model).set_params(class_weight=class_weight).fit(X, y)
    other = clone(model).fit(X, y, compute_sample_weight(class_weight, y))
    assert_same_trees(one.tree_, other.tree_, rtol=1e-9, atol=1e-12)
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, size=len(y))
    both = clone(one).fit(X, y, weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = clone(one).fit(X[rows], y[rows])
    names = ("feature", "threshold", "value", "impurity")
    assert_same_trees(both.tree_, repeated.tree_, names, rtol=1e-9, atol=1e-12)


def test_balanced_classes_weigh_the_same():
    X, y = data(TREES[0])
    model = TREES[0](class_weight="balanced", random_state=0).fit(X, y)
    assert_allclose(model.tree_.value[0], 0.5)
    equal = TREES[0](class_weight={0: 2, 1: 2}, random_state=0).fit(X, y).tree_
    for name, array in vars(TREES[0](random_state=0).fit(X, y).tree_).items():
        assert_array_equal(getattr(equal, name), array, err_msg=name)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: 0.0}, "positive"),
        ({0: -1}, "positive"),
        ({7: 2.0}, "not in class_weight"),
        ("equal", "class_weight"),
    ],
)
def test_bad_class_weights(class_weight, message):
    with pytest.raises(ValueError, match=message):
        TREES[0](class_weight=class_weight).fit(*data(TREES[0]))


def test_class_weights_in_a_forest_and_a_file(tmp_path):
    X, y = data(FORESTS[0])
    weight = np.random.default_rng(0).exponential(size=len(y))
    forest = FORESTS[0](5, class_weight={0: 1.0, 1: 0.3}, random_state=0)
    forest.fit(X, y, weight)
    save(forest, tmp_path / "forest")
    copy = load(tmp_path / "forest")
    assert copy.class_weight == forest.class_weight
    assert_array_equal(copy.predict_proba(X), forest.predict_proba(X))
    assert_array_equal(copy.trees_.weight, forest.trees_.weight)
    one, other = (f.permutation_importance(X, y, random_state=0) for f in (forest, copy))
    assert_array_equal(one.importances_per_tree, other.importances_per_tree)
    plain = clone(forest).set_params(class_weight=None).fit(X, y, weight)
    assert not np.array_equal(plain.predict_proba(X), forest.predict_proba(X))


# --- Files of versions that repeated rows ---------------------------------------------------------


#: What these files' forests said when they were fitted, with the weights 0, 1, 2, 0, 1, 2, ...
OLD = {
    "classifier": (load_iris, [0.0375, 0.0, 0.38698841698841696, 0.1955019305019305]),
    "regressor": (
        load_diabetes,
        [18.08000568614125, 63.29320615344504, 1691.8454045253056, -62.15446183252525]
        + [49.778760340594545, 178.98175671017998, 130.6359543867643, 770.2240111744505]
        + [1672.1083680972158, 116.53678333709586],
    ),
}


@pytest.mark.parametrize("name", OLD)
def test_forests_that_repeated_rows_are_still_read(name):
    """They know their samples of repeated rows, their data and their errors."""
    load_data, importances = OLD[name]
    X, y = load_data(return_X_y=True)
    folder = Path(__file__).parents[1] / "data" / "repeated-rows"
    forest = load(folder / f"forest-{name}.inforest")
    for rows in forest.estimators_samples_:
        assert np.bincount(rows, minlength=len(y)).max() == 2
    found = forest.permutation_importance(X, y, random_state=0).importances_mean
    assert_allclose(found, importances, rtol=1e-9)
    assert_array_equal(forest.trees_.weight, forest.trees_.n_samples)
