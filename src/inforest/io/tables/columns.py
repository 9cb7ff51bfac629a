"""One column of a table as numbers, or as numbered words (levels), with nan where it has gaps."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest.io.tables.input_error import InputError

#: More levels than this are no category that one column per level could show.
MAX_LEVELS = 100
#: So few levels are a category, however few the rows are.
_FEW_LEVELS = 10
#: Levels per row from which words look seldom to come back, and from which they look unique.
_SELDOM, _NEARLY_UNIQUE = 0.2, 0.5
#: A number with thousands separators, a percent sign or a unit, such as "1,028.5" or "0.12 mg".
_DRESSED_NUMBER = re.compile(
    r"[-+<>]?\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:[.,]\d+)?\s*(?P<unit>[^\d\s,.'-]\S{0,9})?"
)
_MOST_UNITS = 3
#: Share of the distinct words that read as numbers from which the column is taken for numbers.
_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class Column:
    """A feature as it was read.

    Attributes
    ----------
    name : str
        Its name.
    values : ndarray of float
        Numbers, or indices into `levels`; nan where the value is missing.
    levels : tuple of str or None
        The distinct words, sorted; None for a column of numbers.

    """

    name: str
    values: Floats
    levels: tuple[str, ...] | None = None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values)

    def rows(self, kept: NDArray[np.bool_]) -> "Column":
        """Return the column with some of its rows only."""
        return replace(self, values=self.values[kept])

    def filled(self) -> "Column":
        """Return the column with its median, or its most frequent level, in place of gaps."""
        gaps = self.missing
        present = self.values[~gaps]
        if self.levels is None:
            value = float(np.median(present))
        else:
            value = float(np.bincount(present.astype(np.intp)).argmax())
        return replace(self, values=np.where(gaps, value, self.values))


def read_column(data: Any, name: str, source: str) -> Column:
    """Return an Arrow column as numbers; true and false are 1 and 0, words become levels.

    Parameters
    ----------
    data : pyarrow.ChunkedArray
        The column.
    name : str
        Its name.
    source : str
        The file's name, for error messages.

    Returns
    -------
    column : Column
        Numbers or levels.

    """
    import pyarrow as pa

    kind = data.type
    if pa.types.is_boolean(kind):
        data = data.cast(pa.uint8())
    elif pa.types.is_dictionary(kind):
        data = data.cast(kind.value_type)
        return read_column(data, name, source)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _levels(data, name, source)
    elif pa.types.is_null(kind):
        return Column(name, np.full(len(data), np.nan))
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(
            f"column {name!r} of {source} holds {kind}, neither numbers nor words: convert it, or"
            f" leave it out with --drop {name!r}"
        )
    return Column(name, data.cast(pa.float64(), safe=False).to_numpy())


def _levels(data: Any, name: str, source: str) -> Column:
    words = data.drop_null().unique().to_pylist()
    text = [word for word in words if not _is_number(word)]
    if words and not text:  # numbers that were written as text
        numbers = [np.nan if word is None else float(word) for word in data.to_pylist()]
        return Column(name, np.array(numbers))
    if len(words) - len(text) > _MOSTLY * len(words):
        raise InputError(
            f"column {name!r} of {source} holds numbers and the text {text[0]!r}: if that means"
            f" 'missing', say --na {text[0]!r}; else leave the column out with --drop {name!r}"
        )
    if words and all("," in word and _is_number(word.replace(",", ".")) for word in words):
        raise InputError(
            f"column {name!r} of {source} holds numbers such as {words[0]!r}: say --decimal ','"
        )
    levels = sorted(words)
    code = {word: float(i) for i, word in enumerate(levels)}
    values = np.array([code.get(word, np.nan) for word in data.to_pylist()])
    return Column(name, values, tuple(levels))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def encode(column: Column, how: str, source: str) -> tuple[list[str], list[Floats]]:
    """Return the names and the values of the columns that stand for a column of words.

    Parameters
    ----------
    column : Column
        With levels and without gaps.
    how : {"one-hot", "ordinal"}
        One column of 0 and 1 per level (one alone if there are two levels), or one column with
        the levels' places in alphabetical order.
    source : str
        The file's name, for error messages.

    Returns
    -------
    names : list of str
        "colour=red" and so on, or the column's own name.
    values : list of ndarray of float
        The columns.

    """
    assert column.levels is not None
    if how == "ordinal":
        return [column.name], [column.values]
    present = np.unique(column.values).astype(np.intp)
    if len(present) > min(MAX_LEVELS, max(_FEW_LEVELS, _NEARLY_UNIQUE * len(column.values))):
        raise InputError(
            f"column {column.name!r} of {source} has {len(present)} different words in"
            f" {len(column.values)} rows, too many for one column each{_numbers_hint(column)}:"
            f" leave it out with --drop {column.name!r}, or number the words with --categories"
            " ordinal"
        )
    if len(present) == 2:
        present = present[1:]
    names = [f"{column.name}={column.levels[level]}" for level in present]
    return names, [(column.values == level).astype(np.float64) for level in present]


def doubt_about_words(column: Column, how: str) -> str:
    """Return what is doubtful about encoding a column of words, if anything.

    Parameters
    ----------
    column : Column
        With levels and without gaps.
    how : {"one-hot", "ordinal"}
        As of `encode`.

    Returns
    -------
    sentence : str
        A warning, or nothing.

    """
    n_words, hint = len(np.unique(column.values)), _numbers_hint(column)
    if n_words <= _FEW_LEVELS:
        return ""
    if how == "ordinal":
        return f"warning: column {column.name!r} holds words{hint}" if hint else ""
    if n_words <= _SELDOM * len(column.values):
        return ""
    return (
        f"warning: column {column.name!r} has {n_words} different words in"
        f" {len(column.values)} rows{hint}; --drop {column.name!r} leaves it out"
    )


def _numbers_hint(column: Column) -> str:
    """Return that most words are numbers in disguise, if so, as a part of a sentence."""
    assert column.levels is not None
    found = [match for word in column.levels if (match := _DRESSED_NUMBER.fullmatch(word))]
    units = {match["unit"] for match in found}
    if len(found) <= _MOSTLY * len(column.levels) or len(units) > _MOST_UNITS:
        return ""
    return (
        f" (most look like numbers with a unit, a percent sign or thousands separators, such as"
        f" {found[0].string!r}: plain numbers would be read as numbers)"
    )
