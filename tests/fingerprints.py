"""Hashes of what the library computes, to show that a change has changed nothing.

`python tests/fingerprints.py > tests/property/fingerprints.json` writes them down again, after a
change that is meant to change results; `inforest.engine_revision` is raised with them.
"""

import hashlib
import json
import warnings
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import KFold, StratifiedKFold

import inforest
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    ForestRanker,
    PermutationFilter,
    independence_test,
    rank_features,
)
from inforest.selection.feature_selector import n_varying

TREES = {
    "classes": ConditionalInferenceTreeClassifier,
    "number": ConditionalInferenceTreeRegressor,
}
FORESTS = {
    "classes": ConditionalInferenceForestClassifier,
    "number": ConditionalInferenceForestRegressor,
}
#: The arrays of a tree that are compared; later ones may join them in the trees, not here.
ARRAYS = [
    *("offset", "feature", "threshold", "left", "right", "value", "n_samples", "impurity"),
    *("p_value_feature", "p_value_threshold", "n_draws_feature", "n_draws_threshold"),
    *("n_tests_feature", "n_tests_threshold", "stop_reason", "validated"),
    *("draws_selector", "draws_splitter"),
]


def _two_classes(rng):
    X = rng.normal(size=(180, 8))
    return X, (X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(size=180) > 0.4).astype(int)


def _five_classes(rng):
    X = rng.normal(size=(250, 6)).round(1)
    score = np.clip(X[:, 2] * 1.5 + rng.normal(size=250), -2, 2)
    return X, np.array(list("abcde"))[score.astype(int) + 2]


def _rare(rng):
    X = np.column_stack([rng.normal(size=(300, 4)), rng.random((300, 30)) < 0.03])
    return X, (X[:, 0] + X[:, 7] * 2 + rng.normal(size=300) > 1.0).astype(int)


def _wide(rng):
    X = rng.normal(size=(60, 300))
    return X, (X[:, 3] + X[:, 5] + rng.normal(size=60) > 0).astype(int)


def _tied_numbers(rng):
    X = rng.integers(0, 4, size=(200, 7)).astype(float)
    return X, np.round(X[:, 1] * X[:, 2] + rng.normal(size=200))


def _heavy(rng):
    X = rng.standard_t(1.5, size=(220, 6)) * 10.0 ** np.arange(-150, 150, 50)
    return X, np.sign(X[:, 1]) + rng.normal(size=220)


def _huge(rng):
    X = rng.normal(size=(120, 5))
    return X, (X[:, 0] + 0.3 * rng.normal(size=120)) * 1e180


def _large(rng, n_classes):
    """Nodes large enough for certificates, tilted and short draws."""
    X = np.column_stack([rng.normal(size=(3000, 6)), rng.integers(0, 3, size=(3000, 3))])
    y = X[:, 0] + 0.3 * X[:, 1] ** 2 + 0.2 * X[:, 7] + rng.normal(size=3000)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    return X, y


MADE = {
    "large-two": lambda rng: _large(rng, 2),
    "large-nine": lambda rng: _large(rng, 9),
    "large-number": lambda rng: _large(rng, 0),
    "two-classes": _two_classes,
    "five-classes": _five_classes,
    "rare": _rare,
    "wide": _wide,
    "tied-numbers": _tied_numbers,
    "heavy": _heavy,
    "huge": _huge,
}
LOADED = {
    "iris": load_iris,
    "wine": load_wine,
    "breast-cancer": load_breast_cancer,
    "diabetes": load_diabetes,
    "digits": lambda **options: tuple(a[:500] for a in load_digits(**options)),
}
NUMBERS = {"large-number", "tied-numbers", "heavy", "huge", "diabetes"}
DATASETS = [*MADE, *LOADED]


@cache
def dataset(name):
    if name in LOADED:
        return LOADED[name](return_X_y=True)
    return MADE[name](np.random.default_rng(list(name.encode())))


def task_of(name):
    return "number" if name in NUMBERS else "classes"


def digest(*arrays):
    """Hash arrays with their shapes; not their dtypes' names, which platforms choose."""
    result = hashlib.blake2b(digest_size=8)
    for array in arrays:
        a = np.asarray(array)
        if a.dtype.kind in "OU":
            a = np.array([str(x) for x in a.ravel()], dtype="S")
        result.update(str(a.shape).encode())
        result.update(np.ascontiguousarray(a).tobytes())
    return result.hexdigest()


def of_trees(trees):
    return digest(*(getattr(trees, name) for name in ARRAYS))


SETTINGS = {
    "default": {},
    "paper": None,
    "fixed": dict(
        n_resamples_selector=99,
        n_resamples_splitter=99,
        early_stopping_selector=None,
        early_stopping_splitter=None,
        splitter_test="threshold",
        max_thresholds=10,
    ),
    "curtailed": dict(
        n_resamples_selector="auto",
        n_resamples_splitter="auto",
        early_stopping_selector="curtailed",
        early_stopping_splitter="curtailed",
        splitter_test="threshold",
        threshold_method="exact",
        min_samples_leaf=3,
    ),
    "adaptive": dict(
        n_resamples_selector="maximum",
        n_resamples_splitter="auto",
        early_stopping_selector="adaptive",
        early_stopping_splitter="adaptive",
        splitter_test="threshold",
        threshold_method="percentile",
        max_thresholds=0.5,
        feature_muting=False,
    ),
    "unadjusted": dict(
        adjust_alpha_selector=False,
        adjust_alpha_splitter=False,
        feature_scanning=False,
        threshold_scanning=False,
        threshold_method="random",
        max_thresholds="sqrt",
        splitter_test="threshold",
    ),
    "maxt": dict(adjust_alpha_selector="maxt", splitter_test="max", n_resamples_selector="auto"),
    "maxt-fixed": dict(
        adjust_alpha_selector="maxt", n_resamples_selector=49, early_stopping_selector=None
    ),
    "untested": dict(
        n_resamples_selector=None, n_resamples_splitter=None, max_features="sqrt", max_depth=6
    ),
    "honest": dict(honesty=True, honesty_fraction=0.4, min_impurity_decrease=1e-3),
    "second-splitter": dict(splitter_test="threshold", max_thresholds=20),
    "second-splitter-max": dict(splitter_test="max", max_thresholds=20),
}
SECOND_SPLITTER = {"classes": "entropy", "number": "mae"}
SELECTORS = {
    "classes": ["mc", "mi", "rdc", "quad", ["mc", "rdc"]],
    "number": ["pc", "dc", "rdc", "quad", ["pc", "quad"]],
}


def _tree(name, setting):
    X, y = dataset(name)
    cls = TREES[task_of(name)]
    options = SETTINGS[setting]
    if setting.startswith("second-splitter"):
        options = {**options, "splitter": SECOND_SPLITTER[task_of(name)]}
    tree = cls.paper(random_state=1) if options is None else cls(random_state=1, **options)
    tree.fit(X, y)
    return digest(of_trees(tree.tree_), tree.root_statistic_, tree.ranking_, tree.predict(X))


def _selector(name, selector):
    X, y = dataset(name)
    cls = TREES[task_of(name)]
    tree = cls.paper(selector=selector, max_depth=4, random_state=2).fit(X, y)
    return digest(of_trees(tree.tree_), tree.root_statistic_)


FOREST_SETTINGS = {
    "default": {},
    "paper": None,
    "all-cases": dict(bootstrap=False),
    "replace": dict(replace=True, oob_score=True, importance_type="validated"),
    "plain": dict(replace=True, sampling_method="plain", max_samples=0.5, honesty=True),
    "oversample": dict(replace=True, sampling_method="oversample"),
    "undersample": dict(sampling_method="undersample"),
    "weights": dict(oob_score=True, importance_type="effect"),
}


def _forest(name, setting, n_jobs=1):
    X, y = dataset(name)
    cls = FORESTS[task_of(name)]
    shared = dict(n_estimators=12, random_state=3, n_jobs=n_jobs)
    options = FOREST_SETTINGS[setting]
    if task_of(name) == "number" and options:
        options = {key: value for key, value in options.items() if key != "sampling_method"}
    forest = cls.paper(**shared) if options is None else cls(**shared, **options)
    weight = np.arange(len(y)) % 3 if setting == "weights" else None
    forest.fit(X, y, weight)
    parts = [of_trees(forest.trees_), forest.ranking_, forest.candidate_counts_, forest.apply(X)]
    parts += [forest.predict(X), forest.feature_importances_, forest.tree_importances()]
    if forest.oob_score:
        parts.append(forest.oob_score_)
    if forest._has_out_of_bag:
        for conditional in (False, True):
            result = forest.permutation_importance(
                X, y, conditional=conditional, n_repeats=2, random_state=4
            )
            parts.append(result.importances_per_tree)
    return digest(*parts)


TESTS = {
    "default": dict(),
    "westfall-young": dict(adjust="westfall-young", n_resamples=199),
    "curtailed": dict(early_stopping="curtailed", n_resamples=499),
    "asymptotic": dict(method="asymptotic"),
}


def _test(name, selector, options):
    X, y = dataset(name)
    result = independence_test(
        X[:, :12], y, selector=selector, task=_word(name), random_state=5, **TESTS[options]
    )
    parts = result.statistic, result.p_value, result.adjusted_p_value, result.n_draws
    return digest(*parts)


def _word(name):
    return "regression" if task_of(name) == "number" else "classification"


def _ranking(name, p_values):
    X, y = dataset(name)
    ranking = rank_features(
        X, y, task=_word(name), n_estimators=40, p_values=p_values, random_state=6
    )
    parts = [ranking.order]
    if p_values:
        parts += [ranking.p_values, ranking.adjusted_p_values]
    return digest(*parts)


def _ranker(name):
    X, y = dataset(name)
    forest = FORESTS[task_of(name)](20, random_state=7)
    n_rounds = 3 if task_of(name) == "number" else 1
    ranker = ForestRanker(forest, n_rounds=n_rounds).fit(X, y)
    return digest(
        ranker.ranking_, ranker.feature_importances_, *(of_trees(f.trees_) for f in ranker.forests_)
    )


def _filter(name):
    X, y = dataset(name)
    return digest(PermutationFilter(random_state=8).fit(X, y).get_support())


def _selection(name):
    X, y = dataset(name)
    forest = FORESTS[task_of(name)](10, random_state=9)
    # Folds in the order of the rows, and these numbers of features: neither how the default
    # shuffles nor what it tries is the engine's matter.
    folds = KFold(3) if task_of(name) == "number" else StratifiedKFold(3)
    p = n_varying(X)
    grid = [*(k for k in (1, 2, 5, 10, 25, 50, 100, 250, 500) if k < p), p]
    selector = FeatureSelector(forest, k_grid=grid, cv=folds, random_state=9).fit(X, y)
    return digest(selector.k_, selector.get_support())


def _diagnostics(name):
    X, y = dataset(name)
    forest = FORESTS[task_of(name)](10, random_state=10)
    task = _word(name)
    stable = inforest.stability(X, y, estimator=forest, task=task, n_repeats=4, random_state=10)
    null = inforest.null_check(X, y, estimator=forest, task=task, n_repeats=19, random_state=10)
    return digest(stable.seed.top, stable.subsample.top, null.null_maximum, null.importance)


def cases():
    """Yield the name of each case and the function that computes its hash."""
    for name in DATASETS:
        for setting in SETTINGS:
            yield f"tree {name} {setting}", lambda a=name, b=setting: _tree(a, b)
        for setting in FOREST_SETTINGS:
            yield f"forest {name} {setting}", lambda a=name, b=setting: _forest(a, b)
        for p_values in (None, "holm", "westfall-young"):
            yield f"ranking {name} {p_values}", lambda a=name, b=p_values: _ranking(a, b)
        yield f"ranker {name}", lambda a=name: _ranker(a)
        yield f"filter {name}", lambda a=name: _filter(a)
    for name in ("two-classes", "five-classes", "iris", "tied-numbers", "heavy", "huge"):
        for selector in SELECTORS[task_of(name)]:
            label = selector if isinstance(selector, str) else "+".join(selector)
            yield f"selector {name} {label}", lambda a=name, b=selector: _selector(a, b)
            for options in TESTS:
                linear = isinstance(selector, str) and selector in ("mc", "pc")
                if options == "asymptotic" and not linear:
                    continue
                yield (
                    f"test {name} {label} {options}",
                    lambda a=name, b=selector, c=options: _test(a, b, c),
                )
    for name in ("two-classes", "iris", "tied-numbers"):
        yield f"selection {name}", lambda a=name: _selection(a)
        yield f"diagnostics {name}", lambda a=name: _diagnostics(a)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({name: compute() for name, compute in cases()}, indent=0))
