"""The data sets of the speed suite: made ones, and real ones where INFOREST_DATA has them."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification, make_regression


@dataclass(frozen=True)
class Data:
    """X and y under a name; float64 in C order, as most users have them."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_classes: int

    @property
    def task(self):
        return "classification" if self.n_classes else "regression"


def classes(n, p, k=2):
    """Ten informative features, or all of a few."""
    X, y = make_classification(
        n, p, n_informative=min(10, p), n_redundant=0, n_classes=k, random_state=0
    )
    return X, y, k


def values(n, p):
    X, y = make_regression(n, p, n_informative=10, noise=10, random_state=0)
    return X, y, 0


def real(task, name):
    """A real set as (X, y, number of classes), or None where it is not there."""
    import pandas as pd

    path = Path(os.environ.get("INFOREST_DATA", "")) / "real" / task / f"{name}.parquet"
    if "INFOREST_DATA" not in os.environ or not path.exists():
        return None
    frame = pd.read_parquet(path)
    X = frame.drop(columns="y").to_numpy(dtype=np.float64)
    y = frame["y"].to_numpy()
    return X, y, len(np.unique(y)) if task == "classification" else 0


DATA_SETS = {
    "classes 1000x100": partial(classes, 1000, 100),
    "classes 200x1000": partial(classes, 200, 1000),
    "classes 10000x50": partial(classes, 10_000, 50),
    "values 1000x100": partial(values, 1000, 100),
    "values 5000x50": partial(values, 5000, 50),
    "26 classes 5000x16": partial(classes, 5000, 16, 26),
    **{
        name: partial(real, "classification", name)
        for name in ("wine", "spam", "musk", "madelon", "letter", "warpPIE10P")
    },
    **{name: partial(real, "regression", name) for name in ("imports-85", "community_crime")},
}


def load(name):
    """The named data set, or None if it is a real one that is not there."""
    made = DATA_SETS[name]()
    return None if made is None else Data(name, *made)
