"""Does `conditional_test` select the same with another seed, and are null p-values large enough?

    python benchmarks/conditional_seeds.py --write          about five minutes of one core

Tables are those of `conditional.py`. Each is tested with two seeds. Counted is the share that the
two selections at q = 0.1 have in common, of the larger one (tables on which nothing is selected
are left out), by default and with more splits. The p-values of features without effect, of the
first seed, are drawn: `docs/images/null_p_values.png` shows, for each p, how many of them are at
most p; a curve above the diagonal would be a level that is not kept. With `--write` the figure is
made, and the table of `docs/conditional.md`; `benchmarks/conditional_seeds.csv` keeps what is done.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from conditional_designs import FEATURES, N_TRUE, response

from inforest import conditional_test

HERE = Path(__file__).parent
RESULTS = HERE / "conditional_seeds.csv"
PAGE = HERE.parent / "docs" / "conditional.md"
FIGURE = HERE.parent / "docs" / "images" / "null_p_values.png"
MARKS = "<!-- seeds: begin -->\n", "<!-- seeds: end -->"
COLUMNS = ["x", "repeats", "runs", "same", "se", "selected", "null_p_values"]
#: Splits, tables: 600 rows, 30 features.
CELLS = [
    (repeats, x)
    for repeats, tables in [
        (2, "normal-0.5 absolute mixed spam community_crime"),
        (10, "normal-0.5 spam"),
    ]
    for x in tables.split()
]
N, P, LEVEL = 600, 30, 0.1


def one_run(x, repeats, seed):
    """Return what two seeds have in common, how many they select, null p-values of the first."""
    rng = np.random.default_rng(seed)
    X = FEATURES[x](rng, N, P)
    chosen = rng.choice(X.shape[1], N_TRUE, replace=False)
    y = response("mixture", X, chosen, rng)
    one, other = (
        conditional_test(X, y, alpha=LEVEL, n_repeats=repeats, random_state=random_state)
        for random_state in (seed, 10_000 + seed)
    )
    larger = max(one.selected.sum(), other.selected.sum())
    same = (one.selected & other.selected).sum() / larger if larger else np.nan
    return same, one.selected.sum(), np.delete(one.p_value, chosen)


def run_cell(x, repeats, runs):
    found = [one_run(x, repeats, seed) for seed in range(runs)]
    same = np.array([f[0] for f in found])
    same = same[~np.isnan(same)]
    p_values = np.sort(np.concatenate([f[2] for f in found]))
    return {
        "x": x, "repeats": repeats, "runs": runs, "same": round(same.mean(), 3),
        "se": round(same.std(ddof=1) / np.sqrt(len(same)), 3),
        "selected": round(np.mean([f[1] for f in found]), 2),
        "null_p_values": " ".join(f"{p:.3g}" for p in p_values),
    }  # fmt: skip


def draw(lines):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
    ax.plot([0, 0.5], [0, 0.5], color="#8895a7", linewidth=1, linestyle="--", label="exact level")
    for line in lines:
        if int(line["repeats"]) == 2:
            p = np.array(line["null_p_values"].split(), dtype=float)
            grid = np.linspace(0, 0.5, 251)
            ax.plot(grid, np.searchsorted(p, grid, "right") / len(p), label=line["x"])
    ax.set_xlabel("p")
    ax.set_ylabel("share of p-values at most p, features without effect")
    ax.legend(fontsize=8, frameon=False)
    fig.savefig(FIGURE, dpi=150)


def table(lines):
    rows = ["| X | splits | tables | in common | selected |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| {line['x']} | {line['repeats']} | {line['runs']}"
        f" | {float(line['same']):.2f} ({float(line['se']):.2f})"
        f" | {float(line['selected']):.1f} |"
        for line in lines
    ]
    return "\n".join(rows) + "\n"


def write(lines):
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    draw(lines)
    before, rest = PAGE.read_text().split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + table(lines) + MARKS[1] + rest.split(MARKS[1])[1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the results")
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    lines = {}
    if options.write and RESULTS.exists():
        with RESULTS.open(newline="") as file:
            lines = {(int(line["repeats"]), line["x"]): line for line in csv.DictReader(file)}
    for repeats, x in CELLS:
        if int(lines.get((repeats, x), {"runs": 0})["runs"]) >= options.runs:
            continue
        lines[repeats, x] = run_cell(x, repeats, options.runs)
        print(table([lines[repeats, x]]).splitlines()[-1], flush=True)
        if options.write:
            write(list(lines.values()))


if __name__ == "__main__":
    main()
