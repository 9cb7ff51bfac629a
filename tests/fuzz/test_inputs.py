"""Strange data and parameters: a result that makes sense, or a message; never anything else."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import inforest
from inforest import independence_test, rank_features
from rounds import pick, rounds

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ESTIMATORS = [
    inforest.ConditionalInferenceForestClassifier,
    inforest.ConditionalInferenceForestRegressor,
    inforest.ConditionalInferenceTreeClassifier,
    inforest.ConditionalInferenceTreeRegressor,
]
#: What the library may say no with.
REFUSALS = (ValueError, TypeError)
NUMBERS = [0, 1, -1, 2, 3, 0.5, 1.0, 1e-3, 1e-320, 1e308, -1e308, np.nan, np.inf, 10**400, 2**63]
STRANGE = [None, True, False, "auto", "x", "", [], (), {}, object(), np.int8(3), np.float32(0.5)]
PARAMETERS = [
    "selector", "splitter", "alpha_selector", "alpha_splitter", "adjust_alpha_selector",
    "n_resamples_selector", "n_resamples_splitter", "early_stopping_selector", "max_features",
    "max_depth", "min_samples_split", "min_samples_leaf", "min_impurity_decrease", "honesty",
    "honesty_fraction", "splitter_test", "threshold_method", "max_thresholds", "random_state",
]  # fmt: skip


def random_table(rng):
    """Return X of some shape, type, layout and container, with some extreme values."""
    n, p = int(pick(rng, [0, 1, 2, 3, 5, 20, 60])), int(pick(rng, [0, 1, 2, 5]))
    X = rng.normal(size=(n, p)) * pick(rng, [1.0, 1e-300, 1e300, 0.0])
    if X.size and rng.random() < 0.5:
        places = rng.integers(X.size, size=1 + X.size // 10)
        X.flat[places] = pick(rng, [0.0, 5e-324, 1.7e308, -1.7e308, np.nan, np.inf, -0.0])
    shape = pick(rng, ["plain", "fortran", "strided", "float32", "int", "unaligned", "frame",
                       "list", "sparse", "masked", "flat", "cube", "object", "bool"])  # fmt: skip
    with np.errstate(all="ignore"):
        return n, {
            "plain": lambda: X,
            "fortran": lambda: np.asfortranarray(X),
            "strided": lambda: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
            "float32": lambda: X.astype(np.float32),
            "int": lambda: np.nan_to_num(np.clip(X, -9, 9)).astype(np.int64),
            "unaligned": lambda: _unaligned(X),
            "frame": lambda: pd.DataFrame(X, columns=[f"c{j}" for j in range(p)]),
            "list": lambda: X.tolist(),
            "sparse": lambda: csr_array(X),
            "masked": lambda: np.ma.masked_array(X, rng.random(X.shape) < 0.1),
            "flat": lambda: X.ravel(),
            "cube": lambda: X[None],
            "object": lambda: X.astype(object),
            "bool": lambda: X > 0,
        }[shape]()


def _unaligned(X):
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    copy = raw[1:].view(np.float64).reshape(X.shape)
    copy[...] = X
    return copy


def random_response(rng, n):
    m = n if rng.random() < 0.9 else int(rng.integers(0, 5))
    kind = pick(rng, ["classes", "numbers", "words", "one", "many", "mixed", "bytes", "none"])
    return {
        "classes": lambda: rng.integers(3, size=m),
        "numbers": lambda: rng.normal(size=m) * pick(rng, [1.0, 1e155, 1e-200, 1.7e308]),
        "words": lambda: rng.choice(["a", "b"], m),
        "one": lambda: np.ones(m),
        "many": lambda: np.arange(m),
        "mixed": lambda: np.array([pick(rng, ["a", 1, None, np.nan]) for _ in range(m)], object),
        "bytes": lambda: np.array([b"a", b"b"] * m)[:m],
        "none": lambda: None,
    }[kind]()


def random_parameters(rng, known):
    names = [name for name in PARAMETERS if name in known]
    chosen = rng.choice(names, size=rng.integers(0, 3), replace=False)
    return {name: pick(rng, NUMBERS + STRANGE) for name in chosen}


def attempt(seed, call):
    """Return what a call gives; None if it was refused with words."""
    try:
        return call()
    except REFUSALS as error:
        assert str(error), seed  # noqa: PT017
        return None


def test_fits_and_predictions():
    n_fitted = 0
    for seed, rng in rounds():
        n, X = random_table(rng)
        y, cls = random_response(rng, n), pick(rng, ESTIMATORS)
        size = {"n_estimators": 3} if "Forest" in cls.__name__ else {}
        model = cls(**size | random_parameters(rng, cls._parameter_constraints))
        weight = pick(rng, [None, None, np.ones(n), rng.random(n), np.zeros(n), np.full(n, 1e308)])
        fitted = attempt(seed, lambda: model.fit(X, y, sample_weight=weight))  # noqa: B023
        if fitted is None:
            assert not any(name.endswith("_") for name in vars(model)), seed
            continue
        n_fitted += 1
        found = attempt(seed, lambda: model.predict(X))  # noqa: B023
        assert found is not None, seed
        if "Regressor" in cls.__name__:
            there = np.ones(n, bool) if weight is None else weight > 0
            low, high = np.min(np.asarray(y)[there]), np.max(np.asarray(y)[there])
            slack = 4 * np.finfo(float).eps * max(abs(low), abs(high))  # of the mean over trees
            assert np.all((found >= low - slack) & (found <= high + slack)), seed
        else:
            assert set(found) <= set(y), seed
    assert n_fitted


def test_independence_tests():
    for seed, rng in rounds():
        n, X = random_table(rng)
        y = random_response(rng, n)
        options = {
            "method": pick(rng, ["permutation", "asymptotic"]),
            "n_resamples": pick(rng, ["auto", 1, 9, 0, -1, 2**63]),
            "alpha": pick(rng, [0.05, 1.0, 0.0, 1e-320, np.nan, 10**400]),
            "adjust": pick(rng, [None, "holm", "westfall-young", "x"]),
            "n_jobs": pick(rng, [None, 1, 2, 2**63]),
        }
        result = attempt(
            seed,
            lambda: independence_test(X, y, random_state=0, **options),  # noqa: B023
        )
        if result is not None:
            assert np.all((result.p_value > 0) & (result.p_value <= 1)), seed
            assert np.all(result.adjusted_p_value >= result.p_value * (1 - 1e-12)), seed


def test_rankings():
    for seed, rng in rounds(0.3):
        n, X = random_table(rng)
        y = random_response(rng, n)
        names = pick(rng, [None, None, "auto", ["a"], 5, ["\x1b[2J"] * 5])
        ranking = attempt(
            seed,
            lambda: rank_features(X, y, n_estimators=3, feature_names=names, random_state=0),  # noqa: B023
        )
        if ranking is not None:
            assert sorted(ranking.order) == list(range(len(ranking))), seed
            assert all(line.isprintable() for line in repr(ranking).splitlines()), seed


def test_weights_of_any_size_cost_nothing_more():
    """A row that weighs a million is one row."""
    X, y = np.random.default_rng(0).normal(size=(24, 2)), np.arange(24) % 2
    weight = np.full(24, 1e7 / 24)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heavy = inforest.ConditionalInferenceForestClassifier(n_estimators=5, random_state=0)
        light = inforest.ConditionalInferenceForestClassifier(n_estimators=5, random_state=0)
        heavy.fit(X, y, sample_weight=weight)
        light.fit(X, y, sample_weight=np.ones(24))
    assert heavy.trees_.n_samples.max() <= 24
    np.testing.assert_array_equal(heavy.predict(X), light.predict(X))
