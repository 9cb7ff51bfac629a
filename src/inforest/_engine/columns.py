"""Columns of any library as plain things: numbers, moments, levels or objects, with their gaps."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

#: NumPy's letters of numbers and truth values, and of moments and durations.
NUMBERS, MOMENTS = "biuf", "mM"
_NANOSECONDS = 1e-9
_TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class UnknownTypeError(TypeError):
    """A column of a type that has no meaning here."""

    def of(self, column: str) -> Self:
        """Return the same about this column."""
        return type(self)(
            f"X: {column} {self}; the argument must be a table of strings, numbers, dates or"
            " categories. Convert this column, or leave it out."
        )


@dataclass(frozen=True, eq=False)
class Column:
    """What a column holds, whichever library it comes from.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        float64, nan where missing; datetime64 or timedelta64; objects; or, if there are `levels`,
        their places, -1 where missing.
    levels : list or None
        The levels of a column whose type says that it is a category, in its own order.
    is_ordered : bool
        Whether that order has a meaning.

    """

    values: NDArray[Any]
    levels: list[Any] | None = None
    is_ordered: bool = False


class Columns:
    """The columns of a table, each read when it is asked for."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names: list[Any] | None = None
        if _is_arrow(table):
            self.names = list(table.column_names)
        elif is_frame(table):
            self.names = list(table.columns)

    def __len__(self) -> int:
        return int(self._table.shape[1])

    def __getitem__(self, j: int) -> Column:
        table = self._table
        if _is_pandas(table):
            return _of_pandas(table.iloc[:, j])
        if _is_arrow(table):
            return of_arrow(table.column(j))
        return _of_polars(table[:, j]) if _is_polars(table) else of_array(table[:, j])

    def called(self, j: int) -> str:
        """Return what to call a column in a message."""
        return f"column {j}" if self.names is None else f"column {self.names[j]!r}"


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, nan, NaT, pandas.NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor not; arrays are many
        return type(value).__name__ == "NAType"


def is_frame(X: Any) -> bool:
    """Whether X has columns of several types: a table of pandas, polars or Arrow."""
    return _is_pandas(X) or _is_polars(X) or _is_arrow(X)


def arrow_table(X: Any) -> Any:
    """Return what hands itself over in Arrow's way as a table of pyarrow, all else as it is."""
    if is_frame(X) or isinstance(X, np.ndarray) or not hasattr(X, "__arrow_c_stream__"):
        return X
    import pyarrow as pa

    return pa.table(X)


def is_plain(X: Any) -> bool:
    """Whether scikit-learn reads X itself: numbers and truth values in NumPy's own memory."""
    if _is_pandas(X):
        return all(
            isinstance(dtype, np.dtype) and dtype.kind in NUMBERS for dtype in X.dtypes.tolist()
        )
    if _is_polars(X):
        return all(dtype.is_integer() or dtype.is_float() for dtype in X.dtypes)
    if _is_arrow(X) or isinstance(X, np.ma.MaskedArray):
        return False
    return not (isinstance(X, np.ndarray) and X.dtype.kind in "O" + MOMENTS)


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def _is_polars(X: Any) -> bool:
    return (
        type(X).__module__.startswith("polars") and hasattr(X, "columns") and hasattr(X, "dtypes")
    )


def _is_arrow(X: Any) -> bool:
    return hasattr(X, "column_names") and hasattr(X, "column") and hasattr(X, "schema")


def of_array(values: NDArray[Any]) -> Column:
    """Return a column of a NumPy array."""
    if isinstance(values, np.ma.MaskedArray):
        gaps = np.ma.getmaskarray(values)
        values = values.data
        if values.dtype.kind in NUMBERS:
            return Column(np.where(gaps, np.nan, values.astype(np.float64)))
        values = values.astype(object)
        values[gaps] = None
    if values.dtype.kind in NUMBERS:
        return Column(values.astype(np.float64))
    if values.dtype.kind in MOMENTS:
        return Column(values)
    if values.dtype.kind in "OUT":
        return Column(values.astype(object))
    raise UnknownTypeError(f"holds values of type {values.dtype}")


def _of_pandas(series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories") and hasattr(series, "cat"):
        levels = dtype.categories.tolist()
        return Column(series.cat.codes.to_numpy(), levels, bool(dtype.ordered))
    if hasattr(dtype, "pyarrow_dtype"):
        import pyarrow as pa

        return of_arrow(pa.chunked_array([pa.array(series, from_pandas=True)]))
    name = str(dtype).lower()
    if name.startswith("period"):
        series = series.dt.to_timestamp()
        dtype = series.dtype
    if getattr(dtype, "kind", "O") in NUMBERS and not name.startswith("sparse"):
        return Column(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if name.startswith("sparse"):
        return of_array(np.asarray(series))
    if getattr(dtype, "kind", "O") == "M":
        zoned = getattr(series.dt, "tz", None) is not None
        series = series.dt.tz_convert("UTC").dt.tz_localize(None) if zoned else series
        return Column(series.to_numpy())
    if getattr(dtype, "kind", "O") == "m":
        return Column(series.to_numpy())
    if name in ("object", "str") or name.startswith("string"):
        return Column(series.to_numpy(dtype=object))
    raise UnknownTypeError(f"is of type {dtype}")


def _of_polars(series: Any) -> Column:
    name = str(series.dtype)
    if name.startswith(("Categorical", "Enum")):
        words = series.to_list()
        levels = sorted({word for word in words if word is not None})
        return Column(_coded(words, levels), levels)
    if series.dtype.is_numeric() or name == "Boolean":
        return Column(series.cast(float).to_numpy())
    if name == "Null":
        return Column(np.full(len(series), np.nan))
    if name.startswith(("Date", "Duration")):
        return Column(series.to_numpy())
    if name == "Time":
        return Column(_seconds(series.to_physical().cast(float).to_numpy() * _NANOSECONDS))
    if name in ("String", "Utf8", "Object"):
        return Column(_objects(series.to_list()))
    raise UnknownTypeError(f"is of type {series.dtype}")


def of_arrow(column: Any) -> Column:
    """Return a column of an Arrow table, a `pyarrow.ChunkedArray`."""
    import pyarrow as pa

    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return _of_dictionary(column)
    if types.is_null(kind):
        return Column(np.full(len(column), np.nan))
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Column(_objects(column.to_pylist()))
    if types.is_time(kind):
        ticks = column.cast(pa.int32() if types.is_time32(kind) else pa.int64())
        return Column(_seconds(_floats(ticks) * _TIME_UNITS[kind.unit]))
    if types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind):
        return Column(column.to_numpy())
    if types.is_boolean(kind):
        return Column(_floats(column.cast(pa.uint8())))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Column(_floats(column))
    raise UnknownTypeError(f"is of type {kind}")


def _of_dictionary(column: Any) -> Column:
    """Return a category; a dictionary may name a level twice, or say that it is missing."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_nested(kind.value_type):
        raise UnknownTypeError(f"is of type {kind}")
    named = [part.dictionary.to_pylist() for part in column.chunks]
    levels = list(dict.fromkeys(level for part in named for level in part if not is_missing(level)))
    codes = [np.empty(0, dtype=np.int64)]
    for part, words in zip(column.chunks, named, strict=True):
        places = part.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.append(_coded(words, levels), -1)[places])
    return Column(np.concatenate(codes), levels, bool(kind.ordered))


def _floats(column: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    return column.cast(pa.float64(), safe=False).to_numpy()


def _seconds(values: NDArray[np.float64]) -> NDArray[np.timedelta64]:
    """Return seconds as durations, which is what a time of the day is."""
    whole = np.where(np.isnan(values), 0.0, values / _NANOSECONDS).astype(np.int64)
    spans = whole.astype("timedelta64[ns]")
    spans[np.isnan(values)] = np.timedelta64("NaT")
    return spans


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _coded(values: list[Any], levels: list[Any]) -> NDArray[np.int64]:
    place = {level: j for j, level in enumerate(levels)}
    return np.array([place.get(value, -1) for value in values], dtype=np.int64)
