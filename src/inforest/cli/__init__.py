"""The command `inforest`: options in, library calls out. Nothing is computed here."""

try:
    import typer
except ModuleNotFoundError as error:  # an extra of the package
    raise SystemExit("the command line needs more: pip install 'inforest[cli]'") from error

from inforest.cli import bench, demo, rank, test
from inforest.cli.errors import EXIT_CODES
from inforest.cli.old_names import Command

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("inforest"))
        raise typer.Exit


@app.callback(epilog=EXIT_CODES)
def main(
    _version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Show the version."
    ),
) -> None:
    """Rank, select and test the columns of a table with permutation tests.

    \b
    Examples:
      inforest demo
      inforest rank data.csv --target outcome --report report.html
      inforest test data.csv --target outcome --adjust westfall-young
    """  # noqa: D301


app.command("rank", cls=Command, epilog=EXIT_CODES)(rank.command)
app.command("test", cls=Command, epilog=EXIT_CODES)(test.command)
app.command("demo", epilog=EXIT_CODES)(demo.command)
# Its options are its own: they go on to the study's program, --help included.
app.command(
    "bench",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(bench.command)
