"""Redundancy-aware rankings, against orders worked out by hand and a naive loop."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from inforest.redundancy import choose_strength, rerank


def orthogonal():
    """Four centred columns of unit length, orthogonal to each other."""
    hadamard = np.array([[1, 1], [1, -1]])
    for _ in range(2):
        hadamard = np.kron(hadamard, [[1, 1], [1, -1]])
    return hadamard[:, 1:5] / np.sqrt(8)


def by_hand():
    """Columns a, b, c, (4 a + 3 b) / 5 and a copy of a; the fourth has r^2 = 0.64 and 0.36."""
    a, b, c, _ = orthogonal().T
    return np.column_stack([a, b, c, 0.8 * a + 0.6 * b, -2 * a + 7])


def naive(importances, X, strength, n_steps):
    """With a full correlation matrix, in double precision."""
    with np.errstate(invalid="ignore"):
        r2 = np.nan_to_num(np.corrcoef(X.T)) ** 2
    chosen = []
    for _ in range(n_steps):
        score = [
            -1 if j in chosen else w * (1 - max([r2[j, i] for i in chosen], default=0)) ** strength
            for j, w in enumerate(importances)
        ]
        chosen.append(int(np.argmax(score)))
    return chosen


@pytest.mark.parametrize(
    ("strength", "expected"),
    [
        # Scores after a: b 4, c 2, mixed 0.36^s * 8, copy 0. After b, mixed: min(0.36, 0.64)^s * 8.
        (0, [0, 4, 3, 1, 2]),
        (0.5, [0, 3, 1, 2, 4]),  # mixed 4.8 > b 4; then b has 0.64^0.5 * 4 = 3.2
        (1.0, [0, 1, 3, 2, 4]),  # mixed 2.88 < b 4, and > c 2
        (2.0, [0, 1, 2, 3, 4]),  # mixed 1.04 < c 2
    ],
)
def test_order_worked_out_by_hand(strength, expected):
    importances = [10, 4, 2, 8, 9]
    assert_array_equal(rerank(importances, by_hand(), strength=strength), expected)


def test_after_k_steps_the_rest_follow_by_their_discounted_importance():
    importances = [10, 4, 2, 8, 9]
    # One step at strength 0.5: mixed has 0.6 * 8, b 4, c 2, the copy of a nothing.
    assert_array_equal(rerank(importances, by_hand(), strength=0.5, k=1), [0, 3, 1, 2, 4])
    # Two steps at strength 1.5: a and b are chosen, c has 2, mixed 0.216 * 8.
    assert_array_equal(rerank(importances, by_hand(), strength=1.5, k=2), [0, 1, 2, 3, 4])
    # b is correlated with mixed (0.36), which is chosen second: 0.8 * 2.2 < 2.
    importances = [10, 2.2, 2, 8, 9]
    assert_array_equal(rerank(importances, by_hand(), strength=0.5, k=1), [0, 3, 1, 2, 4])
    assert_array_equal(rerank(importances, by_hand(), strength=0.5, k=2), [0, 3, 2, 1, 4])


@pytest.mark.parametrize("strength", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_equals_a_naive_loop(strength, dtype):
    rng = np.random.default_rng(0)
    X = (10 * (rng.normal(size=(50, 30)) + rng.normal(size=(50, 1)))).astype(dtype)
    importances = rng.exponential(size=30)
    expected = naive(importances, X.astype(float), strength, 30)
    assert_array_equal(rerank(importances, X, strength=strength), expected)
    assert_array_equal(rerank(importances, X, strength=strength, k=12)[:12], expected[:12])


def test_all_features_are_there_once_and_ties_keep_the_order_of_the_input():
    X = orthogonal()
    assert_array_equal(rerank([1, 1, 1, 1], X), [0, 1, 2, 3])
    assert_array_equal(rerank([0, 0, 0, 0], X), [0, 1, 2, 3])
    assert_array_equal(rerank([0, 2, 0, 1], X), [1, 3, 0, 2])
    assert_array_equal(rerank([1.0], X[:, :1]), [0])
    copies = np.repeat(X[:, :2], 3, axis=1)
    # One of each; the copies have lost all importance, the larger one comes first.
    assert_array_equal(rerank([5, 6, 4, 1, 3, 2], copies), [1, 4, 0, 2, 5, 3])


def test_constant_columns_and_extreme_scales():
    X = np.column_stack([by_hand(), np.full(8, 0.1), np.full(8, 1e300)])
    importances = [10, 4, 2, 8, 9, 3, 1]
    expected = rerank(importances, X)
    assert_array_equal(expected[:2], [0, 1])
    assert_array_equal(rerank(importances, X * [1e200, 1e-200, 1, 1e150, 1e-150, 1, 1]), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(importances=[1, 2]), "importances and X must have as many features"),
        (dict(importances=[1, 2, 3, -4]), "importances.*got -4"),
        (dict(importances=[1, 2, 3, np.nan]), "importances.*got nan"),
        (dict(importances=[[1, 2, 3, 4]]), r"importances.*shape \(1, 4\)"),
        (dict(strength=-1), "strength.*at least 0; got -1"),
        (dict(strength="auto"), "strength.*got 'auto'"),
        (dict(strength=np.inf), "strength.*finite"),
        (dict(k=0), "k must be an int of at least 1 or None; got 0"),
        (dict(k=2.0), "k must be"),
    ],
    ids=str,
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        rerank(**{"importances": [1, 2, 3, 4], "X": orthogonal(), **change})


def test_strength_is_chosen_by_the_score_of_the_top_features():
    """Two signals; many copies of the stronger one are more important than the weaker one."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 300))
    copies = a[:, None] + 0.05 * rng.normal(size=(300, 6))
    X = np.column_stack([copies, b, rng.normal(size=(300, 3))])
    y = (1.5 * a + b + 0.5 * rng.normal(size=300) > 0).astype(int)

    def rank(X, y):
        return np.abs(np.corrcoef(X.T, y)[-1, :-1])

    choice = choose_strength(
        LogisticRegression(), X, y, rank=rank, n_features=(2, 5, 99), cv=KFold(4)
    )
    assert choice.strength > 0
    assert choice.scores[0] == min(choice.scores)
    assert choice.scores[choice.strengths.index(choice.strength)] == max(choice.scores)
    off = choose_strength(
        LogisticRegression(), X, y, rank=rank, n_features=(2,), strengths=(0.0,), cv=4
    )
    assert off.strength == 0
    with pytest.raises(ValueError, match="n_features"):
        choose_strength(LogisticRegression(), X, y, rank=rank, n_features=(11,))
