"""How X is stored: large tables where they are, sparse ones by columns, all others as float64."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

#: Number types that the core reads where they are, exactly as a copy in double precision.
TYPES: list[Any] = [
    *(np.float64, np.float32, np.int64, np.int32, np.int16, np.int8),
    *(np.uint64, np.uint32, np.uint16, np.uint8, np.bool_),
]
#: Bytes in double precision up to which a copy is quicker than what it saves.
_SMALL_BYTES = 2**26
#: Bytes of rows that are in double precision at a time.
_BLOCK_BYTES = 2**25


def stays(X: Any) -> bool:
    """Whether X is read where it is.

    That is so for sparse tables, and for large arrays that are in a file or of another type than
    float64, in either order. A large array of float64 in memory is copied if it is by rows.
    """
    if issparse(X):
        return True
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype not in TYPES:
        return False
    if 8 * X.size <= _SMALL_BYTES or not X.flags.aligned:
        return False
    return isinstance(X, np.memmap) or X.dtype != np.float64


def sound(X: Any) -> Any:
    """Return X; refuse a sparse one whose indices lead out of it, where SciPy would follow them.

    SciPy's own `check_format` may shorten the arrays of the user's matrix.
    """
    if not issparse(X) or X.ndim != 2:
        return X
    if X.format not in ("csr", "csc", "coo"):
        X = X.tocsr()
    if not (_coordinates_fit(X) if X.format == "coo" else _lines_fit(X)):
        raise ValueError(
            "X is a sparse matrix with damaged indices: they lead out of the matrix or of its data"
        )
    return X


def _coordinates_fit(X: Any) -> bool:
    return len(X.row) == len(X.col) == len(X.data) and (
        _all_below(X.row, X.shape[0]) and _all_below(X.col, X.shape[1])
    )


def _lines_fit(X: Any) -> bool:
    """Whether rows, or columns, follow each other and have their entries inside."""
    n_lines, n_places = X.shape if X.format == "csr" else X.shape[::-1]
    return (
        len(X.indptr) == n_lines + 1
        and X.indptr[0] == 0
        and bool((np.diff(X.indptr) >= 0).all())
        and X.indptr[-1] <= len(X.data)
        and len(X.data) == len(X.indices)
        and _all_below(X.indices, n_places)
    )


def _all_below(indices: Any, end: int) -> bool:
    return not len(indices) or bool(indices.min() >= 0 and indices.max() < end)


def by_columns(X: Any) -> Any:
    """Return sparse entries column by column, each once and in the order of rows."""
    if not issparse(X):
        return X
    columns = csc_array(X)  # shares what is in this format already
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return columns


def for_core(X: Any) -> Any:
    """Return X as the core takes it."""
    if not issparse(X):
        return X
    rows, begin = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)
    return X.data, rows, begin, X.shape[0]


def total(X: Any) -> float:
    """Return the sum of all values, which is nan or infinite if one of them is."""
    values = X.data if issparse(X) else X
    if values.dtype.kind != "f":
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(values.sum(dtype=np.float64))


def dense(X: Any) -> NDArray[Any]:
    """Return a part of X as an array by columns."""
    return X.toarray(order="F") if issparse(X) else np.asfortranarray(X)


def column(X: Any, j: int) -> NDArray[np.float64]:
    """Return a column in double precision; X itself, where it is."""
    values = dense(X[:, [j]])[:, 0] if issparse(X) else X[:, j]
    return np.asarray(values, dtype=np.float64)


def each_column(X: Any) -> Iterator[NDArray[np.float64]]:
    """Yield the columns one after the other, in double precision."""
    for j in range(X.shape[1]):
        yield column(X, j)


def of_columns(
    columns: Iterator[NDArray[np.float64]], shape: tuple[int, int], *, sparse: bool
) -> Any:
    """Return a table of these columns, which are read once."""
    if not sparse:
        X = np.empty(shape, order="F")
        for j, values in enumerate(columns):
            X[:, j] = values
        return X
    rows, entries, size = [], [], [0]
    for values in columns:
        rows.append(np.flatnonzero(values).astype(np.int32))
        entries.append(values[rows[-1]])
        size.append(len(rows[-1]))
    return csc_array((np.concatenate(entries), np.concatenate(rows), np.cumsum(size)), shape)


def in_double(X: Any, begin: int, end: int) -> NDArray[np.float64]:
    """Return some rows in double precision."""
    rows = X[begin:end]
    return rows.toarray().astype(np.float64) if issparse(X) else rows.astype(np.float64, copy=False)


def n_blocks(X: Any) -> int:
    """Return into how many blocks of rows X is cut, so that these are small in double precision."""
    if isinstance(X, np.ndarray) and X.dtype == np.float64 and not isinstance(X, np.memmap):
        return 1
    return -(-8 * X.shape[0] * X.shape[1] // _BLOCK_BYTES)
