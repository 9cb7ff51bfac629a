"""Tables with words and gaps, from a local folder; `mixed.toml` lists them."""

import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Dataset, DatasetInfo, DatasetUnavailable, Floats
from inforest_study.datasets import files

#: The list of these tables.
LISTED = Path(__file__).with_name("mixed.toml")


def _entries() -> list[DatasetInfo]:
    entries = []
    for name, table in tomllib.loads(LISTED.read_text(encoding="utf-8")).items():
        loader = partial(_load, name, table.pop("target"))
        common = {"license": "that of the R package", "quirks": (), "group": "mixed"}
        known = {"n_classes": None, "checksum": None, **common, **table}
        entries.append(DatasetInfo(name=name, loader=loader, **known))
    return entries


def _load(name: str, target: str, data_dir: Path | None, _cache: Path | None) -> Dataset:
    """Read a table; rows without a target are left out."""
    import pyarrow.parquet as pq

    info = next(entry for entry in MIXED if entry.name == name)
    path = None if data_dir is None else files.find(name, info.task, data_dir)
    if path is None:
        raise DatasetUnavailable(
            name,
            "it is in no folder that was named",
            f"put {name}.parquet (the target in a column {target!r}) into a folder and name it by"
            f" --data or INFOREST_DATA. Source: {info.source}",
        )
    table = pq.read_table(path)
    y = _values(table.column(target))
    kept = np.array([value is not None and value == value for value in y.tolist()])
    names = [column for column in table.column_names if column != target]
    columns = [_column(_values(table.column(column))) for column in names]
    X = np.column_stack([values[kept] for values, _ in columns])
    if info.task == "classification":
        y = np.unique(y[kept].astype(str), return_inverse=True)[1]
    else:
        y = y[kept].astype(np.float64)
    return Dataset(info, X, y, names, levels=tuple(levels for _, levels in columns))


def _values(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return np.array(column.to_pylist(), dtype=object)


def _column(values: NDArray[Any]) -> tuple[Floats, tuple[str, ...] | None]:
    """Return numbers as they are, words as places among the sorted levels, and these."""
    listed = values.tolist()
    if not any(isinstance(value, str) for value in listed):
        return np.array([np.nan if value is None else float(value) for value in listed]), None
    levels = tuple(sorted({value for value in listed if value is not None}))
    place = {level: float(j) for j, level in enumerate(levels)}
    return np.array([place.get(value, np.nan) for value in listed]), levels


MIXED = _entries()
