"""R's survival forests beside ours: ranger and partykit's cforest, 100 trees, their defaults.

Run `python benchmarks/survival_peers.py [SET ...]`: concordance, integrated Brier score and CPU
seconds of five fits, on the data, folds and times of benchmarks/survival.py. Needs R with ranger,
partykit and survival; predictions of cforest take minutes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from survival import brier_times, tables

SCRIPT = Path(__file__).with_suffix(".R")


def frame(X, y, rows):
    """Return some rows as R's script reads them."""
    event, time = y.dtype.names
    table = pd.DataFrame(X[rows], columns=[f"x{j}" for j in range(X.shape[1])])
    table.insert(0, "event", y[event][rows].astype(int))
    table.insert(0, "time", y[time][rows])
    return table


def fitted(X, y, train, test, times, method):
    """Return the risks and the curves of the held-out rows, and CPU seconds of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        frame(X, y, train).to_csv(Path(folder) / "train.csv", index=False)
        frame(X, y, test).to_csv(Path(folder) / "test.csv", index=False)
        pd.DataFrame({"time": times}).to_csv(Path(folder) / "times.csv", index=False)
        command = ["Rscript", str(SCRIPT), folder, method]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = pd.read_csv(Path(folder) / "found.csv").to_numpy()
    return found[:, 0], found[:, 1:], float(done.stdout)


def compare(name, X, y, method):
    """Print the mean scores of one method."""
    from sksurv.metrics import concordance_index_censored, integrated_brier_score

    event, time = y.dtype.names
    scores, seconds = [], 0.0
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(X, y[event]):
        inside, times = brier_times(y, train, test)
        risk, curves, used = fitted(X, y, train, test, times, method)
        concordance = concordance_index_censored(y[event][test], y[time][test], risk)[0]
        error = integrated_brier_score(y[train], y[test[inside]], curves[inside], times)
        scores.append((concordance, error))
        seconds += used
    concordance, error = np.mean(scores, axis=0)
    print(f"{name:14} {method:8} {concordance:.4f} {error:.4f} {seconds:9.2f}", flush=True)


if __name__ == "__main__":
    print("data set       method        C  Brier   CPU s/5")
    for name, X, y in tables():
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            for method in ("ranger", "cforest"):
                compare(name, X, y, method)
