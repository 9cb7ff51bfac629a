"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from inforest.cli.choices import Format, Task
from inforest.io.tables.choices import Missing

_READING = "Reading the table"
_WRITING = "Writing the result"
_MOST_JOBS = 10_000

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, Parquet or Arrow file, also with .gz; - reads standard input.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None, typer.Option(help="Column to explain by the others.", show_default=False)
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Instead of --target, of survival data: column with the time of the event, or of the"
        " last look; with --event.",
        show_default=False,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column that says whether the event happened at that time (1, true) or not (0, false):"
        " censored. Other codes: COL=CODE, as in status=2.",
        show_default=False,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="LOWEST,...,HIGHEST",
        help="The classes of the target from the lowest to the highest: ordered classes.",
        show_default=False,
    ),
]
TaskOption = Annotated[
    Task, typer.Option(help="What the target is; auto: regression if it holds fractions or more"
                       " than 20 different numbers.")
]  # fmt: skip
Blocks = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the block of each row (centre, batch, matched pair), no feature: the"
        " target is shuffled inside blocks only.",
        rich_help_panel=_READING,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column with the group of each row (subject), no feature: rows of a group are held out"
        " together, or not at all.",
        rich_help_panel=_READING,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to leave out, such as an identifier; repeatable, or several with commas.",
        rich_help_panel=_READING,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to keep although it looks like a row number or an identifier, which are left"
        " out; repeatable, or several with commas.",
        rich_help_panel=_READING,
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        help="What missing values are. incorporate: something to learn from, as the values are;"
        " ignore: nothing, only values count; error: a mistake.",
        rich_help_panel=_READING,
    ),
]
DropRows = Annotated[
    bool,
    typer.Option(
        "--drop-rows", help="Leave out rows with missing values.", rich_help_panel=_READING
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that is a category although it holds numbers, such as codes; columns of words"
        " are categories anyway. Repeatable, or several with commas.",
        rich_help_panel=_READING,
    ),
]
NotAvailable = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        help="Text that means missing, besides nothing, NA, NaN, null; repeatable.",
        rich_help_panel=_READING,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        help="What stands between two values of a CSV file, or tab.", rich_help_panel=_READING
    ),
]
Decimal = Annotated[
    str, typer.Option(help="Decimal point of a CSV file.", rich_help_panel=_READING)
]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**32 - 1, help="Makes the result reproducible.")
]


def _not_zero(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 threads can do nothing; -1 means all")
    return jobs


Jobs = Annotated[
    int | None,
    typer.Option(
        callback=_not_zero,
        min=-_MOST_JOBS,
        max=_MOST_JOBS,
        help="Threads; -1: all. The result does not depend on it.",
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Default: table on a terminal, csv otherwise.",
        rich_help_panel=_WRITING,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="File for the result; its ending says csv or json.", rich_help_panel=_WRITING
    ),
]
ForSpreadsheets = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheets",
        help="In CSV, put ' before names that a spreadsheet would take for a formula"
        " (= + - @): for tables from strangers.",
        rich_help_panel=_WRITING,
    ),
]
Top = Annotated[
    int | None, typer.Option(min=1, help="Show only the best so many.", rich_help_panel=_WRITING)
]
