"""What others make of the designs of fairness: partykit's p-values, scikit-learn's importances."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import chi2
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


def ctree_p_values(data_sets):
    """Return ctree's asymptotic p-value of each feature at the root, one row per data set.

    For a number, and for two classes as 0 and 1, that is chi-square of (n - 1) r^2: a thousand
    times as quick as R, which `compare_with_partykit` asks about some of them.
    """
    p_values = []
    for X, y in data_sets:
        x, z = X - X.mean(axis=0), y - y.mean()
        squared = (x.T @ z) ** 2 / ((x**2).sum(axis=0) * (z**2).sum())
        p_values.append(chi2.sf((len(y) - 1) * squared, 1))
    return np.array(p_values)


def compare_with_partykit(task, data_sets):
    """Fail unless R's partykit has the same p-values at the root of these data sets."""
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
        theirs = np.loadtxt(out, delimiter=",", ndmin=2)
    np.testing.assert_allclose(ctree_p_values(data_sets), theirs, rtol=1e-6, atol=1e-12)


def random_forest(task, X, y, X_new, y_new, seed, n_trees=50):
    """Return impurity importances of RandomForest, and its permutation importances on new rows."""
    forest = FORESTS[task](n_trees, random_state=seed).fit(X, y)
    permuted = permutation_importance(forest, X_new, y_new, n_repeats=5, random_state=seed)
    return forest.feature_importances_, permuted.importances_mean
