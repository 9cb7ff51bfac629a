"""A `Table` on a terminal."""

from typing import Any

from inforest_study.table import Table


def to_rich(table: Table) -> Any:
    """Return the table as a `rich.table.Table`; differences are dim, the rest is plain."""
    from rich.table import Table as RichTable

    remarks = "\n".join(filter(None, [table.note, table.missing]))
    shown = RichTable(title=table.title, caption=remarks or None, title_justify="left")
    for column in table.columns:
        shown.add_column(
            column.title,
            justify="right" if column.form else "left",
            overflow="fold",
            style="dim" if column.role in ("published", "difference") else None,
        )
    for cells in table.texts():
        shown.add_row(*cells)
    return shown
