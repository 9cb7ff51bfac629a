"""Censored data, and curves and scores by their definitions."""

import numpy as np

from inforest._engine.responses.censored import DTYPE


def censored(event, time):
    y = np.empty(len(time), dtype=DTYPE)
    y["event"], y["time"] = event, time
    return y


def data(n=150, p=4, seed=0, decimals=1):
    """Return times with ties, a third of them censored; the first feature matters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    time, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, size=n)
    return X, censored(time <= end, np.round(np.minimum(time, end), decimals) + 0.1)


def naive_scores(y):
    """Return the formula, written out."""
    scores = []
    for event, time in y.tolist():
        hazard = 0.0
        for t in sorted({t for e, t in y.tolist() if e and t <= time}):
            n_events = sum(e and s == t for e, s in y.tolist())
            hazard += n_events / sum(s >= t for _, s in y.tolist())
        scores.append(hazard - event)
    return np.array(scores)


def naive_curve(y, weight, grid, *, survival):
    """Return Kaplan and Meier's, or Nelson and Aalen's estimate at the times of a grid."""
    values = []
    for end in grid:
        value = 1.0 if survival else 0.0
        for t in np.unique(y["time"][y["event"]]):
            if t > end:
                break
            now = weight[y["event"] & (y["time"] == t)].sum() / weight[y["time"] >= t].sum()
            value = value * (1 - now) if survival else value + now
        values.append(value)
    return np.array(values)
