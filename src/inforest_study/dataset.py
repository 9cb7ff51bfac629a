"""`Dataset`: features, target and what is known about them; `DatasetInfo`: its registry entry."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Task = Literal["classification", "regression", "survival"]
TASKS: tuple[Task, ...] = ("classification", "regression", "survival")
#: A censored time: whether the event was seen, and the time until it or until the last look.
CENSORED = np.dtype([("event", bool), ("time", np.float64)])
#: What a column of a generated data set is, for the composition of a ranking's top.
Kind = Literal["informative", "redundant", "correlated noise", "explicit noise", "background"]


class DatasetUnavailable(Exception):  # noqa: N818 - an outcome of a run like others
    """The data are not on this machine and could not be fetched; the message says how to get them.

    Examples
    --------
    >>> from inforest_study.dataset import DatasetUnavailable
    >>> raise DatasetUnavailable("gisette", "UCI refused the connection", "download it by hand")
    Traceback (most recent call last):
    inforest_study.dataset.DatasetUnavailable: gisette is not available: UCI refused the connection
    How to get it: download it by hand

    """

    def __init__(self, name: str, reason: str, remedy: str) -> None:
        super().__init__(name, reason, remedy)  # all three, so that it survives pickling
        self.name, self.reason, self.remedy = name, reason, remedy

    def __str__(self) -> str:
        return f"{self.name} is not available: {self.reason}\nHow to get it: {self.remedy}"


@dataclass(frozen=True)
class DatasetInfo:
    """All that is known of a data set before it is loaded.

    Attributes
    ----------
    name : str
        The name it goes by in suites and reports.
    task : {"classification", "regression", "survival"}
        What is to be predicted.
    n_samples, n_features : int
        Its size.
    n_classes : int or None
        Number of classes; None for the other tasks.
    source : str
        Where it comes from and how to get it.
    license : str
        The terms its owners state.
    quirks : tuple of str
        What a reader of its results must know. Shown in reports.
    group : str
        "real", "mixed", "survival", "bundled", "synthetic", "feature-sampling", "ablation" or
        "plugin".
    checksum : str or None
        `checksum(X, y)` of the study's copy; None where there is nothing to compare with.
    loader : callable
        Takes the folder of local files and the cache's folder, returns the `Dataset`.

    """

    name: str
    task: Task
    n_samples: int
    n_features: int
    n_classes: int | None
    source: str
    license: str
    quirks: tuple[str, ...]
    group: str
    checksum: str | None
    loader: "Callable[[Path | None, Path | None], Dataset]" = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            known = ", ".join(map(repr, TASKS))
            raise ValueError(f"task must be one of {known}, got {self.task!r} for {self.name}")
        if (self.n_classes is not None) != (self.task == "classification"):
            raise ValueError(
                f"n_classes must be an int for classification and None for other tasks, "
                f"got {self.n_classes!r} for {self.name} ({self.task})"
            )


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set in memory, checked against its entry; its arrays are read-only.

    Attributes
    ----------
    info : DatasetInfo
        Its entry in the registry.
    X : ndarray of shape (n_samples, n_features)
        The features: float64, in C order.
    y : ndarray of shape (n_samples,)
        Classes as int64 codes 0, 1, ..., a float64 response, or censored times (`CENSORED`).
    feature_names : list of str
        "x1", "x2", ... unless given.
    informative : ndarray of int or None
        Indices of the features that make y, where known.
    kinds : ndarray of str or None
        What each feature is (`Kind`), where known.
    levels : tuple or None
        Of a table with words or gaps: the levels of each feature, None for a number. X holds the
        places of levels, and nan where a value is missing.

    Examples
    --------
    >>> from inforest_study import datasets
    >>> iris = datasets.load("iris")
    >>> iris.X.shape, iris.info.n_classes, iris.feature_names[0]
    ((150, 4), 3, 'sepal length (cm)')

    """

    info: DatasetInfo
    X: Floats
    y: NDArray[Any]
    feature_names: list[str] = field(default_factory=list)
    informative: NDArray[np.intp] | None = None
    kinds: NDArray[np.str_] | None = None
    levels: tuple[tuple[str, ...] | None, ...] | None = None

    def frame(self, rows: Any = slice(None)) -> Any:
        """Return rows as a `pandas.DataFrame` with categories, gaps and all."""
        import pandas as pd

        columns = {}
        for j, name in enumerate(self.feature_names):
            values, levels = self.X[rows, j], self.levels[j] if self.levels else None
            if levels is None:
                columns[name] = values
            else:
                codes = np.where(np.isnan(values), -1, values).astype(np.int64)
                columns[name] = pd.Categorical.from_codes(codes, list(levels))
        return pd.DataFrame(columns)

    def __post_init__(self) -> None:
        info = self.info
        target = _TYPE_OF_Y[info.task]
        X = np.ascontiguousarray(self.X, dtype=np.float64)
        y = np.ascontiguousarray(self.y, dtype=target)
        if X.shape != (info.n_samples, info.n_features) or y.shape != (info.n_samples,):
            raise ValueError(
                f"{info.name} must have {info.n_samples} samples and {info.n_features} features, "
                f"got X of shape {X.shape} and y of shape {y.shape}"
            )
        there = X if self.levels is None else X[~np.isnan(X)]
        if not (np.isfinite(there).all() and np.isfinite(_numbers(y)).all()):
            raise ValueError(f"{info.name} has missing or infinite values")
        if info.n_classes is not None and set(np.unique(y)) != set(range(info.n_classes)):
            raise ValueError(
                f"the classes of {info.name} must be 0 to {info.n_classes - 1}, "
                f"got {np.unique(y)[:10].tolist()}"
            )
        names = self.feature_names or [f"x{j + 1}" for j in range(info.n_features)]
        if len(names) != info.n_features:
            raise ValueError(
                f"{info.name} must have {info.n_features} feature names, got {len(names)}"
            )
        values = dict(X=X, y=y, feature_names=names)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        for array in (X, y, self.informative, self.kinds):
            if array is not None:
                array.setflags(write=False)


_TYPE_OF_Y: dict[Task, Any] = {
    "classification": np.int64,
    "regression": np.float64,
    "survival": CENSORED,
}


def _numbers(y: NDArray[Any]) -> NDArray[Any]:
    """Return y itself, or the two columns of censored times."""
    return y if y.dtype.names is None else np.column_stack([y["event"], y["time"]])


def checksum(X: Floats, y: NDArray[Any]) -> str:
    """SHA-256 of the values of X, row by row, then of y; little-endian, 8 bytes each.

    Minus zero counts as zero. Storage (order, endianness, file format) does not matter.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features, float64.
    y : ndarray of shape (n_samples,)
        The target: int64, float64 or censored times.

    Returns
    -------
    digest : str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.dataset import checksum
    >>> checksum(np.eye(2), np.array([0, 1]))[:8]
    '7c43fc4a'

    """
    digest = hashlib.sha256()
    for rows in np.array_split(X, max(1, X.size // 2**20)):  # no copy of a large X
        digest.update((np.ascontiguousarray(rows, dtype="<f8") + 0.0).tobytes())
    y = _numbers(y)
    whole = np.issubdtype(y.dtype, np.integer)
    digest.update(y.astype("<i8").tobytes() if whole else (y.astype("<f8") + 0.0).tobytes())
    return digest.hexdigest()
