"""Honesty: what decided the splits does not decide the leaves' values."""

import numpy as np
import pytest

from engine import NO_TESTS, grow, leaves


def test_no_leaf_keeps_the_value_of_rows_that_grew_it():
    """With 30 estimation rows leaves can hold the responses of at most 30 single rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    grown = grow(X, y, honesty=True, honesty_fraction=0.1, **NO_TESTS)
    is_leaf = grown["feature"] < 0
    assert is_leaf.sum() == 270  # grown out on the other 270 rows
    values = np.unique(grown["value"][is_leaf, 0])
    assert np.isin(values, y).sum() <= 30


@pytest.mark.parametrize("n_classes", [0, 2])
def test_values_are_means_of_held_out_rows(n_classes):
    """A node's value averages its children's, weighted by how many held-out rows reach them."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    y = (y > 0).astype(float) if n_classes else y
    grown = grow(X, y, n_classes, honesty=True, max_depth=1, **NO_TESTS)
    root, left, right = grown["value"]
    # The share of held-out rows that go left follows from the three means ...
    share = (root - right) / (left - right)
    assert np.ptp(share) < 1e-9
    # ... and is a number of rows out of the 100 held out.
    assert share[0] * 100 == pytest.approx(round(share[0] * 100), abs=1e-6)
    # The rows that grew the tree are the other 100.
    assert grown["n_samples"][0] == 100
    assert set(np.unique(leaves(X, grown))) == {1, 2}
