"""Write golden_mixed.json: trees of R's partykit on tables with categories; `make goldens`."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from ctree_tables import ALPHAS, HOLES, MIXED, WALKED, mixed

HERE = Path(__file__).parent


def in_rs_range(values):
    """Numbers near 0 with a spread of about one, without rounding: R loses digits elsewhere."""
    from_median = values - np.nanmedian(values)
    if np.array_equal(from_median + np.nanmedian(values), values, equal_nan=True):
        values = from_median
    power = np.ceil(np.log2(np.nanstd(values))) if np.nanstd(values) > 0 else 0
    return np.ldexp(values, -int(power))


def grown(X, y, alpha, with_leaves):
    """Let R grow a tree; return its inner nodes and what tells the rows of its leaves."""
    columns, levels = [], []
    for column in (y, *(X[name] for name in X)):
        is_category = column.dtype == "category"
        values = column.to_numpy(float) if not is_category else column.cat.codes + 1.0
        values = np.where(column.isna(), np.nan, values)
        if not is_category:
            values = in_rs_range(values)
        columns.append(values)
        levels.append(len(column.cat.categories) if is_category else 0)
    with tempfile.TemporaryDirectory() as folder:
        np.concatenate(columns).tofile(f"{folder}/table")
        about = [len(X), len(columns), alpha, *levels]
        Path(folder, "about").write_text(" ".join(map(str, about)))
        subprocess.run(["Rscript", str(HERE / "mixed.R"), folder], check=True)
        inner = np.fromfile(f"{folder}/inner").reshape(-1, 5)
        leaf = np.fromfile(f"{folder}/leaf").astype(int)
    tree = {
        "feature": (inner[:, 0].astype(int) - 1).tolist(),
        "statistic": inner[:, 1].tolist(),
        "p_value": inner[:, 2].tolist(),
        "leaves": inner[:, 3:].astype(int).tolist(),
        # The first row and the number of rows of each leaf, and a sum of squared row numbers.
        "rows": {
            str(one): [int(at[0]), len(at), int((at.astype(np.int64) ** 2).sum())]
            for one in np.unique(leaf)
            for at in [np.flatnonzero(leaf == one)]
        },
    }
    return tree | {"leaf": leaf.tolist()} if with_leaves else tree


def main():
    """Write the file."""
    trees = []
    cases = [(name, False) for name in MIXED] + [(name, True) for name in HOLES]
    for name, holes in cases:
        loaded = mixed(name, holes)
        if loaded is None:
            raise SystemExit(f"{name}: INFOREST_DATA has no neighbour data-more")
        for alpha in ALPHAS:
            tree = grown(*loaded, alpha, holes and name in WALKED)
            trees.append({"name": name, "holes": holes, "alpha": alpha, **tree})
            print(
                f"{name:12} {'holes ' if holes else ''}alpha {alpha}:"
                f" {len(tree['feature'])} inner nodes",
                flush=True,
            )
            text = json.dumps(trees, separators=(",", ":")).replace('{"name"', '\n{"name"')
            (HERE / "golden_mixed.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
