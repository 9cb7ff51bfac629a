"""Write responses_golden.json: root p-values of partykit for censored and ordered responses.

``INFOREST_DATA_MORE=folder python make_responses_golden.py`` reads the data sets from the folder
and runs make_responses_golden.R, which needs R with partykit and survival. The file holds numbers
only.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from responses_data import SETS, read

HERE = Path(__file__).parent


def p_values(name: str, folder: Path) -> list[float]:
    """Return what partykit says about the features of one data set."""
    X, y = read(name)
    table = X.copy()
    if SETS[name].event is None:
        table.insert(0, "y", y.cat.codes + 1)
    else:
        table.insert(0, "event", y["event"].astype(int))
        table.insert(0, "time", y["time"])
    path = folder / f"{name}.csv"
    table.to_csv(path, index=False, float_format="%.17g")
    done = subprocess.run(
        ["Rscript", str(HERE / "make_responses_golden.R"), str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        golden = {name: p_values(name, Path(folder)) for name in SETS}
    (HERE / "responses_golden.json").write_text(json.dumps(golden, indent=1) + "\n")
