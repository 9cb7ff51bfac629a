"""`open_table`: a file too large for memory as an array on disk, which is read where it is."""

import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.printable import printable

#: File endings that can be opened, and the format of each.
_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
#: Rows that are in memory at a time.
_BATCH = 2**16
#: Types whose numbers single precision holds exactly.
_EXACT = {"bool", "int8", "uint8", "int16", "uint16", "halffloat", "float"}


@dataclass(frozen=True, eq=False)
class OpenTable:
    """What `open_table` returns.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        A memory map of the features' numbers, row by row; nan where a value is missing. float32 if
        that holds all of them exactly, else float64.
    y : ndarray of shape (n_samples,) or None
        The target, if there is one.
    feature_names : list of str
        The names of the features.

    """

    X: NDArray[Any]
    y: NDArray[Any] | None
    feature_names: list[str] = field(repr=False)


def open_table(
    path: str | Path,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    folder: str | Path | None = None,
) -> OpenTable:
    """Open a Parquet, Arrow or Feather file that may be larger than memory.

    The file is read some rows at a time and written, once, as a memory map to a temporary file. The
    file is deleted when nothing refers to the map any more. Trees, forests, rankings and tests read
    the map where it is: with `max_samples`, a forest needs memory for the rows of one tree and the
    target.

    Parameters
    ----------
    path : str or Path
        The file. Reading it takes pyarrow (``pip install "inforest[cli]"``).
    target : str or None, default=None
        The column that becomes `y`. Missing values are not allowed in it.
    columns : sequence of str or None, default=None
        The features; None takes all columns but the target. They must hold numbers or truth values.
    folder : str or Path or None, default=None
        Where to write the map, which takes 4 or 8 bytes per number; None takes the folder for
        temporary files.

    Returns
    -------
    table : OpenTable
        `X`, `y` and `feature_names`.

    Examples
    --------
    >>> import numpy as np, pyarrow, pyarrow.parquet, tempfile
    >>> from inforest import ConditionalInferenceForestRegressor, open_table
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2_000, 3)).astype(np.float32)
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "price": 2 * X[:, 1] + X[:, 2]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/large.parquet"
    ...     pyarrow.parquet.write_table(pyarrow.table(columns), path)
    ...     table = open_table(path, target="price")
    >>> forest = ConditionalInferenceForestRegressor(
    ...     n_estimators=20, max_samples=500, random_state=0
    ... ).fit(table.X, table.y)
    >>> [table.feature_names[j] for j in forest.ranking_]
    ['b', 'c', 'a']

    """
    path = Path(path)
    source = _Source(path, _kind(path))
    names = _features(source, target, columns)
    place = tempfile.TemporaryDirectory(dir=folder, prefix="inforest-", ignore_cleanup_errors=True)
    try:
        X, y = _written(source, names, target, Path(place.name) / "X")
    except BaseException:
        place.cleanup()
        raise
    # All views of X hold on to its map; on Windows it can only be deleted after that.
    weakref.finalize(X._mmap, place.cleanup)  # type: ignore[attr-defined]
    return OpenTable(X, y, names)


class _Source:
    """A file whose rows can be read some at a time."""

    def __init__(self, path: Path, kind: str) -> None:
        import pyarrow as pa

        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        self.path = path
        self._kind = kind
        self._errors = pa.ArrowException, OSError, ValueError
        with self._told():
            self.names, self.types = self._columns()

    def batches(self, names: list[str]) -> Iterator[Any]:
        """Yield some rows of these columns after the other, in their order."""
        with self._told():
            parts = self._parquet(names) if self._kind == "parquet" else self._arrow(names)
            for part in parts:
                part.validate(full=True)  # Arrow walks words wherever a damaged file says they are
                for begin in range(0, part.num_rows, _BATCH):
                    yield part.slice(begin, _BATCH)

    def _columns(self) -> tuple[list[str], dict[str, Any]]:
        from pyarrow import parquet

        if self._kind == "parquet":
            schema = parquet.read_schema(self.path)
        else:
            with self._map() as file:
                schema = _reader(file).schema
        return schema.names, dict(zip(schema.names, schema.types, strict=True))

    def _parquet(self, names: list[str]) -> Iterator[Any]:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            yield from file.iter_batches(_BATCH, columns=names)

    def _arrow(self, names: list[str]) -> Iterator[Any]:
        """Yield the parts as they were written: the map keeps large ones out of memory."""
        with self._map() as file:
            reader = _reader(file, [self.names.index(name) for name in names])
            if hasattr(reader, "get_batch"):
                yield from map(reader.get_batch, range(reader.num_record_batches))
            else:
                yield from reader

    def _map(self) -> Any:
        import pyarrow as pa

        return pa.memory_map(str(self.path))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Let an error say which file it is about."""
        try:
            yield
        except self._errors as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{self.path} cannot be read: {printable(reason)}") from error


def _reader(file: Any, places: list[int] | None = None) -> Any:
    """Return what reads these columns of an Arrow file or of a stream: their endings are equal."""
    from pyarrow import ipc

    options = ipc.IpcReadOptions(included_fields=places)
    is_stream = file.read_at(4, 0) == b"\xff\xff\xff\xff"
    return (ipc.open_stream if is_stream else ipc.open_file)(file, options=options)


def _kind(path: Path) -> str:
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"open_table opens files that end in {', '.join(_FORMATS)}; got {path}")
    return kind


def _features(source: _Source, target: str | None, columns: Sequence[str] | None) -> list[str]:
    """Return the names of the features, which must be numbers."""
    from pyarrow import types

    if columns is not None and (isinstance(columns, str) or not np.iterable(columns)):
        raise ValueError(f"columns must be a sequence of names; got {columns!r}")
    if not (target is None or isinstance(target, str)):
        raise ValueError(f"target must be the name of a column; got {target!r}")
    known = source.types
    wanted = [name for name in known if name != target] if columns is None else list(columns)
    for name in (*wanted, *([] if target is None else [target])):
        if name not in known:
            others = printable(", ".join(known))
            raise ValueError(f"{source.path} has no column {name!r}; it has {others}")
        if source.names.count(name) > 1:
            raise ValueError(f"{source.path} has several columns {name!r}")
    if target in wanted:
        raise ValueError(f"the target {target!r} cannot be a feature, too")
    if not wanted:
        raise ValueError(f"{source.path} has no column that could be a feature")
    for name in wanted:
        kind = known[name]
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(
                f"features must hold numbers; column {name!r} of {source.path} holds {kind}. Choose"
                " others by columns=, or read the file with pandas or polars, whose frames may hold"
                " words"
            )
    return wanted


def _written(
    source: _Source, names: list[str], target: str | None, path: Path
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Write the features as a memory map; return it to read, and the target."""
    exact = all(str(source.types[name]) in _EXACT for name in names)
    kind = np.float32 if exact else np.float64
    parts: list[NDArray[Any]] = []
    n_rows = 0
    # Not by way of the map: to that, a full disk is no error but a signal.
    with path.open("xb") as file:
        for batch in source.batches([*names, *([] if target is None else [target])]):
            n_rows += batch.num_rows
            rows = np.empty((batch.num_rows, len(names)), dtype=kind)
            for j, name in enumerate(names):
                rows[:, j] = _numbers(batch.column(name), kind)
            file.write(rows.data)
            if target is not None:
                parts.append(_target(batch.column(target), target))
    if n_rows == 0:
        raise ValueError(f"{source.path} has no rows")
    X = np.memmap(path, dtype=kind, mode="r", shape=(n_rows, len(names)))
    return X, np.concatenate(parts) if parts else None


def _numbers(column: Any, kind: Any) -> NDArray[Any]:
    """Return numbers and truth values; nan where there is none."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.to_numpy(zero_copy_only=False)
    if column.null_count and values.dtype == object:  # integers
        values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=kind)


def _target(column: Any, name: str) -> NDArray[Any]:
    if column.null_count:
        raise ValueError(f"the target {name!r} has missing values; leave these rows out")
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values
