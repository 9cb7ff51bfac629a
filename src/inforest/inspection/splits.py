"""What the two sides of a split are called, for people."""

from collections.abc import Callable
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
        left = self._tree.levels_left(index)
        if left is None:
            if np.isposinf(self._tree.threshold[index]):
                return f"{name} is there", f"{name} is missing"
            bound = self._number(self._tree.threshold[index])
            return self._with_missing(index, f"{name} <= {bound}", f"{name} >  {bound}")
        if left.all() or not left.any():
            there, absent = f"{name} is there", f"{name} is missing"
            return (there, absent) if left.all() else (absent, there)
        names = self._levels(index, left)
        sides = [f"{name} in {{{_listed(names[side], _IN_TEXT)}}}" for side in (left, ~left)]
        return self._with_missing(index, *sides)

    def on_edges(self, index: int) -> tuple[str, str]:
        """Return the same without the name, short, a line each, as matplotlib shows it."""
        left = self._tree.levels_left(index)
        if left is None:
            if np.isposinf(self._tree.threshold[index]):
                return "there", "missing"
            bound = self._number(self._tree.threshold[index])
            return self._with_missing(index, f"≤ {bound}", f"> {bound}", "\n")
        if left.all() or not left.any():
            return ("there", "missing") if left.all() else ("missing", "there")
        names = self._levels(index, left)
        short = np.array([for_figure(name, _MAX_LETTERS) for name in names], dtype=object)
        there, others = (_listed(short[side], _ON_EDGE, "\n") for side in (left, ~left))
        return self._with_missing(index, there, others, "\n")

    def _with_missing(self, index: int, left: str, right: str, gap: str = " ") -> tuple[str, str]:
        """Say where missing values go, if fit has seen any of the feature."""
        counts = self._missing_counts
        if counts is None or counts[self._tree.feature[index]] == 0:
            return left, right
        if self._tree.missing_left[index]:
            return f"{left}{gap}or missing", right
        return left, f"{right}{gap}or missing"

    def _levels(self, index: int, left: NDArray[np.bool_]) -> NDArray[Any]:
        known = None
        if self._features is not None:
            known = self._features.levels(int(self._tree.feature[index]))
        names = range(len(left)) if known is None else known
        return np.array([str(level) for level in names], dtype=object)


def _listed(names: NDArray[Any], most: int, gap: str = " ") -> str:
    """Return the names, or the first of them and how many more there are."""
    between = f",{gap}"
    if len(names) <= most:
        return between.join(names)
    return f"{between.join(names[: most - 1])}{gap}and {len(names) - most + 1} more"
