"""Fairness by missing share and by number of levels, for docs/fairness.md.

The design of `fairness_design.py` with seven other kinds of features: numbers of which none, 10 %,
30 % or 60 % are missing, for no reason, and categories of 3, 10 or 20 levels. With --write the
tables go to the page. Seeds are fixed. Takes some five minutes on one core.
"""

import argparse
from functools import cache

import numpy as np
from fairness import (
    DOCS,
    FORESTS,
    TREES,
    map_seeds,
    one_hot,
    share_table,
    table,
    write,
)
from fairness_design import N_KINDS, N_ROWS, STRENGTH, TASKS
from quick_trees import QuickTrees
from scipy.stats import rankdata

from inforest import rank_features

MISSING = {"complete": 0.0, "10 % missing": 0.1, "30 % missing": 0.3, "60 % missing": 0.6}
LEVELS = {"3 levels": 3, "10 levels": 10, "20 levels": 20}
KINDS = [*MISSING, *LEVELS]
CATEGORIES = list(range(len(MISSING), N_KINDS))
#: How trees may treat what is missing.
WAYS = {"root": "incorporate", "ignored": "ignore"}
NAMES = {"root": "default tree", "ignored": 'tree with `missing="ignore"`', "ctree": "ctree"}


def features(rng):
    """Return a column of each kind, independent of all others."""
    numbers = [rng.normal(size=N_ROWS) for _ in MISSING]
    for column, share in zip(numbers, MISSING.values(), strict=True):
        column[rng.permutation(N_ROWS) < round(share * N_ROWS)] = np.nan
    levels = [rng.integers(n, size=N_ROWS).astype(float) for n in LEVELS.values()]
    return np.column_stack([*numbers, *levels])


def null(task, seed):
    """Return features and a response that has nothing to do with them."""
    rng = np.random.default_rng([2008, seed])
    X = features(rng)
    return X, (
        rng.integers(2, size=N_ROWS) if task == "classification" else rng.normal(size=N_ROWS)
    )


def power(task, informative, seed):
    """Return features and a response that depends on one of them, on the rows that have it.

    As in `fairness_design.power`, by its standardised ranks, or those of the levels' numbers; more
    strongly where fewer rows have a value, so that the correlation over all rows is the same.
    """
    rng = np.random.default_rng([2008, 1 + informative, seed])
    X = features(rng)
    x = X[:, informative]
    there = ~np.isnan(x)
    z = np.zeros(N_ROWS)
    z[there] = rankdata(x[there])
    z[there] -= z[there].mean()
    z *= STRENGTH / z.std()
    if task == "classification":
        return X, (rng.uniform(size=N_ROWS) < (1 + z) / 2).astype(np.int64)
    return X, z + np.sqrt(1 - STRENGTH**2) * rng.normal(size=N_ROWS)


@cache
def root_grower(task, way):
    """Return what grows the roots of our trees, or of ctree."""
    if way == "ctree":
        make, options = TREES[task].ctree, {}
    else:
        make, options = TREES[task], {"missing": WAYS[way]}
    return QuickTrees(make(categorical_features=CATEGORIES, max_depth=1, **options))


def root_of(task, way, data, seed):
    """Return the feature that the root of a tree splits, -1 if it does not split."""
    return root_grower(task, way)(*data, seed).feature[0]


# --- What a data set shows ------------------------------------------------------------------------


def tree_on_noise(task, seed):
    """Return which feature the root splits, for each treatment of missing values."""
    data = null(task, seed)
    return {name: one_hot(root_of(task, name, data, seed)) for name in WAYS}


def forests_on_noise(task, seed):
    """Return roots, splits, offers and first places of forests."""
    X, y = null(task, seed)
    shared = {"categorical_features": CATEGORIES, "random_state": seed}
    forest = FORESTS[task](**shared).fit(X, y)
    stumps = FORESTS[task](50, max_depth=1, max_features=None, **shared).fit(X, y)
    root = stumps.trees_.feature[stumps.trees_.offset[:-1]]
    used = forest.trees_.feature
    return {
        "roots": np.bincount(root[root >= 0], minlength=N_KINDS),
        "splits": np.bincount(used[used >= 0], minlength=N_KINDS),
        "offers": forest.candidate_counts_,
        "forest": one_hot(forest.ranking_[0]),
        "rank_features": one_hot(rank_features(X, y, task=task, **shared).order[0]),
    }


def trees_with_power(task, informative, seed):
    """Whether the roots of our trees and of ctree split the informative feature."""
    data = power(task, informative, seed)
    return {name: root_of(task, name, data, seed) == informative for name in NAMES}


# --- Tables ---------------------------------------------------------------------------------------


def null_table(n_trees, n_forests):
    rows = []
    for task in TASKS:
        trees = map_seeds(tree_on_noise, n_trees, task)
        for key in WAYS:
            split = trees[key][trees[key].any(axis=1)]
            rows.append([f"{task}: root of {NAMES[key]}", f"{len(split):,} roots", split])
        found, n = map_seeds(forests_on_noise, n_forests, task), f"{n_forests:,} data sets"
        rows += [
            [f"{task}: roots of forests, all features offered", n, found["roots"]],
            [f"{task}: splits per offer", n, found["splits"], found["offers"]],
            [f"{task}: share of offers", n, found["offers"]],
            [f"{task}: first place of the default forest", n, found["forest"]],
            [f"{task}: first place of `rank_features`", n, found["rank_features"]],
        ]
    return share_table(rows, KINDS)


def power_table(n):
    body = []
    for task in TASKS:
        kinds = [map_seeds(trees_with_power, n, task, j) for j in range(N_KINDS)]
        for name, words in NAMES.items():
            rates = np.array([found[name].mean() for found in kinds])
            body.append([f"{task}: {words}", *(f"{r:.3f}" for r in rates), f"{rates.mean():.3f}"])
        for name in WAYS:
            gaps = np.array([found[name].astype(float) - found["ctree"] for found in kinds])
            errors = gaps.std(axis=1, ddof=1) / np.sqrt(n)
            pairs = zip(gaps.mean(axis=1), errors, strict=True)
            error = np.sqrt((errors**2).sum()) / N_KINDS
            cells = [
                *(f"{g:+.3f} ({e:.3f})" for g, e in pairs),
                f"{gaps.mean():+.3f} ({error:.3f})",
            ]
            body.append([f"{task}: {NAMES[name]} minus ctree (s.e.)", *cells])
    return table(["", *KINDS, "mean"], body)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=60_000, help="data sets for single trees")
    parser.add_argument("--forests", type=int, default=2_500, help="data sets for forests")
    parser.add_argument("--power", type=int, default=2_000, help="data sets per kind")
    parser.add_argument("--write", action="store_true", help="docs/fairness.md")
    options = parser.parse_args()
    tables = {
        "tables": lambda: null_table(options.trees, options.forests),
        "tables power": lambda: power_table(options.power),
    }
    path = DOCS / "fairness.md"
    for name, make in tables.items():
        text = make()
        print(f"### {name}\n\n{text}\n", flush=True)
        if options.write:
            page = path.read_text(encoding="utf-8")
            path.write_text(write(page, name, text), encoding="utf-8")


if __name__ == "__main__":
    import fairness_tables  # processes look for the functions in a module of this name

    fairness_tables.main()
