"""How much two features tell about each other, whatever they are, on the scale of r^2."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.features import Features


class Association:
    """Shares of variance that pairs of features explain, on the rows where both are there.

    For two numbers it is Pearson's squared correlation, for a number and a category the squared
    correlation ratio, for two categories Cramer's V^2: all of them are the mean of the squared
    canonical correlations of what stands for the features, a column, or one per level but one.
    More columns explain more by chance, (d - 1) / (n - 1) more with d columns and n rows; that is
    taken off, so that independent features come out at about 0 however many levels they have.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        The numbers of the features; nan where missing.
    features : Features
        What they are.
    weight : ndarray of shape (n_samples,) or None, default=None
        What each row weighs; None means 1.

    """

    def __init__(self, values: Floats, features: Features, weight: Floats | None = None) -> None:
        self._values, self._n_levels = values, features.n_levels
        self._weight = np.ones(len(values)) if weight is None else weight

    def squared(self, features: NDArray[Any], others: NDArray[Any]) -> Floats:
        """Return the association of each of these features with each of the others."""
        table = np.empty((len(features), len(others)))
        numbers = np.flatnonzero(self._n_levels[others] == 0)
        for i, j in enumerate(features):
            if self._n_levels[j] == 0:
                table[i, numbers] = self._of_numbers(j, others[numbers])
                rest = np.flatnonzero(self._n_levels[others])
            else:
                rest = np.arange(len(others))
            for k in rest:
                table[i, k] = self._with_category(j, others[k])
        return table

    def _of_numbers(self, j: int, others: NDArray[np.intp]) -> Floats:
        """Return squared correlations of a number with others, each on the rows that both have."""
        x, Y = self._values[:, j], self._values[:, others]
        there = ~(np.isnan(x)[:, None] | np.isnan(Y))
        w = there * self._weight[:, None]
        total = np.maximum(w.sum(axis=0), np.finfo(float).tiny)
        x_columns = np.where(there, _scaled(x)[:, None], 0.0)
        Y = np.where(there, _scaled(Y), 0.0)
        x_columns = np.where(there, x_columns - (w * x_columns).sum(axis=0) / total, 0.0)
        Y = np.where(there, Y - (w * Y).sum(axis=0) / total, 0.0)
        xx, yy = (w * x_columns**2).sum(axis=0), (w * Y**2).sum(axis=0)
        xy = (w * x_columns * Y).sum(axis=0)
        varies = (xx > 1e-24 * total) & (yy > 1e-24 * total)
        return np.divide(xy * xy, xx * yy, out=np.zeros(len(others)), where=varies)

    def _with_category(self, j: int, k: int) -> float:
        """Return the association of two features of which one at least is a category."""
        if self._n_levels[j] == 0:
            j, k = k, j
        there = ~(np.isnan(self._values[:, j]) | np.isnan(self._values[:, k]))
        n_rows = int(there.sum())
        if n_rows < 2:
            return 0.0
        w = self._weight[there]
        levels, codes = np.unique(self._values[there, j], return_inverse=True)
        other = self._values[there, k]
        if self._n_levels[k]:
            columns, other_codes = np.unique(other, return_inverse=True)
            share, degrees = _contingency(codes, other_codes, w)
            most = max(len(levels), len(columns)) - 1
        else:
            share, degrees = _correlation_ratio(codes, _scaled(other), w), 1
            most = len(levels) - 1
        if degrees < 1 or most < 1:
            return 0.0
        by_chance = (most - 1) / max(n_rows - 1, 1)
        if by_chance >= 1:
            return 0.0
        return float(np.clip((share / degrees - by_chance) / (1 - by_chance), 0.0, 1.0))


def _scaled(values: Floats) -> Floats:
    """Return the values in a unit in which their squares exist."""
    largest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    return values / np.maximum(largest, np.finfo(float).tiny)


def _contingency(codes: NDArray[np.intp], others: NDArray[np.intp], w: Floats) -> tuple[float, int]:
    """Return chi-square / n of a table of two categories, and its smaller number of levels - 1."""
    total = w.sum()
    rows, columns = np.bincount(codes, w), np.bincount(others, w)
    cells, place = np.unique(codes * len(columns) + others, return_inverse=True)
    counts = np.bincount(place, w)
    expected = rows[cells // len(columns)] * columns[cells % len(columns)]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(expected > 0, counts * counts / expected, 0.0)
    return float(ratio.sum() - 1.0) if total > 0 else 0.0, min(len(rows), len(columns)) - 1


def _correlation_ratio(codes: NDArray[np.intp], y: Floats, w: Floats) -> float:
    """Return the share of a number's variance that the levels explain."""
    total = w.sum()
    if total <= 0:
        return 0.0
    centred = y - np.average(y, weights=w)
    whole = (w * centred * centred).sum()
    if whole <= 1e-24 * total:
        return 0.0
    size, sums = np.bincount(codes, w), np.bincount(codes, w * centred)
    between = np.divide(sums * sums, size, out=np.zeros_like(size), where=size > 0).sum()
    return float(between / whole)
