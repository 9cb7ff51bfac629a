"""The registry of data sets: `names`, `info`, `load`, and `register` for more.

A name may carry the seed of a generated design: "synthetic-classification-easy@11".
"""

import os
from difflib import get_close_matches
from pathlib import Path

from inforest_study.dataset import Dataset, DatasetInfo, Task
from inforest_study.datasets.bundled import BUNDLED
from inforest_study.datasets.censored import CENSORED_SETS
from inforest_study.datasets.design import Design
from inforest_study.datasets.feature_sampling import DESIGNS as FEATURE_SAMPLING
from inforest_study.datasets.files import cache_folder
from inforest_study.datasets.mixed import MIXED
from inforest_study.datasets.real import REAL
from inforest_study.datasets.synthetic import ABLATION, RECOVERY

_DESIGNS: dict[str, Design] = {d.name: d for d in [*RECOVERY, *FEATURE_SAMPLING, *ABLATION]}
_REGISTRY: dict[str, DatasetInfo] = {
    entry.name: entry
    for entry in [*REAL, *MIXED, *CENSORED_SETS, *BUNDLED, *(d.info() for d in _DESIGNS.values())]
}


def names(group: str | None = None, task: Task | None = None) -> list[str]:
    """List the data sets.

    Parameters
    ----------
    group : str, default=None
        Only those of a group: "real", "mixed", "survival", "bundled", "synthetic",
        "feature-sampling", "ablation" or "plugin".
    task : {"classification", "regression", "survival"}, default=None
        Only those of a task.

    Returns
    -------
    names : list of str
        In the order of the registry.

    Examples
    --------
    >>> from inforest_study import datasets
    >>> datasets.names("bundled", "classification")
    ['iris', 'breast_cancer', 'digits']

    """
    return [
        entry.name
        for entry in _REGISTRY.values()
        if group in (None, entry.group) and task in (None, entry.task)
    ]


def info(name: str) -> DatasetInfo:
    """Return what is known of a data set without loading it.

    Parameters
    ----------
    name : str
        Its name; "name@seed" for another member of a generated design.

    Returns
    -------
    info : DatasetInfo

    Examples
    --------
    >>> from inforest_study import datasets
    >>> datasets.info("glass").quirks[0]
    'x1 is the running number of the row and the rows are sorted by class: the target leaks.'

    """
    if name in _REGISTRY:
        return _REGISTRY[name]
    base, at, seed = name.partition("@")
    if at and base in _DESIGNS:
        if not seed.isdecimal() or int(seed) >= 2**31:
            raise ValueError(f"the seed in {name!r} must be an integer from 0 to 2**31 - 1")
        return _DESIGNS[base].info(int(seed))
    near = get_close_matches(base, _REGISTRY, n=5, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(_REGISTRY)}"
    if at and base in _REGISTRY:
        hint = f"{base} is not generated, so it takes no seed"
    raise ValueError(f"unknown data set {name!r}; {hint}")


def load(
    name: str, data_dir: str | Path | None = None, cache_dir: str | Path | None = None
) -> Dataset:
    """Load a data set: from a local folder, the cache, or its public source.

    Parameters
    ----------
    name : str
        Its name; "name@seed" for another member of a generated design.
    data_dir : str or Path, default=None
        Folder with Parquet files, the target in column `y`. None takes the environment variable
        INFOREST_DATA, if set.
    cache_dir : str or Path, default=None
        Folder for downloads. None takes the environment variable INFOREST_CACHE, else the
        platform's folder for caches.

    Returns
    -------
    dataset : Dataset

    Raises
    ------
    DatasetUnavailable
        The data are not here and cannot be fetched; the message says how to get them.

    Examples
    --------
    >>> from inforest_study import datasets
    >>> easy = datasets.load("synthetic-classification-easy")
    >>> easy.X.shape, easy.informative[:3].tolist()
    ((1000, 100), [67, 39, 57])

    """
    folder = data_dir or os.environ.get("INFOREST_DATA")
    if folder and not Path(folder).is_dir():
        raise ValueError(f"data_dir (or INFOREST_DATA) must be a folder that exists, got {folder}")
    cache = Path(cache_dir) if cache_dir else cache_folder()
    return info(name).loader(Path(folder) if folder else None, cache)


def register(entry: DatasetInfo) -> None:
    """Add a data set to the registry.

    Parameters
    ----------
    entry : DatasetInfo
        Its name must be new, and free of "@", which is for seeds.

    Examples
    --------
    >>> from inforest_study import datasets
    >>> from inforest_study.dataset import Dataset, DatasetInfo
    >>> def load_ramp(data_dir, cache_dir):
    ...     return Dataset(RAMP, [[0.0], [1.0]], [0.0, 1.0])
    >>> RAMP = DatasetInfo("ramp", "regression", 2, 1, None, "made up", "BSD", (), "plugin", None,
    ...                    load_ramp)
    >>> datasets.register(RAMP)
    >>> datasets.load("ramp").X.shape
    (2, 1)

    """
    if entry.name in _REGISTRY:
        raise ValueError(
            f"there is a data set {entry.name!r} already, from {info(entry.name).source}"
        )
    if "@" in entry.name or "/" in entry.name or not entry.name.strip():
        raise ValueError(f"the name of a data set must have no '@' or '/', got {entry.name!r}")
    _REGISTRY[entry.name] = entry
