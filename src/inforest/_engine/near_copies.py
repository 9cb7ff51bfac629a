"""Columns that say nearly what another one says: in the same order, or level for level."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats

#: Correlation of ranks from which on one column of numbers is nearly another.
_NEARLY = 0.99
#: Rows off its commonest value that a column needs, lest two are alike by chance.
_FEW = 10
#: Columns up to which all pairs are compared; of more, only those in the same order.
_ALL_PAIRS = 2000
#: Rows, and cells, of the sample in which pairs are looked for. All rows decide.
_MOST_ROWS, _MOST_CELLS = 2000, 4_000_000


def near_copies(
    names: Sequence[str], columns: Sequence[Floats], is_category: Sequence[bool]
) -> list[str]:
    """Say which columns nearly repeat an earlier one.

    Numbers are compared by their ranks, with the middle one in the place of gaps; so logarithms
    and other units are found, and one large value makes nobody alike. A category is compared by
    which rows share a level, with another category or with numbers that may be its codes.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    columns : sequence of ndarray of shape (n_samples,)
        Their numbers, nan where missing.
    is_category : sequence of bool
        Whether the numbers stand for levels without an order.

    Returns
    -------
    said : list of str
        Such as "'months' is nearly 'age' (r = 0.998)".

    Examples
    --------
    >>> import numpy as np
    >>> from inforest._engine.near_copies import near_copies
    >>> age = np.arange(30.0)
    >>> near_copies(["age", "log"], [age, np.log1p(age)], [False, False])
    ["'log' has the order of 'age'"]

    """
    if not columns:
        return []
    rows = _sample(len(columns[0]), len(columns))
    there = [np.asarray(values)[rows] for values in columns]
    category = np.asarray(is_category, dtype=bool)
    said = {}
    for j, i in _alike_in_order(there, np.flatnonzero(~category)):
        words = _order_words(names[i], columns[j], columns[i])
        if words:
            said[j] = f"{names[j]!r} {words}"
    for j, i in _alike_in_levels(there, category):
        if j not in said and np.array_equal(_first_seen(columns[j]), _first_seen(columns[i])):
            said[j] = f"{names[j]!r} is {names[i]!r} by other names"
    return [said[j] for j in sorted(said)]


def _sample(n_rows: int, n_columns: int) -> NDArray[np.intp]:
    size = min(_MOST_ROWS, max(_MOST_CELLS // n_columns, 20 * _FEW))
    if n_rows <= size:
        return np.arange(n_rows)
    # At random, not one row in so many: tables have seasons. The seed makes it the same each time.
    return np.sort(np.random.default_rng(0).choice(n_rows, size, replace=False))


def _ranks(values: Floats) -> Floats:
    """Return ranks around 0, the mean one for equals, 0 for gaps; all 0 if nearly all are equal."""
    is_known = ~np.isnan(values)
    _, place, counts = np.unique(values[is_known], return_inverse=True, return_counts=True)
    ranks = np.zeros(len(values))
    if counts.sum() - counts.max(initial=0) >= _FEW:
        middle = np.cumsum(counts) - (counts + counts.sum()) / 2
        ranks[is_known] = middle[place]
    return ranks


def _alike_in_order(columns: list[Floats], numbers: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Yield a column of numbers, and the earlier one whose order is most like its own."""
    ranks = np.array([_ranks(columns[j]) for j in numbers])
    pairs = _most_correlated(ranks) if len(numbers) <= _ALL_PAIRS else _equal_up_to_sign(ranks)
    for j, i in pairs:
        yield int(numbers[j]), int(numbers[i])


def _most_correlated(rows: Floats) -> Iterator[tuple[int, int]]:
    if len(rows) < 2:
        return
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    units = (rows / np.where(length > 0, length, 1.0)[:, None]).astype(np.float32)
    r = np.tril(np.abs(units @ units.T), -1).round(5)  # of equals, the first
    nearest = r.argmax(axis=1)
    for j in np.flatnonzero(r[np.arange(len(r)), nearest] > _NEARLY - 1e-4):
        yield int(j), int(nearest[j])


def _equal_up_to_sign(rows: Floats) -> Iterator[tuple[int, int]]:
    first: dict[bytes, int] = {}
    for j, row in enumerate(rows):
        leading = row[np.argmax(row != 0)]
        if leading != 0:
            i = first.setdefault(_key(row * np.sign(leading)), j)
            if i != j:
                yield j, i


def _key(row: NDArray[Any]) -> bytes:
    return blake2b((row + 0.0).tobytes(), digest_size=16).digest()  # one zero


def _order_words(other: str, values: Floats, earlier: Floats) -> str:
    """Return what ranks on all rows say; nothing if they are not that alike."""
    x, y = _ranks(values), _ranks(earlier)
    if np.array_equal(x, y):
        return f"has the order of {other!r}"
    if np.array_equal(x, -y):
        return f"has the order of {other!r}, reversed"
    lengths = np.sqrt((x @ x) * (y @ y))
    r = float(x @ y / lengths) if lengths > 0 else 0.0
    if abs(r) < _NEARLY:
        return ""
    return f"is nearly {other!r} (r = {np.trunc(1000 * r) / 1000:.3f})"  # not 1: there is a rest


def _alike_in_levels(
    columns: list[Floats], is_category: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """Yield a category, or a number, and the earlier category whose levels have the same rows."""
    if not is_category.any():
        return
    first: dict[bytes, int] = {}
    for j in [*np.flatnonzero(is_category), *np.flatnonzero(~is_category)]:
        levels = _first_seen(columns[j])
        counts = np.bincount(levels)
        if len(levels) - counts.max() < _FEW or 2 * len(counts) > len(levels):
            continue
        i = first.setdefault(_key(levels), j) if is_category[j] else first.get(_key(levels), j)
        if i != j:
            yield int(j), int(i)


def _first_seen(values: Floats) -> NDArray[np.intp]:
    """Return levels numbered by their first rows; gaps are a level."""
    _, rows, place = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(rows), dtype=np.intp)
    number[np.argsort(rows)] = np.arange(len(rows))
    return number[place]
