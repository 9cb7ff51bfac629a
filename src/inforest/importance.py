"""Importances of features, read off the splits of fitted trees (pure functions)."""

import numpy as np

from inforest._arrays import Floats, Trees

IMPORTANCE_TYPES = ("split", "count", "weighted")


def importances(trees: Trees, n_features: int, importance_type: str = "split") -> Floats:
    """Sum the features' importances over the trees and scale the sum to 1.

    Every tree has the same say in "split" and "weighted", every split in "count". Without a single
    split all importances are 0.

    Parameters
    ----------
    trees : Trees
        The fitted trees.
    n_features : int
        Number of features they were fitted on.
    importance_type : {"split", "count", "weighted"}, default="split"
        "split": decrease of impurity at the feature's splits; "count": number of its splits;
        "weighted": decrease of impurity times the node's share of its tree's samples.

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Not negative; sum 1, or 0 where no tree has a split.

    """
    feature, _, amount = _split_amounts(trees, importance_type)
    total = np.bincount(feature, weights=amount, minlength=n_features).astype(np.float64)
    return total / (total.sum() or 1.0)


def importances_per_tree(trees: Trees, n_features: int, importance_type: str = "split") -> Floats:
    """Return each tree's own importances, scaled to 1 except for "count".

    Parameters
    ----------
    trees, n_features, importance_type
        As in `importances`.

    Returns
    -------
    importances : ndarray of shape (n_trees, n_features)
        A row of zeros for a tree without a split.

    """
    feature, tree, amount = _split_amounts(trees, importance_type)
    cell = tree * n_features + feature
    size = trees.n_trees * n_features
    flat = np.bincount(cell, weights=amount, minlength=size).astype(np.float64)
    return flat.reshape(trees.n_trees, n_features)


def _split_amounts(trees: Trees, importance_type: str) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Return feature, tree and contribution of every split."""
    if importance_type not in IMPORTANCE_TYPES:
        known = ", ".join(map(repr, IMPORTANCE_TYPES))
        raise ValueError(f"importance_type must be one of {known}; got {importance_type!r}")
    split = np.flatnonzero(~trees.is_leaf)
    feature, tree = trees.feature[split], trees.tree_index[split]
    if importance_type == "count":
        return feature, tree, np.ones(len(split))
    root = trees.offset[tree]
    left, right = root + trees.left[split], root + trees.right[split]
    n = trees.n_samples.astype(np.float64)
    children = (n[left] * trees.impurity[left] + n[right] * trees.impurity[right]) / n[split]
    # A split without gain may come out as -1e-17.
    amount = np.maximum(trees.impurity[split] - children, 0.0)
    if importance_type == "weighted":
        amount *= n[split] / n[root]
    total = np.bincount(tree, weights=amount, minlength=trees.n_trees)[tree]
    return feature, tree, np.divide(amount, total, out=np.zeros_like(amount), where=total > 0)
