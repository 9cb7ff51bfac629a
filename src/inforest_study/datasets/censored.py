"""Data sets with censored times that come with scikit-survival: they are there without a download.

scikit-survival is no dependency: without it they are not available.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import CENSORED, Dataset, DatasetInfo, DatasetUnavailable, Floats

#: The name in scikit-survival, rows, features and source of each.
_SETS = {
    "veterans": ("veterans_lung_cancer", 137, 6, "Veterans' lung cancer trial (Kalbfleisch 1980)"),
    "metastasis": ("breast_cancer", 198, 80, "Breast cancer metastasis (Desmedt et al. 2007)"),
    "whas500": ("whas500", 500, 14, "Worcester heart attack study (Hosmer et al. 2008)"),
    "gbsg2": ("gbsg2", 686, 8, "German breast cancer study group 2 (Schumacher et al. 1994)"),
    "aids": ("aids", 1151, 11, "AIDS clinical trial 320 (Hosmer et al. 2008)"),
}
_QUIRKS = {
    "metastasis": ("A quarter of the rows has the event, and there are 80 features.",),
    "aids": (
        "One row in twelve has the event.",
        "Two of its features, tx and txgrp, are nearly the same, and so are cd4 and strat2.",
    ),
}


def _info(name: str) -> DatasetInfo:
    _, n_samples, n_features, source = _SETS[name]
    return DatasetInfo(
        name=name,
        task="survival",
        n_samples=n_samples,
        n_features=n_features,
        n_classes=None,
        source=f"{source}, bundled with scikit-survival",
        license="as in scikit-survival's description of it",
        quirks=_QUIRKS.get(name, ()),
        group="survival",
        checksum=None,
        loader=partial(_load, name),
    )


def _load(name: str, _data_dir: Path | None, _cache_dir: Path | None) -> Dataset:
    try:
        from sksurv import datasets as bundles
    except ImportError:
        raise DatasetUnavailable(
            name, "it comes with scikit-survival", "pip install scikit-survival"
        ) from None
    table, response = getattr(bundles, f"load_{_SETS[name][0]}")()
    event, time = response.dtype.names
    y = np.empty(len(table), dtype=CENSORED)
    y["event"], y["time"] = response[event], response[time]
    columns = [_column(table[column]) for column in table]
    X = np.column_stack([values for values, _ in columns])
    return Dataset(_info(name), X, y, list(table), levels=tuple(levels for _, levels in columns))


def _column(values: Any) -> tuple[Floats, tuple[str, ...] | None]:
    """Return numbers as they are; words as places among the sorted levels, and these."""
    if values.dtype != "category":
        return values.to_numpy(dtype=np.float64), None
    words: NDArray[Any] = values.astype(str).to_numpy(dtype=object)
    levels = tuple(sorted(set(words)))
    return np.array([levels.index(word) for word in words], dtype=np.float64), levels


CENSORED_SETS = [_info(name) for name in _SETS]
