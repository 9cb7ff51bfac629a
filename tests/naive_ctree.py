"""A conditional inference tree by its published rules, plainly: what `.ctree()` is compared with.

Hothorn, Hornik and Zeileis (2006) with partykit's limits and ties, for numeric features.
"""

import numpy as np
from scipy.stats import chi2


def indicators(y, is_classes):
    """Scores of the response, centred."""
    h = (y[:, None] == np.unique(y)).astype(float) if is_classes else y[:, None].astype(float)
    return h - h.mean(axis=0)


def quadratic_form(g, h):
    """(n - 1) times Pillai's trace of the columns g and h, and its degrees of freedom."""
    g = g - g.mean(axis=0)
    left, right = np.linalg.pinv(g.T @ g, rcond=1e-10), np.linalg.pinv(h.T @ h, rcond=1e-10)
    m = g.T @ h
    rank = np.linalg.matrix_rank(g) * np.linalg.matrix_rank(h)
    return (len(g) - 1) * np.trace(left @ m @ right @ m.T), rank


def grow(X, y, is_classes, alpha=0.05, minsplit=20, minbucket=7, minprob=0.01, splittry=2):
    """Return the nodes in preorder: (feature, threshold, n, statistic, p-value)."""
    limits = dict(alpha=alpha, minsplit=minsplit, minbucket=minbucket, minprob=minprob)
    n, leaf = len(y), (-1, np.nan, len(y), np.nan, np.nan)
    if n < minsplit or len(np.unique(y)) == 1:
        return [leaf]
    h = indicators(y, is_classes)
    columns = [j for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0]
    if not columns:
        return [leaf]
    tests = [quadratic_form(X[:, [j]], h) for j in columns]
    adjusted = -np.expm1(len(columns) * chi2.logcdf(*np.array(tests).T))
    order = sorted(range(len(columns)), key=lambda i: (-chi2.logsf(*tests[i]), columns[i]))[::-1]
    best = (tests[order[0]][0], adjusted[order[0]])
    for i in order[:splittry]:
        if not adjusted[i] < alpha:
            break
        x, bucket = X[:, columns[i]], max(minbucket, int(np.ceil(minprob * n)))
        cuts = [v for v in np.unique(x)[:-1] if bucket <= (x <= v).sum() <= n - bucket]
        if not cuts:
            continue
        values = np.array([quadratic_form((x <= v)[:, None].astype(float), h)[0] for v in cuts])
        cut = cuts[int(np.argmax(values >= values.max() * (1 - 1e-12)))]
        node = (columns[i], cut, n, tests[i][0], adjusted[i])
        left = x <= cut
        return [
            node,
            *grow(X[left], y[left], is_classes, splittry=splittry, **limits),
            *grow(X[~left], y[~left], is_classes, splittry=splittry, **limits),
        ]
    return [(*leaf[:3], *best)]
