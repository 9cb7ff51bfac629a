"""How much quicker than R are `.ctree()`, `.cforest()` and conditional importances?

Run `python benchmarks/ctree.py`; real data sets need INFOREST_DATA, R needs partykit and party. All
is measured in one run, in CPU seconds of one thread; R's script times itself, so that starting R
counts for nothing. The last column says whether the goal is reached. `--trees 20` is quicker, and
harder on us: a fit has its own overhead.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from speed_data import load

import inforest

DATA_SETS = ("wine", "imports-85", "community_crime", "classes 1000x100")
#: How many times as quick as R we must be.
GOALS = {"ctree": 20, "cforest": 100, "party": 5, "conditional": 100, "party conditional": 100}


def cpu(work, repeats=20):
    """Return the least CPU seconds of several repeats; of long work, of few."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
        if sum(seconds) > 3:
            break
    return min(seconds)


def in_r(X, y, n_classes, what, trees, mtry):
    """Return R's CPU seconds of each of `what`; they are divided by how much was done of it."""
    with tempfile.TemporaryDirectory() as folder:
        np.column_stack([X, y]).astype(float).ravel(order="F").tofile(f"{folder}/table")
        about = [len(X), X.shape[1] + 1, n_classes, trees, mtry]
        Path(folder, "about").write_text(" ".join(map(str, about)))
        script = str(Path(__file__).with_suffix(".R"))
        run = subprocess.run(
            ["Rscript", script, folder, *what], capture_output=True, text=True, check=False
        )
        if run.returncode:
            sys.stderr.write(run.stderr)
            raise SystemExit(1)
        return dict(zip(what, map(float, run.stdout.split()), strict=True))


def estimators(task):
    """The tree and the forest of a task."""
    kind = "Classifier" if task == "classification" else "Regressor"
    return (
        getattr(inforest, f"ConditionalInferenceTree{kind}"),
        getattr(inforest, f"ConditionalInferenceForest{kind}"),
    )


def show(name, what, theirs, ours):
    """Print a line; return whether the goal is reached."""
    ratio = theirs / ours
    reached = ratio >= GOALS[what]
    verdict = "yes" if reached else "NO"
    goal = f"{ratio:9.0f} x {GOALS[what]:8d}  {verdict}"
    print(f"{name:20} {what:18} {theirs:10.3f} {ours:10.4f} {goal}", flush=True)
    return reached


def main():
    """Measure and compare with the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=[*DATA_SETS, "conditional"])
    options = parser.parse_args()
    print(f"{'data':20} {'what':18} {'R (CPU s)':>10} {'ours':>10} {'ratio':>11} {'goal':>8}")
    reached = []
    for name in (one for one in DATA_SETS if one in options.only):
        data = load(name)
        if data is None:
            print(f"{name:20} is not there: INFOREST_DATA names no folder that has it")
            continue
        n_classes = len(np.unique(data.y)) if data.task == "classification" else 0
        y = np.unique(data.y, return_inverse=True)[1] if n_classes else data.y
        tree, forest = estimators(data.task)
        mtry = int(np.ceil(np.sqrt(data.X.shape[1])))
        made = tree.ctree(), forest.cforest(n_estimators=options.trees, n_jobs=1, random_state=0)
        ours = [cpu(partial(one.fit, data.X, y)) for one in made]
        theirs = in_r(data.X, y, n_classes, ["ctree", "cforest", "party"], options.trees, mtry)
        for what, seconds in zip(("ctree", "cforest", "party"), (*ours, ours[1]), strict=True):
            reached.append(show(name, what, theirs[what], seconds))
    if "conditional" in options.only:
        reached += conditional(options.trees)
    return 0 if all(reached) else 1


def conditional(trees):
    """n = 500, p = 50, and p = 1,000 without R."""
    reached = []
    for p in (50, 1000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(500, p)) + rng.normal(size=(500, 1))
        y = X[:, :5].sum(axis=1) + rng.normal(size=500)
        forest = inforest.ConditionalInferenceForestRegressor.cforest
        fitted = forest(n_estimators=trees, max_features=8, random_state=0).fit(X, y)
        seconds = {
            how: cpu(partial(fitted.permutation_importance, X, y, conditional=how))
            for how in ("party", "partykit")
        }
        if p == 50:
            theirs = in_r(X, y, 0, ["party_conditional", "conditional"], trees, 8)
            party = theirs["party_conditional"]
            reached.append(show("values 500x50", "party conditional", party, seconds["party"]))
            partykit = theirs["conditional"]
            reached.append(show("values 500x50", "conditional", partykit, seconds["partykit"]))
        else:
            print(f"values 500x{p}: party's {seconds['party']:.3f} s, ", end="")
            print(f"partykit's {seconds['partykit']:.3f} s, {trees} trees")
    return reached


if __name__ == "__main__":
    sys.exit(main())
