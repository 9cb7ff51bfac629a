"""Data sets as Parquet files: numeric features, and the target in a column `y`."""

import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task, checksum

_CHECKSUM = b"inforest.checksum"


def find(name: str, task: Task, folder: Path) -> Path | None:
    """Look for the file of a data set in a folder.

    Parameters
    ----------
    name : str
        The data set; its file is ``{name}.parquet``.
    task : {"classification", "regression"}
        Its task, which may be the name of a subfolder.
    folder : Path
        Where to look: here, in ``real/{task}``, ``{task}`` and ``real``.

    Returns
    -------
    path : Path or None
        None if there is no such file.

    """
    for inner in ("", f"real/{task}", task, "real"):
        path = folder / inner / f"{name}.parquet"
        if path.is_file():
            return path
    return None


def read(path: Path, task: Task) -> tuple[Floats, NDArray[Any], list[str]]:
    """Read a Parquet file: the features, the target, and the features' names."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    names = [name for name in table.column_names if name != "y"]
    if len(names) == table.num_columns:
        raise ValueError(f"{path} must have a column 'y', the target; it has {names[:10]}")
    X = np.empty((table.num_rows, len(names)), order="F")
    for j, name in enumerate(names):
        X[:, j] = table.column(name).to_numpy()
    dtype = np.int64 if task == "classification" else np.float64
    return X, table.column("y").to_numpy().astype(dtype), names


def write(path: Path, X: Floats, y: NDArray[Any]) -> None:
    """Write a Parquet file with its checksum; readers see all of it or nothing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"x{j + 1}": column for j, column in enumerate(X.T)}
    data = pa.table({**columns, "y": y}).replace_schema_metadata({_CHECKSUM: checksum(X, y)})
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            pq.write_table(data, part, compression="zstd")
            part.flush()
            os.fsync(part.fileno())
        except BaseException:
            part.close()
            Path(part.name).unlink()
            raise
    Path(part.name).replace(path)


def stored_checksum(path: Path) -> str | None:
    """Return the checksum a file was written with; None if it says none."""
    import pyarrow.parquet as pq

    digest = (pq.read_schema(path).metadata or {}).get(_CHECKSUM)
    return None if digest is None else digest.decode()


def cache_folder() -> Path:
    """Return the folder of downloaded data: `INFOREST_CACHE`, or where the platform has caches."""
    if folder := os.environ.get("INFOREST_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "inforest"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/inforest"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inforest"
