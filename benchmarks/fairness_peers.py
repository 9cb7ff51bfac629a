"""What others make of the designs of fairness: partykit's p-values, scikit-learn's importances."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance

SCRIPT = Path(__file__).with_name("fairness_ctree.R")
FORESTS = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}


def has_partykit():
    """Whether R and partykit are installed."""
    if shutil.which("Rscript") is None:
        return False
    check = "quit(status = !requireNamespace('partykit', quietly = TRUE))"
    return subprocess.run(["Rscript", "-e", check], capture_output=True).returncode == 0


def ctree_p_values(task, data_sets):
    """Return ctree's asymptotic p-value of each feature at the root, one row per data set.

    One R process reads all of them.
    """
    frames = [
        pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(set=i, y=y)
        for i, (X, y) in enumerate(data_sets)
    ]
    frame = pd.concat(frames)
    columns = ["set", "y", *frame.columns.drop(["set", "y"])]
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "data.csv", Path(folder) / "p_values.csv"
        frame[columns].to_csv(data, index=False)
        command = ["Rscript", str(SCRIPT), str(data), str(out), task]
        subprocess.run(command, check=True, capture_output=True)
        return np.loadtxt(out, delimiter=",", ndmin=2)


def random_forest(task, X, y, X_new, y_new, seed, n_trees=50):
    """Return impurity importances of RandomForest, and its permutation importances on new rows."""
    forest = FORESTS[task](n_trees, random_state=seed).fit(X, y)
    permuted = permutation_importance(forest, X_new, y_new, n_repeats=5, random_state=seed)
    return forest.feature_importances_, permuted.importances_mean
