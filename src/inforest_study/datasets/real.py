"""Data sets that have to be got from somewhere: the study's, listed in `real.toml`.

A local folder comes first, then the cache, then scikit-learn's bundle, then the public source.
"""

import tomllib
import warnings
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as bundles

from inforest_study.dataset import Dataset, DatasetInfo, DatasetUnavailable, Task, checksum
from inforest_study.datasets import files
from inforest_study.datasets.download import DownloadError, download


@dataclass(frozen=True)
class Entry:
    """A table of a TOML file: what `DatasetInfo` says, and how to get the data.

    Attributes
    ----------
    name, task, n_samples, n_features, n_classes, source, license, quirks, group, checksum
        As in `DatasetInfo`.
    download : dict
        The `kind` of the public source and its arguments, see `download.py`; empty if there is
        none.
    first_row : int
        Downloaded rows before it are left out.
    bundled : str or None
        Name of scikit-learn's function that loads the same data.
    parent : Entry or None
        The data set that this one is made of.
    drop : list of int
        Features of the parent to leave out.

    """

    name: str
    task: Task
    n_samples: int
    n_features: int
    source: str
    license: str
    n_classes: int | None = None
    quirks: tuple[str, ...] = ()
    group: str = "real"
    checksum: str | None = None
    download: dict[str, Any] = field(default_factory=dict)
    first_row: int = 0
    bundled: str | None = None
    parent: "Entry | None" = None
    drop: tuple[int, ...] = ()

    @property
    def info(self) -> DatasetInfo:
        """The entry of the registry."""
        common = {f.name: getattr(self, f.name) for f in fields(DatasetInfo) if f.name != "loader"}
        return DatasetInfo(**common, loader=partial(load, self))


def read_entries(path: Path, group: str = "real") -> list[DatasetInfo]:
    """Read the data sets that a TOML file describes, one table each.

    Parameters
    ----------
    path : Path
        The file; `real.toml` beside this module is the example to follow.
    group : str, default="real"
        The group of those that name none.

    Returns
    -------
    entries : list of DatasetInfo

    Examples
    --------
    >>> from inforest_study.datasets.real import LISTED, read_entries
    >>> [entry.name for entry in read_entries(LISTED)][:3]
    ['gamma', 'glass', 'glass-fixed']

    """
    known = {f.name for f in fields(Entry)}
    entries: dict[str, Entry] = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        if not isinstance(table, dict):
            raise ValueError(f"{path}: {name!r} must be a table that describes a data set")
        if unknown := sorted(set(table) - known):
            raise ValueError(
                f"{path}: {name} has unknown keys {unknown}; known are {sorted(known)}"
            )
        values: dict[str, Any] = {"name": name, "group": group} | table
        for key in ("quirks", "drop"):
            values[key] = tuple(values.get(key, ()))
        try:
            if "parent" in values:
                values["parent"] = entries[values["parent"]]
            entries[name] = Entry(**values)
        except KeyError as error:
            raise ValueError(f"{path}: the parent {error} of {name} must come before it") from error
        except TypeError as error:
            raise ValueError(f"{path}: {name}: {error}") from error
    return [entry.info for entry in entries.values()]


def load(entry: Entry, data_dir: Path | None, cache_dir: Path | None) -> Dataset:
    """Load a data set from the first place that has it."""
    if entry.parent is not None:
        whole = load(entry.parent, data_dir, cache_dir)
        X = np.delete(whole.X, entry.drop, axis=1)
        names = [name for j, name in enumerate(whole.feature_names) if j not in entry.drop]
        return Dataset(entry.info, X, whole.y, names)
    if data_dir is not None and (path := files.find(entry.name, entry.task, data_dir)):
        X, y, names = files.read(path, entry.task)
        return _compared(Dataset(entry.info, X, y, names), str(path))
    cached = None if cache_dir is None else cache_dir / "datasets" / f"{entry.name}.parquet"
    if cached is not None and cached.is_file():
        return _compared(_read_cached(entry, cached), str(cached))
    if entry.bundled is not None:
        bunch = getattr(bundles, entry.bundled)()
        return Dataset(entry.info, bunch.data, bunch.target)
    dataset = _downloaded(entry)
    if cached is not None:
        _keep(dataset, cached)
    return _compared(dataset, "the download")


def _keep(dataset: Dataset, path: Path) -> None:
    """Write to the cache; without room or leave to write, the download is still good."""
    try:
        files.write(path, dataset.X, dataset.y)
    except OSError as error:
        warnings.warn(f"{dataset.info.name} is not kept in the cache: {error}", stacklevel=2)


def _read_cached(entry: Entry, path: Path) -> Dataset:
    """Read a file this module wrote; one that has changed since is refused."""
    try:
        X, y, _ = files.read(path, entry.task)
        if checksum(X, y) != files.stored_checksum(path):
            raise ValueError("its content is not what was written")
        return Dataset(entry.info, X, y)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these two kinds
        raise DatasetUnavailable(
            entry.name, f"the file {path} in the cache is damaged: {error}", "delete that file"
        ) from error


def _downloaded(entry: Entry) -> Dataset:
    remedy = (
        f"put {entry.name}.parquet (numeric features and the target in a column 'y') into a "
        f"folder and name it by --data or INFOREST_DATA. Source: {entry.source}"
    )
    if not entry.download:
        raise DatasetUnavailable(entry.name, "it has no public source to download from", remedy)
    options = dict(entry.download)
    try:
        X, y = download(options.pop("kind"), options)
        X, y = X[entry.first_row :], y[entry.first_row :]
        return Dataset(entry.info, X, _codes(y) if entry.task == "classification" else y)
    except DownloadError as error:
        raise DatasetUnavailable(entry.name, str(error), remedy) from error
    except ValueError as error:
        raise DatasetUnavailable(
            entry.name, f"the source has changed or the recipe is wrong: {error}", remedy
        ) from error


def _codes(y: NDArray[Any]) -> NDArray[np.int64]:
    """Turn labels into 0, 1, ... in their order: as numbers, if they are numbers."""
    try:
        labels = y.astype(np.float64)
    except ValueError:
        labels = y.astype(str)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _compared(dataset: Dataset, place: str) -> Dataset:
    """Warn when the values are not those of the study's copy."""
    info = dataset.info
    if info.checksum is not None and checksum(dataset.X, dataset.y) != info.checksum:
        warnings.warn(
            f"{info.name}: {place} differs from the study's copy in its values or their order, "
            f"so results need not agree with the study's",
            stacklevel=2,
        )
    return dataset


#: The list of the study's data sets.
LISTED = Path(__file__).with_name("real.toml")
REAL = read_entries(LISTED)
