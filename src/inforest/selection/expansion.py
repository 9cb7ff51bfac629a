"""`Expansion`: numbers for linear models, of features that are categories or have gaps."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from inforest._engine.arrays import Floats
from inforest._engine.features import Encoded, Features


class Expansion(TransformerMixin, BaseEstimator):
    """Make complete numbers of features.

    A category becomes one column of 0 and 1 per level that the training rows have. A number with
    gaps gets its median there, and a column that says where they were.
    """

    _reads_encoded = True

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the levels, the medians, and where there are gaps."""
        features, values = _parts(X)
        self._levels: dict[int, NDArray[np.float64]] = {}
        self._median = np.zeros(values.shape[1])
        self._has_gaps: NDArray[Any] = np.atleast_1d(np.isnan(values).any(axis=0))
        for j, column in enumerate(values.T):
            there = column[~np.isnan(column)]
            if features.kinds[j]:
                self._levels[j] = np.unique(there)
            elif len(there):
                self._median[j] = np.median(there)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the numbers."""
        _, values = _parts(X)
        columns: list[NDArray[Any]] = []
        gaps = np.isnan(values)
        for j, column in enumerate(values.T):
            if j in self._levels:
                columns.append(np.equal.outer(column, self._levels[j]))
            else:
                columns.append(np.where(gaps[:, j], self._median[j], column)[:, None])
            if self._has_gaps[j]:
                columns.append(gaps[:, [j]])
        return np.hstack(columns).astype(np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_median")


def _parts(X: Any) -> tuple[Features, Floats]:
    if isinstance(X, Encoded):
        return X.features, X.values
    return Features(X.shape[1]), X
