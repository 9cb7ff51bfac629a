"""`inforest test`: one test of independence per column."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inforest.cli import options
from inforest.cli.choices import Adjust, EarlyStopping, Method, Task
from inforest.cli.errors import of_the_user, one_line_errors
from inforest.cli.writing import check_file, check_name, find_format, is_watched, write
from inforest.io.tables.choices import Missing
from inforest.io.tables.input_error import InputError

if TYPE_CHECKING:
    from inforest.independence.result import IndependenceResult


def command(
    data: options.Data,
    target: options.Target = None,
    time: options.Time = None,
    event: options.Event = None,
    order: options.Order = None,
    selector: Annotated[
        list[str] | None,
        typer.Option(
            help="Statistic: mc, mi, rdc, quad for classes; pc, dc, rdc, quad for numbers. Repeat"
            " it for the largest of several. Default: mc or pc."
        ),
    ] = None,
    task: options.TaskOption = Task.auto,
    method: Annotated[Method, typer.Option(help="Where p-values come from.")] = Method.permutation,
    n_resamples: Annotated[str, typer.Option(help="Permutations per feature, or auto.")] = "auto",
    alpha: Annotated[float, typer.Option(help="Level.")] = 0.05,
    adjust: Annotated[
        Adjust | None,
        typer.Option(
            help="Adjustment for the number of features; sidak and fdr_bh are for p-values that are"
            " independent or positively dependent. Default: none; fdr_bh with --given-others."
        ),
    ] = None,
    early_stopping: Annotated[
        EarlyStopping, typer.Option(help="When a test may stop before its last permutation.")
    ] = EarlyStopping.none,
    given_others: Annotated[
        bool,
        typer.Option(
            "--given-others",
            help="Ask what each column says beyond all others, not by itself; then --adjust is"
            " fdr_bh if nothing else is said, and the error rate is measured, not exact.",
        ),
    ] = False,
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
) -> None:
    """Test which columns of a table are associated with the target.

    Each column is tested by itself, whatever the others say, unless --given-others is set.

    \b
    Examples:
      inforest test data.csv --target outcome --adjust westfall-young
      inforest test data.csv --target outcome --given-others
      inforest test data.csv --target outcome --blocks centre
      inforest test patients.csv --time days --event died
      zcat data.csv.gz | inforest test - --target outcome --out tests.csv
    """  # noqa: D301
    with one_line_errors((InputError,)):
        kind = find_format(output_format, out)
        check_name(data, "DATA")
        if out is not None:
            check_file(out, "--out", DATA=data)
        # Imported late, so that --help and wrong options answer at once.
        from inforest.cli.given_others import as_table as given_others_table
        from inforest.cli.given_others import test_given_others
        from inforest.cli.given_others import to_rows as given_others_rows
        from inforest.cli.reading import Asked, csv_options, read, with_order
        from inforest.independence.tests import independence_test

        table = read(
            data,
            Asked.of(target, time, event, task.value),
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
        if given_others:
            _refuse_beside(
                selector=selector,
                method=None if method is Method.permutation else method,
                n_resamples=None if n_resamples == "auto" else n_resamples,
                early_stopping=None if early_stopping is EarlyStopping.none else early_stopping,
                blocks=blocks,
            )
            found = test_given_others(
                table,
                task=task.value if order is None else "auto",
                alpha=alpha,
                adjust="fdr_bh" if adjust is None else _adjustment(adjust),
                seed=seed,
                jobs=jobs,
            )
            rows, table_of_rows = given_others_rows(found), partial(given_others_table, found)
            write(rows, kind, out, top, table_of_rows, defused=for_spreadsheets)
            return
        with of_the_user():
            result = independence_test(
                table.X,
                table.y,
                selector=selector[0] if selector and len(selector) == 1 else selector,
                task=task.value if order is None else "auto",
                method=method.value,
                n_resamples=_count(n_resamples),
                alpha=alpha,
                adjust=_adjustment(adjust),
                early_stopping=None
                if early_stopping is EarlyStopping.none
                else early_stopping.value,
                random_state=seed,
                n_jobs=jobs,
                verbose=int(is_watched()),
                feature_names=table.names,
                blocks=table.design.get("blocks"),
                groups=table.design.get("groups"),
            )
        table_of = partial(as_table, result)
        write(_rows(result), kind, out, top, table_of, defused=for_spreadsheets)


def _adjustment(adjust: Adjust | None) -> str | None:
    return None if adjust is None or adjust is Adjust.none else adjust.value


def _refuse_beside(**others: Any) -> None:
    """Refuse options that have no meaning beside --given-others."""
    for name, value in others.items():
        if value is not None:
            option = "--" + name.replace("_", "-")
            raise InputError(f"{option} cannot be used with --given-others")


def _rows(result: "IndependenceResult") -> list[dict[str, Any]]:
    """Return the rows to write; a p-value that was not adjusted is not called so."""
    rows = result.to_rows()
    if result.adjust is None:
        for row in rows:
            del row["adjusted_p_value"]
    return rows


def as_table(result: "IndependenceResult", rows: Sequence[dict[str, Any]]) -> Any:
    """Return a table for a terminal (a `rich.table.Table`) of the rows to show."""
    from rich.table import Table
    from rich.text import Text

    caption = result.summary
    if result.adjust is None:
        caption += ", not adjusted for the number of features"
    if len(rows) < len(result):
        caption += f"; {len(result) - len(rows)} features not shown"
    table = Table(title=result.title, caption=caption)
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    adjusted = [] if result.adjust is None else ["adjusted p"]
    for name in ("statistic", "p", *adjusted, "draws"):
        table.add_column(name, justify="right")
    for place, (j, row) in enumerate(zip(result.ranking, rows, strict=False), start=1):
        p, adjusted_p = result.p_words(j, digits=3)
        table.add_row(
            str(place),
            Text(row["feature"]),  # no markup in names
            f"{row['statistic']:.4f}",
            p,
            *(adjusted_p for _ in adjusted),
            str(row["n_draws"]),
            style="bold" if row["rejected"] else "dim",
        )
    return table


def _count(text: str) -> int | str:
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--n-resamples must be 'auto' or a whole number; got {text!r}") from None
