"""Columns that look like features and are none: row numbers, constants, copies, identifiers."""

import re
import warnings
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from inforest._engine.arrays import Floats
from inforest._engine.near_copies import near_copies
from inforest._engine.notices import TableWarning

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
    >>> from inforest._engine.screen import is_row_number
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


def reason_to_leave_out(name: str, values: Floats) -> str:
    """Return why a column of numbers says nothing about other rows; nothing if it may.

    Parameters
    ----------
    name : str
        The name of the column.
    values : ndarray of shape (n_samples,)
        Its numbers, nan where missing.

    Returns
    -------
    reason : str
        Such as "it counts the rows".

    """
    if is_row_number(values):
        return "it counts the rows"
    if is_nameless_index(name, values):
        return "it is an index without a name"
    if is_identifier(name, values):
        return "its name and its values, each there once, are those of an identifier"
    return ""


def what_to_know(
    names: Sequence[str], columns: Sequence[Floats], is_category: Sequence[bool]
) -> list[str]:
    """Return what to say about columns that are kept: constants, copies and near-copies."""
    first: dict[bytes, str] = {}
    constant, copies, others = [], [], []
    for j, (name, values) in enumerate(zip(names, columns, strict=True)):
        known = values[~np.isnan(values)]
        if len(known) == len(values) >= _FEW and (values == values[0]).all():
            constant.append(name)
            continue
        key = blake2b((values + 0.0).tobytes(), digest_size=16).digest()  # one zero
        if key in first:
            copies.append(f"{name!r} is a copy of {first[key]!r}")
        else:
            first[key] = name
            others.append(j)
    near = near_copies(
        [names[j] for j in others], [columns[j] for j in others], [is_category[j] for j in others]
    )
    said = []
    if constant:
        listed = ", ".join(map(repr, constant[:5]))
        more = f" and {len(constant) - 5} more" if len(constant) > 5 else ""
        said.append(f"the same value in every row, which comes last: {listed}{more}")
    if copies:
        more = f"; and {len(copies) - 5} more copies" if len(copies) > 5 else ""
        said.append(f"{'; '.join(copies[:5])}{more}: kept, and a copy is ranked behind the other")
    if near:
        more = f"; and {len(near) - 5} more" if len(near) > 5 else ""
        said.append(f"{'; '.join(near[:5])}{more}: both are kept, and share their importance")
    return said


def warn_of_doubtful(
    names: Sequence[str],
    columns: Sequence[Floats],
    plain: Sequence[bool],
    is_category: Sequence[bool],
    *,
    also_of_equal: bool,
) -> None:
    """Name the columns of a data frame that look like no features, where none is left out.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    columns : sequence of ndarray of shape (n_samples,)
        Their numbers, nan where missing.
    plain : sequence of bool
        Whether they are numbers, no categories or dates.
    is_category : sequence of bool
        Whether they are categories.
    also_of_equal : bool
        Whether to name constants, copies and near-copies, too.

    """
    said = [
        f"column {name!r} looks like no feature, because {why}: leave it out of X if so"
        for name, values, is_plain in zip(names, columns, plain, strict=True)
        if is_plain and (why := reason_to_leave_out(name, values))
    ]
    if also_of_equal:
        said += what_to_know(names, columns, is_category)
    if said:
        warnings.warn("; ".join(said), TableWarning, stacklevel=4)
