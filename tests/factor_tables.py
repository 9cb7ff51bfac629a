"""Tables of categories and numbers that R has tested (agreement/make_factors.py)."""

import json
import os
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from inforest._engine.features import read_features


def simulated():
    """Categories of 2 to 60 levels, some of one row, for two and four classes and numbers."""
    rng = np.random.default_rng(20)
    n = 240
    X = np.column_stack(
        [
            rng.integers(2, size=n),
            rng.integers(5, size=n),
            rng.integers(60, size=n),
            np.where(np.arange(n) < 3, np.arange(n) + 1, 0),
            rng.normal(size=n),
            np.where(rng.random(n) < 0.2, np.nan, rng.integers(7, size=n)),
        ]
    ).astype(float)
    is_category = np.array([True, True, True, True, False, True])
    score = 0.5 * (X[:, 1] == 2) + rng.normal(size=n)
    responses = {
        "a number": (score, False),
        "two classes": ((score > 0.4) * 1.0, True),
        "four classes": (np.digitize(score, [-0.8, 0.1, 1.2]) * 1.0, True),
        "a rare class": ((np.arange(n) % 60 == 0) * 1.0, True),
    }
    return {name: (X, is_category, y, has) for name, (y, has) in responses.items()}


def tables():
    """The tables for classification and regression in INFOREST_DATA_MORE; none if it is not set."""
    folder = os.environ.get("INFOREST_DATA_MORE")
    if folder is None:
        return {}
    import pandas as pd

    found = {}
    for entry in json.loads(Path(folder, "MANIFEST.json").read_text()):
        if entry["task"] not in ("classification", "regression"):
            continue
        table = pd.read_parquet(Path(folder, f"{entry['name']}.parquet"))
        table = table[table[entry["target"]].notna()]
        y = table.pop(entry["target"])
        features, X = read_features(
            BaseEstimator(), table, categorical_features="from_dtype", missing="incorporate"
        )
        has_classes = entry["task"] == "classification"
        codes = pd.factorize(y, sort=True)[0] if has_classes else y.to_numpy(float)
        found[entry["name"]] = (X, features.n_levels > 0, codes.astype(float), has_classes)
    return found
