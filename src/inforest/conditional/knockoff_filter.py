"""Evidence of knockoffs: what features say beyond their copies, with a false discovery rate."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats


def gains(X: Floats, copies: Floats, importances: Callable[[Floats], Floats]) -> Floats:
    """Return by how much each feature is more important than its copy.

    `importances` sees both in one table, and may be anything: which of a pair is the original is
    hidden from it. The pair's columns are put in an order that depends on their values only, the
    one that is smaller in the first row in which they differ before the other. Let any originals
    change places with their copies: the table stays what it is, bit for bit, so do the importances,
    and the gains of just these features change sign. That is the property ("flip-sign", Candes et
    al. 2018) by which gains of features that say nothing are as often negative as positive,
    whatever the size of theirs and all that is known of the others.
    """
    differs = copies != X
    row, column = differs.argmax(axis=0), np.arange(X.shape[1])
    is_first = X[row, column] < copies[row, column]
    pairs = [np.where(is_first, X, copies), np.where(is_first, copies, X)]
    first, second = np.split(importances(np.asfortranarray(np.hstack(pairs))), 2)
    gain = np.where(is_first, first - second, second - first)
    return np.where(differs.any(axis=0), gain, 0.0)  # a copy that is the feature itself


def threshold(gain: Floats, alpha: float) -> float:
    """Return the least size of a gain from which on few enough are wrong; inf if there is none.

    Sizes are gone through from the smallest to the largest, with ``n_plus`` gains at least as large
    and ``n_minus`` as large but negative, until ``(1 + n_minus) / n_plus`` is at most alpha / 2,
    which leaves the average over several copies some room (Ren and Barber 2024), or at most alpha
    once fewer than 2 / alpha are left, of which no part could be alpha / 2. What is decided at a
    size depends on the two counts from there on and on what is smaller: a stopping time, which is
    all that `e_values` needs.
    """
    size = np.unique(np.abs(gain[gain != 0]))
    n_plus = len(gain) - np.searchsorted(np.sort(gain), size, "left")
    n_minus = np.searchsorted(np.sort(gain), -size, "right")
    ratio = (1 + n_minus) / np.maximum(n_plus, 1)
    enough = (ratio <= alpha / 2) | ((n_plus < 2 / alpha) & (ratio <= alpha))
    return float(size[enough.argmax()]) if enough.any() else np.inf


def e_values(gain: Floats, alpha: float) -> Floats:
    """Return evidence that each feature says something (Ren and Barber 2024).

    Over features that say nothing it adds up, on average, to at most the number of all features: at
    a stopping time the mean of ``n_plus / (1 + n_minus)``, both counted among the features that say
    nothing, is at most 1 (Barber and Candes 2015). Averages of such evidence have that property,
    too, and it is all that `e_bh` needs.
    """
    least = threshold(gain, alpha)
    found: Floats = len(gain) * (gain >= least) / (1 + np.sum(gain <= -least))
    return found


def e_bh(e_value: Floats, alpha: float) -> NDArray[np.bool_]:
    """Return which are selected: false discovery rate at most alpha, under any dependence.

    The k largest, for the largest k of which all are at least ``m / (alpha k)`` (Wang and Ramdas
    2022).
    """
    m = len(e_value)
    order = np.argsort(-e_value, kind="stable")
    is_large = e_value[order] * alpha * np.arange(1, m + 1) >= m * (1 - 1e-12)
    n_selected = int(np.flatnonzero(is_large).max(initial=-1)) + 1
    selected = np.zeros(m, dtype=bool)
    selected[order[:n_selected]] = True
    return selected
