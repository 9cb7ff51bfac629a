"""The command `inforest bench report`."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    out: Annotated[Path, typer.Option("--out", help="Folder for the page, tables and figures.")],
    store: Annotated[
        list[Path] | None,
        typer.Option("--store", help="Folder of results that `run` has made; may be given again."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option("--results", help="Folder of compact results instead; may be given again."),
    ] = None,
    compact: Annotated[
        Path | None, typer.Option("--compact", help="Write compact results to this folder, too.")
    ] = None,
) -> None:
    """Write all tables and figures, and one page with them, next to the paper's numbers."""
    from inforest.bench.cli import one_line_errors

    with one_line_errors():
        if store and results:
            raise ValueError("give either --store or --results, not both")
        folders = store or results or [Path("bench-results")]
        import matplotlib as mpl

        from inforest.bench.study import Study
        from inforest.bench.study_report import write_study_report

        mpl.use("Agg")  # no windows
        study = Study.read(*folders)
        if compact is not None:
            study.write(compact)
        option = "--results" if results else "--store"
        read = " ".join(f"{option} {folder.name}" for folder in folders)
        command = f"inforest bench report {read} --out {out.name}"
        page = write_study_report(study, out, command)
        typer.echo(f"{page}: {_said(study)}")


def _said(study: object) -> str:
    from inforest.bench.study import Study

    assert isinstance(study, Study)
    if study.is_empty:
        return "there are no results yet; the page says what is missing"
    return f"{len(study.scores):,} scores, {len(study.rankings):,} rankings"
