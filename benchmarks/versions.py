"""Is this version as quick as another one? CPU times of both, by turns, as ratios.

Run `python benchmarks/versions.py /path/to/other/bin/python`: an interpreter whose environment has
the other version of inforest. Each of the two works in a process of its own that stays alive; a
case is timed in one, then in the other, again and again, and the ratio is that of the least times.
"""

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
CASES = {
    "default forest, classes 1000x100": ("forest", "classes 1000x100", {}),
    "default forest, values 1000x100": ("forest", "values 1000x100", {}),
    "default forest, 26 classes 5000x16": ("forest", "26 classes 5000x16", {}),
    "default forest, classes 10000x50": ("forest", "classes 10000x50", {}),
    "paper forest, classes 1000x100": ("paper", "classes 1000x100", {}),
    "paper forest, classes 200x1000": ("paper", "classes 200x1000", {}),
    "paper forest, values 5000x50": ("paper", "values 5000x50", {}),
    "paper forest, 26 classes 5000x16": ("paper", "26 classes 5000x16", {}),
    "paper forest, spam": ("paper", "spam", {}),
    "paper forest, letter": ("paper", "letter", {}),
    "paper forest, wine": ("paper", "wine", {}),
    "paper forest, imports-85": ("paper", "imports-85", {}),
    "fixed budgets, values 1000x100": (
        "paper",
        "values 1000x100",
        dict(early_stopping_selector=None, early_stopping_splitter=None),
    ),
    "rdc, classes 1000x100": ("paper", "classes 1000x100", dict(selector="rdc")),
    "maxt, classes 1000x100": ("paper", "classes 1000x100", dict(adjust_alpha_selector="maxt")),
    "default tree, classes 10000x50": ("tree", "classes 10000x50", {}),
    "rank_features, values 1000x100": ("rank", "values 1000x100", {}),
    "independence_test, classes 1000x100": ("test", "classes 1000x100", {}),
    "predict, classes 10000x50": ("predict", "classes 10000x50", {}),
}


def made(kind, name, options):
    """Return the work of a case as a function, or None where its data set is not there."""
    from speed_data import load

    import inforest

    data = load(name)
    if data is None:
        return None
    X, y = data.X, data.y
    word = "Classifier" if data.n_classes else "Regressor"
    forest = getattr(inforest, f"ConditionalInferenceForest{word}")
    size = dict(n_estimators=100, random_state=0, n_jobs=1)
    if kind == "forest":
        return lambda: forest(**size, **options).fit(X, y)
    if kind == "paper":
        return lambda: forest.paper(**size, **options).fit(X, y)
    if kind == "tree":
        tree = getattr(inforest, f"ConditionalInferenceTree{word}")
        return lambda: tree(random_state=0).fit(X, y)
    if kind == "rank":
        return partial(inforest.rank_features, X, y, task=data.task, random_state=0, n_jobs=1)
    if kind == "test":
        return partial(inforest.independence_test, X, y, task=data.task, random_state=0, n_jobs=1)
    fitted = forest(**size).fit(X, y)
    return lambda: fitted.predict(X)


def work():
    """Read names of cases, answer with the CPU seconds of one run each."""
    sys.path.insert(0, str(HERE))
    from timing import Times

    ready = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            ready[name] = made(*CASES[name])
            if ready[name] is not None:
                ready[name]()  # warm
        times = Times()
        if ready[name] is not None:
            times.add(ready[name])
        print(json.dumps(times.cpu), flush=True)


def ask(process, name):
    process.stdin.write(name + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", help="Python of the environment with the other version")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    args = parser.parse_args()
    start = partial(subprocess.Popen, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    both = [start([python, __file__, "--work"]) for python in (sys.executable, args.other)]
    ratios = []
    for name in args.only:
        times = [[], []]
        for repeat in range(args.repeats):
            for i in (0, 1) if repeat % 2 else (1, 0):
                times[i] += ask(both[i], name)
        if not times[0]:
            print(f"{name:40} not there: set INFOREST_DATA")
            continue
        ours, other = min(times[0]), min(times[1])
        ratios.append(ours / other)
        print(f"{name:40} {ours:8.3f} s {other:8.3f} s  ratio {ours / other:.3f}", flush=True)
    print(f"{'geometric mean':40} {'':21}  ratio {_mean(ratios):.3f}")


def _mean(ratios):
    import numpy as np

    return float(np.exp(np.mean(np.log(ratios))))


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        main()
