"""ctree and cforest by the real partykit, in an R process of its own.

Three things differ from the authors' study. Importances are read by the name of the feature: there
ctree credits every split to the feature after the right one, and cforest takes positions in a
vector that lacks the unused features for numbers of features. R is seeded: there it is not. And
data sets with very many features run.
"""

import csv
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import MethodUnavailable, Parameters, Rank, Ranked, best_first
from inforest_study.methods._usage import tree_usage

_SCRIPT = Path(__file__).with_name("partykit.R")


@cache
def requires_partykit() -> None:
    """Raise an error that says how to get R and partykit where they are missing."""
    rscript = shutil.which("Rscript")
    check = "quit(status = !requireNamespace('partykit', quietly = TRUE))"
    if rscript is None or _fails([rscript, "--vanilla", "-e", check]):
        raise MethodUnavailable(
            "R with partykit not found: apt-get install r-cran-partykit"
            " (elsewhere: install R, then install.packages('partykit'))"
        )


def _fails(command: list[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode != 0


def ranker(model: str) -> Rank:
    """Make the `rank` of partykit's function `model`."""

    def rank(
        X: Floats,
        y: NDArray[np.generic],
        task: Task,
        parameters: Parameters,
        random_state: int,
        n_jobs: int,
    ) -> Ranked:
        """Rank by the importances that R computes."""
        requires_partykit()
        n, p = X.shape
        fixed = {"model": model, "task": task, "n": n, "p": p}
        fixed |= {"seed": random_state, "cores": n_jobs}
        with TemporaryDirectory(prefix="inforest-partykit-") as folder:
            (Path(folder) / "X").write_bytes(X.astype(np.float64).tobytes(order="F"))
            (Path(folder) / "y").write_bytes(y.astype(np.float64).tobytes())
            _run_r({**parameters, **fixed, "folder": folder})
            return _read(Path(folder), p)

    return rank


def _run_r(arguments: Parameters) -> None:
    """Run the script; R's own words are the error's."""
    words = [f"{name}={_in_r(value)}" for name, value in arguments.items()]
    # --vanilla: no profile, no saved workspace.
    command = ["Rscript", "--vanilla", str(_SCRIPT), *words]
    if setpriv := sys.platform == "linux" and shutil.which("setpriv"):
        # R shall not outlive this process, whatever ends it.
        command = [setpriv, "--pdeathsig", "KILL", *command]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"partykit failed: {done.stderr.strip()}")


def _in_r(value: object) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def _read(folder: Path, n_features: int) -> Ranked:
    """Read what R wrote, by the names of the features."""
    number = {f"X{j + 1}": j for j in range(n_features)}
    importance = np.zeros(n_features)
    for row in _rows(folder / "features.csv"):
        importance[number[row["feature"]]] = float(row["importance"])
    depths = [int(row["depth"]) for row in _rows(folder / "trees.csv")]
    splits: list[list[int]] = [[] for _ in depths]
    for row in _rows(folder / "splits.csv"):
        splits[int(row["tree"]) - 1].append(number[row["feature"]])
    usage = tree_usage(splits, n_features, depths)
    return Ranked(best_first(importance), importance, **usage)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
