"""Ridge regressions of each feature on all others, from one decomposition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest.conditional.basis import Basis

#: Penalties that are tried, as multiples of the number of rows: the columns have variance 1. The
#: largest one leaves next to nothing of a regression that does not help.
PENALTIES = (1e-2, 1e-1, 1.0, 10.0, 100.0)
#: A row's leverage counts as at most this; its residual would be divided by nearly nothing.
_MOST_LEVERAGE = 0.98
#: Numbers of a penalty's matrix up to which it is kept for the next targets.
_KEPT = 10_000_000

_Solved = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Fits:
    """Regressions of several targets, each on columns of its own.

    Attributes
    ----------
    residual : ndarray of shape (n_samples, n_targets)
        What is left of each target, each row predicted without itself.
    coefficient : ndarray of shape (n_columns, n_targets)
        0 for the columns that a target was not regressed on.
    mean : ndarray of shape (n_targets,)
        The targets' means.

    """

    residual: Floats
    coefficient: Floats
    mean: Floats

    @property
    def error(self) -> Floats:
        """Mean squared residual of each target."""
        return np.square(self.residual).mean(axis=0)

    def predict(self, columns: Floats) -> Floats:
        """Return the predictions for other rows, a column per target."""
        return columns @ self.coefficient + self.mean


class BlockRidge:
    """Regress any number of targets, each on all columns but a block of them.

    Leaving a block b out of a ridge regression with hat matrix ``H = A P A'``, where
    ``P = inv(A'A + penalty)``, is a correction of low rank: ``H - Q inv(P_bb) Q'`` with
    ``Q = A P_b``. So all p regressions of "each feature on all others" cost little more than one.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Columns of mean about 0 and variance about 1 (or 0).

    """

    def __init__(self, columns: Floats) -> None:
        self.columns = columns - columns.mean(axis=0)
        n, m = columns.shape
        self._is_tall = m <= n
        gram = self.columns.T @ self.columns if self._is_tall else self.columns @ self.columns.T
        self._values, self._vectors = np.linalg.eigh(gram)
        self._solved: dict[float, _Solved] = {}

    def fit(self, targets: Floats, left_out: Sequence[NDArray[np.intp]]) -> Fits:
        """Regress target t on all columns but ``left_out[t]``; the best penalty for each target.

        A penalty is judged by the squared residuals of rows that are predicted without themselves.
        """
        mean = targets.mean(axis=0)
        centred = targets - mean
        best = np.full(targets.shape[1], np.inf)
        residual = np.empty_like(targets)
        coefficient = np.empty((self.columns.shape[1], targets.shape[1]))
        for penalty in PENALTIES:
            left, slopes = self._fit(centred, left_out, penalty * len(targets))
            error = np.square(left).mean(axis=0)
            better = error < best
            best[better] = error[better]
            residual[:, better] = left[:, better]
            coefficient[:, better] = slopes[:, better]
        return Fits(residual, coefficient, mean)

    def _fit(
        self, centred: Floats, left_out: Sequence[NDArray[np.intp]], penalty: float
    ) -> tuple[Floats, Floats]:
        """Return residuals without the row itself, and coefficients."""
        inverse, Q, leverage = self._solve(penalty)
        slopes = Q.T @ centred
        fitted = self.columns @ slopes
        left = np.empty_like(centred)
        for t, block in enumerate(left_out):
            Qb = Q[:, block]
            Pb = inverse[:, block] if self._is_tall else self._inverse_columns(Qb, block, penalty)
            # The correction: what the block's own columns had a part in.
            shrunk = np.linalg.solve(Pb[block], np.column_stack([slopes[block, t], Qb.T]))
            own = leverage - np.einsum("ij,ji->i", Qb, shrunk[:, 1:])
            fit = fitted[:, t] - Qb @ shrunk[:, 0]
            left[:, t] = (centred[:, t] - fit) / (1 - np.minimum(own, _MOST_LEVERAGE))
            slopes[:, t] -= Pb @ shrunk[:, 0]
            slopes[block, t] = 0.0
        return left, slopes

    def _solve(self, penalty: float) -> _Solved:
        """Return the inverse, A P and the leverages: all that does not depend on targets."""
        if penalty in self._solved:
            return self._solved[penalty]
        A = self.columns
        inverse = (self._vectors / (np.maximum(self._values, 0) + penalty)) @ self._vectors.T
        Q = A @ inverse if self._is_tall else inverse @ A  # A P, either way
        solved = inverse, Q, np.einsum("ij,ij->i", Q, A) + 1 / len(A)
        if Q.size <= _KEPT:
            self._solved[penalty] = solved
        return solved

    def _inverse_columns(self, Qb: Floats, block: NDArray[np.intp], penalty: float) -> Floats:
        """Return the columns of ``inv(A'A + penalty)`` of a block: (I - A'Q) / penalty."""
        columns = -(self.columns.T @ Qb)
        columns[block, np.arange(len(block))] += 1.0
        return columns / penalty


class Regressions:
    """Regress targets on all features but some: by straight lines or by curves.

    Which of the two is decided for each target, by rows that are predicted without themselves.

    Parameters
    ----------
    basis : Basis
        The features' columns.
    columns : ndarray of shape (n_samples, n_columns)
        Those of the rows to regress on.

    """

    def __init__(self, basis: Basis, columns: Floats) -> None:
        self._basis = basis
        self._n_columns = columns.shape[1]
        self._curved = BlockRidge(columns)
        straight = basis.straight
        self._straight = None
        if len(straight) < self._n_columns:
            self._straight = BlockRidge(columns[:, straight])
            place = np.full(self._n_columns, -1, dtype=np.intp)
            place[straight] = np.arange(len(straight))
            self._place = place

    def fit(self, targets: Floats, left_out: Sequence[NDArray[np.intp]]) -> Fits:
        """Regress target t on all features but ``left_out[t]``."""
        blocks = [np.concatenate([self._basis.blocks[j] for j in unit]) for unit in left_out]
        curved = self._curved.fit(targets, blocks)
        if self._straight is None:
            return curved
        places = [self._place[block] for block in blocks]
        lines = self._straight.fit(targets, [place[place >= 0] for place in places])
        simple = lines.error <= curved.error
        coefficient = curved.coefficient
        coefficient[:, simple] = 0.0
        coefficient[np.ix_(self._basis.straight, simple)] = lines.coefficient[:, simple]
        return Fits(np.where(simple, lines.residual, curved.residual), coefficient, curved.mean)
