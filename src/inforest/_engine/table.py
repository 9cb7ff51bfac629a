"""`Table`: the features of a call for everybody who gets them, and their columns as they came."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import validate_data

from inforest._engine.columns import arrow_table, is_frame
from inforest._engine.features import Encoded, Features
from inforest._engine.sklearn_private import safe_indexing


@dataclass(frozen=True, eq=False)
class Table:
    """Features that several models see, ours and others.

    Attributes
    ----------
    values : ndarray, sparse matrix or Encoded
        What our own models take.
    native : data frame or None
        The same as it came, for other models; None: they take `values`.

    """

    values: Any
    native: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape

    @property
    def features(self) -> Features:
        """What the columns are."""
        if isinstance(self.values, Encoded):
            return self.values.features
        return Features(self.shape[1])

    @property
    def numbers(self) -> Any:
        """The numbers that stand for the values."""
        return self.values.values if isinstance(self.values, Encoded) else self.values

    @property
    def is_plain(self) -> bool:
        """Whether all features are numbers that are there."""
        if self.features.special:
            return False
        return issparse(self.values) or not np.isnan(self.numbers.min(initial=0.0))

    def rows(self, rows: NDArray[np.intp] | None) -> "Table":
        """Return some of the rows; None: all."""
        if rows is None:
            return self
        native = None if self.native is None else safe_indexing(self.native, rows)
        return Table(self.values[rows], native)

    def columns(self, columns: NDArray[np.intp]) -> "Table":
        """Return some of the columns, in this order."""
        native = None if self.native is None else safe_indexing(self.native, columns, axis=1)
        return Table(self.values[:, columns], native)

    def of(self, model: Any) -> Any:
        """Return what a model takes for X."""
        return self.values if self.native is None or reads_encoded(model) else self.native


def reads_encoded(model: Any) -> bool:
    """Whether a model takes `Encoded` features."""
    if isinstance(model, Pipeline):
        return len(model.steps) > 0 and reads_encoded(model.steps[0][1])
    return getattr(model, "_reads_encoded", False)


class ColumnSelector(SelectorMixin):
    """Selection of columns that come out as they came: a data frame in, its columns out."""

    _reads_encoded = True

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_kept : array or data frame of shape (n_samples, n_selected_features)
            The selected columns. Those of a data frame are a data frame, with their own types,
            unless `set_output` asks for another kind.

        """
        table = arrow_table(X)
        if not is_frame(table):
            return super().transform(X)
        validate_data(self, table, reset=False, skip_check_array=True)
        kept = np.flatnonzero(self.get_support())
        if len(kept) == 0:
            warnings.warn(
                "No features were selected: either the data is too noisy or the selection test too"
                " strict.",
                UserWarning,
                stacklevel=2,
            )
        if hasattr(table, "column_names"):
            return table.select(kept.tolist())
        return safe_indexing(table, kept, axis=1)
