"""Rows of a result: a table for people, CSV or JSON for programs."""

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inforest._engine.printable import printable
from inforest._engine.whole_file import check_output, write_whole
from inforest.cli.choices import Format
from inforest.io.tables.input_error import InputError

#: What a cell begins with that spreadsheets compute.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def find_format(asked: Format | None, out: Path | None) -> Format:
    """Return what was asked for, what the file's ending says, or what the reader can use."""
    if out is not None:
        ending = out.suffix.lower().lstrip(".")
        if asked is None and ending not in ("csv", "json"):
            raise InputError(f"--out must end in .csv or .json; got {out.name!r}")
        if asked is Format.table:
            raise InputError("--format table is for terminals; --out takes csv or json")
        if asked is not None and ending in ("csv", "json") and ending != asked.value:
            raise InputError(f"--out {out.name} and --format {asked.value} contradict each other")
        check_file(out, "--out")
        return asked or Format(ending)
    if sys.stdout is None:
        raise InputError("standard output is closed: --out FILE writes to a file")
    if asked is not None:
        return asked
    return Format.table if sys.stdout.isatty() else Format.csv


def is_watched() -> bool:
    """Whether somebody sees standard error, who would like to see progress."""
    return sys.stderr is not None and sys.stderr.isatty()


def check_file(path: Path, option: str, **others: str | Path | None) -> None:
    """Raise an error before the long work if the file cannot be written after it.

    `others` are files that it must not be, by the names of their options.
    """
    check_name(path, option)
    if not path.parent.is_dir():
        raise InputError(f"{option}: there is no folder {path.parent}")
    try:
        check_output(path)
    except OSError as error:
        raise InputError(f"{option}: {error}") from error
    for other, name in others.items():
        if name is not None and _is_same(path, Path(name)):
            raise InputError(f"{option} and {other} are the same file, {path}")


def check_name(path: str | Path, option: str) -> None:
    """Refuse a name that no report and no message could show."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{option}: the name {str(path)!r} is not UTF-8; rename it") from None


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (
        one.exists() and other.exists() and one.samefile(other)
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say that a file cannot be written, if so: a full disk or a lack of rights is no bug."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


@contextmanager
def printing() -> Iterator[None]:
    """Say that standard output cannot be written, if so, unless its reader has enough."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"standard output cannot be written: {error.strerror}") from error


def as_text(rows: Sequence[dict[str, Any]], kind: Format, *, defused: bool = False) -> str:
    """Return rows of plain values as CSV with a header, or as a JSON list of objects."""
    if kind is Format.json:
        return json.dumps(rows, indent=1) + "\n"
    if defused:
        rows = [row | {"feature": _without_formula(row["feature"])} for row in rows]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _without_formula(name: str) -> str:
    """Return a name that a spreadsheet takes for text: a quote stands before the others."""
    return f"'{name}" if name[:1] in _FORMULA else name


def write(
    rows: Sequence[dict[str, Any]],
    kind: Format,
    out: Path | None,
    top: int | None,
    as_table: Callable[[Sequence[dict[str, Any]]], Any],
    *,
    defused: bool = False,
) -> None:
    """Write the best rows to the file, or to standard output.

    `as_table` makes a `rich.table.Table` of the rows to show. `defused` names start no formula.
    """
    shown = rows[:top]
    if kind is Format.table or (out is None and sys.stdout.isatty()):  # files get them as they are
        shown = [row | {"feature": printable(row["feature"])} for row in shown]
    if kind is Format.table:
        from rich.console import Console

        with printing():
            Console().print(as_table(shown))
    elif out is None:
        with printing():
            sys.stdout.write(as_text(shown, kind, defused=defused))
            sys.stdout.flush()
    else:
        with writing(out):
            write_whole(out, as_text(shown, kind, defused=defused).encode())
