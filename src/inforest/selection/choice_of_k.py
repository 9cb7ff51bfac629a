"""How many features to keep: the numbers to try, their scores, and the rule that picks one."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats

RULES = ("best", "one_se")
#: Mean scores that differ by less are equal: sums of the same numbers in another order.
_TOLERANCE = 1e-12
#: Numbers of features that are few, and what is tried then besides.
_FEW, _BETWEEN = 200, [3, 7, 15, 20, 30, 70, 150]


def default_grid(n_features: int) -> NDArray[np.intp]:
    """Return 1, 2, 5, 10, 25, 50, 100, 250, ... up to the number of features, and that number.

    Up to 200 features there are more steps, because each is large beside so few.

    Parameters
    ----------
    n_features : int
        How many there are.

    Returns
    -------
    grid : ndarray of int
        Ascending.

    Examples
    --------
    >>> from inforest.selection.choice_of_k import default_grid
    >>> default_grid(30)
    array([ 1,  2,  3,  5,  7, 10, 15, 20, 25, 30])
    >>> default_grid(1000)
    array([   1,    2,    5,   10,   25,   50,  100,  250,  500, 1000])

    """
    steps = [int(m * 10**e) for e in range(len(str(n_features))) for m in (1, 2.5, 5)]
    if n_features <= _FEW:
        steps += _BETWEEN
    return np.array([*sorted(k for k in steps if k < n_features), n_features])


def check_grid(k_grid: ArrayLike, n_features: int) -> NDArray[np.intp]:
    """Return the numbers of features to try, ascending, each once.

    Parameters
    ----------
    k_grid : array-like of int
        From 1 to n_features.
    n_features : int
        How many there are.

    Returns
    -------
    grid : ndarray of int
        Ascending.

    """
    numbers = np.asarray(k_grid)
    if numbers.ndim != 1 or not len(numbers) or numbers.dtype.kind not in "iu":
        raise ValueError(f"k_grid must be a list of ints, at least one; got {k_grid!r}")
    for k in (numbers.min(), numbers.max()):
        if not 1 <= k <= n_features:
            raise ValueError(f"k_grid must hold ints from 1 to n_features={n_features}; got {k}")
    return np.unique(numbers.astype(np.intp))


def tabulate(grid: NDArray[np.intp], scores: Floats) -> dict[str, NDArray[Any]]:
    """Return `cv_results_`: one entry per k in each array.

    Parameters
    ----------
    grid : ndarray of shape (n_k,)
        The numbers of features.
    scores : ndarray of shape (n_splits, n_k)
        The score of each on each held-out part.

    Returns
    -------
    results : dict of ndarray
        `k`, `mean_score`, `std_error` (of the mean; nan with a single split), `n_splits`, and
        `split0_score`, `split1_score`, ...

    """
    n_splits = len(scores)
    error = np.full(len(grid), np.nan)
    if n_splits > 1:
        error = scores.std(axis=0, ddof=1) / np.sqrt(n_splits)
    return {
        "k": grid,
        "mean_score": scores.mean(axis=0),
        "std_error": error,
        "n_splits": np.full(len(grid), n_splits),
        **{f"split{i}_score": split for i, split in enumerate(scores)},
    }


def choose_k(results: dict[str, NDArray[Any]], rule: str) -> int:
    """Return the k that the rule picks.

    Parameters
    ----------
    results : dict of ndarray
        What `tabulate` returned.
    rule : {"best", "one_se"}
        "best": the highest mean score, the smallest such k. "one_se": the smallest k whose mean
        score is at most one standard error, that of the best, below the best.

    Returns
    -------
    k : int
        One of the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest.selection.choice_of_k import choose_k, tabulate
    >>> scores = np.array([[0.6, 0.7, 0.9], [0.6, 0.9, 0.7], [0.6, 0.7, 0.8]])
    >>> results = tabulate(np.array([1, 5, 20]), scores)
    >>> choose_k(results, "best"), choose_k(results, "one_se")
    (20, 5)

    """
    mean = results["mean_score"]
    best = int(np.argmax(mean))
    bar = mean[best] - _TOLERANCE
    if rule == "one_se":
        error = results["std_error"][best]
        if np.isnan(error):
            raise ValueError("rule='one_se' needs at least two splits; got a cv with one")
        bar -= error
    return int(results["k"][np.argmax(mean >= bar)])


def number_to_keep(k: Any, n_features: int, n_varying: int) -> int:
    """Return k as a number of features; a float is a share of those that vary."""
    if not isinstance(k, Integral):
        return max(1, round(float(k) * n_varying))
    number = int(k)
    if number > n_features:
        raise ValueError(f"k must be at most n_features={n_features}; got {number}")
    return number
