"""`Table`: a summary as people read it, before anyone decides how it is printed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd


@dataclass(frozen=True)
class Column:
    """One column of a `Table`.

    Attributes
    ----------
    key : str
        The rows' key.
    title : str
        The heading.
    form : str
        Format specification of its numbers, such as ".2f" or "+.4f"; text needs none.
    meaning : str
        One sentence for the reader.
    role : {"ours", "published", "difference", ""}
        Whether the number is ours, the paper's, or the difference of the two.

    """

    key: str
    title: str
    form: str = ""
    meaning: str = ""
    role: Literal["ours", "published", "difference", ""] = ""

    def text(self, value: Any) -> str:
        """Return a value of this column as text; what is not there is a dash."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "–"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return format(value, self.form) if self.form else str(value)


@dataclass(frozen=True, eq=False)
class Table:
    """A table with a title, and with what a reader must know to believe it.

    Attributes
    ----------
    key : str
        Short name; files and links are called so.
    title : str
        What the table shows.
    columns : tuple of Column
        Its columns.
    rows : tuple of mapping
        Its rows: column key -> value.
    note : str
        How the numbers came about, and from how many data sets.
    missing : str
        What is not there and why; empty if nothing is.
    source : str
        Which stored rows the numbers were computed from: a frame of the `Study` and a query for
        it. "{method}" and the like stand for the row's value.

    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    note: str = ""
    missing: str = ""
    source: str = ""

    @classmethod
    def from_frame(
        cls, key: str, title: str, columns: Sequence[Column], frame: pd.DataFrame, **about: str
    ) -> "Table":
        """Make a table of a data frame; what is no column of the table serves its `source`."""
        rows = tuple(frame.to_dict("records"))
        return cls(key, title, tuple(columns), rows, **about)

    def source_of(self, row: Mapping[str, Any]) -> str:
        """Return which stored rows a row was computed from."""
        texts = {key: str(value) for key, value in row.items()}
        return self.source.format_map(texts)

    def texts(self) -> list[list[str]]:
        """Return the cells as text, row by row."""
        return [[column.text(row.get(column.key)) for column in self.columns] for row in self.rows]
