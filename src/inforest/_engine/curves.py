"""Curves over time: what leaves keep of censored times, and what trees and forests make of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Sample, Trees
from inforest._engine.parallel import Signals, cut, run, workers

#: Rows whose leaves are looked up at a time.
_ROWS = 4096
#: Trees whose rows are looked up at a time.
_TREES = 16


@dataclass(frozen=True, eq=False)
class LeafCurves:
    """The event times of the rows of each leaf, leaf after leaf, ascending.

    Attributes
    ----------
    begin : ndarray of shape (n_nodes + 1,)
        Where the entries of each node of all trees begin; inner nodes have none.
    time : ndarray of shape (n_entries,)
        Which of `event_times` it is.
    events, at_risk : ndarray of shape (n_entries,)
        The weight of the rows that had the event then, and of those that had not had it before.
    event_times : ndarray of shape (n_times,)
        The distinct event times of the data.

    """

    begin: Integers
    time: NDArray[np.int32]
    events: Floats
    at_risk: Floats
    event_times: Floats

    @classmethod
    def concatenate(cls, parts: "list[LeafCurves]") -> "LeafCurves":
        """Put the leaves of all parts side by side, in order."""
        starts = np.cumsum([0] + [len(part.time) for part in parts])
        begins = [part.begin[:-1] + start for part, start in zip(parts, starts, strict=False)]
        return cls(
            np.concatenate([*begins, starts[-1:]]).astype(np.int64),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.events for part in parts]),
            np.concatenate([part.at_risk for part in parts]),
            parts[0].event_times,
        )

    def part(self, first: int, last: int) -> "LeafCurves":
        """Return the curves of the nodes ``first:last``."""
        begin, end = self.begin[first], self.begin[last]
        return LeafCurves(
            self.begin[first : last + 1] - begin,
            self.time[begin:end],
            self.events[begin:end],
            self.at_risk[begin:end],
            self.event_times,
        )

    def risk(self, grid: Floats) -> Floats:
        """Return each node's cumulative hazard, summed over a grid of times; 0 in inner nodes."""
        points = len(grid) - np.searchsorted(grid, self.event_times, side="left")
        amount = self.events / self.at_risk * points[self.time]
        node = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        total = np.bincount(node, weights=amount, minlength=len(self.begin) - 1)
        return total.astype(np.float64)  # integers if there is no entry at all

    def predict(
        self, trees: Trees, X: Floats, grid: Floats, *, survival: bool, n_jobs: int | None
    ) -> Floats:
        """Return the mean over the trees of the curves of each sample's leaves, on a grid."""
        step = np.searchsorted(grid, self.event_times, side="left").astype(np.int32)
        shared = {
            "X": X,
            "trees": trees,
            "options": {
                "offset": trees.offset,
                "begin": self.begin,
                "step": step[self.time],
                "jump": _core.curve_jumps(self.begin, self.events, self.at_risk, survival),
                "survival": survival,
                "n_times": len(grid),
            },
        }
        blocks = cut(X.shape[0], max(workers(n_jobs), -(-X.shape[0] // _ROWS)))
        return np.concatenate(run(_predict_rows, shared, blocks, n_jobs, here=True))

    def curve(self, node: int, *, survival: bool = True) -> tuple[Floats, Floats]:
        """Return the times at which the curve of one leaf changes, and its values from then on."""
        own = self.part(node, node + 1)
        jump = _core.curve_jumps(own.begin, own.events, own.at_risk, survival)
        return self.event_times[own.time], float(survival) + np.cumsum(jump)


def make_curves(
    trees: Trees,
    X: Floats,
    times: NDArray[Any],
    sample: Sample,
    *,
    honesty: float,
    weight: Floats | None,
    n_jobs: int | None,
) -> LeafCurves:
    """Find the rows of each leaf again, from the trees' seeds, and keep what matters of them."""
    there = np.ones(len(times), dtype=bool) if weight is None else weight > 0
    event_times = np.unique(times["time"][there & times["event"]])
    shared = {
        "X": X,
        "trees": trees,
        "sample": sample,
        "options": {
            "honesty": honesty,
            "weights": weight,
            "place": np.searchsorted(event_times, times["time"], side="right").astype(np.int32),
            "event": (times["event"] & there).astype(np.uint8),
        },
    }
    pieces = cut(trees.n_trees, max(workers(n_jobs), -(-trees.n_trees // _TREES)))
    parts = run(_find_curves, shared, pieces, n_jobs, here=True)
    return LeafCurves.concatenate([LeafCurves(**one, event_times=event_times) for one in parts])


def _find_curves(
    signals: Signals,
    begin: int,
    end: int,
    *,
    X: Floats,
    trees: Trees,
    sample: Sample,
    options: dict[str, Any],
) -> dict[str, NDArray[Any]]:
    part = trees.part(begin, end)
    return _core.leaf_curves(
        np.ascontiguousarray(part.apply(X).T),
        offset=part.offset,
        feature=part.feature,
        right=part.right,
        **vars(sample.part(begin, end)),
        stop=signals.stop,
        **options,
    )


def _predict_rows(
    _: Signals, begin: int, end: int, *, X: Floats, trees: Trees, options: dict[str, Any]
) -> Floats:
    return _core.predict_curves(trees.apply(X[begin:end]), **options)


def thinned(event_times: Floats, time_grid: Any) -> Floats:
    """Return the times at which curves are given: all event times, some of them, or those given."""
    if time_grid is None:
        return event_times
    if isinstance(time_grid, (int, np.integer)):
        if len(event_times) <= time_grid:
            return event_times
        place = np.linspace(0, len(event_times) - 1, int(time_grid))
        return event_times[np.unique(np.rint(place).astype(np.intp))]
    grid = np.asarray(time_grid, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not np.isfinite(grid).all() or (np.diff(grid) <= 0).any():
        raise ValueError(
            "time_grid must be None, a number of times, or ascending finite times; got"
            f" {time_grid!r}"
        )
    return grid
