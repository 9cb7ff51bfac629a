"""Ridge regressions of many targets, each on all columns but some, from one decomposition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest.conditional.basis import Basis

#: Penalties that are tried, as multiples of the number of rows: the columns have variance 1. The
#: largest one leaves next to nothing of a regression that does not help.
PENALTIES = (100.0, 10.0, 1.0, 1e-1, 1e-2)
#: A row's leverage counts as at most this; its residual would be divided by nearly nothing.
_MOST_LEVERAGE = 0.98
#: Directions whose variance is below this share of the largest one say nothing.
_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class Task:
    """Targets that are regressed on all columns but some.

    Attributes
    ----------
    targets : ndarray of shape (n_samples, n_targets)
        What to explain.
    left_out : ndarray of int
        The columns, or features, that may not explain it.

    """

    targets: Floats
    left_out: NDArray[np.intp]


class BlockRidge:
    """Regress any number of targets, each on all columns but a block of them.

    Leaving a block b out of a ridge regression with hat matrix ``H = A P A'``, where
    ``P = inv(A'A + penalty)``, is a correction of low rank: ``H - Q inv(P_bb) Q'`` with
    ``Q = A P_b``. So all p regressions of "each feature on all others" cost little more than one
    decomposition ``A = U S V'``.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Columns of mean about 0 and variance about 1 (or 0).
    members : list of ndarray, default=None
        The rows of each group; None makes each row a group of its own.

    """

    def __init__(self, columns: Floats, members: list[NDArray[np.intp]] | None = None) -> None:
        A = columns - columns.mean(axis=0)
        is_tall = A.shape[1] <= A.shape[0]
        values, vectors = np.linalg.eigh(A.T @ A if is_tall else A @ A.T)
        kept = values > _NOTHING * max(values[-1], 1e-300)
        self._squares = values[kept]
        vectors = vectors[:, kept]
        other = (A if is_tall else A.T) @ vectors / np.sqrt(self._squares)
        self._U: Floats = other if is_tall else vectors
        self._V: Floats = vectors if is_tall else other
        self._members = members
        self._leverage = {
            penalty: np.square(self._U) @ (self._squares / (self._squares + penalty * len(A)))
            + 1 / len(A)
            for penalty in PENALTIES
        }

    def residuals(self, task: Task) -> Floats:
        """Return what is left of the targets; the best penalty for each of them.

        Penalties are tried from the largest on, until one is best for none of them.
        Each row, or group of rows, is predicted by a regression that has not seen it; by these
        residuals the penalties are judged, too.
        """
        centred = task.targets - task.targets.mean(axis=0)
        along = self._U.T @ centred
        V_b = self._V[task.left_out]
        best = np.full(centred.shape[1], np.inf)
        residual = np.empty_like(centred)
        for penalty in PENALTIES:
            left = self._residuals(centred, along, V_b, penalty)
            error = np.square(left).mean(axis=0)
            better = error < best
            best[better] = error[better]
            residual[:, better] = left[:, better]
            if not better.any():
                break  # nearly always the best penalty was among those tried
        return residual

    def _residuals(self, centred: Floats, along: Floats, V_b: Floats, penalty: float) -> Floats:
        absolute = penalty * len(centred)
        weight = 1 / (self._squares + absolute)
        Q = self._U @ ((np.sqrt(self._squares) * weight)[:, None] * V_b.T)
        # inv(A'A + penalty) of the block; outside the span of A's rows it is 1 / penalty.
        P_bb = (V_b * (weight - 1 / absolute)) @ V_b.T + np.eye(len(V_b)) / absolute
        slopes = V_b @ ((np.sqrt(self._squares) * weight)[:, None] * along)
        shrunk = np.linalg.solve(P_bb, np.hstack([slopes, Q.T]))
        n_targets = centred.shape[1]
        fitted = self._U @ ((self._squares * weight)[:, None] * along) - Q @ shrunk[:, :n_targets]
        left: Floats = centred - fitted
        if self._members is None:
            own = self._leverage[penalty] - np.einsum("ij,ji->i", Q, shrunk[:, n_targets:])
            left /= (1 - np.minimum(own, _MOST_LEVERAGE))[:, None]
            return left
        for rows in self._members:
            U = self._U[rows]
            hat = (U * (self._squares * weight)) @ U.T + 1 / len(centred)
            hat -= Q[rows] @ shrunk[:, n_targets:][:, rows]
            values, vectors = np.linalg.eigh(hat)
            inverse = vectors / (1 - np.minimum(values, _MOST_LEVERAGE)) @ vectors.T
            left[rows] = inverse @ left[rows]
        return left


class Regressions:
    """Regress targets on all features but some: by straight lines or by curves.

    Which of the two is decided for each target, by rows that are predicted without themselves.

    Parameters
    ----------
    basis : Basis
        The features' columns.
    groups : ndarray of shape (n_samples,) or None, default=None
        Rows of one group are predicted without each other.

    """

    def __init__(self, basis: Basis, groups: NDArray[np.intp] | None = None) -> None:
        members, columns = None, basis.columns
        if groups is not None:
            order = np.argsort(groups, kind="stable")
            members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
        self._blocks = basis.blocks
        self._curved = BlockRidge(columns, members)
        self._lines: BlockRidge | None = None
        straight = basis.straight
        if len(straight) < columns.shape[1]:
            self._lines = BlockRidge(columns[:, straight], members)
            place = np.full(columns.shape[1], -1, dtype=np.intp)
            place[straight] = np.arange(len(straight))
            self._straight_blocks = [place[b][place[b] >= 0] for b in basis.blocks]

    def residuals(self, task: Task) -> Floats:
        """Return what all features but ``task.left_out`` leave open of the targets."""

        def without(blocks: Sequence[NDArray[np.intp]]) -> Task:
            return Task(task.targets, np.concatenate([blocks[j] for j in task.left_out]))

        curved = self._curved.residuals(without(self._blocks))
        if self._lines is None:
            return curved
        lines = self._lines.residuals(without(self._straight_blocks))
        simple = np.square(lines).mean(axis=0) <= np.square(curved).mean(axis=0)
        residual: Floats = np.where(simple, lines, curved)
        return residual
