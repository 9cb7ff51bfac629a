"""`inforest demo`: a first look at a ranking and its report."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from inforest.cli.errors import one_line_errors
from inforest.cli.writing import check_file, writing
from inforest.io.tables.input_error import InputError


def command(
    report: Annotated[
        Path, typer.Option(metavar="FILE.html", help="Where to write the report.")
    ] = Path("inforest-demo.html"),
) -> None:
    """Rank the features of a bundled data set and write the report.

    \b
    Example:
      inforest demo
    """  # noqa: D301
    with one_line_errors((InputError,)):
        check_file(report, "--report")
        from inforest.demo import main

        with writing(report):
            main(report, command=shlex.join(["inforest", *sys.argv[1:]]))
