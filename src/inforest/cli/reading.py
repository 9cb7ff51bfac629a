"""A table from the options of a command, with notices about what was done to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest.cli.errors import notice
from inforest.io.tables import Table, read_table
from inforest.io.tables.choices import Categories, Missing
from inforest.io.tables.files import CsvOptions
from inforest.io.tables.input_error import InputError

#: Share of different values from which a class label looks like an identifier or a measurement.
_ALMOST_UNIQUE = 0.5
#: So few different numbers look like labels.
_FEW = 5


def read(
    data: str,
    target: str,
    drop: Sequence[str] | None,
    missing: Missing,
    categories: Categories,
    na: Sequence[str] | None,
    separator: str | None,
    decimal: str,
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
    )
    for sentence in table.notices:
        notice(sentence)
    return table


def find_task(task: str, table: Table) -> str:
    """Return "classification" or "regression"; warn if the other one looks more likely."""
    from inforest.independence.options import find_task as of_target

    found = of_target(task, None, table.y)
    n_values = len(np.unique(table.y))
    is_number = table.y.dtype.kind in "iuf"
    if n_values == 1:
        raise InputError(f"the target {table.target!r} has the same value in every row")
    if found == "classification" and _has_fractions(table.y):
        raise InputError(
            f"--task classification needs a target of words or whole numbers; {table.target!r}"
            " holds fractions: say --task regression"
        )
    if found == "classification" and n_values > max(2, _ALMOST_UNIQUE * len(table.y)):
        hint = "--task regression takes it as a number" if is_number else "is it an identifier?"
        notice(
            f"warning: the target {table.target!r} has {n_values} different values in"
            f" {len(table.y)} rows, each taken for a class; {hint}"
        )
    elif found == "classification" and task == "auto" and is_number and n_values > _FEW:
        notice(
            f"the {n_values} different numbers of the target {table.target!r} are taken for"
            " classes; --task regression takes them as numbers"
        )
    elif found == "regression" and is_number and n_values <= _FEW:
        notice(
            f"warning: the target {table.target!r} has only {n_values} different values; --task"
            " classification takes them for classes"
        )
    if found == "regression" and not is_number:
        raise InputError(
            f"--task regression needs a target of numbers; {table.target!r} holds"
            f" {'truth values' if table.y.dtype.kind == 'b' else 'words'}"
        )
    return found


def _has_fractions(y: NDArray[Any]) -> bool:
    return y.dtype.kind == "f" and bool((y != np.floor(y)).any())
