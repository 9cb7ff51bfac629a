"""Several numbers per row: what tests see of them, and what leaves keep."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inforest._engine.responses.scale import scaled

Floats = NDArray[np.float64]

#: Directions in which standardized columns vary less than this, of the largest, do not count.
_DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class SeveralColumns:
    """Columns in units in which they can be compared.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, rank)
        Uncorrelated, each with variance 1: all that the columns span. What tests see does not
        depend on units, nor on whether columns are copies or sums of others.
    scale : ndarray of shape (n_columns,)
        The standard deviation of each column; 1 for a constant one.

    """

    scores: Floats
    scale: Floats


def make_scores(y: Floats, weight: Floats | None) -> SeveralColumns:
    """Whiten the columns of y on the rows that count.

    The whitening is done once, on all rows: impurities of all nodes have one unit then, and can be
    added up to importances. The tests of a node do not depend on it.
    """
    small, exponent = zip(*(scaled(column) for column in y.T), strict=True)
    columns = np.column_stack(small)
    mass = np.ones(len(y)) if weight is None else weight
    centred = columns - np.average(columns, axis=0, weights=mass)
    spread = np.sqrt(np.average(centred**2, axis=0, weights=mass))
    # Rounding leaves something of constant columns.
    varies = np.ptp(columns[mass > 0], axis=0) > 0
    spread = np.where(varies & (spread > 0), spread, 1.0)
    unit = np.where(varies, centred / spread, 0.0)
    variance, direction = np.linalg.eigh(np.atleast_2d(np.cov(unit.T, aweights=mass, ddof=0)))
    counts = variance > _DEPENDENT * max(variance.max(), _DEPENDENT)
    scores = unit @ (direction[:, counts] / np.sqrt(variance[counts]))
    if not counts.any():  # nothing varies
        scores = np.zeros((len(y), 1))
    return SeveralColumns(np.asfortranarray(scores), np.ldexp(spread, exponent))
