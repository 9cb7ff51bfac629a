"""R's peers, timed inside R: partykit's ctree and cforest, ranger."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

SCRIPT = Path(__file__).with_suffix(".R")
METHODS = ("ranger", "ctree", "cforest")


def available():
    """Whether R and both packages are installed."""
    if shutil.which("Rscript") is None:
        return False
    check = "quit(status = !all(sapply(c('partykit', 'ranger'), requireNamespace, quietly = TRUE)))"
    return subprocess.run(["Rscript", "-e", check], capture_output=True).returncode == 0


def seconds(data, method, n_trees, n_threads, limit):
    """Fit CPU, fit wall and predict wall seconds of one method; None beyond `limit` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        frame = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(data.X.shape[1])])
        frame.insert(0, "y", data.y)
        frame.to_csv(path, index=False)
        command = ["Rscript", str(SCRIPT), str(path), data.task, str(n_trees), str(n_threads)]
        try:
            done = subprocess.run(
                [*command, method], capture_output=True, text=True, timeout=limit, check=True
            )
        except subprocess.TimeoutExpired:
            return None
    return [float(word) for word in done.stdout.split()]
