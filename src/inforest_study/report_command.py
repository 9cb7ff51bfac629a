"""The command `inforest bench report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inforest_study.errors import one_line_errors

if TYPE_CHECKING:
    from inforest_study.study import Study


StoreFolders = Annotated[
    list[Path] | None,
    typer.Option("--store", help="Folder of results that `run` has made; may be given again."),
]
ResultFolders = Annotated[
    list[Path] | None,
    typer.Option("--results", help="Folder of compact results instead; may be given again."),
]


def report(
    out: Annotated[Path, typer.Option("--out", help="Folder for the page, tables and figures.")],
    store: StoreFolders = None,
    results: ResultFolders = None,
    compact: Annotated[
        Path | None, typer.Option("--compact", help="Write compact results to this folder, too.")
    ] = None,
) -> None:
    """Write all tables and figures, and one page with them, next to the paper's numbers."""
    with one_line_errors():
        import matplotlib as mpl

        from inforest_study.study_report import write_study_report

        mpl.use("Agg")  # no windows
        study, read = read_study(store, results)
        if compact is not None:
            study.write(compact)
        command = f"inforest bench report {read} --out {out}"
        page = write_study_report(study, out, command)
        typer.echo(f"{page}: {_said(study)}")


def read_study(store: list[Path] | None, results: list[Path] | None) -> "tuple[Study, str]":
    """Return the study that the options name, and the options as they are typed."""
    from inforest_study.study import Study

    if store and results:
        raise ValueError("give either --store or --results, not both")
    folders = store or results or [Path("bench-results")]
    option = "--results" if results else "--store"
    return Study.read(*folders), " ".join(f"{option} {folder}" for folder in folders)


def _said(study: "Study") -> str:
    if study.is_empty:
        return "there are no results yet; the page says what is missing"
    return f"{len(study.scores):,} scores, {len(study.rankings):,} rankings"
