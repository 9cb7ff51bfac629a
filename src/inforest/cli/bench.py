"""`inforest bench`: the study, whose program is loaded only when it is asked for."""

import typer

from inforest.cli.errors import is_ours, one_line_errors
from inforest.tables.input_error import InputError


def command(context: typer.Context) -> None:
    """Run the benchmark study: list, plan, run, status, report (extra: bench)."""
    with one_line_errors((InputError,)):
        try:
            from inforest_study.cli import app
        except ModuleNotFoundError as error:
            if is_ours(error):
                raise
            raise InputError(
                f"the study needs more ({error.name}): pip install 'inforest[bench]'"
            ) from error
    app(context.args, prog_name="inforest bench")
