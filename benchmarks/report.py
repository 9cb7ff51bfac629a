"""CPU time of a report and its parts, on a table of the shape of ames: 2,930 rows, 317 columns.

    python benchmarks/report.py            # one column per level, the shape of ames with dummies
    python benchmarks/report.py --whole    # the same table with its categories as they are
    python benchmarks/report.py ames.csv --target Sale_Price

The first two make up a table: 34 numbers, 45 categories with 2 to 27 levels, a third of both
related to the target. The data of ames are in R's package modeldata:

    Rscript -e 'data(ames, package="modeldata"); write.csv(ames, "ames.csv", row.names=FALSE)'
"""

import argparse
import time

import numpy as np
import pandas as pd

from inforest.report import collect, make_report

PARTS = (
    *("rank_features", "_k_curve", "stability", "sensitivity"),
    *("split_usage", "null_check", "column_facts"),
)


def table(n=2930, seed=0):
    """Return numbers, categories and a target."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    numbers, words = {}, {}
    for j in range(34):
        base = rng.normal(size=n) + (quality if j < 14 else 0) * rng.uniform(0.3, 1.2)
        numbers[f"num{j}"] = np.round(np.exp(base / 2) * 1000) if j % 2 else np.round(base * 2)
    for j in range(45):
        n_levels = int(rng.integers(2, 28)) if j % 5 == 0 else int(rng.integers(2, 8))
        shares = rng.dirichlet(np.full(n_levels, 0.5))
        score = quality * (j < 20) + rng.normal(size=n)
        edges = np.quantile(score, np.cumsum(shares)[:-1])
        words[f"cat{j}"] = np.searchsorted(edges, score).astype(str)
    noise = 0.1 * rng.normal(size=n)
    y = np.exp(12 + 0.3 * quality + noise + 0.05 * np.log(numbers["num1"] + 1))
    return pd.DataFrame(numbers), pd.DataFrame(words), y


def timed(name):
    """Let a part of the report say how long it took."""
    part = getattr(collect, name)

    def run(*args, **options):
        begin = time.process_time()
        found = part(*args, **options)
        print(f"{name.strip('_'):15} {time.process_time() - begin:6.1f} s", flush=True)
        return found

    setattr(collect, name, run)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", nargs="?", help="a CSV file instead of the made-up table")
    options.add_argument("--target", help="the file's column to explain")
    options.add_argument("--whole", action="store_true", help="categories as they are")
    chosen = options.parse_args()
    if chosen.file:
        X = pd.read_csv(chosen.file)
        y = X.pop(chosen.target)
    else:
        numbers, words, y = table()
        words = words if chosen.whole else pd.get_dummies(words).astype(float)
        X = pd.concat([numbers, words], axis=1)
    print(f"{X.shape[0]:,} rows, {X.shape[1]} columns")
    for name in PARTS:
        timed(name)
    begin = time.process_time()
    make_report(X, y, random_state=0)
    print(f"{'whole report':15} {time.process_time() - begin:6.1f} s of CPU")


if __name__ == "__main__":
    main()
