"""Coverage and width of 90 % prediction intervals on held-out rows, beside quantile-forest.

Run `pip install quantile-forest`, then `python benchmarks/quantiles.py FOLDER` with a folder that
holds Parquet files: `concrete` (UCI, target y), `sacramento` (R's modeldata, price), `slid` (R's
carData, wages), `chicago` (modeldata, y); files that are missing are left out. diabetes comes with
scikit-learn. Of large sets 3,000 rows are taken. 5 folds; categories are dummy columns, missing
values medians.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from quantile_forest import RandomForestQuantileRegressor
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold

from inforest import ConditionalInferenceForestRegressor

TARGETS = {"concrete": "y", "sacramento": "price", "slid": "wages", "chicago": "y"}
COVERAGE, MOST_ROWS = 0.9, 3000
TAILS = [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2]


def read(path):
    """X and y of a file."""
    table = pd.read_parquet(path).dropna(subset=[TARGETS[path.stem]])
    if len(table) > MOST_ROWS:
        table = table.sample(MOST_ROWS, random_state=0)
    y = table.pop(TARGETS[path.stem]).to_numpy(float)
    X = pd.get_dummies(table).astype(float)
    return X.fillna(X.median()).to_numpy(), y


def data_sets(folder):
    """All there are."""
    yield "diabetes", load_diabetes(return_X_y=True)
    for name in TARGETS:
        path = folder / f"{name}.parquet"
        if path.exists():
            yield name, read(path)


def intervals(X, y, new, seed):
    """Intervals for new rows by each method."""
    forest = ConditionalInferenceForestRegressor(random_state=seed, n_jobs=2).fit(X, y)
    yield "calibrated", forest.predict_interval(new, COVERAGE)
    yield "plain", forest.predict_interval(new, COVERAGE, calibrated=False)
    deep = ConditionalInferenceForestRegressor(
        n_resamples_selector=None, random_state=seed, n_jobs=2
    ).fit(X, y)
    yield "no tests, calibrated", deep.predict_interval(new, COVERAGE)
    yield "no tests, plain", deep.predict_interval(new, COVERAGE, calibrated=False)
    peer = RandomForestQuantileRegressor(random_state=seed, n_jobs=2).fit(X, y)
    yield "quantile-forest", peer.predict(new, quantiles=TAILS)


def main(folder):
    """Print coverage and mean width, the latter relative to the calibrated forest's."""
    for name, (X, y) in data_sets(folder):
        inside, width = {}, {}
        folds = KFold(5, shuffle=True, random_state=0).split(X)
        for seed, (train, test) in enumerate(folds):
            for method, ends in intervals(X[train], y[train], X[test], seed):
                lower, upper = ends.T
                inside.setdefault(method, []).extend((lower <= y[test]) & (y[test] <= upper))
                width.setdefault(method, []).extend(upper - lower)
        print(f"{name}, {len(X)} rows, {X.shape[1]} columns")
        unit = np.mean(width["calibrated"])
        for method in inside:
            share, relative = np.mean(inside[method]), np.mean(width[method]) / unit
            print(f"  {method:22s} coverage {share:.3f}  width {relative:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
