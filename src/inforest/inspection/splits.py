"""What the two sides of a split are called, for people."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Tree
from inforest._engine.short_names import for_figure

#: Levels that are named at most; of more, how many there are is all one can read.
_IN_TEXT, _ON_EDGE = 8, 3
#: Letters of a level on an edge.
_MAX_LETTERS = 14


class SplitWords:
    """Writes the conditions of a tree's splits.

    Parameters
    ----------
    estimator : tree
        A fitted tree, which knows the levels of its categories.
    tree : Tree
        Its nodes.
    number : callable
        Writes a threshold.

    """

    def __init__(self, estimator: Any, tree: Tree, number: Callable[[float], str]) -> None:
        self._features = getattr(estimator, "_features", None)
        self._missing_counts = getattr(estimator, "missing_counts_", None)
        self._tree = tree
        self._number = number

    def in_text(self, index: int, name: str) -> tuple[str, str]:
        """Return the conditions of the left and of the right side, with the feature's name."""
        sides = self._sides(index)
        if sides is None:
            if np.isposinf(self._tree.threshold[index]):
                return f"{name} is there", f"{name} is missing"
            bound = self._bound(index)
            return self._with_missing(index, f"{name} <= {bound}", f"{name} >  {bound}")
        if not all(map(len, sides)):
            there, absent = f"{name} is there", f"{name} is missing"
            return (there, absent) if len(sides[0]) else (absent, there)
        left, right = (f"{name} in {{{_listed(side, _IN_TEXT)}}}" for side in sides)
        return self._with_missing(index, left, right)

    def on_edges(self, index: int) -> tuple[str, str]:
        """Return the same without the name, short, a line each, as matplotlib shows it."""
        sides = self._sides(index)
        if sides is None:
            if np.isposinf(self._tree.threshold[index]):
                return "there", "missing"
            bound = self._bound(index)
            return self._with_missing(index, f"≤ {bound}", f"> {bound}", "\n")
        if not all(map(len, sides)):
            return ("there", "missing") if len(sides[0]) else ("missing", "there")
        short = ([for_figure(name, _MAX_LETTERS) for name in side] for side in sides)
        left, right = (_listed(side, _ON_EDGE, "\n") for side in short)
        return self._with_missing(index, left, right, "\n")

    def _with_missing(self, index: int, left: str, right: str, gap: str = " ") -> tuple[str, str]:
        """Say where missing values go, if fit has seen any of the feature."""
        counts = self._missing_counts
        if counts is None or counts[self._tree.feature[index]] == 0:
            return left, right
        if self._tree.missing_left[index]:
            return f"{left}{gap}or missing", right
        return left, f"{right}{gap}or missing"

    def _bound(self, index: int) -> str:
        """Return the threshold in words, of an ordered category the last level that goes left."""
        threshold, feature = float(self._tree.threshold[index]), int(self._tree.feature[index])
        if self._features is None or (levels := self._features.levels(feature)) is None:
            return self._number(threshold)
        return str(levels[np.count_nonzero(self._features.is_up_to(feature, threshold)) - 1])

    def _sides(self, index: int) -> tuple[list[str], list[str]] | None:
        """Return the levels of each side that a row at the node can have; None for a number."""
        left = self._tree.levels_left(index)
        if left is None:
            return None
        known = None
        if self._features is not None:
            known = self._features.levels(int(self._tree.feature[index]))
        names = range(len(left)) if known is None else known
        levels = np.array([str(level) for level in names], dtype=object)
        comes = self._levels_at(index, len(left))
        return levels[left & comes].tolist(), levels[~left & comes].tolist()

    def _levels_at(self, index: int, n_levels: int) -> NDArray[np.bool_]:
        """Return which levels of a node's feature no split above has sent elsewhere."""
        comes = np.ones(n_levels, dtype=bool)
        feature, node = self._tree.feature[index], index
        while node:
            above = int(self._parents[node])
            if self._tree.feature[above] == feature:
                went_left = self._tree.left[above] == node
                comes &= self._tree.levels_left(above) == went_left
            node = above
        return comes

    @cached_property
    def _parents(self) -> NDArray[np.intp]:
        parents = np.zeros(self._tree.node_count, dtype=np.intp)
        inner = np.flatnonzero(~self._tree.is_leaf)
        parents[self._tree.left[inner]] = inner
        parents[self._tree.right[inner]] = inner
        return parents


def _listed(names: list[str], most: int, gap: str = " ") -> str:
    """Return the names, or the first of them and how many more there are."""
    between = f",{gap}"
    if len(names) <= most:
        return between.join(names)
    return f"{between.join(names[: most - 1])}{gap}and {len(names) - most + 1} more"
