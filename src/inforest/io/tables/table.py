"""`Table`: features, target and what was done to them on the way from a file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest.io.tables.choices import Categories, Missing, checked
from inforest.io.tables.columns import Column, doubt_about_words, encode, read_column
from inforest.io.tables.files import CsvOptions, read_file, source_name
from inforest.io.tables.input_error import InputError

_SHOWN = 50
_NAMED = 5
#: Up to here floating point tells all whole numbers apart.
_LARGEST_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Table:
    """Features, their names, and the target.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features, in Fortran order.
    y : ndarray of shape (n_samples,)
        The target: numbers or labels.
    names : list of str
        The features' names.
    target : str
        The target's name.
    source : str
        The file's name.
    notices : tuple of str
        What was changed between the file and X, one sentence each.
    design : dict of str to ndarray of shape (n_samples,)
        Blocks, groups and events of the rows, as far as columns were named for them.

    """

    X: Floats
    y: NDArray[Any]
    names: list[str]
    target: str
    source: str
    notices: tuple[str, ...] = ()
    design: dict[str, NDArray[Any]] = field(default_factory=dict)


def read_table(
    path: str | Path,
    target: str,
    drop: Sequence[str] = (),
    *,
    missing: str = "error",
    categories: str = "one-hot",
    csv: CsvOptions | None = None,
    blocks: str | None = None,
    groups: str | None = None,
    event: str | None = None,
) -> Table:
    """Read features and target from a CSV, TSV, Parquet or Arrow file (needs pyarrow).

    Parameters
    ----------
    path : str or Path
        The file; its ending says what it is. A compressed file may add ".gz". "-" is standard
        input.
    target : str
        The column to explain by the others.
    drop : sequence of str, default=()
        Columns to leave out, such as identifiers. An entry with commas may name several.
    missing : {"error", "drop-rows", "drop-columns", "median"}, default="error"
        What to do about missing values: raise an error; leave out the rows, or the columns, that
        have any; put the column's median (words: the most frequent one) in their place. In all
        cases but the first, rows without a target are left out.
    categories : {"one-hot", "ordinal", "drop", "error"}, default="one-hot"
        What to do about columns of words: one column of 0 and 1 per word; one column with the
        words' places in alphabetical order; leave the column out; raise an error.
    csv : CsvOptions or None, default=None
        How a CSV file is written.
    blocks, groups : str or None, default=None
        The columns that say which block, or group, a row belongs to. They are no features.
    event : str or None, default=None
        The column that says whether the event happened at the time that the target is.

    Returns
    -------
    table : Table
        Features as numbers, the target as it is.

    """
    gaps = checked(Missing, "missing", missing)
    words = checked(Categories, "categories", categories)
    source = source_name(path)
    data = read_file(path, csv)
    named = {"blocks": blocks, "groups": groups, "event": event}
    aside = {option: name for option, name in named.items() if name is not None}
    dropped = _check_names(list(data.column_names), target, drop, aside, source)
    y = _target(data.column(target), target, source)
    columns = [
        read_column(data.column(j), name, source)
        for j, name in enumerate(data.column_names)
        if name != target and name not in dropped and name not in aside.values()
    ]
    notices = [f"left out as asked: {_named(sorted(dropped))}"] if dropped else []
    notices += _rounded(data, columns)
    columns, y, kept = _without_gaps(columns, y, gaps, target, source, notices)
    design = {
        option: _design(data.column(name), kept, option, name, source)
        for option, name in aside.items()
    }
    X, names = _numbers(columns, words, source, notices)
    _check_finite(X, y, names, target, source)
    return Table(X, np.asarray(y), names, target, source, tuple(notices), design)


def _check_names(
    columns: list[str], target: str, drop: Sequence[str], aside: dict[str, str], source: str
) -> set[str]:
    """Return the columns to leave out; raise an error if one is not there or nothing is left."""
    known = set(columns)
    if len(known) < len(columns):
        twice = next(name for name, count in Counter(columns).items() if count > 1)
        raise InputError(f"{source} has two columns of the same name: {twice!r}")
    dropped = {part for name in drop for part in ([name] if name in known else name.split(","))}
    for name in [target, *sorted(dropped), *aside.values()]:
        if name not in known:
            raise InputError(f"no column {name!r} in {source}; {_listed(columns, name)}")
    if target in dropped:
        raise InputError(f"the target {target!r} is among the columns to leave out")
    for option, name in aside.items():
        if name == target:
            raise InputError(f"the target {target!r} cannot say the {option} as well")
    if known == {target, *dropped, *aside.values()}:
        raise InputError(f"{source} has no column besides the target {target!r} to rank")
    return dropped


def _rounded(data: Any, columns: list[Column]) -> list[str]:
    """Return that whole numbers lost their last digits on the way to floating point, if so."""
    import pyarrow as pa

    names = [
        column.name
        for column in columns
        if pa.types.is_integer(data.schema.field(column.name).type)
        and (np.abs(column.values) > _LARGEST_EXACT).any()
    ]
    if not names:
        return []
    said = "warning: whole numbers beyond 2^53 are rounded; --drop leaves identifiers out:"
    return [f"{said} {_named(names)}"]


def _listed(columns: list[str], wanted: str) -> str:
    """Return the columns' names, those like the wanted one first."""
    alike = {name.casefold(): name for name in reversed(columns)}
    near = [alike[name] for name in get_close_matches(wanted.casefold(), list(alike), n=3)]
    names = near + [name for name in columns if name not in near]
    shown = ", ".join(map(repr, names[:_SHOWN]))
    rest = len(names) - _SHOWN
    listed = f"there are {shown}" + (f" and {rest} more" if rest > 0 else "")
    if all(name.replace(".", "").replace("-", "").isdigit() for name in columns):
        return f"the first line must hold the columns' names; {listed}"
    return f"did you mean {near[0]!r}? {listed[0].upper()}{listed[1:]}" if near else listed


def _target(data: Any, name: str, source: str) -> NDArray[Any]:
    """Return the target as numbers or words; nan or None where it is missing."""
    import pyarrow as pa

    if len(data) == 0:
        raise InputError(f"{source} has no rows")
    if pa.types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if pa.types.is_decimal(data.type):
        data = data.cast(pa.float64())
    is_number = pa.types.is_integer(data.type) or pa.types.is_floating(data.type)
    if is_number and not data.null_count:
        return data.to_numpy()
    accepted = pa.types.is_boolean, pa.types.is_string, pa.types.is_large_string
    if is_number or any(is_kind(data.type) for is_kind in accepted):
        return np.array(data.to_pylist(), dtype=object)
    raise InputError(
        f"the target {name!r} of {source} holds {data.type}, neither numbers nor words"
    )


def _design(
    data: Any, kept: NDArray[np.bool_], option: str, name: str, source: str
) -> NDArray[Any]:
    """Return which block, or group, each row that is left belongs to."""
    values = np.array(data.to_pylist(), dtype=object)[kept]
    n_missing = sum(value is None or value != value for value in values.tolist())
    if n_missing:
        raise InputError(
            f"the column {name!r} of {source}, which --{option} names, is missing in"
            f" {_rows(n_missing)}: fill it in, or leave these rows out"
        )
    return values


def _without_gaps(
    columns: list[Column],
    y: NDArray[Any],
    missing: Missing,
    target: str,
    source: str,
    notices: list[str],
) -> tuple[list[Column], NDArray[Any], NDArray[np.bool_]]:
    """Do about missing values what was asked, and note it; return also which rows are left."""
    untold = np.array([value is None or value != value for value in y.tolist()])
    gaps = {column.name: int(column.missing.sum()) for column in columns}
    gaps = {name: count for name, count in gaps.items() if count}
    if missing is Missing.error and (gaps or untold.any()):
        raise InputError(_gap_error(gaps, int(untold.sum()), target, source))
    kept = ~untold
    if untold.any():
        notices.append(f"{_rows(untold.sum())} without a target {_were(untold.sum())} left out")
    if missing is Missing.drop_rows and gaps:
        incomplete = np.zeros(len(y), dtype=bool)
        for column in columns:
            incomplete |= column.missing
        incomplete &= kept
        kept &= ~incomplete
        notices.append(
            f"{_rows(incomplete.sum())} with missing values {_were(incomplete.sum())} left out"
        )
    if not kept.any():
        raise InputError(f"no row of {source} is complete: try --missing median or drop-columns")
    columns = [column.rows(kept) for column in columns] if not kept.all() else columns
    if missing is Missing.drop_columns and gaps:
        notices.append(f"columns with missing values were left out: {_named(list(gaps))}")
        columns = [column for column in columns if column.name not in gaps]
        if not columns:
            raise InputError(f"every column of {source} has missing values: try --missing median")
    if missing is Missing.median:
        columns = _filled(columns, notices)
    # Words and truth values come as objects, because they might have been None.
    y = y[kept]
    return columns, np.array(y.tolist()) if y.dtype == object else y, kept


def _filled(columns: list[Column], notices: list[str]) -> list[Column]:
    """Return columns without gaps; a column of gaps alone is left out."""
    empty = [column.name for column in columns if column.missing.all()]
    if empty:
        notices.append(f"columns without any value were left out: {_named(empty)}")
    holed = [
        f"{column.name} ({column.missing.sum()})"
        for column in columns
        if column.missing.any() and column.name not in empty
    ]
    if holed:
        notices.append(
            "missing values were replaced by the column's median (words: the most frequent one):"
            f" {_named(holed, quote=False)}"
        )
    return [column.filled() for column in columns if column.name not in empty]


def _gap_error(gaps: dict[str, int], n_untold: int, target: str, source: str) -> str:
    parts = []
    if n_untold:
        parts.append(f"the target {target!r} ({n_untold})")
    if gaps:
        counted = [f"{name!r} ({count})" for name, count in gaps.items()]
        parts.append(_named(counted, quote=False))
    return (
        f"missing values in {source}: {', '.join(parts)}; say --missing drop-rows, drop-columns or"
        " median"
    )


def _numbers(
    columns: list[Column], categories: Categories, source: str, notices: list[str]
) -> tuple[Floats, list[str]]:
    """Return the matrix of features and its names; words become numbers as asked."""
    words = [column.name for column in columns if column.levels is not None]
    if words and categories is Categories.error:
        raise InputError(
            f"columns of words in {source}: {_named(words)}; say --categories one-hot, ordinal or"
            " drop"
        )
    names: list[str] = []
    arrays: list[Floats] = []
    for column in columns:
        if column.levels is None:
            names.append(column.name)
            arrays.append(column.values)
        elif categories is not Categories.drop:
            more_names, more_arrays = encode(column, categories, source)
            doubt = doubt_about_words(column, categories)
            notices += [doubt] if doubt else []
            names += more_names
            arrays += more_arrays
    if not names:
        raise InputError(f"{source} has no column of numbers besides the target")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{source} has a column {twice[0]!r}, and a word of another column would get the same"
            " name: rename it, or say --categories ordinal"
        )
    if words:
        notices.append(_words_notice(words, categories, len(names) - len(columns) + len(words)))
    X = np.empty((len(arrays[0]), len(arrays)), order="F")
    for j, values in enumerate(arrays):
        X[:, j] = values
    return X, names


def _check_finite(X: Floats, y: NDArray[Any], names: list[str], target: str, source: str) -> None:
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError(f"the target {target!r} of {source} holds infinite numbers")
    for name, column in zip(names, X.T, strict=True):
        if not np.isfinite(column).all():
            raise InputError(
                f"column {name!r} of {source} holds infinite numbers: leave it out with --drop"
                f" {name!r}, or say --na inf if they mean 'missing'"
            )


def _words_notice(words: list[str], categories: Categories, n_made: int) -> str:
    what = {
        Categories.one_hot: f"became {n_made} columns of 0 and 1, one per word",
        Categories.ordinal: "were numbered in alphabetical order",
        Categories.drop: "were left out",
    }[categories]
    return f"columns of words {what}: {_named(words)} (--categories {categories})"


def _named(names: list[str], quote: bool = True) -> str:
    shown = ", ".join(repr(name) if quote else name for name in names[:_NAMED])
    rest = len(names) - _NAMED
    return shown + (f" and {rest} more" if rest > 0 else "")


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
