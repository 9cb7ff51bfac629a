"""Tables with words, gaps and weights, responses of every kind: sense, or words; no crash."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import random as random_sparse

import inforest
from inforest import independence_test, load, rank_features, save
from rounds import pick, rounds
from survival_data import censored

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
NAMES = [
    "ConditionalInference" + name
    for name in [
        "TreeClassifier", "TreeRegressor", "TreeOrdinal", "SurvivalTree",
        "ForestClassifier", "ForestRegressor", "ForestOrdinal", "SurvivalForest",
    ]
]  # fmt: skip
CHOICES = {
    "missing": ["incorporate", "ignore", "majority", "error"],
    "selector": ["pc", "quad", "mc", "mi", "dc", "rdc", ["quad", "mc"], ["pc", "quad"]],
    "splitter": ["gini", "entropy", "chi2", "mse", "mae"],
    "splitter_test": [None, "threshold", "max"],
    "n_resamples_selector": ["minimum", "auto", "stable", "asymptotic", None, 40],
    "adjust_alpha_selector": ["bonferroni", "sidak", "maxt", False],
    "early_stopping_selector": ["curtailed", "adaptive", None],
    "threshold_method": ["exact", "random", "percentile", "histogram"],
    "threshold_at": ["midpoint", "value"],
    "alpha_selector": [0.05, 0.5, 1.0],
    "honesty": [True, False],
    "split_tries": [1, 2],
    "max_depth": [None, 1, 3],
    "min_samples_leaf": [1, 5, (0.1, 2)],
    "max_features": [None, "sqrt", 1],
    "class_weight": [None, "balanced"],
    "oob_score": [True, False],
    "replace": [True, False],
    "keep_leaves": [True, False, "auto"],
    "categorical_features": ["auto", ["word"], [0], "from_dtype", ["nothing"]],
}


def random_frame(rng, n):
    """Return columns of numbers, words, categories, flags and dates, any of them with gaps."""

    def gaps(values):
        share = pick(rng, [0.0, 0.0, 0.2, 0.8, 1.0])
        return pd.Series(values).mask(rng.random(n) < share)

    words = np.array(["a", "b", "ü", "", "=1", "\x1b[2J"] + [f"w{i}" for i in range(80)], object)
    columns = {
        "number": lambda: gaps(rng.normal(size=n)),
        "count": lambda: pd.Series(rng.integers(3, size=n)),
        "word": lambda: gaps(rng.choice(words[: pick(rng, [1, 2, 5, 80])], n)),
        "level": lambda: gaps(rng.choice(words[:4], n)).astype("category"),
        "flag": lambda: pd.Series(rng.random(n) < 0.5),
        "date": lambda: gaps(pd.to_datetime(rng.integers(99, size=n), unit="D")),
        "large": lambda: gaps(rng.normal(size=n) * 1e300),
    }  # fmt: skip
    names = rng.permutation(list(columns))[: rng.integers(1, len(columns) + 1)]
    return pd.DataFrame({name: columns[name]() for name in names})


def random_response(rng, name, n):
    if "Survival" in name:
        return censored(rng.random(n) < 0.6, rng.integers(1, 20, size=n) / 2)
    if "Ordinal" in name:
        return rng.integers(4, size=n)
    if "Classifier" in name:
        return rng.choice(["x", "y", "z"][: pick(rng, [2, 3])], n)
    return rng.normal(size=(n, 2)) if rng.random() < 0.3 else rng.normal(size=n)


def attempt(seed, call):
    """Return what a call gives; None if it was refused with words."""
    try:
        return call()
    except (ValueError, TypeError, NotImplementedError) as error:
        assert str(error), seed  # noqa: PT017
        return None


def same(one, other):
    """Whether two predictions are the same, NaN where NaN is."""
    return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")


def test_any_table_and_response(tmp_path):
    """What is fitted predicts, comes back from its file, and answers all that it is asked."""
    n_fitted, n_asked = 0, 0
    for seed, rng in rounds():
        name = pick(rng, NAMES)
        cls, n = getattr(inforest, name), int(pick(rng, [4, 12, 40, 90]))
        X, y = random_frame(rng, n), random_response(rng, name, n)
        known = [p for p in CHOICES if p in cls._parameter_constraints]
        chosen = rng.choice(known, size=rng.integers(0, 4), replace=False)
        size = {"n_estimators": 3} if "Forest" in name else {}
        model = cls(**size, **{p: pick(rng, CHOICES[p]) for p in chosen}, random_state=seed)
        weight = pick(rng, [None, None, rng.integers(3, size=n).astype(float)])
        given = {"blocks": rng.integers(3, size=n)} if rng.random() < 0.2 else {}
        if attempt(seed, lambda: model.fit(X, y, sample_weight=weight, **given)) is None:  # noqa: B023
            continue
        n_fitted += 1
        found = model.predict(X)
        assert len(found) == n, seed
        assert np.isfinite(model.feature_importances_).all(), seed
        other = random_frame(rng, 7).reindex(columns=X.columns)  # new words, empty columns
        attempt(seed, lambda: model.predict(other))  # noqa: B023
        save(model, tmp_path / "file")
        assert same(load(tmp_path / "file").predict(X), found), seed
        n_asked += sum(attempt(seed, ask) is not None for ask in questions(model, X, y))
    assert n_fitted
    assert n_asked > n_fitted


def questions(model, X, y):
    """Return calls of what a fitted model of this class can be asked besides."""
    importance = dict(n_repeats=1, random_state=0)
    calls = {
        "apply": lambda: model.apply(X),
        "decision_path": lambda: model.decision_path(X),
        "importances": lambda: model.importances("effect"),
        "permutation_importance": lambda: model.permutation_importance(X, y, **importance),
        "rules": lambda: (model.rules().to_sql(missing=True), model.rules().to_python()),
        "export_text": lambda: model.export_text(),
        "weights": lambda: model.weights(X),
        "predict_quantiles": lambda: model.predict_quantiles(X),
        "predict_interval": lambda: model.predict_interval(X),
        "predict_survival_function": lambda: model.predict_survival_function(X, return_array=True),
        "predict_cumulative": lambda: model.predict_cumulative(X),
    }
    return [call for name, call in calls.items() if hasattr(model, name)]


def test_tables_are_ranked_and_tested():
    n_done = 0
    for seed, rng in rounds(0.3):
        name, n = pick(rng, NAMES[:4]), int(pick(rng, [12, 60]))
        X, y = random_frame(rng, n), random_response(rng, name, n)
        y = y.ravel() if y.dtype.names is None and y.size == n else y
        ranking = attempt(seed, lambda: rank_features(X, y, n_estimators=3, random_state=0))  # noqa: B023
        if ranking is not None:
            n_done += 1
            assert sorted(ranking.order) == list(range(X.shape[1])), seed
        missing = pick(rng, CHOICES["missing"])
        method = pick(rng, ["permutation", "asymptotic"])
        result = attempt(
            seed,
            lambda: independence_test(X, y, missing=missing, method=method, random_state=0),  # noqa: B023
        )
        if result is not None:
            n_done += 1
            p_value = np.asarray(result.p_value)
            assert np.all((p_value >= 0) & (p_value <= 1)), seed
    assert n_done


def test_sparse_tables():
    """The p-values are those of the dense table, whatever the format and however empty it is."""
    n_done = 0
    for seed, rng in rounds(0.3):
        n, p = int(pick(rng, [5, 30])), int(pick(rng, [1, 7, 40]))
        layout = pick(rng, ["csr", "csc", "coo", "lil", "dok"])
        X = random_sparse(n, p, density=pick(rng, [0.0, 0.1, 0.9]), format=layout, rng=rng)
        y = pick(rng, [rng.normal(size=n), rng.integers(2, size=n)])
        options = {"n_resamples": 49, "random_state": 0, "selector": pick(rng, ["quad", "rdc"])}
        one, other = (
            attempt(seed, lambda X=X: independence_test(X, y, **options))  # noqa: B023
            for X in (X, X.toarray())
        )
        assert (one is None) == (other is None), seed
        if one is not None:
            n_done += 1
            np.testing.assert_array_equal(one.p_value, other.p_value, err_msg=str(seed))
    assert n_done
