"""Trees and forests on features with missing values: cuts, routes, everything that is fitted."""

import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import oracle
import oracle_weights
from engine import NO_TESTS, fortran, grow, leaves, target, tree
from forests import assert_same_trees
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    PermutationFilter,
    _core,
    export_text,
    load,
    rank_features,
    save,
)
from inforest.redundancy import rerank

NAN = np.nan
FORESTS = [ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor]
SPLITTERS = [("gini", 2), ("gini", 3), ("entropy", 3), ("mse", 0), ("mae", 0)]


def grown(X, y, n_classes=0, **options):
    X = fortran(X)
    holes = _core.columns_with_holes(X)
    return grow(X, y, n_classes, holes=holes, **options)


def partitions(x, min_samples_leaf=1):
    """All (left, threshold, missing_left) of Stage B, in its order."""
    there = ~np.isnan(x)
    values = np.unique(x[there])
    middles = (values[:-1] + values[1:]) / 2
    found = [(x <= t, t, False) for t in middles]
    found += [(there, np.inf, False)]
    found += [(~(x > t), t, True) for t in middles]
    return [one for one in found if min(one[0].sum(), (~one[0]).sum()) >= max(1, min_samples_leaf)]


def impurity_of(left, y, n_classes, splitter, weight):
    if weight is None:
        sides = [(len(y[s]), oracle.impurity(y[s], n_classes, splitter)) for s in (left, ~left)]
    else:
        sides = [
            (weight[s].sum(), oracle_weights.impurity(y[s], n_classes, splitter, weight[s]))
            for s in (left, ~left)
        ]
    total = sum(size for size, _ in sides)
    return sum(size * impurity for size, impurity in sides) / total


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leaf", [1, 7])
@pytest.mark.parametrize("case", SPLITTERS, ids=str)
def test_the_best_of_all_partitions(case, leaf, weighted):
    splitter, n_classes = case
    seen = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 60
        x = rng.choice([0.1, 0.2, 0.4, 0.7], size=n) if seed % 2 else rng.normal(size=n)
        x[rng.random(n) < 0.3] = NAN
        missing = np.isnan(x)
        sides = [x, 2.0 * missing, np.where(missing, -2.0, x), np.where(missing, 2.0, x)]
        signal = np.nan_to_num(sides[seed % 4])
        y = target(rng, n, n_classes, signal=signal)
        weight = rng.random(n) + 0.5 if weighted else None
        arrays = grown(
            x[:, None], y, n_classes, splitter=splitter, max_depth=1, min_samples_leaf=leaf,
            weights=weight, **NO_TESTS,
        )  # fmt: skip
        root = tree(arrays)
        cuts = partitions(x, leaf)
        values = [impurity_of(left, y, n_classes, splitter, weight) for left, *_ in cuts]
        best = min(values)
        assert root["n_tests_threshold"][0] == len(cuts)
        left = leaves(x[:, None], arrays)[:, 0] == 1
        assert_allclose(impurity_of(left, y, n_classes, splitter, weight), best, atol=1e-12)
        route = root["threshold"][0], bool(root["missing_left"][0])
        at = [one for one, v in zip(cuts, values, strict=True) if math.isclose(v, best)]
        assert route in [(t, missing_left) for _, t, missing_left in at]
        seen.add("apart" if np.isinf(route[0]) else route[1])
    assert seen == {"apart", True, False}


@pytest.mark.parametrize("test", ["threshold", "max"])
@pytest.mark.parametrize("case", SPLITTERS, ids=str)
def test_shortcuts_find_what_the_plain_rule_finds(case, test):
    """Strong and absent signals, where draws do not matter."""
    splitter, n_classes = case
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    x[rng.random(80) < 0.4] = NAN
    strong = 6.0 * np.isnan(x) + rng.normal(size=80)
    for score, splits in [(strong, True), (rng.permutation(strong), False)]:
        y = np.digitize(score, np.linspace(1, 5, n_classes - 1)) if n_classes else score
        found = [
            grown(
                x[:, None], y, n_classes, splitter=splitter, splitter_test=test, max_depth=1,
                n_resamples_selector=None, shortcuts=shortcuts, alpha_splitter=1e-3,
            )
            for shortcuts in (True, False)
        ]  # fmt: skip
        for name in ("feature", "threshold", "missing_left", "n_tests_threshold"):
            assert_array_equal(found[0][name], found[1][name])
        assert (found[0]["feature"][0] == 0) == splits


def table(cls, n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[rng.random((n, 5)) < [0.0, 0.3, 0.1, 0.5, 0.9]] = NAN
    score = np.where(np.isnan(X[:, 1]), 1.5, X[:, 1]) + 0.5 * X[:, 0] + 0.5 * rng.normal(size=n)
    is_classifier = "Classifier" in cls.__name__
    return X, np.digitize(score, [-0.5, 1.0]) if is_classifier else score


@pytest.mark.parametrize("cls", FORESTS)
def test_everything_a_forest_does(cls, tmp_path):
    X, y = table(cls)
    forest = cls(n_estimators=30, random_state=0, oob_score=True).fit(X, y)
    assert forest.oob_score_ > 0.5
    assert forest.ranking_[0] == 1
    assert_array_equal(forest.missing_counts_, np.isnan(X).sum(axis=0))
    assert forest.importances("validated").argmax() == 1
    importance = forest.permutation_importance(X, y, random_state=0)
    assert importance.importances_mean.argmax() == 1
    conditional = forest.permutation_importance(
        X, y, conditional=True, threshold=0.1, random_state=0
    )
    assert conditional.importances_mean.argmax() == 1
    path = forest.decision_path(X)[0] if isinstance(forest.decision_path(X), tuple) else None
    assert path is None or path.shape[0] == len(X)
    more = cls(n_estimators=10, random_state=0, warm_start=True).fit(X, y)
    more.set_params(n_estimators=30).fit(X, y)
    assert_same_trees(more.trees_, forest.trees_)
    together = clone(forest).set_params(n_jobs=3, oob_score=False).fit(X, y)
    assert_same_trees(together.trees_, forest.trees_)
    save(forest, tmp_path / "forest")
    for copy in (load(tmp_path / "forest"), pickle.loads(pickle.dumps(forest))):
        assert_same_trees(copy.trees_, forest.trees_)
        assert_array_equal(copy.predict(X), forest.predict(X))
        assert_array_equal(copy.missing_counts_, forest.missing_counts_)
    unseen = np.full((1, 5), NAN)
    assert np.isfinite(forest.predict(unseen)).all() or forest.predict(unseen)[0] in y


@pytest.mark.parametrize("cls", FORESTS)
@pytest.mark.parametrize(
    "options",
    [
        {"honesty": True},
        {"selector": "rdc", "n_estimators": 5},
        {"adjust_alpha_selector": "maxt"},
        {"splitter_test": "max", "n_resamples_splitter": "minimum"},
        {"splitter_test": "threshold", "n_resamples_splitter": "minimum"},
        {"missing": "ignore"},
        {"max_thresholds": 8, "min_samples_leaf": 9},
        {"early_stopping_selector": None},
    ],
    ids=str,
)
def test_every_way_to_grow(cls, options):
    X, y = table(cls)
    groups = np.arange(len(y)) % 7
    forest = cls(**{"n_estimators": 10, "random_state": 0, **options})
    forest.fit(X, y)
    assert forest.importances("count")[1] > 0.1
    weight = np.linspace(0.2, 2.0, len(y))
    for given in ({"sample_weight": weight}, {"blocks": groups}):
        forest.fit(X, y, **given)
        assert forest.importances("count")[1] > 0.1
    smallest = options.get("min_samples_leaf", 1)
    assert forest.trees_.n_samples.min() >= smallest


@pytest.mark.parametrize("cls", FORESTS)
def test_how_missing_is_coded_changes_nothing(cls):
    X, y = table(cls)
    other = X.copy()
    codes = np.array([0xFFF8000000000000, 0x7FF8000000000123], np.uint64).view(np.float64)
    other[np.isnan(X)] = np.resize(codes, np.isnan(X).sum())
    one, two = (cls(n_estimators=8, random_state=0).fit(Z, y) for Z in (X, other))
    assert_same_trees(one.trees_, two.trees_)
    assert_array_equal(one.root_statistic_, two.root_statistic_)
    assert_array_equal(one.predict(X), one.predict(other))


@pytest.mark.filterwarnings("ignore:column 5. no value is there:inforest.TableWarning")
@pytest.mark.parametrize("cls", FORESTS)
def test_columns_in_another_order(cls):
    X, y = table(cls)
    order = np.array([3, 0, 4, 2, 1])
    one, two = (cls(n_estimators=8, random_state=0).fit(Z, y) for Z in (X, X[:, order]))
    inner = ~one.trees_.is_leaf
    assert_array_equal(one.trees_.feature[inner], order[two.trees_.feature[inner]])
    assert_array_equal(one.trees_.missing_left, two.trees_.missing_left)
    # Columns without any information change nothing.
    wider = np.column_stack([X, np.full(len(X), NAN), np.where(np.arange(len(X)) < 4, 1.0, NAN)])
    assert_same_trees(cls(n_estimators=8, random_state=0).fit(wider, y).trees_, one.trees_)


def test_an_absence_that_matters_is_found():
    """y = 2 * missing + noise: the feature is selected for its absence, and cut there."""
    apart = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 6))
        X[rng.random((200, 6)) < 0.4] = NAN
        y = 2.0 * np.isnan(X[:, 2]) + rng.normal(size=200)
        fitted = ConditionalInferenceTreeRegressor(random_state=0).fit(X, y).tree_
        assert fitted.feature[0] == 2
        apart.append(np.isinf(fitted.threshold[0]))
    assert sum(apart) > 10  # by luck a value or two beyond all others join the missing ones
    ignoring = ConditionalInferenceTreeRegressor(random_state=0, missing="ignore").fit(X, y)
    assert ignoring.tree_.feature[0] != 2
    assert rank_features(X, y, random_state=0).order[0] == 2
    chosen = PermutationFilter(random_state=0).fit(X, y)
    assert chosen.get_support()[2]


def test_missing_values_may_be_refused():
    X, y = table(FORESTS[1])
    for cls in (ConditionalInferenceTreeRegressor, FORESTS[1]):
        estimator = cls(missing="error")
        assert not estimator.__sklearn_tags__().input_tags.allow_nan
        assert cls().__sklearn_tags__().input_tags.allow_nan
        with pytest.raises(ValueError, match="contains NaN"):
            estimator.fit(X, y)
        estimator.fit(X[:, :1], y)
        with pytest.raises(ValueError, match="contains NaN"):
            estimator.predict(X[:, 1:2])
        with pytest.raises(ValueError, match="missing"):
            cls(missing="drop").fit(X, y)
        with pytest.raises(ValueError, match="infinity"):
            cls().fit(np.where(np.isnan(X), np.inf, X), y)


def test_text_says_where_missing_values_go():
    X, y = table(ConditionalInferenceTreeRegressor)
    y = y - 400 * np.isnan(X[:, 3])
    text = export_text(ConditionalInferenceTreeRegressor(random_state=0).fit(X, y))
    assert "feature_3 is there  [" in text
    assert "feature_3 is missing" in text
    assert "or missing" in text
    assert not any("feature_0" in line and "missing" in line for line in text.splitlines())
    complete = ConditionalInferenceTreeRegressor(random_state=0).fit(np.nan_to_num(X), y)
    assert "missing" not in export_text(complete)


def test_redundancy_on_the_rows_that_have_both():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    X = np.column_stack([a, a + 0.1 * rng.normal(size=300), b])
    holed = X.copy()
    holed[rng.random(X.shape) < 0.3] = NAN
    assert rerank([0.5, 0.3, 0.2], holed).tolist() == rerank([0.5, 0.3, 0.2], X).tolist()
    holed[:, 1] = np.where(np.isnan(holed[:, 0]), X[:, 1], NAN)  # no row has both
    assert rerank([0.5, 0.3, 0.2], holed).tolist() == [0, 1, 2]
