"""Write golden_factors.json: R's asymptotic tests of categories and numbers, feature by feature.

It needs R with partykit, and INFOREST_DATA_MORE, a folder of mixed tables, for those that are not
made here; the file holds numbers about them and no data.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from factor_tables import simulated, tables

HERE = Path(__file__).parent


def written(folder, X, is_category, y, has_classes):
    """Write a table as R reads it."""
    folder.mkdir()
    np.column_stack([X, y]).astype(float).ravel(order="F").tofile(folder / "table")
    kinds = " ".join(str(int(one)) for one in is_category)
    (folder / "about").write_text(f"{len(X)} {X.shape[1]} {int(has_classes)} {kinds}\n")
    return folder


def main():
    """Let R test every feature of every table."""
    with tempfile.TemporaryDirectory() as place:
        folders = {
            name: written(Path(place, str(number)), *table)
            for number, (name, table) in enumerate((simulated() | tables()).items())
        }
        run = subprocess.run(
            ["Rscript", str(HERE / "factors.R"), *map(str, folders.values())],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        results = {
            name: np.fromfile(folder / "result").reshape(-1, 2) for name, folder in folders.items()
        }
    versions = run.stdout.split()
    found = {
        name: {"statistic": result[:, 0].tolist(), "p_value": result[:, 1].tolist()}
        for name, result in results.items()
    }
    content = {"R": versions[0], "partykit": versions[1], "libcoin": versions[2], "tables": found}
    (HERE / "golden_factors.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
