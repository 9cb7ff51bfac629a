"""`inforest bench`: the study, whose program is loaded only when it is asked for."""

import typer

from inforest.cli.errors import one_line_errors


def command(context: typer.Context) -> None:
    """Run the benchmark study: list, plan, run, status, report (extra: bench)."""
    with one_line_errors():
        try:
            from inforest.bench.cli import app
        except ModuleNotFoundError as error:
            raise ValueError(
                f"the study needs more ({error.name}): pip install 'inforest[bench]'"
            ) from error
    app(context.args, prog_name="inforest bench")
