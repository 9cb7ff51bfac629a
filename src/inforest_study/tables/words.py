"""What the tables say in the same words: counts, lists, sources, and the paper's columns."""

from collections.abc import Sequence

import pandas as pd

from inforest_study.panel import Panel


def counted(things: Sequence[object], what: str = "data set") -> str:
    """Return how many there are, in words: "1 data set", "22 data sets"."""
    return f"{len(things):,} {what}{'' if len(things) == 1 else 's'}"


def names(things: Sequence[str]) -> str:
    """Return a list as it is spoken: "a, b and c".

    Examples
    --------
    >>> from inforest_study.tables.words import names
    >>> names(["a", "b", "c"])
    'a, b and c'

    """
    *first, last = things
    return f"{', '.join(first)} and {last}" if first else last


def published_columns(name: str) -> str:
    """Return what a column of the paper's is called beside ours."""
    return name if name in ("task", "method", "comparator", "dataset") else f"paper_{name}"


def beside(ours: pd.DataFrame, paper: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Put the paper's columns beside ours, where both speak of the same."""
    return ours.merge(paper, on=by, how="left")


def panel_source(panel: Panel, more: str = "") -> str:
    """Return the query for the scores that a row of a panel's methods comes from."""
    listed = ", ".join(f"'{name}'" for name in panel.compared)
    return (
        f"scores: task == '{panel.task}' and method == '{{method}}' and config == '{{config}}' and"
        f" k in [5, 10, 25, 50, 100] and dataset in [{listed}]{more}"
    )
