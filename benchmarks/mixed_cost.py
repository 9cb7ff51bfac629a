"""What gaps and words cost: CPU times of default trees and forests, as ratios measured in one run.

    python benchmarks/mixed_cost.py [--repeats 5] [--trees 50] [--no-large]

Every table comes in three forms: complete, with 20 % of the values missing, and with all columns
as categories of 20 levels (of equal shares of the values, in random order). Their fits take turns;
the ratio is that of the least CPU times to the complete table's, beside it the ratio of nodes. Then
tables of 200,000 rows and 50 columns are fitted, each in a process of its own: a data frame of
numbers with gaps and categories of 3 to 300 levels, and the three forms above. Seconds, and memory
above the data (on Linux), in units of the data as float64. The script fails where a ratio is beyond
its limit.
"""

import argparse
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from speed_data import classes, values
from timing import Times, by_turns

import inforest

TABLES = {
    "classes 1000x100": lambda: classes(1000, 100),
    "classes 10000x50": lambda: classes(10_000, 50),
    "5 classes 5000x50": lambda: classes(5000, 50, 5),
    "values 1000x100": lambda: values(1000, 100),
    "values 5000x50": lambda: values(5000, 50),
}
LIMITS = {"gaps": 1.5, "levels": 2.0}
SHARE, LEVELS = 0.2, 20


def forms(X):
    """The table as it is, with gaps, and as categories, with the parameters of their fits."""
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(X.shape) < SHARE, np.nan, X)
    ranks = X.argsort(axis=0).argsort(axis=0) * LEVELS // len(X)
    words = np.column_stack([rng.permutation(LEVELS)[column] for column in ranks.T]).astype(float)
    return {
        "complete": (X, {}),
        "gaps": (gaps, {}),
        "levels": (words, {"categorical_features": list(range(X.shape[1]))}),
    }


def measure(make, X, y, repeats):
    """Of each form of the table: the least CPU seconds of a fit of `make(...)`, and its nodes."""
    tables = forms(X)
    times = {form: Times() for form in tables}
    nodes = {}

    def work(form, repeat):
        table, options = tables[form]
        model = times[form].add(lambda: make(random_state=repeat, **options).fit(table, y))
        arrays = model.trees_ if hasattr(model, "trees_") else model.tree_
        nodes[form] = int(np.sum(arrays.node_count))

    by_turns({form: partial(work, form) for form in tables}, repeats, 4)
    return {form: (times[form].least["cpu"], nodes[form]) for form in tables}


N_LARGE, P_LARGE = 200_000, 50


def large_numbers():
    """Columns of which the first ten say something, and a score."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=N_LARGE)
    X = rng.normal(size=(N_LARGE, P_LARGE))
    X[:, :10] += 0.5 * score[:, None]
    return X, score + rng.normal(size=N_LARGE) > 0


def mixed(X):
    """Every second column a category, gaps in the others."""
    import pandas as pd

    rng = np.random.default_rng(1)
    columns = {}
    for j, column in enumerate(X.T):
        if j % 2:
            n_levels = int(np.geomspace(3, 300, P_LARGE // 2)[j // 2])
            ranks = np.floor(n_levels * column.argsort().argsort() / N_LARGE).astype(int)
            names = np.array([f"level {k}" for k in rng.permutation(n_levels)])
            columns[f"x{j}"] = pd.Categorical(names[ranks])
        else:
            columns[f"x{j}"] = np.where(rng.random(N_LARGE) < SHARE, np.nan, column)
    return pd.DataFrame(columns)


def large(form):
    """Fit a large table; print seconds and memory. For a process of its own."""
    import resource

    X, y = large_numbers()
    X, options = (mixed(X), {}) if form == "mixed" else forms(X)[form]
    forest = inforest.ConditionalInferenceForestClassifier(100, random_state=0, n_jobs=2, **options)
    forest.fit(X[:500], y[:500])  # loads all there is
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak of making the data

    def peak():
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before, wall, cpu = peak(), time.perf_counter(), time.process_time()
    forest.fit(X, y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    memory = (peak() - before) / (8 * N_LARGE * P_LARGE)
    print(
        f"200,000 x 50 {form:8s}, 100 trees: {wall:.0f} s, CPU {cpu:.0f} s, memory {memory:.2f} X"
    )


def main():
    """Measure all tables; exit with 1 if a ratio is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--no-large", action="store_true")
    parser.add_argument("--large", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large:
        large(options.large)
        return 0
    print(f"{'':28s} {'CPU s':>7s} {'gaps':>6s}  nodes {'levels':>6s}  nodes")
    beyond = []
    for name, make in TABLES.items():
        X, y, n_classes = make()
        word = "Classifier" if n_classes else "Regressor"
        tree = getattr(inforest, f"ConditionalInferenceTree{word}")
        forest = getattr(inforest, f"ConditionalInferenceForest{word}")
        forest = partial(forest, n_estimators=options.trees, n_jobs=1)
        for kind, model in (("forest", forest), ("tree", tree)):
            found = measure(model, X, y, options.repeats)
            seconds, nodes = found.pop("complete")
            cells = ""
            for form, limit in LIMITS.items():
                ratio = found[form][0] / seconds
                cells += f" {ratio:6.2f} {found[form][1] / nodes:6.2f}"
                if ratio > limit:
                    beyond.append(f"{name}, {kind}, {form}: {ratio:.2f} > {limit}")
            print(f"{name:20s} {kind:7s} {seconds:7.3f} {cells}", flush=True)
    if not options.no_large:
        for form in ("mixed", "complete", "gaps", "levels"):
            subprocess.run([sys.executable, __file__, "--large", form], check=True)
    for line in beyond:
        print("beyond its limit:", line)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
