"""The command `inforest bench show`: tables of the report on the terminal."""

import sys
from difflib import get_close_matches
from typing import Annotated

import typer

from inforest_study.errors import one_line_errors
from inforest_study.report_command import ResultFolders, StoreFolders, read_study
from inforest_study.table import Table


def show(
    keys: Annotated[
        list[str] | None, typer.Argument(help="Tables to show; none lists their names.")
    ] = None,
    store: StoreFolders = None,
    results: ResultFolders = None,
) -> None:
    """Show tables of the study next to the paper's numbers, without writing files."""
    with one_line_errors():
        from inforest_study.analysis import Analysis
        from inforest_study.tables import sections
        from inforest_study.tables.words import counted

        parts = sections(Analysis(read_study(store, results)[0]))
        tables = {table.key: table for part in parts for table in part.tables}
        for key in keys or []:
            if key not in tables:
                near = get_close_matches(key, tables, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"a table must be one of {', '.join(tables)}; got {key!r}{hint}")
        if not keys:
            for table in tables.values():
                size = counted(table.rows, "row") if table.rows else "nothing yet"
                typer.echo(f"{table.key:25s} {size:12s} {table.title}")
        for key in keys or []:
            _print(tables[key])


def _print(table: Table) -> None:
    """Draw the table on a terminal, else print it as Markdown."""
    if not sys.stdout.isatty():
        from inforest_study.render.text import to_markdown

        typer.echo(to_markdown(table))
        return
    from rich.console import Console

    from inforest_study.render.terminal import to_rich

    Console().print(to_rich(table))
