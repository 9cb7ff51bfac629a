"""Settings of our survival forests on data that chose the defaults: concordance and Brier score.

Run `python benchmarks/survival_settings.py FOLDER`: 11 sets of R's packages survival, MASS, TH.data
and timereg, which R writes to a temporary folder, and three tables of numbers with thousands of
columns or hundreds, `coepra1.parquet`, `coepra3.parquet` and `cox2_ic50.parquet` in FOLDER, whose
targets are taken for times of which some are censored at random; those that are missing are left
out. None of the data is scikit-survival's, which benchmarks/survival.py judges the defaults with.
100 trees, five folds, folds and scores as there.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from survival import compare

from inforest import ConditionalInferenceSurvivalForest

SCRIPT = Path(__file__).with_suffix(".R")
OTHERS = {"selector": "quad", "max_features": (1 / 3, 500), "min_samples_leaf": 5}
TESTED = {"n_resamples_selector": "minimum"}
#: The default, changes of one parameter at a time, and the default of forests for numbers.
SETTINGS = {
    "default": {},
    "alpha 0.5": TESTED,
    "alpha 1": {**TESTED, "alpha_selector": 1.0},
    "quad": {"selector": "quad"},
    "third": {"max_features": (1 / 3, 500)},
    "leaf 3": {"min_samples_leaf": 3},
    "leaf 10": {"min_samples_leaf": 10},
    "leaf 15": {"min_samples_leaf": 15},
    "as for numbers": {**OTHERS, **TESTED},
    "these untested": OTHERS,
}


def censored(event, time):
    """Return a structured array."""
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def from_r():
    """Yield the sets of R's packages; missing values are medians."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["Rscript", str(SCRIPT), folder], check=True)
        for path in sorted(Path(folder).glob("*.csv")):
            table = pd.read_csv(path)
            y = censored(table.pop("event") == 1, table.pop("time"))
            yield path.stem, table.fillna(table.median()).to_numpy(float), y


def wide(folder):
    """Yield tables of many columns; the end of a row's study is another row's time, changed."""
    for name in ("coepra1", "coepra3", "cox2_ic50"):
        for path in folder.rglob(f"{name}.parquet"):
            table = pd.read_parquet(path)
            target = table.pop("y").to_numpy(float)
            time, rng = target - target.min() + 1, np.random.default_rng(0)
            end = rng.permutation(time) * rng.uniform(0.8, 1.6, len(time))
            yield name, table.to_numpy(float), censored(time <= end, np.minimum(time, end))


def maker(change):
    """Return a function that makes a forest."""
    return lambda: ConditionalInferenceSurvivalForest(100, random_state=0, **change)


if __name__ == "__main__":
    makers = {name: maker(change) for name, change in SETTINGS.items()}
    sets = [*from_r(), *wide(Path(sys.argv[1]))]
    results = [compare(name, X, y, makers, (10,)) for name, X, y in sets]
    scores = {name: np.array([one[name][:2] for one in results]) for name in makers}
    for name, values in scores.items():
        mean = values.mean(axis=0)
        print(f"mean of {len(sets)} sets: {name:16} C {mean[0]:.4f}, Brier {mean[1]:.4f}")
