"""`Design`: which rows belong together, in permutations (blocks) and in samples (groups)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.columns import is_missing

Codes = NDArray[np.int32]
_Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Design:
    """Blocks and groups of the rows, numbered in the order in which they are met.

    Attributes
    ----------
    blocks : ndarray of shape (n_samples,) or None
        Responses are permuted inside blocks only; None: among all rows.
    groups : ndarray of shape (n_samples,) or None
        Rows of one group are in a sample, a fold or a half together, or not at all; None: each
        row is a group.

    """

    blocks: Codes | None = None
    groups: Codes | None = None

    @property
    def arguments(self) -> dict[str, Codes]:
        """What there is, by the names that `fit` has for it."""
        return {name: codes for name, codes in vars(self).items() if codes is not None}

    @property
    def n_groups(self) -> int | None:
        """Number of groups, None if there are none."""
        return None if self.groups is None else int(self.groups.max()) + 1

    def groups_share(self, y: NDArray[Any]) -> bool:
        """Whether there are groups, and all rows of each have the same y and the same block."""
        if self.groups is None:
            return False
        first = np.unique(self.groups, return_index=True)[1]
        shared = [y] if self.blocks is None else [y, self.blocks]
        return all(bool((values == values[first][self.groups]).all()) for values in shared)

    def part(self, rows: _Rows | None) -> "Design":
        """Return the design of some of the rows; None: of all."""
        if rows is None:
            return self
        return Design(**{name: _numbered(codes[rows]) for name, codes in self.arguments.items()})

    def permuted(self, rng: np.random.Generator, y: NDArray[Any]) -> NDArray[Any]:
        """Return y permuted at random inside the blocks; as whole groups where these share y."""
        if self.groups is not None and self.groups_share(y):
            first = np.unique(self.groups, return_index=True)[1]
            of_groups = Design(blocks=None if self.blocks is None else self.blocks[first])
            return of_groups.permuted(rng, y[first])[self.groups]
        if self.blocks is None:
            return rng.permutation(y)
        # Both orders list block after block: the rows in place, and in random order.
        mixed = rng.permutation(len(y))
        shuffled = np.empty_like(y)
        shuffled[np.argsort(self.blocks, kind="stable")] = y[
            mixed[np.argsort(self.blocks[mixed], kind="stable")]
        ]
        return shuffled


def make_design(blocks: Any, groups: Any, n_rows: int) -> Design:
    """Check what `fit` was given; a single block restricts nothing, and is none."""
    codes = {
        name: _codes(values, n_rows, name)
        for name, values in {"blocks": blocks, "groups": groups}.items()
        if values is not None
    }
    if "blocks" in codes and codes["blocks"].max() == 0:
        del codes["blocks"]
    return Design(**codes)


def _codes(values: Any, n_rows: int, name: str) -> Codes:
    """Return the number of each entry; values are numbered in the order in which they are met."""
    array = np.asarray(values)
    if array.shape != (n_rows,):
        raise ValueError(
            f"{name} must hold one entry per row of X, {n_rows}; got the shape {array.shape}"
        )
    missing = _missing(array)
    if missing.any():
        raise ValueError(
            f"{name} must not be missing; got {array[missing][0]} in row {missing.argmax()}. Give"
            " such rows a value of their own, or leave them out."
        )
    return _numbered(array)


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind in "fc":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind != "O":
        return np.zeros(len(array), dtype=bool)
    return np.array([is_missing(value) for value in array.tolist()], dtype=bool)


def _numbered(array: NDArray[Any]) -> Codes:
    if array.dtype.kind == "O":  # of several types, perhaps, which cannot be sorted
        numbers: dict[Any, int] = {}
        found = [numbers.setdefault(value, len(numbers)) for value in array.tolist()]
        return np.array(found, dtype=np.int32)
    _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int32)
    place[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return place[inverse]
