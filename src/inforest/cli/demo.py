"""`inforest demo`: a first look at a ranking and its report."""

from pathlib import Path
from typing import Annotated

import typer

from inforest.cli.errors import one_line_errors
from inforest.cli.writing import check_folder


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
    with one_line_errors():
        check_folder(report, "--report")
        from inforest.demo import main

        main(report)
