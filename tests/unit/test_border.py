"""The core called with arrays that do not fit: an error, never a crash."""

import numpy as np
import pytest

import parts
from engine import OPTIONS, grow
from inforest import _core

STRUCTURE = ("offset", "feature", "threshold", "missing_left", "right")


@pytest.fixture
def stump():
    """X and the arrays of a tree with one split."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    grown = grow(X, (X[:, 0] > 0).astype(float), 2, max_depth=1)
    assert len(grown["feature"]) == 3
    return X, {name: grown[name] for name in (*STRUCTURE, "value")}


def only_structure(arrays):
    return {name: arrays[name] for name in STRUCTURE}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("offset", [0, 2], "ends at node 2 of 3"),
        ("offset", [0, -5, 3], "tree 0 has no node"),
        ("offset", [0, 3, 3], "tree 1 has no node"),
        ("offset", [3], "begin at node 0"),
        ("offset", [1, 3], "begin at node 0"),
        ("feature", [2, -1, -1], "X has no column 2"),
        ("right", [3, -1, -1], "child of node 0"),
        ("right", [1, -1, -1], "child of node 0"),
        ("right", [0, -1, -1], "child of node 0"),
        ("right", [-7, -1, -1], "child of node 0"),
        ("right", [2, -1], "2 entries for 3 nodes"),
        ("threshold", [0.0], "1 entries for 3 nodes"),
        ("missing_left", [0], "1 entries for 3 nodes"),
    ],
)
def test_trees_that_cannot_be_walked_are_refused(stump, name, value, reason):
    X, arrays = stump
    broken = arrays | {name: np.array(value, dtype=arrays[name].dtype)}
    with pytest.raises(ValueError, match=f"^{name} does not fit: .*{reason}"):
        _core.predict(X, **broken)
    with pytest.raises(ValueError, match=f"^{name} does not fit: .*{reason}"):
        _core.apply(X, **only_structure(broken))


def test_values_and_seeds_that_do_not_fit_are_refused(stump):
    X, arrays = stump
    with pytest.raises(ValueError, match=r"^value does not fit: 2 entries for 3 nodes"):
        _core.predict(X, **arrays | {"value": np.zeros((2, 2))})
    with pytest.raises(ValueError, match=r"^value does not fit: a node has no number"):
        _core.predict(X, **arrays | {"value": np.zeros((3, 0))})
    sample = dict(case_counts=None, strata=None, quota=np.array([30]), replace=False)
    with pytest.raises(ValueError, match=r"^seeds does not fit: there must be one per tree"):
        _core.predict_oob(
            X, **arrays, **sample, seeds=np.zeros(2, dtype=np.uint64), n_samples=60, begin=0
        )


def test_arrays_have_names(stump):
    X, arrays = stump
    with pytest.raises(TypeError):
        _core.predict(X, *arrays.values())


def test_samples_without_the_features_are_refused(stump):
    _, arrays = stump
    with pytest.raises(ValueError, match=r"^feature does not fit: X has no column 0"):
        _core.predict(np.zeros((3, 0)), **arrays)


@pytest.mark.parametrize(
    "options",
    [
        dict(alpha_selector=0.0),
        dict(alpha_selector=-1.0),
        dict(alpha_splitter=float("nan")),
        dict(n_resamples_selector=-7),
        dict(n_resamples_splitter=0),
        dict(quota=np.array([-1])),
        dict(quota=np.array([2**40])),
        dict(quota=np.array([5, 5])),
        dict(quota=np.array([5]), strata=np.full(60, 3, dtype=np.int32)),
        dict(case_counts=np.full(60, -1)),
    ],
    ids=str,
)
def test_options_without_a_meaning_are_refused(options):
    rng = np.random.default_rng(0)
    assert set(options) - {"quota", "strata", "case_counts"} <= set(OPTIONS)
    with pytest.raises(ValueError, match=r"must|one "):
        grow(rng.normal(size=(60, 2)), rng.integers(2, size=60), 2, **options)


def test_a_level_that_no_budget_reaches_is_decided_at_once():
    """No number of draws rejects at 1e-300; a strong feature must not make the test wait."""
    x = np.arange(100.0)
    test = parts.core.permutation_test(
        x,
        x,
        0,
        ["pc"],
        n_resamples=1000,
        tau=1e-300,
        early_stopping="curtailed",
        confidence=0.95,
        certify=True,
        seed=0,
    )
    assert not test["rejected"]
    assert test["n_draws"] == 0


@pytest.mark.parametrize(
    "table", [(5, 30, 10, 2), (5, -3, 10, 2), (5, 10**9, 10, 2), (10, 5, 10, 5)]
)
def test_tables_that_do_not_exist_are_refused(table):
    with pytest.raises(ValueError, match="no such table"):
        parts.core.two_class_tail(*table, "gini")
