"""Permutation importance recomputed plainly, over all permutations at once."""

import numpy as np

from forests import Classifier


def losses(tree, X, y):
    if isinstance(tree.predict(X[:1])[0], float):
        return (tree.predict(X) - y) ** 2
    return (tree.predict(X) != y).astype(float)


def cells(tree, X, others):
    """The grid made by the tree's split points: rows with the same code may be exchanged."""
    nodes = tree.tree_
    codes = [np.searchsorted(np.sort(nodes.threshold[nodes.feature == j]), X[:, j]) for j in others]
    table = np.column_stack([np.zeros(len(X), dtype=int), *codes])
    return np.unique(table, axis=0, return_inverse=True)[1].ravel()


def naive(forest, X, y, others):
    """Mean and variance of the increase of every tree's error under a permutation in its cells.

    A row of a cell gets every value of its cell equally often. So the mean is over all pairs of
    rows, and so is the variance (Hoeffding 1951).
    """
    mean, variance = np.zeros((2, len(forest.estimators_), X.shape[1]))
    for i, (tree, rows) in enumerate(
        zip(forest.estimators_, forest.estimators_samples_, strict=True)
    ):
        out = np.setdiff1d(np.arange(len(y)), rows)
        Z, target = X[out], y[out]
        before = losses(tree, Z, target).mean()
        for j in range(X.shape[1]):
            cell = cells(tree, Z, others[j])
            for group in (np.flatnonzero(cell == c) for c in np.unique(cell)):
                n = len(group)
                mixed = np.repeat(Z[group], n, axis=0)
                mixed[:, j] = np.tile(Z[group, j], n)
                loss = losses(tree, mixed, np.repeat(target[group], n)).reshape(n, n) / len(out)
                mean[i, j] += loss.sum() / n
                if n > 1:
                    rest = loss - loss.mean(axis=0) - loss.mean(axis=1)[:, None] + loss.mean()
                    variance[i, j] += (rest**2).sum() / (n - 1)
            mean[i, j] -= before
    return mean, variance


def small(cls):
    """Few rows and features, two of them nearly the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 1] = X[:, 0] + 0.3 * X[:, 1]
    y = X[:, 0] + X[:, 2] + 0.3 * rng.normal(size=80)
    return X, (np.digitize(y, [-0.7, 0.7]) if cls is Classifier else y)
