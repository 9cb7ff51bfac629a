"""`Feature`: what one column means, where it is no plain number, and the numbers for its values."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.columns import MOMENTS, Column, UnknownTypeError, is_missing

#: So few different words are a category, however few the rows are.
FEW_LEVELS = 10
#: Different words per row from which hardly any comes back.
NEARLY_UNIQUE = 0.5
#: Characters of a word from which it looks like a text.
_LONG = 40
_DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")
_SECOND = 1e6
KINDS = CATEGORY, ORDERED, DATE, DURATION = "category", "ordered", "date", "duration"
_DATES = "dates became numbers, days since 1970-01-01"
_DURATIONS = "durations became numbers, seconds"


class RefusedColumnError(ValueError):
    """A column that cannot be a feature as it is."""

    def of(self, column: str) -> Self:
        """Return the same about this column."""
        return type(self)(f"X: {column} {self}")


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature that is no plain number.

    Attributes
    ----------
    kind : {"category", "ordered", "date", "duration"}
        What it is. To the engine, all but the first are numbers.
    levels : tuple
        The levels of a category, as plain Python values: strings and numbers.
    places : ndarray of shape (n_levels,)
        The number that stands for each level: its code, or its place in the order.

    """

    kind: str
    levels: tuple[Any, ...] = ()
    places: Floats | None = None

    @property
    def is_category(self) -> bool:
        """Whether the engine sees a category."""
        return self.kind == CATEGORY


def learn(column: Column, *, is_chosen: bool, by_type: bool) -> tuple[Feature | None, Floats, str]:
    """Return what a column is, None for a plain number, its numbers, and what to say about it.

    Parameters
    ----------
    column : Column
        As it came.
    is_chosen : bool
        Whether it was named as a category.
    by_type : bool
        Whether its type may say that it is one.

    Returns
    -------
    feature : Feature or None
        What it is.
    values : ndarray of shape (n_samples,)
        The numbers that stand for its values.
    notice : str
        A sentence about it, or nothing.

    """
    if column.levels is not None and column.is_ordered and not is_chosen:
        return _ordered(column)
    if is_chosen or (column.levels is not None and by_type):
        return _category(*_levelled(column))
    sort = Sort.NUMBERS if column.levels is not None else sort_of(column)
    if sort is Sort.EMPTY and by_type:
        # Objects that are all missing, as a part of the rows may have them: the other rows may hold
        # anything, and no level of it was there.
        return _category(*_levelled(column))
    if sort is Sort.WORDS and by_type:
        codes, levels = _levelled(column)
        reason = doubt_about_words(codes, levels)
        if reason:
            raise RefusedColumnError(f"{reason}. Leave it out, or name it in categorical_features.")
        return _category(codes, levels)
    feature = {Sort.DATES: Feature(DATE), Sort.DURATIONS: Feature(DURATION)}.get(sort)
    notice = {Sort.DATES: _DATES, Sort.DURATIONS: _DURATIONS}.get(sort, "")
    return feature, numbers(column, feature), notice


def numbers(column: Column, feature: Feature | None) -> Floats:
    """Return the numbers that stand for a column's values, given what it is; nan where missing."""
    if feature is not None and feature.places is not None:
        codes, levels = _levelled(column)
        _check_levels([levels[code] for code in np.unique(codes[codes >= 0])], feature.levels)
        place = dict(zip(feature.levels, feature.places.tolist(), strict=True))
        return _looked_up(codes, [place.get(level, np.nan) for level in levels])
    wanted = Sort.NUMBERS if feature is None else Sort(feature.kind)
    if column.levels is not None:
        column = Column(_objects_of(column))
    sort = sort_of(column)
    if sort is Sort.NUMBERS and wanted is not sort and np.isnan(column.values).all():
        return column.values
    if sort not in (wanted, Sort.EMPTY):
        if sort is not Sort.WORDS or wanted is not Sort.NUMBERS:
            raise RefusedColumnError(f"holds {_SORTS[sort]}, and must hold {_SORTS[wanted]}.")
        return _mapped(column.values, _number_in_words)
    if column.values.dtype.kind == "f":
        return column.values
    if column.values.dtype.kind in MOMENTS:
        return _ticks(column.values, wanted)
    if wanted is Sort.NUMBERS:
        return _mapped(column.values, float)
    return _mapped(column.values, lambda value: _ticks(_moment(value), wanted))


def _check_levels(levels: list[Any], known: Sequence[Any]) -> None:
    """Refuse numbers where the levels are words, and words where they are numbers."""
    sort, wanted = sort_of_values(levels), sort_of_values(known)
    if Sort.EMPTY not in (sort, wanted) and sort is not wanted:
        raise RefusedColumnError(
            f"holds {_SORTS[sort]}, such as {_short(levels[0])}, and must hold {_SORTS[wanted]} as"
            f" in fit, such as {_short(known[0])}."
        )


class Sort(Enum):
    """What the values of a column are."""

    NUMBERS = "number"
    WORDS = "words"
    DATES = DATE
    DURATIONS = DURATION
    EMPTY = "nothing"


_SORTS = {
    Sort.NUMBERS: "numbers",
    Sort.WORDS: "words",
    Sort.DATES: "dates",
    Sort.DURATIONS: "durations",
}


def doubt_about_words(codes: NDArray[Any], levels: Sequence[Any]) -> str:
    """Return why words look like no category: hardly any comes back; nothing if they do."""
    n_rows, n_levels = int((codes >= 0).sum()), len(levels)
    if n_levels <= max(FEW_LEVELS, NEARLY_UNIQUE * n_rows):
        return ""
    length = np.mean([len(str(level)) for level in levels])
    what = "free text" if length > _LONG else "an identifier or free text"
    return (
        f"holds {n_levels:,} different words in {n_rows:,} rows, such as {_short(levels[0])}, which"
        f" looks like {what}"
    )


def _ordered(column: Column) -> tuple[Feature | None, Floats, str]:
    """Read a category whose order has a meaning: as its numbers, else as places in the order."""
    codes, levels = _levelled(column)
    if sort_of_values(levels) is Sort.NUMBERS:
        return None, _looked_up(codes, [float(level) for level in levels]), ""
    # Levels that are not there take no place, so that adding them changes nothing; one that comes
    # later stands between its neighbours.
    is_used = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    before: NDArray[np.intp] = np.cumsum(is_used) - is_used
    places = np.where(is_used, before, before - 0.5)
    return Feature(ORDERED, tuple(levels), places), _looked_up(codes, places), ""


def _category(codes: NDArray[Any], levels: list[Any]) -> tuple[Feature, Floats, str]:
    """Read a category: its levels that are there, sorted, so that their own order is nothing."""
    sort_of_values(levels)  # or an error
    is_used = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    used = tuple(sorted({level for level, there in zip(levels, is_used, strict=True) if there}))
    place = {level: float(j) for j, level in enumerate(used)}
    values = _looked_up(codes, [place.get(level, np.nan) for level in levels])
    notice = ""
    if len(used) > FEW_LEVELS and len(used) >= (codes >= 0).sum():
        notice = (
            "a category with as many levels as rows, in which nothing comes back, says nothing:"
            " leave it out, or join levels"
        )
    return Feature(CATEGORY, used, np.arange(float(len(used)))), values, notice


def _levelled(column: Column) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the place of each value among the distinct ones, -1 if missing, and these."""
    if column.levels is not None:
        return column.values.astype(np.int64), [_plain(level) for level in column.levels]
    values = column.values
    if values.dtype.kind in "f" + MOMENTS:
        found, codes = np.unique(values, return_inverse=True)
        is_gap = np.isnan(found) if found.dtype.kind == "f" else np.isnat(found)
        kept: Iterable[Any] = found[~is_gap].tolist() if found.dtype.kind == "f" else found[~is_gap]
        return np.where(is_gap[codes], -1, codes), [_plain(level) for level in kept]
    distinct = _distinct(values)
    sort_of_values(distinct)  # or an error, before sorting fails
    plain = {value: _plain(value) for value in distinct}
    levels = sorted(set(plain.values()))
    place = {level: j for j, level in enumerate(levels)}
    code = {value: place[level] for value, level in plain.items()}
    return np.array([code.get(value, -1) for value in values.tolist()], dtype=np.int64), levels


def sort_of(column: Column) -> Sort:
    """Return what the values of a column without levels are; refuse a mixture."""
    kind = column.values.dtype.kind
    if kind == "f":
        return Sort.NUMBERS
    if kind in MOMENTS:
        return Sort.DATES if kind == "M" else Sort.DURATIONS
    return sort_of_values(_distinct(column.values))


def sort_of_values(values: Iterable[Any]) -> Sort:
    """Return what distinct values are, all of them; refuse a mixture."""
    found: dict[Sort, Any] = {}
    for value in values:
        found.setdefault(_sort_of_value(value), value)
    if not found:
        return Sort.EMPTY
    if len(found) > 1:
        (one, first), (other, second) = list(found.items())[:2]
        raise RefusedColumnError(
            f"mixes {_SORTS[one]} and {_SORTS[other]}, such as {_short(first)} and"
            f" {_short(second)}: make it one or the other."
        )
    return next(iter(found))


# Nearly all values are of these, and asking for abstract types takes its time.
_COMMON = {str: Sort.WORDS, int: Sort.NUMBERS, float: Sort.NUMBERS, bool: Sort.NUMBERS}


def _sort_of_value(value: Any) -> Sort:
    common = _COMMON.get(type(value))
    if common is not None:
        return common
    if isinstance(value, str):
        return Sort.WORDS
    if isinstance(value, (Real, Decimal, np.bool_)):
        return Sort.NUMBERS
    if isinstance(value, (date, np.datetime64)):
        return Sort.DATES
    if isinstance(value, (timedelta, np.timedelta64)):
        return Sort.DURATIONS
    raise UnknownTypeError(f"holds {_short(value)}, of type {type(value).__name__}")


def _distinct(values: NDArray[Any]) -> list[Any]:
    """Return the distinct objects, in the order in which they are met, without missing ones."""
    try:
        return [value for value in dict.fromkeys(values.tolist()) if not is_missing(value)]
    except TypeError:
        strange = next(value for value in values.tolist() if not isinstance(value, Hashable))
        raise UnknownTypeError(
            f"holds {_short(strange)}, of type {type(strange).__name__}"
        ) from None


def _mapped(values: NDArray[Any], to_number: Callable[[Any], float]) -> Floats:
    """Return the number of each object, nan where missing."""
    number = {value: float(to_number(value)) for value in _distinct(values)}
    return np.array([number.get(value, np.nan) for value in values.tolist()], dtype=np.float64)


def _looked_up(codes: NDArray[Any], places: Sequence[float] | Floats) -> Floats:
    """Return the number of each code, nan for -1."""
    return np.append(np.asarray(places, dtype=np.float64), np.nan)[codes]


def _objects_of(column: Column) -> NDArray[Any]:
    """Return the levels themselves in place of their codes."""
    assert column.levels is not None
    levels = np.empty(len(column.levels) + 1, dtype=object)
    levels[:-1] = [_plain(level) for level in column.levels]
    return levels[column.values]


def _ticks(moments: Any, sort: Sort) -> Any:
    """Return days since 1970 of dates, seconds of durations; nan where missing."""
    unit = "datetime64[us]" if sort is Sort.DATES else "timedelta64[us]"
    whole = np.asarray(moments).astype(unit)
    ticks = whole.astype(np.int64) / (_DAY if sort is Sort.DATES else _SECOND)
    return np.where(np.isnat(whole), np.nan, ticks)


def _moment(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value) if isinstance(value, date) else np.timedelta64(value)


def _number_in_words(word: str) -> float:
    try:
        return float(word)
    except ValueError as error:
        raise RefusedColumnError(
            f"holds words, and is not taken for a category: {error}. Name the column in"
            " categorical_features, or give it a type for categories in a data frame and leave"
            ' categorical_features at "from_dtype", or leave the column out.'
        ) from None


def _plain(level: Any) -> Any:
    """Return a level as a string or a number, so that files can keep it."""
    if type(level) is float:
        return int(level) if level.is_integer() else level
    if isinstance(level, np.generic):
        level = level.item()
    if isinstance(level, (str, bool, int)):
        return level
    if isinstance(level, (Real, Decimal)):
        number = float(level)
        return int(number) if number.is_integer() else number
    return str(level)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _LONG else shown[: _LONG - 3] + "..."
