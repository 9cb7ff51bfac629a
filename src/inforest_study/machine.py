"""The software and the computer that a result was made with."""

import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

#: Packages whose versions a result records where they were used: module and distribution.
_PACKAGES = {
    "inforest": "inforest",
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "boruta": "boruta",
    "catboost": "catboost",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost-cpu",
}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages imported so far.

    Examples
    --------
    >>> from inforest_study.machine import versions
    >>> "numpy" in versions()
    True

    """
    used = [name for name in _PACKAGES if name in sys.modules]
    return {"python": platform.python_version()} | {name: _version(name) for name in used}


@cache
def _version(module: str) -> str:
    try:
        return version(_PACKAGES[module])
    except PackageNotFoundError:  # installed under another name, as xgboost is
        return str(getattr(sys.modules[module], "__version__", "unknown"))


@cache
def machine() -> dict[str, str | int]:
    """Return what kind of computer this is, without its name.

    Examples
    --------
    >>> from inforest_study.machine import machine
    >>> sorted(machine())
    ['cores', 'processor', 'system']

    """
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def _processor() -> str:
    """Return the processor's model; Linux hides it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
