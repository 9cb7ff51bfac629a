"""What conditional permutation leaves of the importance of a feature that only goes along.

Run `python benchmarks/conditional_importance.py`. The design of Strobl et al. (2008): twelve normal
features, of which the first four are correlated by 0.9, and y = 5 x1 + 5 x2 + 2 x3 + 0 x4 - 5 x5 -
5 x6 - 2 x7 + noise. x4 has no part in y but goes along with three features that have. Given its
correlates it is no use, so that an ideal conditional importance would be 0. Where R has party, its
forests are measured as well.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from inforest import ConditionalInferenceForestRegressor

N_DATA_SETS, N_SAMPLES, N_TREES = 20, 100, 200
COEFFICIENTS = np.array([5, 5, 2, 0, -5, -5, -2, 0, 0, 0, 0, 0], dtype=float)


def strobl(seed):
    """One data set of the design."""
    rng = np.random.default_rng(seed)
    correlation = np.eye(12)
    correlation[:4, :4] = 0.9
    np.fill_diagonal(correlation, 1.0)
    X = rng.multivariate_normal(np.zeros(12), correlation, size=N_SAMPLES)
    return X, X @ COEFFICIENTS + rng.normal(scale=0.5, size=N_SAMPLES)


def ours(seed, **options):
    """Importances of one data set: plain, conditional."""
    X, y = strobl(seed)
    forest = ConditionalInferenceForestRegressor(N_TREES, random_state=seed, **options).fit(X, y)
    return [
        forest.permutation_importance(X, y, conditional=how, random_state=seed).importances_mean
        for how in (False, True)
    ]


def party(seed, max_features):
    """The same by R's party."""
    X, y = strobl(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        header = ",".join([*(f"x{j}" for j in range(1, 13)), "y"])
        np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=header, comments="")
        script = Path(__file__).with_suffix(".R")
        command = ["Rscript", script, path, str(seed), str(N_TREES), str(max_features)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]


def has_party():
    """Whether R and its party are here."""
    check = "quit(status = !requireNamespace('party', quietly = TRUE))"
    return shutil.which("Rscript") is not None and (
        subprocess.run(["Rscript", "-e", check], capture_output=True).returncode == 0
    )


def main():
    """Print means over the data sets, and what conditioning leaves of them."""
    print(f"{N_DATA_SETS} data sets, n = {N_SAMPLES}, {N_TREES} trees; means, x1 to x12")
    cases = {"default forest": (ours, {})}
    for m in (3, 8):
        cases[f"{m} candidates"] = (ours, dict(max_features=m))
        if has_party():
            cases[f"party, {m} candidates"] = (party, dict(max_features=m))
    for name, (measure, options) in cases.items():
        found = np.mean([measure(seed, **options) for seed in range(N_DATA_SETS)], axis=0)
        kept = found[1, :7] / found[0, :7]
        print(f"\n{name}")
        print("  permuted:      ", *(f"{value:7.2f}" for value in found[0]))
        print("  conditionally: ", *(f"{value:7.2f}" for value in found[1]))
        print(f"  x4 keeps {kept[3]:.2f} of its importance, x1 {kept[0]:.2f}, x5 {kept[4]:.2f}")


if __name__ == "__main__":
    main()
