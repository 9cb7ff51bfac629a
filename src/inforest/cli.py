"""The command `inforest`: options in, library calls out. Nothing is computed here."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

try:
    import typer
except ModuleNotFoundError as error:  # an extra of the package
    raise SystemExit("the command line needs more: pip install 'inforest[cli]'") from error

app = typer.Typer(
    help="Rank and test features with permutation tests.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Task(StrEnum):
    """What y is."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class Method(StrEnum):
    """Where p-values come from."""

    permutation = "permutation"
    asymptotic = "asymptotic"
    exact = "exact"


class Adjust(StrEnum):
    """How p-values are adjusted."""

    none = "none"
    bonferroni = "bonferroni"
    holm = "holm"
    sidak = "sidak"
    westfall_young = "westfall-young"
    fdr_bh = "fdr_bh"
    fdr_by = "fdr_by"


class EarlyStopping(StrEnum):
    """When a test may stop."""

    none = "none"
    curtailed = "curtailed"
    adaptive = "adaptive"


class Format(StrEnum):
    """How the result is written."""

    table = "table"
    csv = "csv"
    json = "json"


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn bad input into one line on stderr and exit code 2."""
    try:
        yield
    except (ValueError, TypeError, ModuleNotFoundError) as error:
        typer.echo(f"inforest: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("inforest: interrupted", err=True)
        raise typer.Exit(130) from None


@app.callback()
def main() -> None:
    """Rank and test features with permutation tests."""


@app.command("test")
def independence(
    data: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet or Arrow file.")],
    target: Annotated[str, typer.Option(help="Column to test the others against.")],
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; repeatable.")
    ] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option(
            help="Statistic: mc, mi, rdc, quad for classes; pc, dc, rdc, quad for numbers. Repeat"
            " it for the largest of several. Default: mc or pc."
        ),
    ] = None,
    task: Annotated[Task, typer.Option(help="What the target is.")] = Task.auto,
    method: Annotated[Method, typer.Option(help="Where p-values come from.")] = Method.permutation,
    n_resamples: Annotated[str, typer.Option(help="Permutations per feature, or auto.")] = "auto",
    alpha: Annotated[float, typer.Option(help="Level.")] = 0.05,
    adjust: Annotated[
        Adjust, typer.Option(help="Adjustment for the number of features.")
    ] = Adjust.none,
    early_stopping: Annotated[
        EarlyStopping, typer.Option(help="When a test may stop before its last permutation.")
    ] = EarlyStopping.none,
    seed: Annotated[int | None, typer.Option(help="Makes the result reproducible.")] = None,
    n_jobs: Annotated[int | None, typer.Option(help="Threads; -1: all.")] = None,
    output_format: Annotated[
        Format | None,
        typer.Option("--format", help="Default: table on a terminal, csv otherwise."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write; its ending says csv or json.")
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Show the best so many only.")] = None,
) -> None:
    """Test which columns of a table are associated with the target."""
    with one_line_errors():
        kind = _format(output_format, output)
        # Imported late, so that --help and wrong options answer at once.
        from inforest.independence import independence_test
        from inforest.report import as_table, as_text
        from inforest.tables import read_table

        table = read_table(data, target, ignore or ())
        result = independence_test(
            table.X,
            table.y,
            selector=selector[0] if selector and len(selector) == 1 else selector,
            task=task.value,
            method=method.value,
            n_resamples=_count(n_resamples),
            alpha=alpha,
            adjust=None if adjust is Adjust.none else adjust.value,
            early_stopping=None if early_stopping is EarlyStopping.none else early_stopping.value,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=int(sys.stderr.isatty()),
            feature_names=table.names,
        )
        if kind is Format.table:
            from rich.console import Console

            Console().print(as_table(result, top))
        elif output is None:
            typer.echo(as_text(result, kind.value, top))
        else:
            output.write_text(as_text(result, kind.value, top) + "\n", encoding="utf-8")


def _format(asked: Format | None, output: Path | None) -> Format:
    """Return what was asked for, what the file's ending says, or what the reader can use."""
    if output is not None:
        ending = output.suffix.lower().lstrip(".")
        if asked is None and ending not in ("csv", "json"):
            raise ValueError(f"--output must end in .csv or .json; got {output.name!r}")
        if asked is Format.table:
            raise ValueError("--format table is for terminals; --output takes csv or json")
        return asked or Format(ending)
    if asked is not None:
        return asked
    return Format.table if sys.stdout.isatty() else Format.csv


def _count(text: str) -> int | str:
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"--n-resamples must be 'auto' or a whole number; got {text!r}") from None


if __name__ == "__main__":
    app()
