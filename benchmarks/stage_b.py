"""Is every path of Stage B the plain rule in distribution? Frequencies of the thresholds.

Run `python benchmarks/stage_b.py [--trees 100000] [--responses "10 classes"]`. For each design,
root after root is grown by the paths that forests take and by the plain rule (`shortcuts=False`,
src/core/inference/reference.hpp), from different seeds on the same data. A row tells how often
each of them splits, which threshold differs most and by how many standard errors; `chi2` is the
test that all frequencies are the same, and its p-value. Of many comparisons one in twenty is
beyond two standard errors by chance: the last lines count them, and test whether the p-values are
uniform, as they are if all frequencies are the same.
"""

import argparse
from itertools import product

import numpy as np
from scipy.stats import chi2, kstest

from inforest import _core

#: Name: classes (0: regression), splitter, strength of the signal.
RESPONSES = {
    "2 classes": (2, "gini", 0.8),
    "3 classes": (3, "gini", 0.4),
    "10 classes": (10, "gini", 1.0),
    "3 classes, entropy": (3, "entropy", 0.4),
    "regression": (0, "mse", 0.25),
}
#: Early stopping and budget. With the minimum, "adaptive" is "curtailed".
RULES = (("curtailed", "minimum"), ("curtailed", 30), ("adaptive", 30), (None, "minimum"))
#: Trees of one call.
CHUNK = 5_000
OPTIONS = dict(
    alpha_selector=0.05,
    alpha_splitter=0.3,
    adjust_alpha_selector=True,
    adjust_alpha_splitter=True,
    n_resamples_selector=None,
    early_stopping_selector="curtailed",
    early_stopping_confidence_selector=0.95,
    early_stopping_confidence_splitter=0.8,
    feature_muting=True,
    feature_scanning=True,
    max_features=None,
    split_tries=1,
    threshold_at="midpoint",
    threshold_scanning=True,
    max_thresholds=8,
    splitter_test="threshold",
    max_depth=1,
    min_samples_split=2,
    min_impurity_decrease=0.0,
    honesty=False,
    honesty_fraction=0.5,
)
#: Ties and the rule of rejection: the defaults', and `.paper()`'s.
CONVENTIONS = {
    "defaults": dict(ties="random", strict_level=False),
    "paper": dict(ties="count", strict_level=True),
}


def design(n_classes, strength, n=24):
    """One feature and a response that rises with it a little: many cuts may win."""
    rng = np.random.default_rng([n_classes, 7])
    x = rng.normal(size=n)
    y = strength * x + rng.normal(size=n)
    if n_classes:
        y = np.floor(n_classes * y.argsort().argsort() / n)
    return np.asfortranarray(x[:, None]), y


def thresholds_of_roots(X, y, n_classes, first_seed, n_trees, **options):
    """The threshold that each tree's root takes; infinity if it takes none."""
    chosen = []
    for begin in range(first_seed, first_seed + n_trees, CHUNK):
        seeds = np.arange(begin, min(begin + CHUNK, first_seed + n_trees), dtype=np.uint64)
        kind = "labels" if n_classes else "scores"
        grown = _core.grow_trees(
            X,
            y,
            n_classes,
            None,
            _core.feature_keys(X),
            seeds,
            np.zeros(1, dtype=np.uint8),
            **(OPTIONS | {"selector": _core.selector_names(kind)[:1]} | options),
        )
        root = grown["offset"][:-1]
        chosen.append(np.where(grown["feature"][root] >= 0, grown["threshold"][root], np.inf))
    return np.concatenate(chosen)


def compare(quick, plain):
    """Standardised differences of the thresholds taken, these, and the chi-square of all of them.

    Thresholds that are hardly ever taken are left out.
    """
    n = len(quick)
    values = np.union1d(quick, plain)
    counts = np.array([[np.sum(chosen == v) for v in values] for chosen in (quick, plain)])
    often = counts.sum(axis=0) >= 10
    values, counts = values[often], counts[:, often]
    share = counts.sum(axis=0) / (2 * n)
    error = np.sqrt(2 * share * (1 - share) / n)
    z = (counts[0] - counts[1]) / n / np.where(error > 0.0, error, np.inf)
    statistic = ((counts[0] - counts[1]) ** 2 / counts.sum(axis=0)).sum()
    return z, values, statistic, chi2.sf(statistic, max(len(values) - 1, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trees", type=int, default=100_000)
    parser.add_argument("--responses", nargs="+", choices=RESPONSES, default=list(RESPONSES))
    options = parser.parse_args()
    n_trees = options.trees
    print(f"{'response':19s} {'thresholds':10s} leaf rule     stopping   draws    P(split)"
          f"       worst           chi2      p")  # fmt: skip
    settings = list(product(options.responses, ("exact", "histogram"), (1, 10), CONVENTIONS, RULES))
    p_values, z_values = [], []
    for number, (name, method, leaf, convention, (stopping, budget)) in enumerate(settings):
        n_classes, splitter, strength = RESPONSES[name]
        X, y = design(n_classes, strength)
        how = CONVENTIONS[convention] | dict(
            splitter=splitter,
            threshold_method=method,
            min_samples_leaf=leaf,
            early_stopping_splitter=stopping,
            n_resamples_splitter=budget,
        )
        seeds = [(2 * number + path) << 32 for path in range(2)]
        quick = thresholds_of_roots(X, y, n_classes, seeds[0], n_trees, **how)
        plain = thresholds_of_roots(X, y, n_classes, seeds[1], n_trees, shortcuts=False, **how)
        z, values, statistic, p = compare(quick, plain)
        worst = np.abs(z).argmax()
        largest = f"{z[worst]:+.2f} at {values[worst]:5.2f}"
        splits = [np.isfinite(chosen).mean() for chosen in (quick, plain)]
        p_values.append(p)
        z_values.extend(z)
        print(f"{name:19s} {method:10s} {leaf:4d} {convention:8s} {stopping or 'none':9s}"
              f" {budget!s:8s} {splits[0]:.4f} {splits[1]:.4f}  {largest}"
              f"  {statistic:7.2f}  {p:.3f}", flush=True)  # fmt: skip
    smallest = min(p_values)
    print(f"{len(p_values)} settings: the smallest p is {smallest:.2g}, adjusted for their number "
          f"{1 - (1 - smallest) ** len(p_values):.2g}")  # fmt: skip
    beyond = np.abs(z_values) > 2
    print(f"{beyond.sum()} of {len(beyond)} thresholds differ by more than two standard errors, "
          f"{beyond.mean():.3f} where chance makes .046; are the p-values uniform? "
          f"Kolmogorov and Smirnov's p is {kstest(p_values, 'uniform').pvalue:.2g}")  # fmt: skip


if __name__ == "__main__":
    main()
