"""One column of a file as a feature, or why it is left out."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from inforest._engine.arrays import Floats
from inforest._engine.columns import UnknownTypeError, of_arrow
from inforest._engine.feature import FEW_LEVELS, Feature, RefusedColumnError, learn
from inforest.io.tables.input_error import InputError

#: A number with thousands separators, a percent sign or a unit, such as "1,028.5" or "0.12 mg".
_DRESSED_NUMBER = re.compile(
    r"[-+<>]?\s*(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:[.,]\d+)?\s*(?P<unit>[^\d\s,.'-]\S{0,9})?"
)
_MOST_UNITS = 3
#: Share of the distinct words that read as numbers from which the column is taken for numbers.
_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column as it was read.

    Attributes
    ----------
    name : str
        Its name.
    values : ndarray of float
        The numbers that stand for its values; nan where missing.
    feature : Feature or None
        What it is; None: a number.
    notice : str
        What to say about it, if anything.

    """

    name: str
    values: Floats
    feature: Feature | None = None
    notice: str = ""


class LeftOutError(Exception):
    """A column that is left out, and why."""


def read_column(data: Any, name: str, source: str, *, is_chosen: bool = False) -> ReadColumn:
    """Read an Arrow column; words that are numbers become numbers, others are a category.

    Parameters
    ----------
    data : pyarrow.ChunkedArray
        The column.
    name : str
        Its name.
    source : str
        The file's name, for error messages.
    is_chosen : bool, default=False
        Whether it was named as a category.

    Returns
    -------
    column : ReadColumn
        What it is, and its numbers.

    """
    if not is_chosen:
        data = _as_numbers(data, name, source)
    try:
        feature, values, notice = learn(of_arrow(data), is_chosen=is_chosen, by_type=True)
    except UnknownTypeError as error:
        raise LeftOutError(f"it {error}") from None
    except RefusedColumnError as error:
        reason = str(error).partition(". ")[0]
        hint = _numbers_hint(data.drop_null().unique().to_pylist())
        raise LeftOutError(f"it {reason}{hint}; --categorical {name!r} keeps it") from None
    if feature is not None and feature.is_category and len(feature.levels) > FEW_LEVELS:
        hint = _numbers_hint(feature.levels)
        notice = f"warning: it is a category{hint}" if hint else notice
    return ReadColumn(name, values, feature, notice)


def _as_numbers(data: Any, name: str, source: str) -> Any:
    """Return numbers that were written as text as numbers, all else as it is."""
    import pyarrow as pa

    kind = data.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return data
    words = data.drop_null().unique().to_pylist()
    text = [word for word in words if not _is_number(word)]
    if words and not text:
        numbers = [None if word is None else float(word) for word in data.to_pylist()]
        return pa.chunked_array([pa.array(numbers, pa.float64())])
    if len(words) - len(text) > _MOSTLY * len(words):
        raise InputError(
            f"column {name!r} of {source} holds numbers and the text {text[0]!r}: if that means"
            f" 'missing', say --na {text[0]!r}; if it is a category, --categorical {name!r}; else"
            f" leave the column out with --drop {name!r}"
        )
    if words and all("," in word and _is_number(word.replace(",", ".")) for word in words):
        raise InputError(
            f"column {name!r} of {source} holds numbers such as {words[0]!r}: say --decimal ','"
        )
    return data


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _numbers_hint(levels: Any) -> str:
    """Return that most words are numbers in disguise, if so, as a part of a sentence."""
    words = [level for level in levels if isinstance(level, str)]
    found = [match for word in words if (match := _DRESSED_NUMBER.fullmatch(word))]
    units = {match["unit"] for match in found}
    if len(found) <= _MOSTLY * len(levels) or len(units) > _MOST_UNITS:
        return ""
    return (
        " (most of its words look like numbers with a unit, a percent sign or thousands separators,"
        f" such as {found[0].string!r}: plain numbers would be read as numbers)"
    )


def missing_counts(columns: list[ReadColumn]) -> dict[str, int]:
    """Return how many values are missing, of the columns where any is."""
    counts = {column.name: int(np.isnan(column.values).sum()) for column in columns}
    return {name: count for name, count in counts.items() if count}
