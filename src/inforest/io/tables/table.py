"""`Table`: features, target and what was done to them on the way from a file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.features import Encoded, Features
from inforest._engine.screen import reason_to_leave_out, what_to_know
from inforest.io.tables.choices import Missing
from inforest.io.tables.columns import LeftOutError, ReadColumn, missing_counts, read_column
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
    X : Encoded
        The features: what they are, and their numbers. `fit` takes it.
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

    X: Any
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
    missing: str = "incorporate",
    categorical: Sequence[str] = (),
    drop_rows: bool = False,
    csv: CsvOptions | None = None,
    blocks: str | None = None,
    groups: str | None = None,
    event: str | None = None,
    keep: Sequence[str] = (),
) -> Table:
    """Read features and target from a CSV, TSV, Parquet or Arrow file (needs pyarrow).

    Columns of words are categories, and missing values stay missing. Rows without a target are
    left out, and so are columns that cannot be features, such as free text; notices name them.

    Parameters
    ----------
    path : str or Path
        The file; its ending says what it is. A compressed file may add ".gz". "-" is standard
        input.
    target : str
        The column to explain by the others.
    drop : sequence of str, default=()
        Columns to leave out, such as identifiers. An entry with commas may name several.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        "error" refuses missing values; the others are for the methods that come after.
    categorical : sequence of str, default=()
        Columns that are categories whatever their type is, such as codes.
    drop_rows : bool, default=False
        Whether to leave out the rows with missing values.
    csv : CsvOptions or None, default=None
        How a CSV file is written.
    blocks, groups : str or None, default=None
        The columns that say which block, or group, a row belongs to. They are no features.
    event : str or None, default=None
        The column that says whether the event happened at the time that the target is.
    keep : sequence of str, default=()
        Columns that stay although they look like row numbers or identifiers, which are left out.

    Returns
    -------
    table : Table
        Features with what they mean, the target as it is.

    """
    source = source_name(path)
    data = read_file(path, csv)
    named = {"blocks": blocks, "groups": groups, "event": event}
    aside = {option: name for option, name in named.items() if name is not None}
    chosen = _listed_names(categorical, set(data.column_names))
    wanted = _listed_names(keep, set(data.column_names))
    dropped = _check_names(list(data.column_names), target, drop, aside, chosen | wanted, source)
    y = _target(data.column(target), target, source)
    notices = [f"left out as asked: {_named(sorted(dropped))}"] if dropped else []
    places = [
        j
        for j, name in enumerate(data.column_names)
        if name != target and name not in dropped and name not in aside.values()
    ]
    columns = _columns(data, places, chosen, source, notices)
    columns = _screened(columns, wanted, target, source, notices)
    notices += _rounded(data, columns)
    is_missing = np.array([value is None or value != value for value in y.tolist()])
    gaps = missing_counts(columns)
    refuses = missing == Missing.error and bool(gaps or is_missing.any())
    if refuses and not drop_rows:
        raise InputError(_gap_error(gaps, int(is_missing.sum()), target, source))
    kept = _kept_rows(columns, is_missing, source, notices, drop_rows=drop_rows)
    design = {
        option: _design(data.column(name), kept, option, name, source)
        for option, name in aside.items()
    }
    y = y[kept]
    # Words and truth values come as objects, because they might have been None.
    y = np.array(y.tolist()) if y.dtype == object else y
    X = _encoded(columns, kept)
    _check_finite(X, y, target, source)
    names = [column.name for column in columns]
    notices += what_to_know(names, list(X.values.T), list(X.features.n_levels > 0))
    return Table(X, y, names, target, source, tuple(notices), design)


def _columns(
    data: Any, places: list[int], chosen: set[str], source: str, notices: list[str]
) -> list[ReadColumn]:
    """Read the columns; say which ones are left out, and what is to say about the others."""
    columns: list[ReadColumn] = []
    problems: list[str] = []
    for j in places:
        name = data.column_names[j]
        try:
            columns.append(read_column(data.column(j), name, source, is_chosen=name in chosen))
        except LeftOutError as error:
            notices.append(f"left out: {name!r}, because {error}")
        except InputError as error:
            problems.append(str(error))
    if problems:  # all of them at once: each would otherwise cost a run
        raise InputError("; ".join(problems))
    if not columns:
        reasons = "; ".join(notice.removeprefix("left out: ") for notice in notices[-_NAMED:])
        raise InputError(f"{source} has no column that could be a feature: {reasons}")
    for notice in dict.fromkeys(column.notice for column in columns if column.notice):
        about = [column.name for column in columns if column.notice == notice]
        notices.append(f"{_named(about)}: {notice}")
    return columns


def _screened(
    columns: list[ReadColumn], wanted: set[str], target: str, source: str, notices: list[str]
) -> list[ReadColumn]:
    """Leave out row numbers and identifiers, unless they are wanted."""
    reasons = {
        j: why
        for j, column in enumerate(columns)
        if column.feature is None
        and column.name not in wanted
        and (why := reason_to_leave_out(column.name, column.values))
    }
    for j, why in reasons.items():
        name = columns[j].name
        notices.append(f"left out: {name!r}, because {why}; --keep {name!r} keeps it")
    kept = [column for j, column in enumerate(columns) if j not in reasons]
    if not kept:
        names = ", ".join(f"{columns[j].name!r} ({why})" for j, why in reasons.items())
        raise InputError(f"{source} has no column that could explain {target!r}: {names}")
    return kept


def _encoded(columns: list[ReadColumn], kept: NDArray[np.bool_]) -> Encoded:
    X = np.empty((int(kept.sum()), len(columns)), order="F")
    for j, column in enumerate(columns):
        X[:, j] = column.values[kept]
    special = {j: column.feature for j, column in enumerate(columns) if column.feature is not None}
    return Encoded(Features(len(columns), special, tuple(column.name for column in columns)), X)


def _kept_rows(
    columns: list[ReadColumn],
    is_missing: NDArray[np.bool_],
    source: str,
    notices: list[str],
    *,
    drop_rows: bool,
) -> NDArray[np.bool_]:
    """Return which rows are left: those with a target, and, if asked for, without gaps."""
    kept = ~is_missing
    if is_missing.any():
        n = is_missing.sum()
        notices.append(f"{_rows(n)} without a target {_were(n)} left out")
    if drop_rows:
        incomplete = kept & np.any([np.isnan(column.values) for column in columns], axis=0)
        kept &= ~incomplete
        if incomplete.any():
            n = incomplete.sum()
            notices.append(f"{_rows(n)} with missing values {_were(n)} left out")
    if not kept.any():
        what = "is complete: leave --drop-rows out" if drop_rows else "has a target"
        raise InputError(f"no row of {source} {what}")
    return kept


def _listed_names(names: Sequence[str], known: set[str]) -> set[str]:
    """Return names of which one with commas may be several."""
    return {part for name in names for part in ([name] if name in known else name.split(","))}


def _check_names(
    columns: list[str],
    target: str,
    drop: Sequence[str],
    aside: dict[str, str],
    chosen: set[str],
    source: str,
) -> set[str]:
    """Return the columns to leave out; raise an error if one is not there or nothing is left."""
    known = set(columns)
    if len(known) < len(columns):
        twice = next(name for name, count in Counter(columns).items() if count > 1)
        raise InputError(f"{source} has two columns of the same name: {twice!r}")
    dropped = _listed_names(drop, known)
    wanted = dict.fromkeys([target, *sorted(dropped), *aside.values(), *sorted(chosen)])
    absent = [name for name in wanted if name not in known]
    if absent:
        shown = ", ".join(map(repr, absent))
        raise InputError(f"no column {shown} in {source}; {_listed(columns, absent[0])}")
    if target in dropped:
        raise InputError(f"the target {target!r} is among the columns to leave out")
    for option, name in aside.items():
        if name == target:
            raise InputError(f"the target {target!r} cannot say the {option} as well")
    if known == {target, *dropped, *aside.values()}:
        raise InputError(f"{source} has no column besides the target {target!r} to rank")
    return dropped


def _rounded(data: Any, columns: list[ReadColumn]) -> list[str]:
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


def _gap_error(gaps: dict[str, int], n_untold: int, target: str, source: str) -> str:
    parts = []
    if n_untold:
        parts.append(f"the target {target!r} ({n_untold})")
    if gaps:
        counted = [f"{name!r} ({count})" for name, count in gaps.items()]
        parts.append(_named(counted, quote=False))
    return (
        f"missing values in {source}: {', '.join(parts)}; say --missing incorporate or ignore, or"
        " --drop-rows"
    )


def _check_finite(X: Encoded, y: NDArray[Any], target: str, source: str) -> None:
    problems = []
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        problems.append(f"the target {target!r} of {source} holds infinite numbers")
    named = zip(X.features.names or (), X.values.T, strict=True)
    infinite = [name for name, column in named if np.isinf(column).any()]
    if infinite:
        what, it = ("column", "it") if len(infinite) == 1 else ("columns", "them")
        problems.append(
            f"{what} {_named(infinite)} of {source} {'hold' if it == 'them' else 'holds'} infinite"
            f" numbers: leave {it} out with --drop {','.join(infinite)!r}, or say --na inf if they"
            " mean 'missing'"
        )
    if problems:
        raise InputError("; ".join(problems))


def _named(names: list[str], quote: bool = True) -> str:
    shown = ", ".join(repr(name) if quote else name for name in names[:_NAMED])
    rest = len(names) - _NAMED
    return shown + (f" and {rest} more" if rest > 0 else "")


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
