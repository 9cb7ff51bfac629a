"""A table from the options of a command, with notices about what was done to it."""

from collections.abc import Sequence

import numpy as np

from inforest.cli.errors import notice
from inforest.io.tables import Table, read_table
from inforest.io.tables.choices import Categories, Missing
from inforest.io.tables.files import CsvOptions
from inforest.io.tables.input_error import InputError


def read(
    data: str,
    target: str,
    drop: Sequence[str] | None,
    missing: Missing,
    categories: Categories,
    na: Sequence[str] | None,
    separator: str | None,
    decimal: str,
    blocks: str | None = None,
    groups: str | None = None,
) -> Table:
    """Read the table and say on stderr what was changed."""
    separator = {"tab": "\t", "\\t": "\t"}.get(separator or "", separator)
    table = read_table(
        data,
        target,
        drop or (),
        missing=missing.value,
        categories=categories.value,
        csv=CsvOptions(separator, decimal, na or ()),
        blocks=blocks,
        groups=groups,
    )
    for sentence in table.notices:
        notice(sentence)
    return table


def find_task(task: str, table: Table) -> str:
    """Return the name of the target's response type; warn if another one looks more likely."""
    from inforest._engine.responses import find_response_type

    found = find_response_type(task, None, table.y)
    if len(np.unique(table.y)) == 1:
        raise InputError(f"the target {table.target!r} has the same value in every row")
    refusal = found.refusal(table.y, table.target)
    if refusal:
        raise InputError(refusal)
    doubt = found.doubt(table.y, table.target, was_guessed=task == "auto")
    if doubt:
        notice(doubt)
    return found.name
