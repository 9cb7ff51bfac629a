"""Naive NumPy of statistics and impurities of weighted rows, beside `oracle`.

A weight belongs to its row: whoever permutes y leaves the weights where they are. A class's weight
belongs to y.
"""

import math
from itertools import permutations

import numpy as np

import oracle


def weighed(columns, weight):
    """Centred by their weighted means, then times the weights: every column has the sum 0."""
    columns = np.asarray(columns, dtype=float)
    return (weight * (columns - np.average(columns, axis=0, weights=weight)).T).T


def statistic(x, y, n_classes, selector, weight, projections=None):
    """The statistic of the weighed column; y is as it is."""
    match selector:
        case "mc":
            return oracle.correlation_ratio(weighed(x, weight), y, n_classes)
        case "pc":
            return oracle.pearson(weighed(x, weight), y)
        case "quad":
            return _quadratic(x, y, n_classes, weight)
        case "rdc":
            return _randomized_dependence(x, y, n_classes, weight, projections)
    raise ValueError(f"there are no weights for {selector!r}")


def _basis(columns):
    u, size, _ = np.linalg.svd(columns, full_matrices=False)
    return u[:, size > 1e-9 * size.max()]


def _quadratic(x, y, n_classes, weight):
    x = x - x.mean()
    left = weighed(np.column_stack([x, x**2]), weight)
    codes = [c for c in range(n_classes) if (y == c).any()]
    right = np.column_stack([y == c for c in codes[1:]]) if n_classes else y[:, None]
    explained = (_basis(left).T @ _basis(right - right.mean(axis=0))) ** 2
    return math.sqrt(explained.sum() / min(2, max(1, len(codes) - 1)))


def _randomized_dependence(x, y, n_classes, weight, projections):
    angle = oracle.ecdf(x)[:, None] * projections[0] + projections[1]
    left = weighed(np.hstack([np.cos(angle), np.sin(angle)]), weight)
    if n_classes == 0:
        right = oracle.rdc_columns(y, projections[2], projections[3])
        return oracle.max_correlation(left, right)
    indicators = np.column_stack([y == c for c in range(n_classes) if (y == c).any()]).astype(float)
    return oracle.max_correlation(left, indicators - indicators.mean(axis=0))


def exact_p_value(x, y, n_classes, selector, weight, projections=None):
    """Share of all n! permutations of y among the weighted rows at least as extreme."""
    values = [
        statistic(x, np.array(labels), n_classes, selector, weight, projections) ** 2
        for labels in permutations(y.tolist())
    ]
    return np.mean(np.array(values) >= values[0] - (1e-9 * values[0] + 1e-12))


def impurity(y, n_classes, splitter, weight):
    if splitter == "chi2":
        return impurity(y, n_classes, "gini", weight)
    if splitter in ("gini", "entropy"):
        share = np.bincount(y.astype(int), weights=weight, minlength=n_classes) / weight.sum()
        share = share[share > 0]
        return 1 - (share**2).sum() if splitter == "gini" else -(share * np.log2(share)).sum()
    if splitter == "mse":
        return np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
    return min(np.average(np.abs(y - middle), weights=weight) for middle in y)


def split_impurity(x, y, n_classes, splitter, threshold, weight):
    """wL/w Imp(L) + wR/w Imp(R); x <= threshold goes left."""
    left = x <= threshold
    if splitter == "chi2":
        share = oracle.chi_square_share(left, y, weight)
        return impurity(y, n_classes, "gini", weight) * (1 - share)
    return sum(
        weight[side].sum() / weight.sum() * impurity(y[side], n_classes, splitter, weight[side])
        for side in (left, ~left)
        if side.any()
    )


def exact_split_p_value(x, y, n_classes, splitter, thresholds, weight, class_weight=None):
    """Share of all n! permutations in which the best threshold takes off as much impurity."""

    def best(labels):
        total = weight if class_weight is None else weight * class_weight[labels.astype(int)]
        node = impurity(labels, n_classes, splitter, total)
        return max(
            node - split_impurity(x, labels, n_classes, splitter, t, total) for t in thresholds
        )

    values = np.array([best(np.array(labels)) for labels in permutations(y.tolist())])
    return np.mean(values >= values[0] - 1e-9)
