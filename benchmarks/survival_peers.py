"""R's survival forests beside ours: ranger and partykit's cforest, 100 trees, their defaults.

Run `python benchmarks/survival_peers.py [SET ...] --repeats 3`: concordance, integrated Brier score
and CPU seconds of all fits, on the data, folds and times of benchmarks/survival.py with as many
repeats, and their means over the sets. Needs R with ranger, partykit and survival; predictions of
cforest take minutes.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from survival import brier_times, folds, tables

SCRIPT = Path(__file__).with_suffix(".R")


def frame(X, y, rows):
    """Return some rows as R's script reads them."""
    event, time = y.dtype.names
    table = pd.DataFrame(X[rows], columns=[f"x{j}" for j in range(X.shape[1])])
    table.insert(0, "event", y[event][rows].astype(int))
    table.insert(0, "time", y[time][rows])
    return table


def fitted(X, y, parts, method):
    """Return risks and curves of the held-out rows of each part, and CPU seconds of all fits."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / str(part) for part in range(len(parts))]
        for folder, (train, test, _, times) in zip(folders, parts, strict=True):
            folder.mkdir()
            frame(X, y, train).to_csv(folder / "train.csv", index=False)
            frame(X, y, test).to_csv(folder / "test.csv", index=False)
            pd.DataFrame({"time": times}).to_csv(folder / "times.csv", index=False)
        command = ["Rscript", str(SCRIPT), method, *map(str, folders)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = [pd.read_csv(folder / "found.csv").to_numpy() for folder in folders]
    return [(one[:, 0], one[:, 1:]) for one in found], float(done.stdout)


def compare(name, X, y, method, repeats):
    """Print and return the mean scores of one method."""
    from sksurv.metrics import concordance_index_censored, integrated_brier_score

    event, time = y.dtype.names
    parts = [(*fold, *brier_times(y, *fold)) for fold in folds(X, y, range(repeats))]
    predictions, seconds = fitted(X, y, parts, method)
    scores = []
    for (train, test, inside, times), (risk, curves) in zip(parts, predictions, strict=True):
        concordance = concordance_index_censored(y[event][test], y[time][test], risk)[0]
        error = integrated_brier_score(y[train], y[test[inside]], curves[inside], times)
        scores.append((concordance, error))
    concordance, error = np.mean(scores, axis=0)
    print(f"{name:14} {method:8} {concordance:.4f} {error:.4f} {seconds:9.2f}", flush=True)
    return concordance, error, seconds


def main():
    """Print a line per set and method, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help="some of the data sets only")
    parser.add_argument("--repeats", type=int, default=1, help="how often the folds are shuffled")
    arguments = parser.parse_args()
    print("data set       method        C  Brier     CPU s")
    found = {method: [] for method in ("ranger", "cforest")}
    for name, X, y in tables():
        if not arguments.sets or name in arguments.sets:
            for method, scores in found.items():
                scores.append(compare(name, X, y, method, arguments.repeats))
    for method, scores in found.items():
        mean = np.mean(scores, axis=0)
        print(f"mean of {len(scores)} sets: {method:8} C {mean[0]:.4f}, Brier {mean[1]:.4f}")


if __name__ == "__main__":
    main()
