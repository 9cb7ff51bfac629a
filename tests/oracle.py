"""Naive NumPy re-implementation of the method: slow, readable, and independent of the core.

Written from DESIGN alone, so that an agreement between the two is evidence. Nothing here imports
`inforest`. Classification targets are class codes 0..K-1 with `n_classes=K`; regression has
`n_classes=0`.
"""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
from scipy.special import betainc, digamma
from scipy.stats import hypergeom, norm, rankdata

RDC_MIN_SUM_OF_SQUARES = 1e-10
N_NEIGHBORS = 3

# --- Stage A: statistics --------------------------------------------------------------------------


def pearson(x, y):
    """|r|; 0 when either side is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt((x @ x) * (y @ y))
    return abs(x @ y) / scale if scale > 0 else 0.0


def correlation_ratio(x, y, n_classes):
    """sqrt(SSB / SST) of x over the classes of y."""
    grand = x.mean()
    total = ((x - grand) ** 2).sum()
    groups = [x[y == c] for c in range(n_classes) if (y == c).any()]
    between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups)
    return math.sqrt(between / total) if total > 0 else 0.0


def quadratic(x, y, n_classes):
    """Root mean squared canonical correlation of (x, x^2) with y or its class indicators.

    By two orthonormal bases: the explained share is the squared length of one seen from the other.
    """
    x = (x - x.mean()) / np.abs(x - x.mean()).max()
    left = np.column_stack([x, x**2])
    left = left - left.mean(axis=0)
    codes = [c for c in range(n_classes) if (y == c).any()]
    right = np.column_stack([y == c for c in codes[1:]]) if n_classes else y[:, None]
    right = right - right.mean(axis=0)

    def basis(columns):
        u, size, _ = np.linalg.svd(columns, full_matrices=False)
        return u[:, size > 1e-9 * size.max()]

    explained = (basis(left).T @ basis(right)) ** 2
    return math.sqrt(explained.sum() / min(2, max(1, len(codes) - 1)))


def distance_correlation(x, y):
    """Biased (V-statistic) distance correlation from the two n x n distance matrices."""

    def centred(v):
        d = np.abs(v[:, None] - v[None, :])
        return d - d.mean(axis=0) - d.mean(axis=1)[:, None] + d.mean()

    a, b = centred(x), centred(y)
    scale = math.sqrt((a * a).mean() * (b * b).mean())
    return math.sqrt(max((a * b).mean(), 0.0) / scale) if scale > 0 else 0.0


def mutual_information(x, y, n_classes):
    """Ross (2014) k-NN estimate in nats; rows whose class is a singleton are left out."""
    counts = np.bincount(y.astype(int), minlength=n_classes)[y.astype(int)]
    x, y, counts = x[counts > 1], y[counts > 1], counts[counts > 1]
    if len(x) == 0:
        return 0.0
    distance = np.abs(x[:, None] - x[None, :])
    terms = []
    for i in range(len(x)):
        k = min(N_NEIGHBORS, counts[i] - 1)
        mates = (y == y[i]) & (np.arange(len(x)) != i)
        radius = np.sort(distance[i, mates])[k - 1]
        # Strictly inside the radius; identical points when the radius itself is 0.
        inside = distance[i] < radius if radius > 0 else distance[i] == 0
        terms.append(digamma(k) - digamma(counts[i]) - digamma(inside.sum()))
    return max(0.0, digamma(len(x)) + float(np.mean(terms)))


def ecdf(v):
    """Share of values <= v: tied values share their maximum rank."""
    return rankdata(v, method="max") / len(v)


def rdc_columns(v, w0, w1):
    """cos and sin features of the ecdf, centred, without the (nearly) constant ones."""
    angle = ecdf(v)[:, None] * w0 + w1
    columns = np.hstack([np.cos(angle), np.sin(angle)])
    columns = columns - columns.mean(axis=0)
    return columns[:, (columns**2).sum(axis=0) > RDC_MIN_SUM_OF_SQUARES]


def max_correlation(a, b):
    """max |Pearson| over pairs of centred columns; 0 if one side has no column."""
    if a.shape[1] == 0 or b.shape[1] == 0:
        return 0.0
    norms = np.outer(np.sqrt((a**2).sum(axis=0)), np.sqrt((b**2).sum(axis=0)))
    return float(np.abs((a.T @ b) / norms).max())


def randomized_dependence(x, y, n_classes, weights):
    """RDC with the given (4, 10) weights: rows w0 of x, w1 of x, w0 of y, w1 of y."""
    left = rdc_columns(x, weights[0], weights[1])
    if n_classes == 0:
        return max_correlation(left, rdc_columns(y, weights[2], weights[3]))
    # Every y column of a one-vs-rest indicator is affine in it, so the indicator stands for all.
    best = 0.0
    for c in range(1, n_classes) if n_classes == 2 else range(n_classes):
        indicator = (y == c).astype(float)[:, None]
        indicator = indicator - indicator.mean()
        if (indicator != 0).any():
            best = max(best, max_correlation(left, indicator))
    return best


def statistic(x, y, n_classes, selectors, weights=None):
    """One selector: its natural scale. Several: the maximum on the common [0, 1] scale."""
    if len(selectors) > 1:
        return max(unit_statistic(x, y, n_classes, s, weights) for s in selectors)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    match selectors[0]:
        case "mc":
            return correlation_ratio(x, y, n_classes)
        case "mi":
            return mutual_information(x, y, n_classes)
        case "rdc":
            return randomized_dependence(x, y, n_classes, weights)
        case "quad":
            return quadratic(x, y, n_classes)
        case "pc":
            return pearson(x, y)
        case "dc":
            return distance_correlation(x, y)
    raise ValueError(f"the oracle knows no selector {selectors[0]!r}")


def unit_statistic(x, y, n_classes, selector, weights=None):
    """One statistic on [0, 1]: mutual information as the correlation of equal information."""
    natural = statistic(x, y, n_classes, [selector], weights)
    return math.sqrt(-math.expm1(-2 * natural)) if selector == "mi" else natural


def statistics(X, y, n_classes, selectors, weights=None):
    return np.array([statistic(x, y, n_classes, selectors, weights) for x in X.T])


def exact_p_value(x, y, n_classes, selectors, weights=None):
    """Share of all n! permutations of y at least as extreme as the observed order."""

    def squared(labels):
        return max(unit_statistic(x, labels, n_classes, s, weights) for s in selectors) ** 2

    observed = squared(y)
    limit = observed - (1e-9 * observed + 1e-12)
    # Equal orders of y have equal statistics: each distinct one is computed once.
    known = {}
    hits = total = 0
    for labels in permutations(y.tolist()):
        if labels not in known:
            known[labels] = squared(np.array(labels)) >= limit
        hits += known[labels]
        total += 1
    return hits / total


# --- Stage B: impurities, thresholds --------------------------------------------------------------


def impurity(y, n_classes, splitter):
    if splitter == "chi2":  # a cut's share of it: in split_impurity
        return impurity(y, n_classes, "gini")
    if splitter in ("gini", "entropy"):
        share = np.bincount(y.astype(int), minlength=n_classes) / len(y)
        share = share[share > 0]
        return 1 - (share**2).sum() if splitter == "gini" else -(share * np.log2(share)).sum()
    if splitter == "mse":
        return ((y - y.mean()) ** 2).mean()
    if splitter == "mae":
        return np.abs(y - np.median(y)).mean()
    raise ValueError(f"the oracle knows no splitter {splitter!r}")


def split_impurity(x, y, n_classes, splitter, threshold):
    """nL/n Imp(L) + nR/n Imp(R); x <= threshold goes left."""
    left = x <= threshold
    if splitter == "chi2":
        return impurity(y, n_classes, "gini") * (1 - chi_square_share(left, y, np.ones(len(y))))
    parts = [part for part in (y[left], y[~left]) if len(part)]
    return sum(len(part) / len(y) * impurity(part, n_classes, splitter) for part in parts)


def chi_square_share(left, y, weight):
    """Pearson's chi-square of sides and classes, divided by the total."""
    table = np.array(
        [[weight[(left == side) & (y == k)].sum() for k in np.unique(y)] for side in (True, False)]
    )
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return ((table - expected) ** 2 / expected).sum() / table.sum()


def split_impurities(x, y, n_classes, splitter, thresholds):
    return np.array([split_impurity(x, y, n_classes, splitter, t) for t in thresholds])


def exact_split_p_value(x, y, n_classes, splitter, thresholds):
    """Share of all n! permutations whose best impurity over `thresholds` is at most the observed.

    One threshold: the test of `splitter_test="threshold"`. Several: that of "max".
    """

    def best(labels):
        return split_impurities(x, labels, n_classes, splitter, thresholds).min()

    limit = best(y) + 1e-9 * impurity(y, n_classes, splitter)
    known = {}
    hits = total = 0
    for labels in permutations(y.tolist()):
        if labels not in known:
            known[labels] = best(np.array(labels)) <= limit
        hits += known[labels]
        total += 1
    return hits / total


def two_class_tail(n_left, n_ones, n, ones_left, splitter):
    """P(weighted child impurity <= observed), ones in the left child being hypergeometric."""
    support = range(max(0, n_left + n_ones - n), min(n_left, n_ones) + 1)
    law = hypergeom(n, n_ones, n_left)

    def gini(k):
        """Exact: n times the weighted gini impurity as a fraction."""
        left, right = Fraction(k * (n_left - k), n_left), Fraction(n_ones - k)
        return left + right * (n - n_left - n_ones + k) / (n - n_left)

    def entropy(k):
        def bits(part, whole):
            return -part * math.log2(part / whole) if part else 0.0

        n_right, ones_right = n - n_left, n_ones - k
        return (
            bits(k, n_left)
            + bits(n_left - k, n_left)
            + bits(ones_right, n_right)
            + bits(n_right - ones_right, n_right)
        )

    score, slack = (gini, 0) if splitter == "gini" else (entropy, 1e-9)
    limit = score(ones_left) + slack
    return float(law.pmf([k for k in support if score(k) <= limit]).sum())


def midpoints(x):
    unique = np.unique(x)
    low, high = unique[:-1], unique[1:]
    middle = low / 2 + high / 2
    return np.where(middle >= high, low, middle)


def resolve(max_thresholds, n_unique):
    """How many thresholds `max_thresholds` asks for, given the number of unique values."""
    match max_thresholds:
        case None:
            return n_unique
        case "sqrt":
            return math.ceil(math.sqrt(n_unique))
        case "log2":
            return math.ceil(math.log2(n_unique))
        case float():
            return math.ceil(max_thresholds * n_unique)
    return max_thresholds


def thresholds(x, *, method="exact", max_thresholds=None, min_samples_leaf=1):
    """Ascending thresholds of every method but `random`."""
    middle = midpoints(x)
    n_unique = len(np.unique(x))
    if n_unique > 4 and method != "exact":
        k = max(1, min(resolve(max_thresholds, n_unique), len(middle)))
        if method == "percentile":
            middle = np.unique(np.percentile(middle, np.linspace(0, 100, k)))
        elif method == "histogram":
            middle = np.linspace(middle[0], middle[-1], k + 1)
        else:
            raise ValueError(f"the oracle knows no threshold method {method!r}")
    kept, partitions = [], set()
    for threshold in middle:
        n_left = int((x <= threshold).sum())
        big_enough = min(n_left, len(x) - n_left) >= min_samples_leaf
        if big_enough and n_left not in partitions:
            kept.append(threshold)
            partitions.add(n_left)
    return np.array(kept)


# --- Budgets and stopping rules -------------------------------------------------------------------


def budget(n_resamples, alpha, n_tests, adjust):
    """Number of draws; exact arithmetic on the decimal alpha, so ceil(1/tau) has no rounding."""
    tau = Fraction(str(alpha)) / (n_tests if adjust else 1)
    match n_resamples:
        case "minimum":
            return math.ceil(1 / tau)
        case "maximum":
            # Never below the minimum: with fewer draws no test could reject.
            return max(math.ceil(1 / tau), math.ceil(1 / (4 * tau**2)))
        case "auto":
            z = norm.isf(float(tau))
            return max(math.ceil(1 / tau), math.ceil(z**2 * float((1 - tau) / tau)))
    return n_resamples * (n_tests if adjust else 1)


def stop(exceedances, tau, early_stopping, confidence):
    """Replay a test draw by draw: (n_draws, n_exceedances, rejected) where it may stop first.

    `exceedances` holds one boolean per draw of the full budget B.
    """
    b_max = len(exceedances)
    first_look = math.ceil(1 / tau)
    k = 0
    for b in range(1, b_max + 1):
        k += bool(exceedances[b - 1])
        if early_stopping is None and b < b_max:
            continue
        if (1 + k) / (b_max + 1) >= tau:
            return b, k, False
        if (1 + k + b_max - b) / (b_max + 1) < tau:
            return b, k, True
        if early_stopping == "adaptive" and b >= first_look:
            below = betainc(1 + k, 1 + b - k, tau)  # P(theta < tau) under Beta(1+k, 1+b-k)
            if below >= confidence:
                return b, k, True
            if 1 - below >= confidence:
                return b, k, False
    raise AssertionError("the last draw always settles the test")


# --- Trees without permutation tests --------------------------------------------------------------

SPLIT, SMALL, DEEP, PURE, NO_FEATURE = 0, 1, 2, 3, 4
NO_THRESHOLD, LOW_DECREASE = 6, 8
TIE = 1e-9


def grow_tree(
    X,
    y,
    n_classes,
    *,
    selector,
    splitter,
    threshold_method="exact",
    max_thresholds=None,
    max_depth=None,
    min_samples_split=2,
    min_samples_leaf=1,
    min_impurity_decrease=0.0,
    follow=(),
):
    """Flat preorder arrays of the tree in which the best statistic and the best impurity win.

    DESIGN leaves open which of several features with the same statistic wins. `follow` lists the
    features another tree chose, node by node (-1 in its leaves); it decides such ties and nothing
    else. `selector=None` ties all features that vary, so that the followed one is not judged.
    """
    names = ("feature", "threshold", "left", "right", "value", "n_samples", "impurity")
    tree = {name: [] for name in (*names, "stop_reason")}

    def best_features(x, target, features):
        """All features that share the largest statistic."""
        if selector is None:
            return features
        scores = statistics(x[:, features], target, n_classes, selector)
        return [f for f, s in zip(features, scores, strict=True) if s >= scores.max() * (1 - TIE)]

    def best_threshold(column, target, feature):
        """(stop_reason, feature, threshold) once Stage A has chosen the feature."""
        candidates = thresholds(
            column,
            method=threshold_method,
            max_thresholds=max_thresholds,
            min_samples_leaf=min_samples_leaf,
        )
        if len(candidates) == 0:
            return NO_THRESHOLD, -1, np.nan
        parent = impurity(target, n_classes, splitter)
        scores = split_impurities(column, target, n_classes, splitter, candidates)
        best = np.flatnonzero(scores <= scores.min() + TIE * parent)[0]
        # The decrease is never negative; rounding may say otherwise.
        if max(parent - scores[best], 0.0) < min_impurity_decrease:
            return LOW_DECREASE, -1, np.nan
        return SPLIT, feature, candidates[best]

    def find_split(x, target, depth, node):
        """(stop_reason, feature, threshold) of a node."""
        if len(target) < min_samples_split:
            return SMALL, -1, np.nan
        if max_depth is not None and depth >= max_depth:
            return DEEP, -1, np.nan
        if np.ptp(target) == 0:
            return PURE, -1, np.nan
        features = [j for j in range(x.shape[1]) if np.ptp(x[:, j]) > 0]
        if not features:
            return NO_FEATURE, -1, np.nan
        splits = [best_threshold(x[:, f], target, f) for f in best_features(x, target, features)]
        followed = [s for s in splits if node < len(follow) and s[1] == follow[node]]
        return (followed or splits)[0]

    def value(target):
        if n_classes:
            return np.bincount(target.astype(int), minlength=n_classes) / len(target)
        return np.array([target.mean()])

    def add(rows, depth):
        x, target = X[rows], y[rows]
        node = len(tree["feature"])
        reason, feature, threshold = find_split(x, target, depth, node)
        row = (feature, threshold, -1, -1, value(target), len(rows))
        for name, entry in zip(names, (*row, impurity(target, n_classes, splitter)), strict=True):
            tree[name].append(entry)
        tree["stop_reason"].append(reason)
        if reason == SPLIT:
            goes_left = x[:, feature] <= threshold
            tree["left"][node] = add(rows[goes_left], depth + 1)
            tree["right"][node] = add(rows[~goes_left], depth + 1)
        return node

    add(np.arange(len(y)), 0)
    return {name: np.array(entries) for name, entries in tree.items()}
