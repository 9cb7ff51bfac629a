"""Naive statistics of features with missing values: slow, readable, independent of the core.

A part is "value" (on the rows that have one), "absence" (whether there is one) or "joint".
"""

import math

import numpy as np

import oracle

#: Fewer rows say nothing about a part.
FEWEST = 5
#: The core's words.
RULES = {"value": "ignore", "absence": "alone", "joint": "incorporate"}


def plain(x, y, n_classes, selector, weights=None):
    """The squared statistic of complete columns, 0 if either does not vary; "mi" as it is."""
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return 0.0
    value = oracle.statistic(x, y, n_classes, [selector], weights)
    if selector == "quad":  # the core divides by what is possible in the node, not among the rows
        here = len(np.unique(y)) - 1 if n_classes else 1
        value *= math.sqrt(min(2, max(1, here)))
    return value if selector == "mi" else value**2


def table_information(r, y, n_classes):
    """Plug-in mutual information of an indicator and the classes."""
    total = 0.0
    for one in (0, 1):
        for c in range(n_classes):
            share = np.mean((r == one) & (y == c))
            if share > 0:
                total += share * math.log(share / (np.mean(r == one) * np.mean(y == c)))
    return total


def squared(x, y, n_classes, selector, part, weights=None):
    """What the core compares, from the definitions."""
    there = ~np.isnan(x)
    n, n_there = len(x), int(there.sum())
    total = 0.0
    if part != "absence" and n_there >= FEWEST:
        share = (n_there - 1) / (n - 1) if part == "joint" else 1.0
        total += share * plain(x[there], y[there], n_classes, selector, weights)
    if part != "value" and min(n_there, n - n_there) >= FEWEST:
        r = there.astype(float)
        if selector == "mi":
            total += table_information(r, y, n_classes)
        else:
            total += plain(r, y, n_classes, selector, weights)
    if selector == "quad":
        total /= min(2, max(1, len(np.unique(y)) - 1)) if n_classes else 1
    return total


def statistic(x, y, n_classes, selectors, part, weights=None):
    """As users see it; of several selectors, the largest on the unit scale."""
    values = [squared(x, y, n_classes, one, part, weights) for one in selectors]
    if len(selectors) == 1:
        return values[0] if selectors == ["mi"] else math.sqrt(values[0])
    return max(
        math.sqrt(-math.expm1(-2 * max(v, 0))) if one == "mi" else math.sqrt(v)
        for one, v in zip(selectors, values, strict=True)
    )
