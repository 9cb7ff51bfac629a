"""Write golden_factors.json: R's asymptotic tests of categories and numbers, feature by feature.

It needs R with coin, and INFOREST_DATA_MORE, a folder of mixed tables, for those that no package
bundles; the file holds numbers about them and no data.
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


def tested(X, is_category, y, has_classes):
    """Let R test every feature; return statistics, degrees of freedom, p-values and versions."""
    with tempfile.TemporaryDirectory() as folder:
        np.column_stack([X, y]).astype(float).ravel(order="F").tofile(f"{folder}/table")
        kinds = " ".join(str(int(one)) for one in is_category)
        Path(folder, "about").write_text(f"{len(X)} {X.shape[1]} {int(has_classes)} {kinds}\n")
        run = subprocess.run(
            ["Rscript", str(HERE / "factors.R"), folder],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise RuntimeError(run.stderr)
        result = np.fromfile(f"{folder}/result").reshape(-1, 3)
    return result, run.stdout.split()


def main():
    found = {}
    for name, (X, is_category, y, has_classes) in (simulated() | tables()).items():
        result, versions = tested(X, is_category, y, has_classes)
        found[name] = {
            "statistic": result[:, 0].tolist(),
            "degrees": result[:, 1].astype(int).tolist(),
            "p_value": result[:, 2].tolist(),
        }
    content = {"R": versions[0], "coin": versions[1], "libcoin": versions[2], "tables": found}
    (HERE / "golden_factors.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
