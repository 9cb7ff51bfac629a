"""`NormalScores`: a column on the scale of a normal distribution, and back."""

import numpy as np
from scipy.special import ndtr, ndtri

from inforest._engine.arrays import Floats


class NormalScores:
    """The place of a value among those of the training rows, as a normal quantile.

    Trees see the order of values only, so nothing is lost; heavy tails and odd units are gone.
    Equal values get the same score, that of their middle place; missing ones get 0, the middle.
    """

    def __init__(self, values: Floats) -> None:
        self._sorted = np.sort(values[~np.isnan(values)])

    def __call__(self, values: Floats) -> Floats:
        """Return the scores of any values."""
        n = len(self._sorted)
        below = np.searchsorted(self._sorted, values, "left")
        up_to = np.searchsorted(self._sorted, values, "right")
        place = ((below + up_to) / 2 + 0.5) / (n + 1)
        scores = ndtri(np.clip(place, 0.5 / (n + 1), (n + 0.5) / (n + 1)))
        return np.where(np.isnan(values), 0.0, scores)

    def back(self, scores: Floats) -> Floats:
        """Return the training values that have about these scores."""
        n = len(self._sorted)
        return self._sorted[np.minimum((ndtr(scores) * n).astype(np.intp), n - 1)]


def on_one_scale(X: Floats) -> Floats:
    """Return the normal scores of X, nan where it is missing.

    Trees that draw their thresholds between a node's extremes, in single precision, then see the
    same whatever the units and tails of a feature are.
    """
    parts = [np.where(np.isnan(x), np.nan, NormalScores(x)(x)) for x in X.T]
    return np.column_stack(parts) if parts else X
