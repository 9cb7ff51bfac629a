"""`Basis`: the columns by which features may explain each other."""

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest.conditional.normal_scores import NormalScores

#: Columns of a number, if there are rows enough: a natural spline with as many pieces.
_MOST_COLUMNS = 5
#: Columns of a category; its rarer levels share one more.
_MOST_LEVELS = 30
#: Rows per column of numbers below which these get straight lines.
_ROWS_PER_COLUMN = 0.5
#: Share of the rows beyond the outer knots, where curves are straight.
_OUTER = 0.03
_NO_KNOTS = np.empty(0)


class Basis:
    """Columns of each feature: numbers as curves of their normal scores, categories by level.

    Where values are missing, one more column says so.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, codes of categories, nan where a value is missing.
    is_category : ndarray of shape (n_features,)
        Which features are categories.

    Attributes
    ----------
    blocks : list of ndarray
        The columns of each feature, the straight line of a number first.
    straight : ndarray
        All columns but the curved ones.
    scores : list of NormalScores
        The scale of each feature.

    """

    def __init__(self, X: Floats, is_category: NDArray[np.bool_]) -> None:
        n, p = X.shape
        n_columns = int(np.clip(n / (_ROWS_PER_COLUMN * p), 1, _MOST_COLUMNS))
        self._is_category = is_category
        self._has_holes = [bool(np.isnan(x).any()) for x in X.T]
        self.scores = [NormalScores(x) for x in X.T]
        self._marks = [
            _frequent_levels(x) if is_category[j] else _knots(self.scores[j](x), n_columns)
            for j, x in enumerate(X.T)
        ]
        parts = [self._part(j, x) for j, x in enumerate(X.T)]
        ends = np.cumsum([part.shape[1] for part in parts])
        self.blocks: list[NDArray[np.intp]] = [
            np.arange(end - part.shape[1], end) for part, end in zip(parts, ends, strict=True)
        ]
        n_curved = [
            0 if c else max(0, len(m) - 2) for c, m in zip(is_category, self._marks, strict=True)
        ]
        self.straight = np.concatenate(
            [np.r_[b[:1], b[1 + k :]] for b, k in zip(self.blocks, n_curved, strict=True)]
        ).astype(np.intp)
        columns = np.hstack(parts)
        self._mean = columns.mean(axis=0)
        spread = columns.std(axis=0)
        # A column that does not vary says nothing.
        self._factor = np.where(spread > 1e-9, 1 / np.maximum(spread, 1e-9), 0.0)

    def __call__(self, X: Floats) -> Floats:
        """Return the columns of these rows, scaled as those of the training rows."""
        parts = [self._part(j, x) for j, x in enumerate(X.T)]
        return (np.hstack(parts) - self._mean) * self._factor

    def _part(self, j: int, x: Floats) -> Floats:
        marks = self._marks[j]
        if self._is_category[j]:
            columns = [x == level for level in marks]
        else:
            columns = _curves(self.scores[j](x), marks)
        if self._has_holes[j]:
            columns = [*columns, np.isnan(x)]
        return np.column_stack(columns).astype(np.float64)


def _frequent_levels(x: Floats) -> Floats:
    levels, count = np.unique(x[~np.isnan(x)], return_counts=True)
    return np.sort(levels[np.argsort(-count, kind="stable")[:_MOST_LEVELS]])


def _knots(z: Floats, n_columns: int) -> Floats:
    """Return knots at quantiles; none where a straight line must do."""
    if n_columns < 3 or len(np.unique(z)) <= 3:
        return _NO_KNOTS
    knots = np.unique(np.quantile(z, np.linspace(_OUTER, 1 - _OUTER, n_columns + 1)))
    return knots if len(knots) >= 4 else _NO_KNOTS


def _curves(z: Floats, knots: Floats) -> list[Floats]:
    """Return the straight line, and cubic pieces that are straight beyond the outer knots."""
    if not len(knots):
        return [z]
    last = knots[-1]

    def piece(knot: float) -> Floats:
        cubes = np.maximum(z - knot, 0) ** 3 - np.maximum(z - last, 0) ** 3
        return cubes / (last - knot)

    base = piece(knots[-2])
    return [z, *(piece(knot) - base for knot in knots[:-2])]
