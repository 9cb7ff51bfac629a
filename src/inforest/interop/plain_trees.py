"""Trees as other tools can have them: with classes or numbers in their leaves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Trees
from inforest.estimators.base import BaseInference


def plain_trees(estimator: Any, tool: str) -> Trees:
    """Return trees that split on plain numbers, or say why the tool cannot have them."""
    trees = trees_of(estimator, tool)
    if (trees.level_set >= 0).any():
        raise ValueError(
            f"the trees split on categories, and {tool} gets plain numbers only; encode them as"
            " columns of numbers, or fit with categorical_features=None"
        )
    return trees


def trees_of(estimator: Any, tool: str) -> Trees:
    """Return the trees, or say why the tool cannot have them."""
    if not isinstance(estimator, BaseInference):
        raise TypeError(
            f"estimator must be a tree or a forest of inforest; got {type(estimator).__name__}"
        )
    check_is_fitted(estimator)
    if estimator._response_type.has_curves:
        raise ValueError(
            f"{type(estimator).__name__} predicts curves, which {tool} has no form for; classes"
            " and numbers can be handed over"
        )
    trees: Trees = estimator._trees
    return trees


def levels_left(trees: Trees) -> dict[int, NDArray[np.intp]]:
    """Return the codes that go left at each split of a category, by the node's number of all.

    Levels that the node has never seen are among them if missing values go left. Where all levels
    go right, and missing values left, there are none.
    """
    found = {}
    for index, begin in enumerate(trees.offset[:-1].tolist()):
        tree = trees.tree(index)
        for node in np.flatnonzero(tree.level_set >= 0).tolist():
            goes_left = tree.levels_left(node)
            assert goes_left is not None
            found[begin + node] = np.flatnonzero(goes_left)
    return found
