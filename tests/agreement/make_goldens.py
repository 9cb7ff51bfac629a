"""Write golden_ctree.json: the trees of R's partykit, node by node; `make goldens`.

It needs R with partykit, and INFOREST_DATA for the data sets that no package bundles. The file
holds numbers about trees and no data, but for R's airquality, which nothing else brings along.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from ctree_tables import ALPHAS, powers, tables

HERE = Path(__file__).parent


def airquality():
    """The complete rows of R's data set: Ozone last."""
    script = "d <- na.omit(airquality)[, c(2:6, 1)]; write.table(d, row.names = F, col.names = F)"
    text = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in text.stdout.splitlines()]


def grown(X, y, n_classes, alpha):
    """Let R grow a tree; return its nodes and the versions of what grew it."""
    x_power, y_power = powers(X), 0 if n_classes else int(powers(y[:, None])[0])
    table = np.column_stack([np.ldexp(X, x_power), np.ldexp(y, y_power)])
    with tempfile.TemporaryDirectory() as folder:
        table.astype(float).ravel(order="F").tofile(f"{folder}/table")
        Path(folder, "about").write_text(f"{len(X)} {X.shape[1] + 1} {n_classes} {alpha}\n")
        run = subprocess.run(
            ["Rscript", str(HERE / "ctree.R"), folder], capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise RuntimeError(run.stderr)
        n_nodes, seconds, *versions = run.stdout.split()
        nodes = np.fromfile(f"{folder}/nodes").reshape(int(n_nodes), -1, order="F")
    feature = nodes[:, 0].astype(int) - 1
    inner = feature >= 0
    cut = np.ldexp(nodes[inner, 1], -x_power[feature[inner]])
    value = nodes[:, 5:].astype(int) if n_classes else np.ldexp(nodes[:, 5:], -y_power)
    tested = ~np.isnan(nodes[:, 3])
    return (
        {
            "feature": feature.tolist(),
            "cut": cut.tolist(),
            "n": nodes[:, 2].astype(int).tolist(),
            "tested": np.flatnonzero(tested).tolist(),
            "statistic": nodes[tested, 3].tolist(),
            "p_value": nodes[tested, 4].tolist(),
            "value": value[~inner].tolist() if n_classes else value[~inner, 0].tolist(),
        },
        versions,
        float(seconds),
    )


def main():
    """Write the file."""
    golden = {"airquality": airquality(), "trees": []}
    for name, load in tables(golden["airquality"]).items():
        loaded = load()
        if loaded is None:
            raise SystemExit(f"{name}: set INFOREST_DATA to the folder that has it")
        X, y, n_classes = loaded
        for alpha in ALPHAS:
            tree, versions, seconds = grown(X, y, n_classes, alpha)
            golden["trees"].append({"name": name, "alpha": alpha, **tree})
            print(f"{name:20} alpha {alpha}: {len(tree['n'])} nodes, {seconds:.2f} s in R")
    golden["versions"] = dict(zip(("partykit", "R"), versions, strict=True))
    text = json.dumps(golden, separators=(",", ":")).replace('{"name"', '\n{"name"')
    (HERE / "golden_ctree.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
