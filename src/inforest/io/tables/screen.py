"""Columns that look like features and are none: row numbers, constants, copies, identifiers."""

import re
from collections.abc import Sequence

import numpy as np

from inforest._engine.arrays import Floats

#: What programs call the index of a table that was saved without a name.
_NAMELESS = re.compile(r"|Unnamed: \d+|__index_level_\d+__|index|row|row[ _]?(?:number|names?|id)")
_IDENTIFIER = re.compile(r"(?i:(?:.*[_\W])?(?:id|key|uuid|guid))|.*[a-z]I[Dd]")
#: Rows from which on a run of whole numbers is no accident.
_FEW = 10


def is_row_number(values: Floats) -> bool:
    """Whether these are the whole numbers from 0 or 1 on, up or down, in the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest.io.tables.screen import is_row_number
    >>> is_row_number(np.arange(1.0, 31.0)), is_row_number(np.arange(30.0) ** 2)
    (True, False)

    """
    if len(values) < _FEW or np.isnan(values[[0, -1]]).any():
        return False
    run = values if values[0] < values[-1] else values[::-1]
    return bool(run[0] in (0.0, 1.0) and (np.diff(run) == 1.0).all())


def is_identifier(name: str, values: Floats) -> bool:
    """Whether the name says identifier, and the whole numbers hardly ever come back."""
    known = values[~np.isnan(values)]
    if len(known) < _FEW or _IDENTIFIER.fullmatch(name) is None:
        return False
    return bool((known == np.floor(known)).all()) and len(np.unique(known)) == len(known)


def is_nameless_index(name: str, values: Floats) -> bool:
    """Whether a column has no name of its own, and its numbers only count the rows."""
    known = values[~np.isnan(values)]
    if _NAMELESS.fullmatch(name) is None or len(known) < _FEW:
        return False
    return bool((np.diff(known) > 0).all()) and bool((known == np.floor(known)).all())


def reasons_to_leave_out(
    names: Sequence[str], columns: Sequence[Floats], plain: Sequence[bool]
) -> dict[int, str]:
    """Return the columns that say nothing about other rows, and why.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    columns : sequence of ndarray of shape (n_samples,)
        Their numbers, nan where missing.
    plain : sequence of bool
        Whether they are numbers, no categories or dates.

    Returns
    -------
    reasons : dict of int to str
        By place.

    """
    found = {}
    for j, (name, values, is_plain) in enumerate(zip(names, columns, plain, strict=True)):
        if not is_plain:
            continue
        if is_row_number(values):
            found[j] = "it counts the rows"
        elif is_nameless_index(name, values):
            found[j] = "it is an index without a name"
        elif is_identifier(name, values):
            found[j] = "its name and its values, each there once, are those of an identifier"
    return found


def what_to_know(names: Sequence[str], columns: Sequence[Floats]) -> list[str]:
    """Return what to say about columns that are kept: constants, and exact copies of another."""
    first: dict[bytes, str] = {}
    constant, copies = [], []
    for name, values in zip(names, columns, strict=True):
        known = values[~np.isnan(values)]
        if len(known) == len(values) >= _FEW and (values == values[0]).all():
            constant.append(name)
            continue
        key = (values + 0.0).tobytes()  # one zero
        if key in first:
            copies.append(f"{name!r} is a copy of {first[key]!r}")
        else:
            first[key] = name
    said = []
    if constant:
        listed = ", ".join(map(repr, constant[:5]))
        more = f" and {len(constant) - 5} more" if len(constant) > 5 else ""
        said.append(f"the same value in every row, which comes last: {listed}{more}")
    if copies:
        more = f"; and {len(copies) - 5} more copies" if len(copies) > 5 else ""
        said.append(f"{'; '.join(copies[:5])}{more}: kept, and a copy is ranked behind the other")
    return said
