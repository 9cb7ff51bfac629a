"""Box plots of the responses in the leaves of a tree: seven numbers each, and no data."""

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats, Integers, Tree
from inforest._engine.leaf_rows import LeafRows

#: Lower whisker, lower quartile, median, upper quartile, upper whisker, smallest, largest.
N_NUMBERS = 7
#: Whiskers reach to the farthest row within so many box heights (Tukey 1977), as in R.
_REACH = 1.5
_QUARTILES = (0.25, 0.5, 0.75)
#: Sums of weights are equal up to this share of their total.
_ROUNDING = 1e-9


def leaf_boxes(tree: Tree, rows: LeafRows, y: Floats) -> Floats:
    """Return the numbers of a box plot per leaf and output.

    Parameters
    ----------
    tree : Tree
        The tree.
    rows : LeafRows
        The rows of its nodes, and what they weigh.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The responses.

    Returns
    -------
    boxes : ndarray of shape (n_nodes, n_outputs, 7)
        In the order of `N_NUMBERS`, nan in inner nodes. A quartile is the middle of those y at
        which the weight of the smaller ones passes its share.

    """
    leaves = np.flatnonzero(tree.is_leaf)
    begin, length = rows.begin[leaves], (rows.end - rows.begin)[leaves]
    ends = np.cumsum(length)
    entry = np.arange(ends[-1]) + np.repeat(begin - (ends - length), length)
    leaf = np.repeat(np.arange(len(leaves)), length)
    columns = y.reshape(len(y), -1)
    boxes = np.full((tree.node_count, columns.shape[1], N_NUMBERS), np.nan)
    for k in range(columns.shape[1]):
        values = columns[rows.row[entry], k]
        boxes[leaves, k] = _boxes_of(values, rows.weight[entry], leaf, ends)
    return boxes


def _boxes_of(y: Floats, weight: Floats, leaf: NDArray[np.intp], ends: Integers) -> Floats:
    """Return the boxes of entries that stand leaf by leaf; `ends` says where each leaf's end."""
    order = np.lexsort((y, leaf))
    y, weight = y[order], weight[order]
    begin = np.concatenate([[0], ends[:-1]])
    total = np.add.reduceat(weight, begin)
    # Every leaf's weights have the sum 1, so that one running sum serves all leaves.
    share = np.cumsum(weight / total[leaf])
    quartiles = []
    for level in _QUARTILES:
        at = np.arange(len(ends)) + level
        low = np.searchsorted(share, at - _ROUNDING, side="left")
        high = np.searchsorted(share, at + _ROUNDING, side="right")
        quartiles.append(y[np.minimum(low, ends - 1)] / 2 + y[np.minimum(high, ends - 1)] / 2)
    lower, median, upper = quartiles
    with np.errstate(over="ignore"):  # a box may be higher than the largest number
        reach = _REACH * (upper - lower)
        is_near = (y >= (lower - reach)[leaf]) & (y <= (upper + reach)[leaf])
    whiskers = (
        np.minimum.reduceat(np.where(is_near, y, np.inf), begin),
        np.maximum.reduceat(np.where(is_near, y, -np.inf), begin),
    )
    return np.column_stack([whiskers[0], lower, median, upper, whiskers[1], y[begin], y[ends - 1]])
