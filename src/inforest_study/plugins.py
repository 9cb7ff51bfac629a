"""Methods and data sets of your own, from a folder: one file each.

::

    my_folder/
        methods/shuffle.py      defines METHOD, a `Method`
        datasets/ramp.py        defines DATASETS, a list of `DatasetInfo`
        datasets/more.toml      describes data sets, as `real.toml` does

They import what they need from `inforest_study.method` and `inforest_study.dataset`.
``inforest bench --plugins my_folder`` and the environment variable INFOREST_BENCH_PATH (folders,
separated as in PATH) make them known. The files are run: load only what you trust.
"""

import os
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from inforest_study import datasets, methods
from inforest_study.dataset import DatasetInfo
from inforest_study.datasets.real import read_entries
from inforest_study.method import Method

_loaded: set[Path] = set()
#: What plugin files import, and what its package was called when it was a part of the library.
_FOR_PLUGINS, _OLD_NAME = ("", ".dataset", ".method"), "inforest.bench"


def load(folder: str | Path) -> None:
    """Register the methods and data sets of a folder; a file that is known already is left out.

    Parameters
    ----------
    folder : str or Path
        A folder with a subfolder `methods`, or `datasets`, or both.

    """
    folder = Path(folder).resolve()
    places = folder / "methods", folder / "datasets"
    if not any(place.is_dir() for place in places):
        raise ValueError(f"a plugin folder must have a folder methods or datasets; got {folder}")
    register = {
        "methods/*.py": _register_method,
        "datasets/*.py": _register_datasets,
        "datasets/*.toml": _register_entries,
    }
    for pattern, register_file in register.items():
        for path in sorted(folder.glob(pattern)):
            if path not in _loaded:
                register_file(path)
                _loaded.add(path)


def folders_from_environment() -> tuple[Path, ...]:
    """Return the folders that the environment variable INFOREST_BENCH_PATH names.

    Returns
    -------
    folders : tuple of Path
        In the order given.

    """
    value = os.environ.get("INFOREST_BENCH_PATH", "")
    return tuple(Path(part) for part in value.split(os.pathsep) if part)


def _register_method(path: Path) -> None:
    method = getattr(_import(path), "METHOD", None)
    if not isinstance(method, Method):
        raise ValueError(f"{path} must define METHOD, an inforest_study.method.Method")
    methods.register(method)


def _register_datasets(path: Path) -> None:
    entries = getattr(_import(path), "DATASETS", None)
    if not isinstance(entries, list | tuple) or not all(
        isinstance(entry, DatasetInfo) for entry in entries
    ):
        raise ValueError(
            f"{path} must define DATASETS, a list of inforest_study.dataset.DatasetInfo"
        )
    for entry in entries:
        datasets.register(entry)


def _register_entries(path: Path) -> None:
    for entry in read_entries(path, group="plugin"):
        datasets.register(entry)


def _import(path: Path) -> ModuleType:
    """Run a file as a module whose name no other has."""
    for module in _FOR_PLUGINS:  # files that know the old name work as before
        sys.modules[_OLD_NAME + module] = sys.modules["inforest_study" + module]
    name = f"inforest_plugin_{sha256(str(path).encode()).hexdigest()[:16]}_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} cannot be imported")
    plugin = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(plugin)
    except Exception as error:
        del sys.modules[name]
        raise ValueError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return plugin
