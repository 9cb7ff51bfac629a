"""`LeafRows`: the training rows behind the leaves of fitted trees, and what they say of samples."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Sample, Structure, Trees
from inforest._engine.parallel import Signals, cut, run, workers
from inforest._engine.storage import in_double

#: Leaves per piece of work: enough for a thread to be worth it, few enough to fit into memory.
_PIECE = 1_000_000
#: Rows of a piece of training rows, for each of which all samples are drawn again.
_LEAST_ROWS = 256


def training_leaves(trees: Trees, X: Floats, n_jobs: int | None = 1) -> NDArray[Any]:
    """Return the leaf of each row of X in each tree, ``[tree, row]``, as small as it can be."""
    kind = np.min_scalar_type(int(np.diff(trees.offset).max()) - 1)
    leaf = np.empty((trees.n_trees, X.shape[0]), dtype=kind)
    step = max(1, _PIECE // trees.n_trees)
    for begin in range(0, X.shape[0], step):  # the core's own are four bytes each
        leaf[:, begin : begin + step] = trees.apply(X[begin : begin + step], n_jobs).T
    return leaf


def smallest(leaf: NDArray[Any]) -> NDArray[Any]:
    """Return leaves in the smallest type that holds them."""
    return leaf.astype(np.min_scalar_type(int(leaf.max())))


@dataclass(frozen=True, eq=False)
class TrainingLeaves:
    """What it takes to find a leaf's rows again.

    Attributes
    ----------
    trees : Trees
        The fitted trees.
    leaf : ndarray of shape (n_trees, n_samples)
        The leaf of each training row in each tree: see `training_leaves`.
    sample : Sample
        What each tree's seed draws its rows from.
    honesty : float
        Share of a tree's rows that its leaf values come from; 0 if all do.
    weight : ndarray of shape (n_samples,) or None
        What each row weighs in the value of a leaf; None means 1.

    """

    trees: Trees
    leaf: NDArray[Any]
    sample: Sample
    honesty: float = 0.0
    weight: Floats | None = None

    @property
    def n_samples(self) -> int:
        """Number of training rows."""
        return self.leaf.shape[1]

    def rows(self, n_jobs: int | None = 1, *, out_of_bag: bool = False) -> "LeafRows":
        """Return the rows that leaf values come from, or those that are outside of the samples."""
        n_pieces = min(4 * workers(n_jobs), self.leaf.size // _PIECE + 1)
        shared = {"training": self, "out_of_bag": out_of_bag}
        parts = run(_rows_of_trees, shared, cut(len(self.leaf), n_pieces), n_jobs, here=True)
        return LeafRows.concatenate(self.trees, self.n_samples, parts)

    def out_of_bag(self, signals: Signals, begin: int, end: int) -> NDArray[np.int32]:
        """Return the leaves of training rows, ``[row, tree]``; -1 in trees that have seen them."""
        return _core.out_of_bag_leaves(
            np.ascontiguousarray(self.leaf[:, begin:end], dtype=np.int32),
            n_samples=self.n_samples,
            **vars(self.sample),
            begin=begin,
            stop=signals.stop,
        )


def _rows_of_trees(
    signals: Signals, begin: int, end: int, *, training: TrainingLeaves, out_of_bag: bool
) -> tuple[NDArray[Any], ...]:
    trees = training.trees.part(begin, end)
    return _core.leaf_rows(
        np.ascontiguousarray(training.leaf[begin:end], dtype=np.int32),
        offset=trees.offset,
        feature=trees.feature,
        right=trees.right,
        **vars(training.sample.part(begin, end)),
        honesty=training.honesty,
        weights=training.weight,
        out_of_bag=out_of_bag,
        stop=signals.stop,
    )


@dataclass(frozen=True, eq=False)
class LeafRows:
    """Of each node the training rows below it: ``row[begin[node]:end[node]]``.

    Nodes are counted over all trees. The weighted mean of the responses of a leaf's rows is the
    leaf's value: a leaf that no honest row has reached has the rows of the nearest node above it
    that some have.

    Attributes
    ----------
    offset : ndarray of shape (n_trees + 1,)
        The first node of each tree.
    begin, end : ndarray of shape (n_nodes,)
        Where a node's rows are.
    total : ndarray of shape (n_nodes,)
        The weight of a node's rows together.
    row : ndarray of shape (n_entries,)
        The rows, each once in a tree.
    weight : ndarray of shape (n_entries,)
        How often the row is in the tree's sample, times what it weighs.
    n_rows : int
        Number of training rows.

    """

    offset: Integers
    begin: Integers
    end: Integers
    total: Floats
    row: NDArray[np.int32]
    weight: Floats
    n_rows: int

    @classmethod
    def concatenate(cls, trees: Trees, n_rows: int, parts: list[Any]) -> Self:
        """Join what was found for one part of the trees after the other."""
        starts = np.cumsum([0] + [len(part[3]) for part in parts])[:-1]
        for (begin, end, *_), start in zip(parts, starts, strict=True):
            begin += start
            end += start
        begin, end, total, row, weight = map(np.concatenate, zip(*parts, strict=True))
        return cls(trees.offset, begin, end, total, row, weight, n_rows)

    @property
    def core_arguments(self) -> dict[str, Any]:
        """What functions of the core ask for, by the names of their arguments."""
        names = ("offset", "begin", "end", "total", "row", "weight")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows of X on their way through the trees, or training rows through those that miss them.

    Attributes
    ----------
    size : int
        How many there are.
    training : TrainingLeaves
        The fitted trees and their rows.
    X : ndarray of shape (size, n_features) or None
        The samples; None: the training rows.

    """

    size: int
    training: TrainingLeaves
    X: Floats | None = None

    def leaves(self, signals: Signals, begin: int, end: int) -> NDArray[np.int32]:
        """Return the leaves of some samples, ``[sample, tree]``; -1 in trees that do not count."""
        if self.X is None:
            return self.training.out_of_bag(signals, begin, end)
        structure: Structure = self.training.trees.structure
        return _core.apply(in_double(self.X, begin, end), **vars(structure))

    def ask(self, question: Callable[..., Any], n_jobs: int | None, **shared: Any) -> list[Any]:
        """Return ``question(leaves, which, signals, **shared)`` for pieces of the samples.

        `which` is the slice of the samples. The answers are in order.
        """
        n_leaves = self.size * self.training.trees.n_trees
        n_pieces = max(n_leaves // _PIECE + 1, min(4 * workers(n_jobs), n_leaves // 20_000))
        if self.X is None:
            n_pieces = min(n_pieces, self.size // _LEAST_ROWS + 1)
        work = {"samples": self, "question": question, **shared}
        return run(_answer, work, cut(self.size, n_pieces), n_jobs, here=True)


def _answer(
    signals: Signals,
    begin: int,
    end: int,
    *,
    samples: Samples,
    question: Callable[..., Any],
    **shared: Any,
) -> Any:
    return question(samples.leaves(signals, begin, end), slice(begin, end), signals, **shared)


def find_weights(samples: Samples, rows: LeafRows, n_jobs: int | None) -> csr_array:
    """Return how much each training row speaks for each sample."""
    parts = samples.ask(_weights, n_jobs, rows=rows)
    starts = np.cumsum([0] + [len(data) for _, _, data in parts])
    indptr = np.concatenate(
        [[0], *(part[0][1:] + start for part, start in zip(parts, starts[:-1], strict=True))]
    )
    indices = np.concatenate([part[1] for part in parts])
    data = np.concatenate([part[2] for part in parts])
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return csr_array((data, indices, indptr), shape=(samples.size, rows.n_rows))


def _weights(leaf: NDArray[np.int32], _: slice, signals: Signals, *, rows: LeafRows) -> Any:
    return _core.forest_weights(leaf, **rows.core_arguments, n_rows=rows.n_rows, stop=signals.stop)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of the leaves, numbered by their responses."""

    rows: LeafRows
    #: The responses, ascending.
    value: Floats

    @classmethod
    def of(cls, rows: LeafRows, y: Floats) -> Self:
        """Give the rows numbers by y, which has one entry per training row."""
        order = np.argsort(y, kind="stable")
        place = np.empty(len(y), dtype=np.int32)
        place[order] = np.arange(len(y), dtype=np.int32)
        return cls(replace(rows, row=place[rows.row]), y[order])

    def quantiles(self, samples: Samples, level: Floats, n_jobs: int | None) -> Floats:
        """Return the quantiles of y under each sample's weights."""
        shared = {"rows": self.rows, "value": self.value, "level": level}
        return np.concatenate(samples.ask(_quantiles, n_jobs, **shared))

    def shares(self, samples: Samples, limit: Integers, n_jobs: int | None) -> Floats:
        """Return the weights of the rows with numbers below the limits, ``[sample, limit]``."""
        parts = samples.ask(_shares, n_jobs, rows=self.rows, limit=limit)
        return np.minimum(np.concatenate(parts), 1.0)


def _quantiles(
    leaf: NDArray[np.int32],
    _: slice,
    signals: Signals,
    *,
    rows: LeafRows,
    value: Floats,
    level: Floats,
) -> Floats:
    return _core.forest_quantiles(
        leaf, **rows.core_arguments, value=value, level=level, stop=signals.stop
    )


def _shares(
    leaf: NDArray[np.int32], which: slice, signals: Signals, *, rows: LeafRows, limit: Integers
) -> Floats:
    return _core.forest_shares(
        leaf, **rows.core_arguments, n_rows=rows.n_rows, limit=limit[which], stop=signals.stop
    )
