"""Reading a table from a file: numbers to test, and the column to test them against."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._arrays import Floats

#: File endings, and the reader of each.
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_SHOWN = 50


@dataclass(frozen=True, eq=False)
class Table:
    """Features, their names, and the target.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features, in Fortran order.
    y : ndarray of shape (n_samples,)
        The target: numbers or labels.
    names : list of str
        The features' names.

    """

    X: Floats
    y: NDArray[Any]
    names: list[str]


def read_table(path: str | Path, target: str, ignore: Sequence[str] = ()) -> Table:
    """Read features and target from a CSV, TSV, Parquet or Arrow file (needs pyarrow).

    Parameters
    ----------
    path : str or Path
        The file; its ending says what it is. A compressed CSV file may add ".gz".
    target : str
        The column to test the others against.
    ignore : sequence of str, default=()
        Columns to leave out, such as identifiers.

    Returns
    -------
    table : Table
        Features as numbers, the target as it is.

    """
    data = _read(Path(path))
    columns = list(data.column_names)
    for name in [target, *ignore]:
        if name not in columns:
            raise ValueError(f"no column {name!r} in {path}; there are {_listed(columns)}")
    if len(set(columns)) < len(columns):
        raise ValueError(f"{path} has two columns of the same name: {_listed(columns)}")
    names = [name for name in columns if name != target and name not in ignore]
    if not names:
        raise ValueError(f"{path} has no column besides the target {target!r}")
    if data.num_rows == 0:
        raise ValueError(f"{path} has no rows")
    X = np.empty((data.num_rows, len(names)), order="F")
    for j, name in enumerate(names):
        X[:, j] = _numbers(data.column(name), name, path)
    y = data.column(target)
    if y.null_count:
        raise ValueError(f"the target {target!r} has {y.null_count} missing values")
    return Table(X, np.asarray(y.to_pylist()), names)


def _read(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    endings = [ending.lower() for ending in path.suffixes]
    plain = endings[:-1] if endings[-1:] == [".gz"] else endings
    kind = FORMATS.get(plain[-1]) if plain else None
    if kind is None:
        accepted = ", ".join(FORMATS)
        raise ValueError(f"the file's ending must be one of {accepted}; got {path.name!r}")
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        if kind == "parquet":
            return parquet.read_table(path)
        if kind == "arrow":
            return feather.read_table(path)
        delimiter = "\t" if kind == "tsv" else ","
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error


def _numbers(column: Any, name: str, path: str | Path) -> Floats:
    """Return a column as float64; true and false are 1 and 0."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise ValueError(
            f"column {name!r} of {path} holds {kind}, not numbers; encode it, or leave it out"
            " with --ignore"
        )
    if column.null_count:
        raise ValueError(f"column {name!r} of {path} has {column.null_count} missing values")
    return column.to_numpy().astype(np.float64, copy=False)


def _listed(columns: list[str]) -> str:
    shown = ", ".join(map(repr, columns[:_SHOWN]))
    rest = len(columns) - _SHOWN
    return shown + (f" and {rest} more" if rest > 0 else "")
