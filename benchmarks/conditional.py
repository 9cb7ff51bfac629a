"""Does `conditional_test` keep its error rate, and what does it find?

    python benchmarks/conditional.py --write [--seconds 600]     the grid, cells not yet done
    python benchmarks/conditional.py --x absolute --y mixture --n 600 --runs 100      some cells

In each run features and y are drawn anew, with a seed of their own; 7 features matter, in the way
that `--y` names. Counted are, for q = 0.05, 0.1 and 0.2, the share of wrong features among the
selected ones (none selected: 0); the share of the 7 that is found at 0.1; how often a feature
without effect has p <= 0.05; and the share of features that get no verdict. With `--write` each
cell is a line of `benchmarks/conditional.csv`, and the table in `docs/conditional.md` is made from
all lines; a cell that has its line with as many runs is not computed again. Real tables are read
from INFOREST_DATA and INFOREST_DATA_MORE.
"""

import argparse
import csv
import time
from itertools import product
from pathlib import Path

import numpy as np
from conditional_designs import FEATURES, N_TRUE, RESPONSES, response
from sklearn.utils.parallel import Parallel, delayed

from inforest import conditional_test
from inforest.independence.adjustment import fdr_bh

LEVELS = 0.05, 0.1, 0.2
CELL = ["x", "y", "n", "p", "strength", "repeats"]
COUNTED = ["fdr_05", "fdr_10", "fdr_20", "found", "null", "refused", "seconds"]
COLUMNS = [*CELL, "runs", *COUNTED, "se_05", "se_10", "se_20"]
HERE = Path(__file__).parent
RESULTS = HERE / "conditional.csv"
PAGE = HERE.parent / "docs" / "conditional.md"
MARKS = "<!-- table: begin -->\n", "<!-- table: end -->"

#: Runs, and X, y, n, p, strength of the signal of some cells: what decides most comes first. Many
#: runs where a table is quick: all cells take about 40 minutes of one core.
GRID = [
    (runs, (x, y, n, p, strength))
    for runs, features, responses, n, p, strength in [
        (60, "normal-0.5 absolute product mixed", "mixture", 600, 30, 1.5),
        (60, "spam community_crime segmentation chicago", "mixture", 600, 30, 1.5),
        (300, "normal-0.5 absolute spam", "none", 200, 20, 1.5),
        (200, "independent", "none", 600, 30, 1.5),
        (60, "normal-0.8 blocks heavy binary circle", "mixture", 600, 30, 1.5),
        (30, "absolute product circle spam", "mixture", 2000, 30, 1.5),
        (60, "normal-0.5 absolute mixed", "classes-2 classes-5", 600, 30, 1.5),
        (100, "normal-0.5 absolute product", "mixture", 200, 20, 1.5),
        (60, "normal-0.5 absolute", "linear additive interactions", 600, 30, 1.5),
        (30, "community_crime spam segmentation", "linear classes-2", 1500, 60, 1.5),
        (60, "normal-0.5 absolute", "mixture", 600, 30, 0.5),
        (30, "normal-0.8 absolute", "mixture", 600, 200, 1.5),
        (100, "ALLAML", "mixture", 72, 100, 1.5),
        (20, "normal-0.5 absolute", "mixture", 600, 1000, 1.5),
        (12, "normal-0.5 absolute mixed", "mixture", 5000, 30, 1.5),
    ]
    for x, y in product(features.split(), responses.split())
]


def one_run(x, y, n, p, strength, repeats, seed):
    rng = np.random.default_rng(seed)
    X = FEATURES[x](rng, n, p)
    true = np.zeros(X.shape[1], dtype=bool)
    chosen = rng.choice(X.shape[1], N_TRUE, replace=False)
    true[chosen] = y != "none"
    values = response(y, X, chosen, rng, strength)
    start = time.process_time()
    result = conditional_test(X, values, alpha=max(LEVELS), n_repeats=repeats, random_state=seed)
    seconds = time.process_time() - start
    adjusted = fdr_bh(result.p_value)
    share = [np.sum((adjusted <= q) & ~true) / max(1, np.sum(adjusted <= q)) for q in LEVELS]
    found = np.sum((adjusted <= 0.1) & true) / N_TRUE
    refused = np.isin(result.verdict, ["not testable", "models fail"]).mean()
    return [*share, found, np.mean(result.p_value[~true] <= 0.05), refused, seconds]


def run_cell(cell, n_runs, n_jobs):
    """Return a cell's line."""
    tasks = (delayed(one_run)(*cell, seed) for seed in range(n_runs))
    runs = np.array(Parallel(n_jobs=n_jobs)(tasks))
    error = runs.std(axis=0, ddof=1)[:3] / np.sqrt(n_runs)
    numbers = [*(float(f"{v:.4g}") for v in runs.mean(axis=0)), *(round(e, 4) for e in error)]
    return dict(zip(COLUMNS, [*cell, n_runs, *numbers], strict=True))


def as_row(line):
    rates = [
        f"{float(line[f'fdr_{q}']):.3f} ({float(line[f'se_{q}']):.3f})"
        for q in (*"", "05", "10", "20")
    ]
    found = "" if line["y"] == "none" else f"{float(line['found']):.2f}"
    entries = [line["x"], line["y"], line["n"], line["p"], line["strength"], line["runs"], *rates]
    entries += [found, f"{float(line['null']):.3f}", f"{float(line['refused']):.2f}"]
    return "| " + " | ".join(map(str, [*entries, f"{float(line['seconds']):.1f}"])) + " |"


HEAD = (
    "| X | y | n | p | signal | runs | FDR at 0.05 | at 0.1 | at 0.2 | found | null p <= 0.05"
    " | no verdict | CPU s |\n" + "| --- " * 13 + "|"
)


def read_results():
    if not RESULTS.exists():
        return {}
    with RESULTS.open(newline="") as file:
        return {tuple(line[name] for name in CELL): line for line in csv.DictReader(file)}


def write_results(lines):
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines.values())
    before, rest = PAGE.read_text().split(MARKS[0])
    table = "\n".join([HEAD, *map(as_row, lines.values())])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(before + MARKS[0] + table + "\n" + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the results")
    parser.add_argument("--seconds", type=float, default=np.inf, help="start no cell after that")
    parser.add_argument("--x", nargs="+", choices=FEATURES)
    parser.add_argument("--y", nargs="+", choices=RESPONSES, default=["mixture"])
    parser.add_argument("--n", nargs="+", type=int, default=[600])
    parser.add_argument("--p", nargs="+", type=int, default=[30])
    parser.add_argument("--strength", nargs="+", type=float, default=[1.5])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--runs", type=int, default=30, help="of cells named by --x")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    cells = GRID
    if options.x:
        chosen = product(options.x, options.y, options.n, options.p, options.strength)
        cells = [(options.runs, cell) for cell in chosen]
    lines = read_results() if options.write else {}
    start = time.monotonic()
    print(HEAD)
    for runs, cell in cells:
        cell = (*cell, options.repeats)
        key = tuple(map(str, cell))
        if key in lines and int(lines[key]["runs"]) >= runs:
            continue
        if time.monotonic() - start > options.seconds:
            break
        lines[key] = run_cell(cell, runs, options.jobs)
        print(as_row(lines[key]), flush=True)
        if options.write:
            write_results(lines)


if __name__ == "__main__":
    main()
