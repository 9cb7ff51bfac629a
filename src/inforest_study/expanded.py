"""`Expanded`: one column per level and medians in gaps, for methods that read numbers only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats


@dataclass(frozen=True, eq=False)
class Expanded:
    """What a table with words and gaps is to a method that knows numbers only.

    Attributes
    ----------
    levels : list of (list or None)
        The levels of each category in the rows it was made from; None for a number.
    medians : ndarray of shape (n_features,)
        What gaps of numbers become.

    """

    levels: list[list[Any] | None]
    medians: Floats

    @classmethod
    def fit(cls, X: Any) -> "Expanded":
        """Learn levels and medians from a `pandas.DataFrame`."""
        levels: list[list[Any] | None] = []
        medians = np.zeros(X.shape[1])
        for j in range(X.shape[1]):
            column = X.iloc[:, j]
            if column.dtype == "category":
                levels.append(sorted(column.dropna().unique().tolist()))
            else:
                levels.append(None)
                medians[j] = 0.0 if column.isna().all() else column.median()
        return cls(levels, medians)

    @property
    def owner(self) -> NDArray[np.intp]:
        """The feature that each column stands for."""
        width = [1 if levels is None else max(1, len(levels)) for levels in self.levels]
        return np.repeat(np.arange(len(width)), width)

    def numbers(self, X: Any) -> Floats:
        """Return the columns; a level that was not there, or no level, is 0 everywhere."""
        parts: list[NDArray[Any]] = []
        for j, levels in enumerate(self.levels):
            column = X.iloc[:, j]
            if levels is None:
                parts.append(column.fillna(self.medians[j]).to_numpy(dtype=np.float64)[:, None])
            else:
                values = column.astype(object).to_numpy()[:, None]
                parts.append(values == np.array(levels or [None], dtype=object)[None, :])
        return np.hstack(parts).astype(np.float64)

    def summed(self, importances: Floats) -> Floats:
        """Return the importance of each feature: the sum over its columns."""
        totals = np.bincount(self.owner, importances, minlength=len(self.levels))
        return totals.astype(np.float64)


def is_table(X: Any) -> bool:
    """Whether X is a data frame, in which there may be words and gaps."""
    return hasattr(X, "iloc")


def as_numbers(X: Any) -> tuple[Floats, NDArray[np.intp]]:
    """Return the columns that numbers need, of a table or an array, and whose each of them is."""
    if not is_table(X):
        return X, np.arange(X.shape[1])
    table = Expanded.fit(X)
    return table.numbers(X), table.owner
