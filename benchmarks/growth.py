"""How time and memory grow with samples, features, classes, trees and threads; for `make bench`.

Run `python benchmarks/growth.py`; `--quick` leaves out the largest sizes, `--only samples` takes
one curve. Every point is a process of its own, which fits `.paper()` forests of ten trees several
times. Memory is the fit's peak above what was there before it, in units of X's own size (X comes
in C order, so one unit is the copy in Fortran order). The last column is the factor of the CPU time
per doubling of what the curve varies: 2 is linear.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import time
from pathlib import Path

#: What stays the same on a curve, and what varies.
BASE = dict(n=4000, p=40, k=2, trees=10, threads=1, task="classification")
CURVES = {
    "samples": ("n", [1000, 10_000, 40_000, 160_000, 1_000_000], dict(p=10)),
    "samples, regression": (
        "n",
        [1000, 10_000, 40_000, 160_000, 1_000_000],
        dict(p=10, k=0, task="regression"),
    ),
    "features": ("p", [10, 100, 1000, 10_000, 100_000], dict(n=200)),
    "classes": ("k", [2, 4, 8, 16, 32, 64], {}),
    "trees": ("trees", [10, 40, 160, 640], dict(n=1000)),
    "threads": ("threads", [1, 2], dict(n=20_000, trees=40)),
}
QUICK_LIMIT = 4_000_000  # cells of X


def status_bytes(field):
    """A field of the kernel's memory report; 0 where there is none."""
    path = Path("/proc/self/status")
    found = re.search(rf"{field}:\s+(\d+) kB", path.read_text()) if path.exists() else None
    return 1024 * int(found[1]) if found else 0


def measure(point, repeats):
    """Least CPU and wall seconds of a fit and its peak of memory, in this process."""
    import numpy as np
    from timing import Times

    import inforest

    rng = np.random.default_rng(0)
    X = rng.normal(size=(point["n"], point["p"]))
    # Five features of equal strength; noise as strong as they are together.
    score = X[:, :5].sum(axis=1) + 5**0.5 * rng.normal(size=len(X))
    y = score
    if point["task"] == "classification":
        y = np.floor(point["k"] * score.argsort().argsort() / len(X))
    kind = "Classifier" if point["task"] == "classification" else "Regressor"
    paper = getattr(inforest, f"ConditionalInferenceForest{kind}").paper
    size = dict(n_estimators=point["trees"], n_jobs=point["threads"])
    paper(n_estimators=1).fit(
        X[:100], y[:100] if point["k"] == 0 else np.arange(100) % 2
    )  # loads all there is
    before = status_bytes("VmRSS")
    if before:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    times = Times()
    model = paper(**size, random_state=0)
    times.add(lambda: model.fit(X, y))
    peak = status_bytes("VmHWM") - before
    while len(times.cpu) < repeats and sum(times.wall) < 10:
        times.add(lambda: model.fit(X, y))
    nodes = model.trees_.node_count
    return times.record() | {"memory": peak / X.nbytes, "X_bytes": X.nbytes, "nodes": nodes}


def in_own_process(point, repeats):
    command = [sys.executable, __file__, "--point", json.dumps(point), "--repeats", str(repeats)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="no large sizes")
    parser.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/growth.json"))
    parser.add_argument("--point", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.point:
        print(json.dumps(measure(arguments.point, arguments.repeats)))
        return
    start = time.perf_counter()
    records = []
    print(f"{'curve':20s} {'at':>8s} {'CPU s':>9s} {'wall s':>9s} {'memory/X':>9s} {'x2':>6s}")
    for name in arguments.only:
        varied, values, fixed = CURVES[name]
        previous = None
        for value in values:
            point = BASE | fixed | {varied: value}
            if arguments.quick and point["n"] * point["p"] * point["trees"] > QUICK_LIMIT:
                continue
            result = in_own_process(point, arguments.repeats)
            cpu, wall = result["cpu"]["min"], result["wall"]["min"]
            factor = ""
            if previous:
                doublings = math.log2(value / previous[0])
                factor = f"{(cpu / previous[1]) ** (1 / doublings):6.2f}"
            cells = f"{cpu:9.3f} {wall:9.3f} {result['memory']:9.2f}"
            print(f"{name:20s} {value:8d} {cells} {factor:>6s}", flush=True)
            previous = value, cpu
            records.append({"curve": name, "value": value} | point | result)
    print(f"{time.perf_counter() - start:.0f} s")
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
