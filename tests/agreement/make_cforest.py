"""Write golden_cforest.json: what the forests of R's partykit are like; `make goldens`."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

sys.path.insert(0, str(Path(__file__).parents[1]))
from ctree_tables import FORESTS, MTRY, N_SEEDS, N_TREES, strobl

HERE = Path(__file__).parent


def forests(X, y, n_classes):
    """Let R grow the forests; return a row per seed: what cforest.R says, order of importances."""
    with tempfile.TemporaryDirectory() as folder:
        np.column_stack([X, y]).ravel(order="F").tofile(f"{folder}/table")
        about = f"{len(X)} {X.shape[1] + 1} {n_classes} {N_TREES} {N_SEEDS}\n"
        Path(folder, "about").write_text(about)
        subprocess.run(["Rscript", str(HERE / "cforest.R"), folder], check=True)
        rows = np.fromfile(f"{folder}/forests").reshape(N_SEEDS, -1, order="F")
    return np.column_stack([rows, rankdata(rows[:, -X.shape[1] :], axis=1)])


def conditional(X, y):
    """Let R measure conditional importances; return a row per seed: party's, then partykit's."""
    with tempfile.TemporaryDirectory() as folder:
        np.column_stack([X, y]).ravel(order="F").tofile(f"{folder}/table")
        about = f"{len(X)} {X.shape[1] + 1} {N_TREES} {MTRY} {N_SEEDS}\n"
        Path(folder, "about").write_text(about)
        subprocess.run(["Rscript", str(HERE / "conditional.R"), folder], check=True)
        return np.fromfile(f"{folder}/importances").reshape(N_SEEDS, -1, order="F")


def summary(rows):
    """Return means and standard deviations over the seeds."""
    return {
        "mean": [float(f"{value:.6g}") for value in rows.mean(axis=0)],
        "std": [float(f"{value:.6g}") for value in rows.std(axis=0, ddof=1)],
    }


def main():
    """Write the file."""
    rows = conditional(*strobl())
    half = rows.shape[1] // 2
    golden = {"party": summary(rows[:, :half]), "partykit": summary(rows[:, half:])}
    print(rows.mean(axis=0).round(3))
    for name, load in FORESTS.items():
        rows = forests(*load())
        print(name, rows.mean(axis=0).round(3))
        golden[name] = summary(rows)
    text = json.dumps(golden, separators=(",", ":")).replace('"mean"', '\n"mean"')
    (HERE / "golden_cforest.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
