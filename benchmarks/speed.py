"""How quick are the forests? Ratios to scikit-learn's random forest and to R, for `make bench`.

Run `python benchmarks/speed.py`; `--quick` for a small part, `--only letter spam` for some data
sets. Real data sets take part where the environment variable INFOREST_DATA names their folder.

All models of a data set run in one process by turns. A ratio is that of the least CPU (wall) times
of several repeats; RF is `RandomForest*` with scikit-learn's defaults. Everything has 100 trees and
two threads unless its name says otherwise. The last table compares with the goals.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import r_peers
import sklearn
from speed_data import DATA_SETS, Data, classes, load
from speed_models import GROUPS, models, wide_models
from timing import Times, by_turns

import inforest

QUICK = ("classes 1000x100", "values 1000x100", "wine", "imports-85")
BINARY = ("classes 1000x100", "classes 200x1000", "classes 10000x50", "spam", "musk", "madelon")
REGRESSION = ("values 1000x100", "values 5000x50", "imports-85", "community_crime")
EVERY = tuple(DATA_SETS)
#: What is measured / against what, on which data sets, the goal everywhere, and that of the median.
GOALS = [
    ("CIF", "RF", EVERY, 1.0, 0.12),
    ("CIF paper", "RF", EVERY, 1.0, 0.08),
    ("CIF paper", "RF", BINARY, 0.35, 0.1),
    ("CIF paper", "RF", REGRESSION, 0.2, None),
    ("CIF paper", "RF sqrt", REGRESSION, 1.0, None),
    ("CIT", "DecisionTree", EVERY, 3.0, 1.0),
    ("auto", "CIF paper", EVERY, 3.0, None),
    ("exact", "CIF paper", EVERY, 1.5, None),
    ("fixed B", "CIF paper", EVERY, 8.0, None),
    ("fixed B", "RF", BINARY, 5.0, None),
    ("rdc", "CIF paper", EVERY, 4.0, None),
    ("CIT, all features", "RF", ("wide 200x10000",), 1.0, None),
    ("CIF paper", "R cforest", EVERY, 0.01, None),
]


def time_models(data, made, repeats, patience):
    """Fit and predict times of every model."""
    times = {(name, phase): Times() for name in made for phase in ("fit", "predict")}

    def once(name, repeat):
        model = made[name](random_state=repeat)
        times[name, "fit"].add(lambda: model.fit(data.X, data.y))
        times[name, "predict"].add(lambda: model.predict(data.X))

    by_turns({name: partial(once, name) for name in made}, repeats, patience)
    return times


def time_r(data, n_trees, limit):
    """Fit and predict times of R's peers, measured once; what takes too long is left out."""
    times = {}
    for method in r_peers.METHODS:
        seconds = r_peers.seconds(data, method, n_trees, 2, limit)
        if seconds is None:
            print(f"{data.name:20s} R {method}: more than {limit:g} s, left out")
            continue
        fit_cpu, fit_wall, predict_wall = seconds
        times[f"R {method}", "fit"] = Times([fit_cpu], [fit_wall])
        times[f"R {method}", "predict"] = Times([predict_wall], [predict_wall])
    return times


def print_ratios(data, times):
    """One line per model: least fit CPU seconds, and ratios to RF."""
    for name, phase in times:
        if phase != "fit":
            continue
        fit, base = times[name, "fit"], times["RF", "fit"]
        ratio = {clock: fit.least[clock] / base.least[clock] for clock in ("cpu", "wall")}
        middle = np.median(fit.cpu) / np.median(base.cpu)
        cells = [f"{fit.least['cpu']:9.3f}", *(f"{r:8.3f}" for r in (*ratio.values(), middle))]
        if (name, "predict") in times:
            quotient = times[name, "predict"].least["wall"] / times["RF", "predict"].least["wall"]
            cells.append(f"{quotient:8.2f}")
        print(f"{data.name:20s} {name:18s}", *cells, flush=True)


def print_goals(least):
    """Every goal with the worst figure reached and where; returns whether all are met."""
    fine = True
    print(f"\n{'goal (CPU time)':44s} {'limit':>6s} {'worst':>7s} {'median':>7s}")
    for ours, theirs, names, limit, median_limit in GOALS:
        ratios = {
            name: least[name][ours] / least[name][theirs]
            for name in names
            if ours in least.get(name, {}) and theirs in least[name]
        }
        if not ratios:
            continue
        worst = max(ratios, key=ratios.get)
        missed = [name for name in ratios if ratios[name] > limit]
        median = np.median(list(ratios.values()))
        if median_limit is not None and len(ratios) == len(names) and median > median_limit:
            missed.append(f"the median, {median_limit:g}")
        fine &= not missed
        print(
            f"{f'{ours} / {theirs}, {len(ratios)} sets':44s} {limit:6g} {ratios[worst]:7.3f}"
            f" {median:7.3f}  {'met' if not missed else 'missed on ' + ', '.join(missed)}"
        )
    return fine


def process_seconds(code, repeats):
    """Least wall time of a fresh Python process that runs `code`."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def first_fit(repeats):
    """Seconds of a first fit to wine with all its imports, and of scikit-learn's own import."""
    fit = (
        "from sklearn.datasets import load_wine;"
        "from inforest import ConditionalInferenceForestClassifier as Forest;"
        "Forest(100, n_jobs=2, random_state=0).fit(*load_wine(return_X_y=True))"
    )
    return {
        "seconds": process_seconds(fit, repeats),
        "import of sklearn.ensemble alone": process_seconds("import sklearn.ensemble", repeats),
    }


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="four small data sets, no R")
    parser.add_argument("--only", nargs="+", metavar="DATA", help=", ".join(DATA_SETS))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--patience", type=float, default=10, help="seconds of repeats per model")
    parser.add_argument(
        "--models", nargs="+", choices=GROUPS, default=list(GROUPS), help="which models, beside RF"
    )
    parser.add_argument("--r-limit", type=float, default=60, help="seconds per R fit; 0: no R")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/speed.json"))
    return parser.parse_args()


def main():
    arguments = parsed()
    chosen = arguments.only or (QUICK if arguments.quick else [*DATA_SETS, "wide 200x10000"])
    n_trees, wanted = arguments.trees, {m for group in arguments.models for m in GROUPS[group]}
    with_r = arguments.r_limit > 0 and not arguments.quick and r_peers.available()
    columns = ("fit s", "CPU/RF", "wall/RF", "median", "predict")
    print(f"{'data':20s} {'model':18s} {columns[0]:>9s}", *(f"{c:>8s}" for c in columns[1:]))
    records, least = [], {}
    for name in chosen:
        is_wide = name == "wide 200x10000"
        data = Data(name, *classes(200, 10_000)) if is_wide else load(name)
        if data is None:
            print(f"{name:20s} is not there (INFOREST_DATA)")
            continue
        made = wide_models(n_trees) if is_wide else models(data.task, n_trees, wanted)
        times = time_models(data, made, arguments.repeats, arguments.patience)
        if with_r and not is_wide:
            times |= time_r(data, n_trees, arguments.r_limit)
        print_ratios(data, times)
        least[name] = {m: t.least["cpu"] for (m, phase), t in times.items() if phase == "fit"}
        records += [
            {"data": name, "shape": data.X.shape, "n_classes": data.n_classes, "model": model}
            | {"phase": phase} | t.record()
            for (model, phase), t in times.items()
        ]  # fmt: skip
    fine = print_goals(least)
    first = first_fit(arguments.repeats)
    fine &= first["seconds"] < 1
    print(
        f"first fit in a fresh process, import included, wine: {first['seconds']:.2f} s (goal 1 s);"
        f" {first['import of sklearn.ensemble alone']:.2f} s is the import of sklearn.ensemble"
    )
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "command": " ".join(sys.argv),
        "trees": n_trees,
        "inforest": inforest.__version__,
        "scikit-learn": sklearn.__version__,
        "processor": platform.processor() or platform.machine(),
        "n_cpus": os.cpu_count(),
        "first_fit": first,
    }
    arguments.json.write_text(json.dumps({"about": about, "times": records}, indent=1) + "\n")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
