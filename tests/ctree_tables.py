"""The data sets on which `.ctree()` is compared with R: bundled, and those of INFOREST_DATA."""

import json
import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

ALPHAS = (0.05, 0.5)
BUNDLED = {
    "iris": load_iris,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "diabetes": load_diabetes,
}
#: The numeric tables with at most 5,000 rows and 200 columns.
FILES = (
    *("glass", "vowel-context", "wine", "spam"),
    *("facebook", "imports-85", "residential"),
)
#: R takes a column whose variance is below 1.5e-8 for constant, and a large constant one for
#: one that varies: rounding. So columns are compared with a spread of about one.
_SPREAD = 1.0


def powers(X):
    """Of each column, the power of two that gives it a spread of one to two."""
    return np.ceil(np.log2(_SPREAD / X.std(axis=0).clip(1e-300))).astype(int)


def tables(airquality):
    """Return a loader of X, y and the number of classes per data set; None where it is absent."""
    return {
        "airquality": lambda: (np.array(airquality)[:, :-1], np.array(airquality)[:, -1], 0),
        **{name: lambda load=load: _bundled(load) for name, load in BUNDLED.items()},
        **{name: lambda name=name: _file(name) for name in FILES},
    }


def _bundled(load):
    X, y = load(return_X_y=True)
    n_classes = 0 if load is load_diabetes else int(y.max()) + 1
    X = X[:, np.ptp(X, axis=0) > 0]
    return X, y.astype(float), n_classes


def _file(name):
    folder = os.environ.get("INFOREST_DATA")
    if not folder:
        return None
    import pandas as pd

    about = {
        one["name"]: one
        for one in json.loads(Path(folder, "MANIFEST.json").read_text())["datasets"]
    }[name]
    frame = pd.read_parquet(Path(folder, about["file"]))
    X = frame.drop(columns="y").to_numpy(float)
    y = frame["y"].to_numpy(float)
    return X, y, about.get("n_classes") or 0


#: Where forests are compared: so many of them, of so many trees.
N_SEEDS, N_TREES = 20, 20


def _standardized(load):
    X, y, n_classes = _bundled(load)
    return (X - X.mean(axis=0)) / X.std(axis=0), y, n_classes


FORESTS = {
    "wine": lambda: _standardized(load_wine),
    "diabetes": lambda: _standardized(load_diabetes),
    "breast cancer": lambda: _standardized(load_breast_cancer),
}

#: Candidates per node of the forests whose conditional importances are compared.
MTRY = 4


def strobl(n=100):
    """The design of Strobl et al. (2008): x4 only goes along with x1, x2 and x3."""
    rng = np.random.default_rng(0)
    mixing = np.eye(12)
    mixing[:4, :4] = 0.9
    np.fill_diagonal(mixing, 1.0)
    X = rng.normal(size=(n, 12)) @ np.linalg.cholesky(mixing).T
    weight = np.array([5, 5, 2, 0, -5, -5, -2, 0, 0, 0, 0, 0.0])
    return X, X @ weight + 0.5 * rng.normal(size=n)


#: Tables with numbers and categories, complete rows only, by their response.
MIXED = {
    "titanic": "survived",
    "survey": "Smoke",
    "scat": "Species",
    "chile": "vote",
    "slid": "wages",
    "attrition": "y",
    "promotergene": "y",
    "hpc": "class",
    "soybean": "y",
    "sacramento": "price",
    "lending_club": "y",
}
#: R refuses to cut categories with so many levels; they are left out.
R_REFUSES = 31
#: Those with holes, compared once more with all rows that have a response.
HOLES = ("titanic", "survey", "scat", "chile", "slid", "soybean")
#: Those of them where R's tree is walked node by node: rounding decides at its root.
WALKED = ("soybean",)


def mixed(name, holes=False):
    """Return the features and the response as a frame and a column, None where it is absent."""
    folder = os.environ.get("INFOREST_DATA")
    path = Path(folder or "").resolve().parent / "data-more" / f"{name}.parquet"
    if not folder or not path.exists():
        return None
    import pandas as pd

    frame = pd.read_parquet(path).dropna(subset=MIXED[name] if holes else None)
    frame = frame.reset_index(drop=True)
    for column in frame.select_dtypes("category"):
        frame[column] = frame[column].cat.remove_unused_categories()
        if column != MIXED[name] and len(frame[column].cat.categories) >= R_REFUSES:
            frame = frame.drop(columns=column)
    return frame.drop(columns=MIXED[name]), frame[MIXED[name]]
