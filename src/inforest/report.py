"""An `IndependenceResult` as text: a table for people, CSV or JSON for programs."""

import csv
import io
import json
from typing import Any

from inforest.independence_result import IndependenceResult

#: Every format, in the order in which help lists them.
FORMATS = ("table", "csv", "json")


def as_text(result: IndependenceResult, text_format: str, top: int | None = None) -> str:
    """Return the features, best first, as CSV or JSON.

    Parameters
    ----------
    result : IndependenceResult
        What `independence_test` returned.
    text_format : {"csv", "json"}
        CSV with a header line, or a JSON list of objects.
    top : int or None, default=None
        Only so many features; None shows all.

    Returns
    -------
    text : str
        Without a newline at its end.

    Examples
    --------
    >>> from inforest import independence_test
    >>> from inforest.report import as_text
    >>> result = independence_test([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1], method="exact")
    >>> print(as_text(result, "csv"))
    feature,statistic,p_value,adjusted_p_value,n_draws,standard_error,rejected
    feature_0,1.0,0.3333333333333333,0.3333333333333333,0,0.0,False

    """
    rows = result.to_rows()[:top]
    if text_format == "json":
        return json.dumps(rows, indent=1)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def as_table(result: IndependenceResult, top: int | None = None) -> Any:
    """Return a table for a terminal (a `rich.table.Table`), best features first."""
    from rich.table import Table

    rows = result.to_rows()
    shown = rows[:top]
    caption = result.summary
    if len(shown) < len(rows):
        caption += f"; {len(rows) - len(shown)} features not shown"
    table = Table(title=result.title, caption=caption)
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    for name in ("statistic", "p", "adjusted p", "draws"):
        table.add_column(name, justify="right")
    for place, row in enumerate(shown, start=1):
        table.add_row(
            str(place),
            row["feature"],
            f"{row['statistic']:.4f}",
            f"{row['p_value']:.3g}",
            f"{row['adjusted_p_value']:.3g}",
            str(row["n_draws"]),
            style="bold" if row["rejected"] else "dim",
        )
    return table
