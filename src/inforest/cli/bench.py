"""`inforest bench`: the study, a package of its own that is found when it is asked for."""

from importlib.metadata import entry_points
from typing import Any

import typer

from inforest.cli.errors import is_ours, one_line_errors
from inforest.io.tables.input_error import InputError


def command(context: typer.Context) -> None:
    """Run the benchmark study: list, plan, run, status, report (extra: study)."""
    with one_line_errors((InputError,)):
        app = _program()
    app(context.args, prog_name="inforest bench")


def _program() -> Any:
    """Return the program that an installed package offers: the library does not know the study."""
    offered = list(entry_points(group="inforest.commands", name="bench"))
    if not offered:
        raise InputError("the study is not installed: pip install 'inforest[study]'")
    try:
        return offered[0].load()
    except ModuleNotFoundError as error:
        if is_ours(error):
            raise
        raise InputError(
            f"the study needs more ({error.name}): pip install 'inforest[study]'"
        ) from error
