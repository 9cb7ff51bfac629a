"""Stage B impurities against the oracle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracle
import parts
from engine import COLUMNS, node
from inforest import _core

SPLITTERS = [
    (splitter, n_classes)
    for kind, counts in (("labels", (2, 3, 7)), ("scores", (0,)))
    for splitter in _core.splitter_names(kind)
    for n_classes in counts
]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
@pytest.mark.parametrize(("splitter", "n_classes"), SPLITTERS)
def test_impurity_equals_oracle(splitter, n_classes, n):
    for seed in range(20):
        rng = np.random.default_rng([seed, n])
        y = rng.integers(n_classes, size=n).astype(float) if n_classes else rng.normal(size=n)
        expected = oracle.impurity(y, n_classes, splitter)
        assert_allclose(
            parts.core.impurity(y, n_classes, splitter), expected, rtol=1e-9, atol=1e-15
        )


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n", [2, 3, 10, 57, 200])
@pytest.mark.parametrize(("splitter", "n_classes"), SPLITTERS)
def test_split_impurities_equal_oracle(splitter, n_classes, n, kind):
    for seed in range(5):
        x, y = node(np.random.default_rng([seed, n]), n, n_classes, kind, 1.0)
        cuts = oracle.midpoints(x)
        expected = oracle.split_impurities(x, y, n_classes, splitter, cuts)
        actual = parts.core.split_impurities(x, y, n_classes, splitter, cuts)
        assert_allclose(actual, expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("splitter", _core.splitter_names("scores"))
def test_split_impurities_with_tied_y_equal_oracle(splitter):
    """Medians of tied values are where a running median goes wrong."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=30)
        y = rng.choice([0.1, 0.2, 0.7], size=30)
        cuts = oracle.midpoints(x)
        expected = oracle.split_impurities(x, y, 0, splitter, cuts)
        actual = parts.core.split_impurities(x, y, 0, splitter, cuts)
        assert_allclose(actual, expected, rtol=1e-9, atol=1e-15)


def test_mse_far_from_zero_keeps_its_digits():
    """y = 1e6 + small integers is exact in binary, so the impurity must be that of the integers."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=80), rng.integers(5, size=80).astype(float)
    cuts = oracle.midpoints(x)
    expected = oracle.split_impurities(x, y, 0, "mse", cuts)
    assert_allclose(parts.core.split_impurities(x, y + 1e6, 0, "mse", cuts), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("splitter", "labels", "n_classes", "expected"),
    [
        ("gini", [0, 1], 2, 0.5),
        ("gini", [0, 0, 0, 1], 2, 0.375),
        ("entropy", [0, 1], 2, 1.0),
        ("entropy", [0, 1, 2, 3], 4, 2.0),
        ("mse", [0, 2], 0, 1.0),
        ("mae", [0, 0, 3], 0, 1.0),
        ("mae", [0, 1, 5, 6], 0, 2.5),
    ],
)
def test_impurity_by_hand(splitter, labels, n_classes, expected):
    y = np.array(labels, dtype=float)
    assert parts.core.impurity(y, n_classes, splitter) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("splitter", "n_classes"), SPLITTERS)
def test_pure_node_has_impurity_zero(splitter, n_classes):
    assert parts.core.impurity(np.full(9, 1.0), n_classes, splitter) == 0
