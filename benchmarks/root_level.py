"""How often a tree's root splits noise: by rows, number of candidates, and weights.

Run `python benchmarks/root_level.py [--sets 4000]`. Every data set is pure noise, and any threshold
is taken (no Stage B test), so that a valid Stage A splits at most 5 % of the roots. A level is
proven; what is counted here is checked against it: p is the exact binomial test that the level is
the one stated, the interval is Clopper and Pearson's of 99 %. `--only
candidates` leaves the other parts out.
"""

import argparse

import numpy as np
from quick_trees import QuickTrees
from scipy.stats import binomtest

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)

ALPHA = 0.05
FORESTS = ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor
TREES = ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor
ROWS = {
    "all rows": dict(bootstrap=False),
    "subsample, 0.632 of the rows": dict(replace=False),
    "bootstrap": dict(replace=True),
}
#: Numbers of candidates, and how many times as many data sets as elsewhere.
CANDIDATES = {1: 20, 2: 20, 4: 20, 10: 10, 100: 5, 1000: 2.5}
WEIGHTS = {
    "all 2": lambda _, n: np.full(n, 2),
    "all 3": lambda _, n: np.full(n, 3),
    "1 or 5 at random": lambda rng, n: rng.choice([1, 5], size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "one row of 100, others 1": lambda _, n: np.where(np.arange(n) == 0, 100, 1),
}


def noise(seed, n, n_features, is_classification):
    rng = np.random.default_rng([seed, n_features])
    y = rng.permutation(np.arange(n) % 2) if is_classification else rng.normal(size=n)
    return rng, rng.normal(size=(n, n_features)), y


def count_split(n_sets, root_of):
    """Return, for classes and for numbers, of how many data sets the root splits."""
    return [sum(root_of(seed, task) >= 0 for seed in range(n_sets)) for task in (0, 1)]


def root_of_forest(sampling):
    """One tree, one feature, its classical statistic."""
    how = dict(max_depth=1, alpha_selector=ALPHA, splitter_test=None, n_resamples_selector=199)
    stumps = [
        QuickTrees(forest(1, selector=selector, **how, **sampling))
        for forest, selector in zip(FORESTS, ("mc", "pc"), strict=True)
    ]

    def root(seed, task):
        _, X, y = noise(seed, 40, 1, task == 0)
        return stumps[task](X, y, seed).feature[0]

    return root


def root_of_default_tree(n_features):
    """Every other feature has few values."""
    stumps = [QuickTrees(tree(max_depth=1)) for tree in TREES]

    def root(seed, task):
        _, X, y = noise(seed, 30, n_features, task == 0)
        X[:, 1::2] = np.round(X[:, 1::2])
        return stumps[task](X, y, seed).feature[0]

    return root


def root_with_weights(draw, *, repeats):
    """Weights of rows, or the same data with rows there as often as they weigh."""

    def root(seed, task):
        rng, X, y = noise(seed, 50, 3, task == 0)
        weight = draw(rng, 50)
        if repeats:
            X, y, weight = np.repeat(X, weight, axis=0), np.repeat(y, weight), None
        tree = TREES[task](max_depth=1, random_state=seed)
        return tree.fit(X, y, weight).tree_.feature[0]

    return root


def show(name, counts, n_sets, level=ALPHA):
    cells = []
    for task, count in zip(("classification", "regression"), counts, strict=True):
        test = binomtest(int(count), n_sets, level)
        low, high = test.proportion_ci(0.99)
        cells.append(f"{task} {count / n_sets:.4f} [{low:.4f}, {high:.4f}] p {test.pvalue:.3f}")
    print(f"{name:34s} {'   '.join(cells)}   ({n_sets:,} data sets)", flush=True)


def show_sampling(n_sets):
    print("\nrows of a forest's tree, one feature, n = 40")
    for name, sampling in ROWS.items():
        show(name, count_split(n_sets, root_of_forest(sampling)), n_sets)


def show_candidates(n_sets):
    print("\ndefault tree, candidates, n = 30; independent tests at alpha / m give")
    for m, times in CANDIDATES.items():
        level, n = 1 - (1 - ALPHA / m) ** m, int(times * n_sets)
        print(f"{level:.4f} ", end="")
        show(f"with {m:,}", count_split(n, root_of_default_tree(m)), n, level)


def show_weights(n_sets):
    print("\ndefault tree, weights, three features, n = 50")
    for name, draw in WEIGHTS.items():
        show(name, count_split(n_sets, root_with_weights(draw, repeats=False)), n_sets)
        if draw(np.random.default_rng(0), 9).dtype.kind == "i":
            repeated = root_with_weights(draw, repeats=True)
            show(f"{name}: rows repeated", count_split(n_sets // 4, repeated), n_sets // 4)


PARTS = {"sampling": show_sampling, "candidates": show_candidates, "weights": show_weights}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=4_000, help="data sets of each line")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    print(f"root splits on noise, level {ALPHA}")
    for part in options.only:
        PARTS[part](options.sets)


if __name__ == "__main__":
    main()
