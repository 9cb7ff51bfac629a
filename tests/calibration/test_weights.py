"""Level on pure noise where rows have weights: they belong to their rows, so nothing is repeated.

A weight that repeats its row rejects at two to six times the level, and fails.
"""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from bands import assert_count, assert_count_at_least, assert_count_at_most, assert_same_share
from engine import column, fortran, grow, permutation_test, target
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    independence_test,
)

pytestmark = pytest.mark.slow

ALPHA, N_ROWS = 0.05, 30
CASES = [("mc", 2), ("mc", 3), ("quad", 2), ("quad", 3), ("rdc", 2), ("rdc", 3)]
CASES += [("pc", 0), ("quad", 0), ("rdc", 0)]


def twos(rng, n):
    return np.full(n, 2.0)


def threes(rng, n):
    return np.full(n, 3.0)


def one_or_five(rng, n):
    return rng.choice([1.0, 5.0], size=n)


def exponential(rng, n):
    return rng.exponential(size=n) + 1e-9


def one_heavy_row(rng, n):
    return np.where(np.arange(n) == rng.integers(n), 100.0, 1.0)


UNEQUAL = [one_or_five, exponential, one_heavy_row]


def scaled(weight):
    """What the library hands to the core."""
    return None if np.ptp(weight) == 0 else weight / 2.0 ** np.frexp(weight.max())[1]


def noise(seed, n_classes, scheme, n_features=1, kind="continuous", n=N_ROWS):
    rng = np.random.default_rng([seed, n_classes])
    X = np.column_stack([column(rng, n, kind) for _ in range(n_features)])
    return X, target(rng, n, n_classes), scheme(rng, n)


@pytest.mark.parametrize("kind", ["continuous", "tied"])
@pytest.mark.parametrize("scheme", UNEQUAL)
@pytest.mark.parametrize(("selector", "n_classes"), CASES)
def test_a_test_keeps_its_level(selector, n_classes, scheme, kind):
    """As the engine runs it: curtailed, with certificates and with draws of its own."""
    n_tests, n_rejected = 2500, 0
    for seed in range(n_tests):
        X, y, weight = noise(seed, n_classes, scheme, kind=kind, n=40)
        test = permutation_test(
            *(X[:, 0], y, n_classes, [selector]), n_resamples=39, early_stopping="curtailed",
            certify=True, shared_draws="first", seed=seed, weights=scaled(weight),
        )  # fmt: skip
        n_rejected += test["rejected"]
    assert_count_at_most(n_rejected, n_tests, ALPHA)


@pytest.mark.parametrize(
    ("selector", "n_classes", "scheme"),
    [
        *(("mc", 3, exponential), ("quad", 2, exponential), ("pc", 0, exponential)),
        *(("pc", 0, one_or_five), ("quad", 0, one_heavy_row), ("rdc", 0, one_or_five)),
    ],
)
def test_a_test_spends_its_level(selector, n_classes, scheme):
    """There are no ties: of 39 draws and the data, each is the largest with the same chance."""
    n_tests, n_rejected = 2500, 0
    for seed in range(n_tests):
        X, y, weight = noise(seed, n_classes, scheme)
        rules = dict(n_resamples=39, seed=seed, weights=scaled(weight))
        n_rejected += permutation_test(X[:, 0], y, n_classes, [selector], **rules)["rejected"]
    assert_count(n_rejected, n_tests, 1 / 40)


@pytest.mark.parametrize("rule", ["curtailed", "fixed", "maxt"])
@pytest.mark.parametrize("scheme", UNEQUAL)
@pytest.mark.parametrize(("selector", "n_classes"), CASES)
def test_roots_of_trees_keep_the_level(selector, n_classes, scheme, rule):
    """Five features; any threshold is taken, so that Stage A alone decides."""
    n_trees, n_split = 600, 0
    options = dict(
        selector=[selector], splitter_test=None, n_resamples_selector="minimum", max_depth=1,
        early_stopping_selector=None if rule == "fixed" else "curtailed",
        adjust_alpha_selector="maxt" if rule == "maxt" else True,
    )  # fmt: skip
    for seed in range(n_trees):
        X, y, weight = noise(seed, n_classes, scheme, n_features=5)
        grown = grow(X, y, n_classes, seeds=[seed], weights=scaled(weight), **options)
        n_split += len(grown["feature"]) == 3
    assert_count_at_most(n_split, n_trees, ALPHA)


@pytest.mark.parametrize("splitter_test", ["max", "threshold"])
@pytest.mark.parametrize("scheme", UNEQUAL)
@pytest.mark.parametrize(
    ("splitter", "n_classes"), [("gini", 2), ("entropy", 3), ("mse", 0), ("mae", 0)]
)
def test_thresholds_keep_the_level(splitter, n_classes, scheme, splitter_test):
    n_trees, n_split = 600, 0
    options = dict(
        splitter=splitter, splitter_test=splitter_test, n_resamples_selector=None, max_depth=1,
        n_resamples_splitter="minimum", early_stopping_splitter="curtailed", max_thresholds=8,
        threshold_method="histogram",
    )  # fmt: skip
    for seed in range(n_trees):
        X, y, weight = noise(seed, n_classes, scheme)
        grown = grow(X, y, n_classes, seeds=[seed], weights=scaled(weight), **options)
        n_split += len(grown["feature"]) == 3
    assert_count_at_most(n_split, n_trees, ALPHA)


@pytest.mark.parametrize("scheme", [twos, threes, *UNEQUAL])
@pytest.mark.parametrize("is_forest", [False, True])
@pytest.mark.parametrize("n_classes", [2, 0])
def test_estimators_keep_the_level(n_classes, is_forest, scheme):
    """With their own statistics, and all that is between `fit` and the core."""
    trees = ConditionalInferenceTreeRegressor, ConditionalInferenceTreeClassifier
    forests = ConditionalInferenceForestRegressor, ConditionalInferenceForestClassifier
    model = (forests if is_forest else trees)[n_classes > 0](alpha_selector=ALPHA, max_depth=1)
    if is_forest:
        model.set_params(n_estimators=1, max_features=None)
    n_fits, n_split = 500, 0
    for seed in range(n_fits):
        X, y, weight = noise(seed, n_classes, scheme, n_features=3, n=50)
        fitted = model.set_params(random_state=seed).fit(X, y, weight)
        n_split += fitted._trees.node_count == 3
    assert_count_at_most(n_split, n_fits, ALPHA)


@pytest.mark.parametrize("scheme", [twos, *UNEQUAL])
@pytest.mark.parametrize("n_classes", [2, 0])
def test_independence_tests_keep_the_level(n_classes, scheme):
    """Each on data of its own: given y and the weights, x alone is not what is permuted."""
    task = "classification" if n_classes else "regression"
    n_tests, p_value = 800, []
    for seed in range(n_tests):
        X, y, weight = noise(seed, n_classes, scheme)
        how = dict(task=task, sample_weight=weight, random_state=seed, n_resamples=39)
        p_value.append(independence_test(X, y, **how).p_value[0])
    for level in (0.05, 0.2, 0.5):
        n_below = np.sum(np.array(p_value) <= level)
        assert_count_at_most(n_below, n_tests, level)
        if n_classes == 0:  # no ties
            assert_count(n_below, n_tests, level)


@pytest.mark.parametrize("strength", [0.0, 1.0])
@pytest.mark.parametrize(("selector", "n_classes"), CASES)
def test_shortcuts_split_as_often_as_the_plain_rule(selector, n_classes, strength):
    n_trees = 1000
    n_split = dict.fromkeys((True, False), 0)
    for shortcuts in n_split:
        for seed in range(n_trees):
            rng = np.random.default_rng([seed, n_classes, shortcuts])
            x = rng.normal(size=60)
            y = target(rng, 60, n_classes)
            grown = grow(
                fortran((x + strength * y / (2 if n_classes else 4))[:, None]), y, n_classes,
                seeds=[seed], weights=scaled(exponential(rng, 60)), selector=[selector],
                n_resamples_selector=299, splitter_test="max", n_resamples_splitter=39,
                max_depth=1, shortcuts=shortcuts,
            )  # fmt: skip
            n_split[shortcuts] += len(grown["feature"]) == 3
    if strength:
        assert_count_at_least(n_split[True], n_trees, 0.1)
    assert_same_share(n_split[True], n_split[False], n_trees)


def imbalanced(seed, n=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), (np.arange(n) < n // 6).astype(float)


@pytest.mark.parametrize("splitter_test", ["max", "threshold", None])
def test_class_weights_keep_the_level(splitter_test):
    """They go with y, whatever is permuted."""
    model = ConditionalInferenceTreeClassifier(
        class_weight="balanced", splitter_test=splitter_test, max_depth=1
    )
    if splitter_test is not None:
        model.set_params(n_resamples_selector=None, max_thresholds=8)
    n_fits, n_split = 500, 0
    for seed in range(n_fits):
        X, y = imbalanced(seed)
        X = X[:, :1] if splitter_test is not None else X
        n_split += model.set_params(random_state=seed).fit(X, y).tree_.node_count == 3
    assert_count_at_most(n_split, n_fits, ALPHA)


def test_weights_made_from_y_do_not():
    """Why `class_weight` is no weight of rows, and what the documentation warns of."""
    n_tests, n_rejected = 500, 0
    for seed in range(n_tests):
        X, y = imbalanced(seed)
        weight = compute_sample_weight("balanced", y)
        result = independence_test(
            X[:, :1], y, sample_weight=weight, n_resamples=99, random_state=seed
        )
        n_rejected += result.p_value[0] <= ALPHA
    assert_count_at_least(n_rejected, n_tests, 2 * ALPHA)
