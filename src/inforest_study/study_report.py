"""A study's report on disk: the page, and every table and figure as files."""

from importlib.metadata import version
from pathlib import Path

import inforest
from inforest_study.analysis import Analysis
from inforest_study.findings import findings
from inforest_study.render import figures
from inforest_study.render.html import Page, Picture, to_html
from inforest_study.render.text import to_csv, to_latex, to_markdown
from inforest_study.study import Study
from inforest_study.study_figures import drawings
from inforest_study.tables import sections

_FORMATS = {"csv": to_csv, "md": to_markdown, "tex": to_latex}


def write_study_report(study: Study, out: str | Path, command: str = "") -> Path:
    """Write the report of a study, whole, partial or empty.

    Parameters
    ----------
    study : Study
        The results.
    out : str or Path
        The folder: `index.html` stands for itself; `tables` has every table as CSV, Markdown and
        LaTeX, `figures` every figure as SVG and PNG.
    command : str, default=""
        What was typed, for who wants to repeat it.

    Returns
    -------
    page : Path
        The page.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from inforest_study.study import Study
    >>> from inforest_study.study_report import write_study_report
    >>> write_study_report(Study(), mkdtemp()).name
    'index.html'

    """
    out = Path(out)
    analysis = Analysis(study)
    parts = sections(analysis)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    for table in (table for part in parts for table in part.tables):
        for ending, write in _FORMATS.items():
            path = out / "tables" / f"{table.key}.{ending}"
            path.write_text(write(table), encoding="utf-8")
    said = findings(analysis)
    origin = {
        "command": command,
        "inforest": f"{inforest.__version__} (revision {inforest.engine_revision} of the engine)",
        "matplotlib": version("matplotlib"),
    }
    page = Page(said, parts, _pictures(analysis, out / "figures"), origin)
    path = out / "index.html"
    path.write_text(to_html(page), encoding="utf-8")
    return path


def _pictures(analysis: Analysis, folder: Path) -> dict[str, Picture]:
    """Draw all figures, write them, and return them for the page."""
    from matplotlib import rc_context
    from matplotlib.pyplot import close

    pictures = {}
    with rc_context({"interactive": False}):
        for drawing in drawings(analysis):
            figure = drawing.draw()
            figure.set_label(drawing.key)
            figures.write(figure, folder, drawing.key)
            svg = (folder / f"{drawing.key}.svg").read_text(encoding="utf-8")
            pictures[drawing.key] = Picture(drawing.key, drawing.title, drawing.caption, svg)
            close(figure)
    return pictures
