"""Strobl et al.'s (2007) null and power designs: seven kinds of features, of which none is better.

Strobl, Boulesteix, Zeileis, Hothorn (2007). Bias in random forest variable importance measures.
BMC Bioinformatics 8:25.
"""

import numpy as np
from scipy.stats import rankdata

N_ROWS = 120
TASKS = ("classification", "regression")
#: Kinds of features and how a column of each is drawn; a new kind is a line.
KINDS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "2 values": lambda rng, n: rng.integers(2, size=n),
    "4 values": lambda rng, n: rng.integers(4, size=n),
    "10 values": lambda rng, n: rng.integers(10, size=n),
    "20 values": lambda rng, n: rng.integers(20, size=n),
    "rare 1:20": lambda rng, n: rng.permutation(np.arange(n) < n // 20),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
}
N_KINDS = len(KINDS)
FAIR = 1 / N_KINDS
#: Correlation of the informative feature's scores with the response. Beyond 0.229 a rare value
#: would need a probability above one.
STRENGTH = 0.22


def features(rng, n=N_ROWS):
    """Return a column of each kind, independent of all others."""
    return np.column_stack([draw(rng, n) for draw in KINDS.values()]).astype(np.float64)


def null(task, seed, n=N_ROWS):
    """Return features and a response that has nothing to do with them."""
    rng = np.random.default_rng([2007, seed])
    X = features(rng, n)
    return X, (rng.integers(2, size=n) if task == "classification" else rng.normal(size=n))


def power(task, informative, seed, n=N_ROWS):
    """Return features and a response that depends on the feature number `informative` alone.

    It depends on that feature's ranks, so that all kinds are equally strongly associated: with the
    standardised ranks z, P(y = 1) = (1 + r z) / 2, or y = r z plus noise with variance 1 - r^2.
    """
    rng = np.random.default_rng([2007, 1 + informative, seed])
    X = features(rng, n)
    z = rankdata(X[:, informative])
    z = (z - z.mean()) / z.std()
    if task == "classification":
        return X, (rng.uniform(size=n) < (1 + STRENGTH * z) / 2).astype(np.int64)
    return X, STRENGTH * z + np.sqrt(1 - STRENGTH**2) * rng.normal(size=n)
