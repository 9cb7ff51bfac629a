"""The command `inforest bench report`."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    out: Annotated[Path, typer.Option("--out", help="Folder for the page, tables and figures.")],
    store: Annotated[
        Path | None, typer.Option("--store", help="Folder of results that `run` has made.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", help="Folder of compact results instead.")
    ] = None,
    compact: Annotated[
        Path | None, typer.Option("--compact", help="Write compact results to this folder, too.")
    ] = None,
) -> None:
    """Write all tables and figures, and one page with them, next to the paper's numbers."""
    from inforest.bench.cli import one_line_errors

    with one_line_errors():
        if store is not None and results is not None:
            raise ValueError("give either --store or --results, not both")
        folder = store or results or Path("bench-results")
        import matplotlib as mpl

        from inforest.bench.study import Study
        from inforest.bench.study_report import write_study_report

        mpl.use("Agg")  # no windows
        study = Study.read(folder)
        if compact is not None:
            study.write(compact)
        option = "--results" if results is not None else "--store"
        command = f"inforest bench report {option} {folder.name} --out {out.name}"
        page = write_study_report(study, out, command)
        typer.echo(f"{page}: {_said(study)}")


def _said(study: object) -> str:
    from inforest.bench.study import Study

    assert isinstance(study, Study)
    if study.is_empty:
        return "there are no results yet; the page says what is missing"
    return f"{len(study.scores):,} scores, {len(study.rankings):,} rankings"
