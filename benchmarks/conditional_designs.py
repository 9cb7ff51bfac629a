"""Tables of which it is known what matters: features of many kinds, responses of many kinds."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

N_TRUE = 7


def autoregressive(rng, n, p, r):
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = r * X[:, j - 1] + np.sqrt(1 - r * r) * X[:, j]
    return X


def absolute(rng, n, p):
    """Every second feature is the absolute value of its neighbour, and noise."""
    X = rng.normal(size=(n, p))
    X[:, 1::2] = 1.2 * np.abs(X[:, 0::2][:, : X[:, 1::2].shape[1]]) + 0.5 * X[:, 1::2]
    return X


def product(rng, n, p):
    """Every third feature is the product of its neighbours, and noise."""
    X = rng.normal(size=(n, p))
    k = X[:, 2::3].shape[1]
    X[:, 2::3] = X[:, 0::3][:, :k] * X[:, 1::3][:, :k] + 0.5 * X[:, 2::3]
    return X


def circle(rng, n, p):
    """Neighbours lie on a circle."""
    angle = rng.uniform(0, 2 * np.pi, size=(n, p // 2))
    X = 0.2 * rng.normal(size=(n, p))
    X[:, 0 : 2 * (p // 2) : 2] += np.cos(angle)
    X[:, 1 : 2 * (p // 2) : 2] += np.sin(angle)
    return X


def blocks(rng, n, p):
    """Five features at a time share a hidden one."""
    hidden = np.repeat(rng.normal(size=(n, -(-p // 5))), 5, axis=1)[:, :p]
    return 0.8 * hidden + 0.6 * rng.normal(size=(n, p))


def mixed(rng, n, p):
    """Numbers, heavy tails, two values, few values."""
    X = autoregressive(rng, n, p, 0.6)
    X[:, 1::4] = np.sinh(1.5 * X[:, 1::4])
    X[:, 2::4] = X[:, 2::4] > 0.3
    X[:, 3::4] = np.round(X[:, 3::4])
    return X


@lru_cache
def real(name):
    """The numeric columns of a table in INFOREST_DATA or INFOREST_DATA_MORE that vary enough.

    A column with one value in 95 % of the rows would be constant in a small sample of them.
    """
    places = [
        Path(os.environ.get("INFOREST_DATA", ""), "real"),
        Path(os.environ.get("INFOREST_DATA_MORE", "")),
    ]
    found = [path for place in places for path in place.rglob(f"{name}.parquet")]
    if not found:
        raise FileNotFoundError(f"{name}.parquet is not in INFOREST_DATA or INFOREST_DATA_MORE")
    frame = pd.read_parquet(found[0]).select_dtypes("number").drop(columns="y", errors="ignore")
    X = frame.dropna(axis=1).to_numpy(float)
    most = [np.unique(x, return_counts=True)[1].max() for x in X.T]
    return X[:, np.array(most) <= 0.95 * len(X)]


def rows_of(name):
    """Rows of a real table, and some of its columns, drawn without replacement."""

    def draw(rng, n, p):
        X = real(name)
        rows = rng.choice(len(X), min(n, len(X)), replace=False)
        columns = rng.choice(X.shape[1], min(p, X.shape[1]), replace=False)
        X = X[np.ix_(rows, np.sort(columns))]
        return X[:, np.ptp(X, axis=0) > 0]

    return draw


FEATURES = {
    "independent": lambda rng, n, p: rng.normal(size=(n, p)),
    "normal-0.5": lambda rng, n, p: autoregressive(rng, n, p, 0.5),
    "normal-0.8": lambda rng, n, p: autoregressive(rng, n, p, 0.8),
    "blocks": blocks,
    "heavy": lambda rng, n, p: np.sinh(1.5 * autoregressive(rng, n, p, 0.5)),
    "binary": lambda rng, n, p: (autoregressive(rng, n, p, 0.7) > 0).astype(float),
    "mixed": mixed,
    "absolute": absolute,
    "circle": circle,
    "product": product,
    **{
        name: rows_of(name)
        for name in ("community_crime", "spam", "ALLAML", "segmentation", "chicago", "concrete")
    },
}


def standard(f):
    return (f - f.mean()) / f.std()


def seven_ways(a):
    """Waves, a product, a square, a step, an edge, a line."""
    f = np.sin(2 * a[0]) + a[1] * a[2] + 0.8 * a[3] ** 2 + 1.2 * (a[4] > 0.3)
    return f + 1.2 * np.abs(a[5]) + a[6]


SIGNALS = {
    "linear": lambda a: sum(a),
    "additive": lambda a: sum(
        curve(z)
        for curve, z in zip(
            [np.sin, np.tanh, np.square, np.abs, np.cbrt, np.sign, np.cos], a, strict=True
        )
    ),
    "interactions": lambda a: a[0] * a[1] + a[2] * a[3] + a[4] * (a[5] > 0) + a[6],
    "mixture": seven_ways,
}
RESPONSES = ["none", *SIGNALS, "classes-2", "classes-5"]


def by_sevens(signal, a):
    """Return the signal of each seven features, all sevens alike in size, added up."""
    return standard(sum(standard(signal(a[k : k + 7])) for k in range(0, len(a), 7)))


def response(kind, X, true, rng, strength=1.5):
    """y with noise of variance 1 and a signal whose standard deviation is `strength`.

    `true` are the features that matter, a multiple of seven.
    """
    if kind == "none":
        return rng.normal(size=len(X))
    # Real columns may have values far out, which must not be all of the signal.
    a = [np.clip(standard(X[:, j]), -4, 4) for j in true]
    if kind in SIGNALS:
        return strength * by_sevens(SIGNALS[kind], a) + rng.normal(size=len(X))
    latent = strength * by_sevens(seven_ways, a) + rng.logistic(size=len(X)) * 0.55
    n_classes = int(kind.split("-")[1])
    edges = np.quantile(latent, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(edges, latent)
