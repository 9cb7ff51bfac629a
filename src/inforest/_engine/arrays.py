"""Fitted trees as flat arrays: `Trees` holds many, `Tree` one, `Node` one row of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, make_dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from inforest import _core
from inforest._engine.parallel import Signals, cut, run, workers
from inforest._engine.storage import in_double, n_blocks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: What `stop_reason` says, in words; indexed by its code.
STOP_REASONS = (
    "split",
    "fewer samples than min_samples_split",
    "max_depth reached",
    "y is constant",
    "no feature varies",
    "no feature significant",
    "no admissible threshold",
    "no threshold significant",
    "impurity decrease below min_impurity_decrease",
)
SPLIT, NO_FEATURE, NO_THRESHOLD = 0, 5, 7


def _stop_words(code: int) -> str:
    return STOP_REASONS[code]


@dataclass(frozen=True, eq=False)
class Structure:
    """What the core needs to find a sample's leaf; the names are those of its arguments."""

    offset: Integers
    feature: NDArray[np.int32]
    threshold: Floats
    missing_left: NDArray[np.uint8]
    right: NDArray[np.int32]
    #: `level_set`, `level_pool` and `pool_offset`; None if no split is one of levels.
    levels: tuple[NDArray[np.int32], NDArray[np.uint64], Integers] | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """What the core needs to draw each tree's rows again; the names are those of its arguments."""

    case_counts: Integers | None
    groups: NDArray[np.int32] | None
    strata: NDArray[np.int32] | None
    quota: Integers | None
    replace: bool
    seeds: NDArray[np.uint64]

    def part(self, begin: int, end: int) -> "Sample":
        """Return the sample of the trees ``begin:end``."""
        return replace(self, seeds=self.seeds[begin:end])


class Per(Enum):
    """What an array of `Trees` has an entry for."""

    NODE = "node"
    TREE = "tree"
    #: Where the trees begin, and where the last one ends.
    BORDER = "border"
    #: A word of the trees' level sets; `pool_offset` says whose it is.
    WORD = "word"


@dataclass(frozen=True)
class About:
    """What is known about an array of `Trees` beside its type.

    Attributes
    ----------
    meaning : str
        What its entries say.
    per : Per
        What it has an entry for.
    is_table : bool
        Whether an entry is a row of numbers.
    in_files : bool
        Whether files hold it; else it follows from others.
    else_like : str or None
        Of an array that files of earlier versions lack: the one that says the same there.
    else_value : float or None
        Of an array that files lack if all its entries are this one.
    shown : callable or None
        What a `Node` makes of an entry; None shows it as it is.

    """

    meaning: str
    per: Per = Per.NODE
    is_table: bool = False
    in_files: bool = True
    else_like: str | None = None
    else_value: float | None = None
    shown: Callable[[Any], Any] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Trees:
    """All nodes of all trees, one after the other, as `_core.grow_trees` returns them.

    Tree ``t`` owns the nodes ``offset[t]:offset[t + 1]``, root first, every left subtree before its
    right sibling. ``left`` and ``right`` count from the tree's own root. In a leaf ``feature``,
    ``left`` and ``right`` are -1 and ``threshold`` is nan; ``x <= threshold`` goes left. A missing
    value goes left where ``missing_left`` is 1: what is best for the node's rows or, if none of
    them was missing, into the child that weighs more. The threshold of a split of what is there
    from what is missing is infinity, and ``missing_left`` 0.

    A split of a category sends a set of its levels left: its ``threshold`` is nan, and its
    ``level_set`` is where the set begins among the tree's words in ``level_pool``, which are
    ``level_pool[pool_offset[t]:pool_offset[t + 1]]``. The first word is the number of levels, the
    others have a bit for each. Levels that no row of the node had are where missing values go.

    ``impurity`` is in the units of y, except for a regression y beyond 1e-100 or 1e100, whose
    squares do not exist in floating point: there it is in units of y times a power of two.
    A p-value is nan where no test was made; that of a leaf is the smallest one met there, an
    estimate at the draw where its test stopped. ``validated`` is 1 at a split whose children
    predict the tree's out-of-bag rows with a smaller squared error than the node does;
    ``unseen_effect`` is the correlation of its sides with y on these rows, as large as at the root
    and negative where they contradict the split.
    """

    # The table of a tree's arrays, beside the core's (tree.hpp): a new one is a line in each.
    offset: Annotated[Integers, About("the first node of each tree", per=Per.BORDER)]
    feature: Annotated[NDArray[np.int32], About("the feature of a split, -1 in a leaf")]
    threshold: Annotated[Floats, About("x <= threshold goes left, nan in a leaf")]
    missing_left: Annotated[NDArray[np.uint8], About("1 if missing values go left", shown=bool)]
    level_set: Annotated[
        NDArray[np.int32], About("where its levels are, -1 without", else_value=-1)
    ]
    left: Annotated[NDArray[np.int32], About("the left child, -1 in a leaf", in_files=False)]
    right: Annotated[NDArray[np.int32], About("the right child, -1 in a leaf")]
    value: Annotated[Floats, About("class proportions, or the mean", is_table=True)]
    n_samples: Annotated[NDArray[np.int32], About("rows that grew the node")]
    weight: Annotated[Floats, About("of these rows together", else_like="n_samples")]
    impurity: Annotated[Floats, About("of these rows")]
    p_value_feature: Annotated[Floats, About("of Stage A, nan without a test")]
    p_value_threshold: Annotated[Floats, About("of Stage B, nan without a test")]
    chi_square: Annotated[Floats, About("of an asymptotic test of Stage A", else_value=np.nan)]
    log_p_value: Annotated[Floats, About("of that test, beyond 1e-308", else_value=np.nan)]
    n_draws_feature: Annotated[Integers, About("draws of the chosen feature's test")]
    n_draws_threshold: Annotated[Integers, About("draws of the chosen threshold's test")]
    n_tests_feature: Annotated[NDArray[np.int32], About("candidates of Stage A, 0 if not reached")]
    n_tests_threshold: Annotated[NDArray[np.int32], About("tests of Stage B, 0 if not reached")]
    stop_reason: Annotated[NDArray[np.uint8], About("why it is a leaf", shown=_stop_words)]
    validated: Annotated[NDArray[np.uint8], About("1 if a split holds on unseen rows", shown=bool)]
    unseen_effect: Annotated[
        Floats, About("correlation of a split's sides with y on unseen rows", else_value=0)
    ]
    draws_selector: Annotated[Integers, About("draws of all tests of Stage A", per=Per.TREE)]
    draws_splitter: Annotated[Integers, About("draws of all tests of Stage B", per=Per.TREE)]
    pool_offset: Annotated[
        Integers, About("the first word of each tree", per=Per.BORDER, else_value=0)
    ]
    level_pool: Annotated[NDArray[np.uint64], About("sets of levels", per=Per.WORD, else_value=0)]

    def __post_init__(self) -> None:
        """Let nobody change the arrays: who walks them counts on what was checked before."""
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.offset) - 1

    @property
    def node_count(self) -> int:
        """Number of nodes of all trees together."""
        return len(self.feature)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.feature < 0

    @property
    def tree_index(self) -> Integers:
        """Return the tree to which each node belongs."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.offset))

    @classmethod
    def concatenate(cls, parts: "Sequence[Trees]") -> "Trees":
        """Put the trees of all parts side by side, in order."""
        if len(parts) == 1:
            return parts[0]
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name, about in ARRAYS.items()
            if about.per is not Per.BORDER
        }
        borders: dict[str, Any] = {}
        for name in ("offset", "pool_offset"):
            own = [getattr(part, name) for part in parts]
            starts = np.cumsum([0] + [border[-1] for border in own])
            ends = [border[1:] + start for border, start in zip(own, starts, strict=False)]
            borders[name] = np.concatenate([[0], *ends]).astype(np.int64)
        return Trees(**joined, **borders)

    def part(self, begin: int, end: int) -> "Trees":
        """Return the trees ``begin:end``; their arrays are views of these."""
        return Trees(**self._cut(begin, end))

    def tree(self, index: int) -> "Tree":
        """Return one tree; its arrays are views of these."""
        if not -self.n_trees <= index < self.n_trees:
            raise IndexError(f"tree {index} does not exist: there are {self.n_trees}")
        index %= self.n_trees
        return Tree(**self._cut(index, index + 1))

    def _cut(self, begin: int, end: int) -> dict[str, NDArray[Any]]:
        first, last = self.offset[begin], self.offset[end]
        entries = {
            Per.NODE: slice(first, last),
            Per.TREE: slice(begin, end),
            Per.BORDER: slice(begin, end + 1),
            Per.WORD: slice(self.pool_offset[begin], self.pool_offset[end]),
        }
        cut = {name: getattr(self, name)[entries[about.per]] for name, about in ARRAYS.items()}
        borders = ("offset", "pool_offset")
        return cut | {name: cut[name] - cut[name][0] for name in borders}

    def apply(self, X: Floats, n_jobs: int | None = 1) -> NDArray[np.int32]:
        """Return the leaf of each sample in each tree, counted from that tree's root."""
        return np.concatenate(self._by_rows(_apply_rows, X, n_jobs, structure=self.structure))

    def predict(self, X: Floats, n_jobs: int | None = 1) -> Floats:
        """Return the mean over the trees of the value of each sample's leaf."""
        shared = {"structure": self.structure, "value": self.small_value}
        mean = np.concatenate(self._by_rows(_predict_rows, X, n_jobs, **shared))
        return np.ldexp(mean, self.value_exponent)

    def predict_oob(
        self, X: Floats, sample: Sample, n_jobs: int | None = 1
    ) -> tuple[Floats, Integers]:
        """Return the mean over the trees that did not see a row, and how many these are.

        `sample` says what they saw. A row that all trees saw gets nan.
        """
        shared = {"structure": self.structure, "value": self.small_value, "sample": sample}
        blocks = self._by_rows(_predict_oob_rows, X, n_jobs, **shared)
        total, n_votes = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        with np.errstate(invalid="ignore"):  # 0 / 0
            mean = total / n_votes[:, None]
        return np.ldexp(mean, self.value_exponent), n_votes

    def redraw_shift(
        self, X: Floats, features: NDArray[np.intp], drawn: Floats, n_jobs: int | None = 1
    ) -> Floats:
        """Return how far `predict` moves, on average, when features of each row are replaced.

        ``drawn[row, draw, k]`` is a value of ``features[k]``.
        """
        shared = {
            "structure": self.structure,
            "value": self.small_value,
            "redrawn": features.astype(np.int32),
            "drawn": np.ascontiguousarray(drawn),
        }
        shift = np.concatenate(self._by_rows(_redraw_rows, X, n_jobs, **shared))
        return np.ldexp(shift, self.value_exponent)

    def _by_rows(self, work: Any, X: Floats, n_jobs: int | None, **shared: Any) -> list[Any]:
        """Let threads read blocks of rows; a row's result is the same in any block."""
        n_rows = X.shape[0]
        leaves = n_rows * self.n_trees
        n_pieces = max(min(workers(n_jobs), leaves // _BLOCK), leaves // _LONG, n_blocks(X))
        return run(work, {"X": X, **shared}, cut(n_rows, n_pieces), n_jobs, here=True)

    @property
    def structure(self) -> Structure:
        """What the core needs to find a sample's leaf."""
        levels = (self.level_set, self.level_pool, self.pool_offset)
        return Structure(
            self.offset,
            self.feature,
            self.threshold,
            self.missing_left,
            self.right,
            levels if len(self.level_pool) else None,
        )

    @cached_property
    def value_exponent(self) -> int:
        """Power of two by which values must shrink so that their sum exists; nearly always 0."""
        return 0 if np.abs(self.value).max(initial=0.0) < 1e290 else 64

    @property
    def small_value(self) -> Floats:
        """`value` times ``2**-value_exponent``."""
        return np.ldexp(self.value, -self.value_exponent) if self.value_exponent else self.value

    def depth(self) -> Integers:
        """Return the depth of each node, 0 at the roots."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        level = self.offset[:-1]
        while len(level):  # one turn per level, not per node
            inner = level[~self.is_leaf[level]]
            below = self._children(inner)
            depth[below] = np.tile(depth[inner] + 1, 2)
            level = below
        return depth

    def decision_path(self, X: Floats, n_jobs: int | None = 1) -> csr_array:
        """Return the indicator of the nodes, of all trees, that each sample passes."""
        leaves = (self.apply(X, n_jobs) + self.offset[:-1]).ravel()
        ends = np.arange(0, len(leaves) + 1, self.n_trees)
        shape = (X.shape[0], self.node_count)
        at_leaf = csr_array((np.ones(len(leaves), dtype=np.int64), leaves, ends), shape=shape)
        path = csr_array(at_leaf @ self._ancestors(np.unique(leaves)))
        path.sort_indices()
        return path

    def _children(self, inner: Integers) -> Integers:
        """Return the left, then the right children of inner nodes, counted over all trees."""
        root = self.offset[np.searchsorted(self.offset, inner, side="right") - 1]
        return np.concatenate([root + self.left[inner], root + self.right[inner]])

    def _ancestors(self, nodes: Integers) -> csr_array:
        """Return the indicator whose row i is the path from the root to node i, for `nodes`."""
        inner = np.flatnonzero(~self.is_leaf)
        parent = np.full(self.node_count, -1, dtype=np.int64)
        parent[self._children(inner)] = np.tile(inner, 2)
        row = column = nodes
        rows, columns = [row], [column]
        while len(row):  # one turn per level
            column = parent[column]
            row, column = row[column >= 0], column[column >= 0]
            rows.append(row)
            columns.append(column)
        cells = np.concatenate(rows), np.concatenate(columns)
        ones = np.ones(len(cells[0]), dtype=np.int64)
        return csr_array((ones, cells), shape=(self.node_count, self.node_count))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_trees={self.n_trees}, node_count={self.node_count})"


def _read_table() -> Iterator[tuple[str, About, np.dtype[Any]]]:
    for name, hint in get_type_hints(Trees, include_extras=True).items():
        array, about = get_args(hint)
        _, dtype = get_args(array)  # NDArray[np.int32] is ndarray[shape, dtype[int32]]
        yield name, about, np.dtype(get_args(dtype)[0])


#: The table of a tree's arrays, in order.
ARRAYS = {name: about for name, about, _ in _read_table()}
#: Their types as the core makes and expects them; files may hold smaller ones.
DTYPES = {name: dtype for name, _, dtype in _read_table()}

_Entries: Any = make_dataclass(
    "_Entries",
    ["id", *(name for name, about in ARRAYS.items() if about.per is Per.NODE)],
    frozen=True,
)


class Node(_Entries):
    """One node, for people: `tree.node(3)` prints all there is to know about it.

    It has an `id` and an entry of each array that has one per node.
    """

    @property
    def is_leaf(self) -> bool:
        """Whether nothing hangs below this node."""
        return bool(self.feature < 0)


#: Leaves to find before it pays to start another thread, about 10 ms.
_BLOCK = 500_000
#: Leaves to find in one go, a fraction of a second: between two blocks Ctrl-C is heard.
_LONG = 4_000_000


def _apply_rows(
    _: Signals, begin: int, end: int, *, X: Floats, structure: Structure
) -> NDArray[np.int32]:
    return _core.apply(in_double(X, begin, end), **vars(structure))


def _predict_rows(
    _: Signals, begin: int, end: int, *, X: Floats, structure: Structure, value: Floats
) -> Floats:
    return _core.predict(in_double(X, begin, end), **vars(structure), value=value)


def _redraw_rows(
    signals: Signals,
    begin: int,
    end: int,
    *,
    X: Floats,
    structure: Structure,
    value: Floats,
    redrawn: NDArray[np.int32],
    drawn: Floats,
) -> Floats:
    return _core.redraw_shift(
        X[begin:end],
        redrawn=redrawn,
        drawn=drawn[begin:end],
        **vars(structure),
        value=value,
        stop=signals.stop,
    )


def _predict_oob_rows(
    _: Signals,
    begin: int,
    end: int,
    *,
    X: Floats,
    structure: Structure,
    value: Floats,
    sample: Sample,
) -> tuple[Floats, Integers]:
    return _core.predict_oob(
        in_double(X, begin, end),
        **vars(structure),
        value=value,
        **vars(sample),
        n_samples=X.shape[0],
        begin=begin,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Trees):
    """One tree: the arrays of `Trees`, with words for what only a single tree has."""

    @property
    def children_left(self) -> NDArray[np.int32]:
        """Left child of each node, -1 in leaves (scikit-learn's name)."""
        return self.left

    @property
    def children_right(self) -> NDArray[np.int32]:
        """Right child of each node, -1 in leaves (scikit-learn's name)."""
        return self.right

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf, 0 for a tree that is only a root."""
        return int(self.depth().max())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    def levels_left(self, index: int) -> NDArray[np.bool_] | None:
        """Return which levels go left at a split of a category; None at any other node."""
        place = int(self.level_set[index])
        if place < 0:
            return None
        n_levels = int(self.level_pool[place])
        words = self.level_pool[place + 1 : place + 1 + -(-n_levels // 64)]
        bits = words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
        return bits.ravel()[:n_levels].astype(bool)

    def node(self, index: int) -> Node:
        """Return everything known about one node."""
        if not 0 <= index < self.node_count:
            raise IndexError(f"node {index} does not exist: the tree has {self.node_count}")
        entries = {}
        for name, about in ARRAYS.items():
            if about.per is Per.NODE:
                entry = getattr(self, name)[index]
                plain = entry if about.is_table else entry.item()
                entries[name] = plain if about.shown is None else about.shown(plain)
        return Node(id=index, **entries)

    def __repr__(self) -> str:
        draws = int(self.draws_selector[0] + self.draws_splitter[0])
        return (
            f"Tree(node_count={self.node_count}, n_leaves={self.n_leaves},"
            f" max_depth={self.max_depth}, draws={draws})"
        )
