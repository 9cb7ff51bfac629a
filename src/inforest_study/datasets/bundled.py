"""Data sets that come with scikit-learn: they are there without a download."""

from functools import partial
from pathlib import Path
from typing import Any

from sklearn import datasets as bundles

from inforest_study.dataset import Dataset, DatasetInfo

#: Loader of each bundle, its task, size and number of classes, and where it is from. `wine` is
#: among the study's real data sets: scikit-learn's copy is the same.
_BUNDLES: dict[str, tuple[Any, int, int, int | None, str]] = {
    "iris": (bundles.load_iris, 150, 4, 3, "Iris (UCI 53)"),
    "breast_cancer": (bundles.load_breast_cancer, 569, 30, 2, "Breast Cancer Wisconsin (UCI 17)"),
    "digits": (bundles.load_digits, 1797, 64, 10, "Optical digits, test part (UCI 80)"),
    "diabetes": (bundles.load_diabetes, 442, 10, None, "Diabetes (Efron et al., 2004)"),
}
_QUIRKS = {
    "iris": ("Two of its rows differ from the UCI file, as scikit-learn documents.",),
    "digits": ("Three of its features are constant.",),
    "diabetes": ("Its features are centred and scaled over all rows, before any split.",),
}


def _info(name: str) -> DatasetInfo:
    _, n_samples, n_features, n_classes, source = _BUNDLES[name]
    return DatasetInfo(
        name=name,
        task="regression" if n_classes is None else "classification",
        n_samples=n_samples,
        n_features=n_features,
        n_classes=n_classes,
        source=f"{source}, bundled with scikit-learn",
        license="as in scikit-learn's description of it",
        quirks=_QUIRKS.get(name, ()),
        group="bundled",
        checksum=None,
        loader=partial(_load, name),
    )


def _load(name: str, _data_dir: Path | None, _cache_dir: Path | None) -> Dataset:
    bunch = _BUNDLES[name][0]()
    return Dataset(_info(name), bunch.data, bunch.target, [str(f) for f in bunch.feature_names])


BUNDLED = [_info(name) for name in _BUNDLES]
