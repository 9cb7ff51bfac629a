"""Naive forms of what the engine does with categories: the statistic, the order, the best cut."""

from itertools import combinations

import numpy as np


def levels_of(x):
    """The level of each row, numbered; missing values are one more."""
    return np.unique(x, return_inverse=True)[1]


def association(x, y, n_classes):
    """eta^2 of y over the levels, or Pearson's chi-square over n."""
    level = levels_of(x)
    if n_classes == 0:
        mean = np.array([y[level == k].mean() for k in range(level.max() + 1)])[level]
        return np.square(mean - y.mean()).sum() / np.square(y - y.mean()).sum()
    table = np.zeros((level.max() + 1, n_classes))
    np.add.at(table, (level, y.astype(int)), 1.0)
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(y)
    return (np.square(table - expected) / expected).sum() / len(y)


def weighted_association(x, y, n_classes, weight):
    """Weighted between-level squares over what no permutation changes."""
    level = levels_of(x)
    n_levels = level.max() + 1
    total = np.bincount(level, weight)
    G = weight * ((level == np.arange(n_levels)[:, None]) - (total / weight.sum())[:, None])
    scale = (np.square(G).sum(axis=1) / total).sum() / (n_levels - 1)
    if n_classes == 0:
        H = (y - y.mean())[None] / np.sqrt(np.square(y - y.mean()).sum())
    else:
        H = np.array([(y == c) / np.sqrt((y == c).sum()) for c in np.unique(y)])
    return (np.square(G @ H.T) / total[:, None]).sum() / scale


def impurity(y, splitter):
    """Of one child."""
    if splitter == "mse":
        return np.var(y)
    if splitter == "mae":
        return np.abs(y - np.median(y)).mean()
    share = np.unique(y, return_counts=True)[1] / len(y)
    return 1 - np.square(share).sum() if splitter == "gini" else -(share * np.log2(share)).sum()


def best_partition(x, y, splitter):
    """The lowest impurity of all partitions of the levels into two sets."""
    level = levels_of(x)
    n_levels, best = level.max() + 1, np.inf
    for size in range(1, n_levels):
        for chosen in combinations(range(n_levels), size):
            left = np.isin(level, chosen)
            value = left.mean() * impurity(y[left], splitter)
            value += (1 - left.mean()) * impurity(y[~left], splitter)
            best = min(best, value)
    return best
