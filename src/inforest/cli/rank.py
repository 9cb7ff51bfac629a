"""`inforest rank`: which columns matter most for the target, and how many are enough."""

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inforest._engine.printable import printable
from inforest.cli import options
from inforest.cli.choices import Task
from inforest.cli.errors import notice, one_line_errors
from inforest.cli.writing import check_file, check_name, find_format, is_watched, write, writing
from inforest.io.tables.choices import Missing
from inforest.io.tables.input_error import InputError

if TYPE_CHECKING:
    from inforest.report import Report

_BAR = 12
_MOST_TREES = 10_000_000


def _finite(number: float | None) -> float | None:
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"{number} is not a number to multiply with")
    return number


def _rate(number: float | None) -> float | None:
    if number is not None and not 0 < number < 1:
        raise typer.BadParameter(f"{number} is no share between 0 and 1")
    return number


def command(
    data: options.Data,
    target: options.Target = None,
    time: options.Time = None,
    event: options.Event = None,
    order: options.Order = None,
    task: options.TaskOption = Task.auto,
    k: Annotated[
        str | None,
        typer.Option(
            metavar="N|auto",
            help="How many features to keep. auto: the smallest number that predicts held-out rows"
            " within one standard error of the best. Without it, features are only ranked.",
        ),
    ] = None,
    trees: Annotated[int, typer.Option(min=1, max=_MOST_TREES, help="Trees of a forest.")] = 500,
    redundancy: Annotated[
        float | None,
        typer.Option(
            min=0,
            callback=_finite,
            help="How much a column loses that repeats a better one; 0 ranks each by its importance"
            " alone. Default: 1 for classes, 0.5 for numbers.",
        ),
    ] = None,
    fdr: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            callback=_rate,
            help="Also say which columns tell something that the others do not; the test aims at"
            " no more than this share of wrong ones on average (not proven): --fdr 0.1.",
        ),
    ] = None,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    blocks: options.Blocks = None,
    groups: options.Groups = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    missing: options.MissingOption = Missing.incorporate,
    categorical: options.Categorical = None,
    drop_rows: options.DropRows = False,
    na: options.NotAvailable = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    output_format: options.FormatOption = None,
    out: options.Out = None,
    top: options.Top = None,
    for_spreadsheets: options.ForSpreadsheets = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Also write a report: one HTML page with the ranking, how many features to keep,"
            " and how far all that can be trusted. Grows some 70 forests more.",
            rich_help_panel="Writing the result",
        ),
    ] = None,
) -> None:
    """Rank the columns of a table by how much they tell about the target.

    The p-values test each column by itself, adjusted for their number.

    \b
    Examples:
      inforest rank data.csv --target outcome
      inforest rank data.csv --target outcome --drop id,date --k auto
      inforest rank data.csv --target outcome --fdr 0.1
      inforest rank data.csv --target outcome --report report.html
      inforest rank data.csv --target outcome --blocks centre --groups patient
      inforest rank patients.csv --time days --event died --report report.html
      zcat data.csv.gz | inforest rank - --target price --out ranking.csv
      inforest rank data.parquet --target y --categorical postcode --format json
    """  # noqa: D301
    with one_line_errors((InputError,)):
        kind = find_format(output_format, out)
        number = _number(k)
        check_name(data, "DATA")
        if out is not None:
            check_file(out, "--out", DATA=data)
        if report is not None:
            _check_report(report, data, out)
        # Imported late, so that --help and wrong options answer at once.
        from inforest._engine.seeds import fresh_seed
        from inforest.cli.reading import Asked, csv_options, find_task, read, with_order
        from inforest.report import make_report

        # Drawn here, so that the report can say how to repeat it.
        again = [] if seed is not None else ["--seed", str(seed := fresh_seed())]
        asked = Asked.of(target, time, event, task.value)
        table = read(
            data,
            asked,
            drop,
            missing=missing,
            categorical=categorical,
            drop_rows=drop_rows,
            csv=csv_options(na, separator, decimal),
            blocks=blocks,
            groups=groups,
            keep=keep,
        )
        table = with_order(table, order, task.value)
        if isinstance(number, int) and number > len(table.names):
            raise InputError(f"--k must be at most {len(table.names)}, the number of features")
        found = make_report(
            table.X,
            table.y,
            feature_names=table.names,
            target=asked.words,
            data=table.source,
            task=find_task(task.value if order is None else "auto", table),
            k="auto" if report is not None and number is None else number,
            n_estimators=trees,
            redundancy=redundancy,
            fdr=fdr,
            checks=report is not None,
            notices=table.notices,
            command=shlex.join(["inforest", *sys.argv[1:], *again]),
            random_state=seed,
            n_jobs=jobs,
            verbose=int(is_watched()),
            blocks=table.design.get("blocks"),
            groups=table.design.get("groups"),
            missing=missing.value,
        )
        if found.content.beyond is not None:
            notice(found.content.beyond.conclusion)
        for part in found.content.skipped:
            notice(f"warning: left out: {part}")
        if found.content.k is not None and not found.content.finds_something:
            notice(
                f"warning: no feature is shown to be associated with {asked.words!r}; those marked"
                " as kept are only the first of an order that chance explains"
            )
        if report is not None:
            with writing(report):
                found.write(report)
            notice(f"report written to {report}")
        rows, table_of = found.to_rows(), partial(as_table, found)
        write(rows, kind, out, top, table_of, defused=for_spreadsheets)


def _number(text: str | None) -> int | str | None:
    if text is None or text == "auto":
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise InputError(f"--k must be 'auto' or a whole number of at least 1; got {text!r}")
    return number


def _check_report(path: Path, data: str, out: Path | None) -> None:
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--report must end in .html; got {path.name!r}")
    check_file(path, "--report", **{"DATA": data, "--out": out})


def as_table(found: "Report", rows: Sequence[dict[str, Any]]) -> Any:
    """Return a table for a terminal (a `rich.table.Table`) of the rows to show."""
    from rich.table import Table
    from rich.text import Text

    from inforest.report.answer import headline, p_text

    content = found.content
    caption = printable(headline(content))
    if len(rows) < len(content.features):
        caption += f" {len(content.features) - len(rows):,} features not shown."
    table = Table(caption=Text(caption))
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("importance")
    for name in (f"p ({content.statistic})", "adjusted p"):
        table.add_column(name, justify="right")
    if any("given_others" in row for row in rows):
        table.add_column("given others")
    repeats = any(row["repeats"] for row in rows)
    if repeats:
        table.add_column("repeats", overflow="fold")
    largest = max(max(row["importance"] for row in rows), 1e-300)
    for row in rows:
        bar = "█" * round(_BAR * row["importance"] / largest)
        style = "dim" if row["adjusted_p_value"] >= content.alpha else ""
        table.add_row(
            str(row["rank"]),
            Text(row["feature"]),  # no markup in names
            f"{row['importance']:.4f} {bar}",
            p_text(row["p_value"], content),
            p_text(row["adjusted_p_value"], content),
            *([row["given_others"]] if "given_others" in row else []),
            *([Text(row["repeats"])] if repeats else []),
            style=f"bold {style}" if row.get("kept") else style,
        )
    return table
