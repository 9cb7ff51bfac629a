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

import typer

from inforest.cli.choices import Format
from inforest.io.tables.input_error import InputError


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
        check_folder(out, "--out")
        return asked or Format(ending)
    if asked is not None:
        return asked
    return Format.table if sys.stdout.isatty() else Format.csv


def check_folder(path: Path, option: str) -> None:
    """Raise an error before the long work if the file cannot be written after it."""
    if not path.parent.is_dir():
        raise InputError(f"{option}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder, not a file")


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


def as_text(rows: Sequence[dict[str, Any]], kind: Format) -> str:
    """Return rows of plain values as CSV with a header, or as a JSON list of objects."""
    if kind is Format.json:
        return json.dumps(rows, indent=1) + "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def write(
    rows: Sequence[dict[str, Any]],
    kind: Format,
    out: Path | None,
    top: int | None,
    as_table: Callable[[Sequence[dict[str, Any]]], Any],
) -> None:
    """Write the best rows to the file, or to standard output.

    `as_table` makes a `rich.table.Table` of the rows to show.
    """
    shown = rows[:top]
    if kind is Format.table:
        from rich.console import Console

        with printing():
            Console().print(as_table(shown))
    elif out is None:
        with printing():
            typer.echo(as_text(shown, kind), nl=False)
    else:
        with writing(out):
            out.write_text(as_text(shown, kind), encoding="utf-8")
