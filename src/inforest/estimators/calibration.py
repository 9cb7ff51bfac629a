"""Calibration of prediction intervals by out-of-bag rows."""

from dataclasses import dataclass

import numpy as np

from inforest._engine.arrays import Floats, Integers
from inforest._engine.leaf_rows import RankedRows, Samples


@dataclass(frozen=True)
class Tail:
    """What an interval leaves out: a share of the distribution on each side, and a margin."""

    level: float
    #: By how much both ends are moved outwards.
    margin: float = 0.0

    def moved(self, ends: Floats) -> Floats:
        """Return the ends of intervals with the margin; no interval is turned inside out."""
        lower, upper = ends[:, 0] - self.margin, ends[:, 1] + self.margin
        crossed = lower > upper
        middle = (ends[:, 0] + ends[:, 1]) / 2
        return np.column_stack([np.where(crossed, middle, lower), np.where(crossed, middle, upper)])


def calibrated_tail(
    ranked: RankedRows,
    samples: Samples,
    y: Floats,
    weight: Floats | None,
    coverage: float,
    n_jobs: int | None,
) -> Tail:
    """Return the tail at which the training rows are covered, out of bag, as often as wanted.

    `samples` are the training rows; rows that no tree has left out do not count, and others count
    as much as they weigh.
    """
    limit: Integers = np.column_stack(
        [np.searchsorted(ranked.value, y, side=side) for side in ("left", "right")]
    ).astype(np.int64)
    below, up_to = ranked.shares(samples, limit, n_jobs).T
    there = ~np.isnan(below) if weight is None else ~np.isnan(below) & (weight > 0)
    mass = np.ones(there.sum()) if weight is None else weight[there]
    depth = np.minimum(up_to, 1 - below)[there]
    # A row is inside if the level is below its depth: the deepest rows first. The little step makes
    # "at most" of "below".
    level = min(-_reached(-depth, mass, coverage) * (1 - 1e-9), 0.5)
    ends = ranked.quantiles(samples, np.array([level, 1 - level]), n_jobs)[there]
    outside = np.maximum(ends[:, 0] - y[there], y[there] - ends[:, 1])
    return Tail(float(level), float(_reached(outside, mass, coverage)))


def _reached(score: Floats, mass: Floats, coverage: float) -> float:
    """Return the smallest score up to which rows of so much mass lie, and that of one row more.

    That one row stands for the row to be predicted, which takes part in the ranking; without
    weights this is the ceil((n + 1) coverage)-th smallest score. Where the rows are too few it is
    the largest.
    """
    order = np.argsort(score, kind="stable")
    needed = coverage * (mass.sum() + mass.mean()) * (1 - 1e-12)
    place = int(np.searchsorted(np.cumsum(mass[order]), needed, side="left"))
    return float(score[order[min(place, len(order) - 1)]])
