"""`Outcome`: how one step of a job ended, what it found and what it took."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.job import Status


@dataclass(frozen=True, eq=False)
class Outcome:
    """How one step of a job ended.

    Attributes
    ----------
    status : {"done", "failed", "over-budget", "skipped"}
        Whether there is a result.
    reason : str
        Why there is none; empty if there is one.
    columns : mapping of str to ndarray
        The result as a table: `order`, `scores`, `usage`, `trees_using` of a ranking; `learner`,
        `k`, `metric`, `value` of scores.
    facts : mapping
        Figures about the fit.
    seconds, cpu_seconds : float
        Wall-clock time of the step itself, and what its threads and processes used.
    memory_mb : float
        Largest resident memory seen of the worker and the processes it started.
    traceback : str
        Where a failure came from.
    versions, machine : mapping
        The software and the computer.
    data_checksum : str
        `checksum(X, y)` of the data that were used; empty if none were loaded.
    warnings : tuple of str
        What was to be said about the data when they were loaded.

    """

    status: Status
    reason: str = ""
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    traceback: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str | int] = field(default_factory=dict)
    data_checksum: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def order(self) -> NDArray[np.int32]:
        """The ranking, best feature first."""
        return self.columns["order"]


def ranking_columns(
    order: NDArray[np.intp],
    scores: NDArray[np.float64],
    usage: NDArray[np.int64] | None,
    trees_using: NDArray[np.int64] | None,
) -> dict[str, NDArray[Any]]:
    """Return a ranking as a table's columns; `order` is by rank, the others are by feature."""
    columns: dict[str, NDArray[Any]] = {"order": order.astype(np.int32), "scores": scores}
    optional = {"usage": usage, "trees_using": trees_using}
    return columns | {name: array for name, array in optional.items() if array is not None}
