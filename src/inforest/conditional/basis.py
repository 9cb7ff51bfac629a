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
    columns : ndarray of shape (n_samples, n_columns)
        Of mean 0 and variance 1, or 0 if they do not vary.

    """

    def __init__(self, X: Floats, is_category: NDArray[np.bool_]) -> None:
        n, p = X.shape
        n_columns = int(np.clip(n / (_ROWS_PER_COLUMN * p), 1, _MOST_COLUMNS))
        self.scores = [NormalScores(x) for x in X.T]
        z = [scores(x) for scores, x in zip(self.scores, X.T, strict=True)]
        marks = [
            _frequent_levels(x) if is_category[j] else _knots(z[j], n_columns)
            for j, x in enumerate(X.T)
        ]
        parts = [_part(x, z[j], marks[j], bool(is_category[j])) for j, x in enumerate(X.T)]
        ends = np.cumsum([part.shape[1] for part in parts])
        self.blocks: list[NDArray[np.intp]] = [
            np.arange(end - part.shape[1], end) for part, end in zip(parts, ends, strict=True)
        ]
        n_curved = [0 if c else max(0, len(m) - 2) for c, m in zip(is_category, marks, strict=True)]
        self.straight = np.concatenate(
            [np.r_[b[:1], b[1 + k :]] for b, k in zip(self.blocks, n_curved, strict=True)]
        ).astype(np.intp)
        columns = np.hstack(parts)
        spread = columns.std(axis=0)
        # A column that does not vary says nothing.
        factor = np.where(spread > 1e-9, 1 / np.maximum(spread, 1e-9), 0.0)
        self.columns: Floats = (columns - columns.mean(axis=0)) * factor


def _part(x: Floats, z: Floats, marks: Floats, is_category: bool) -> Floats:
    columns = [x == level for level in marks] if is_category else _curves(z, marks)
    is_missing = np.isnan(x)
    if is_missing.any():
        columns = [*columns, is_missing]
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
