"""Responses that nobody could sort, found before anybody tries: some are not there."""

from typing import Any

import numpy as np

#: What to do about a response that is not there: nothing can be learned from its row.
LEAVE_OUT = "leave out the rows whose outcome is not known"
MISSING = f"Input y contains NaN: {LEAVE_OUT}."


def check_there(y: Any) -> None:
    """Refuse a y that is None, or whose labels are some None or NaN, or of types without an order.

    Numbers are looked at later, by who makes floats of them.
    """
    if y is None:
        raise ValueError(
            "This call requires y to be passed, but the target y is None: it takes one response per"
            " row."
        )
    if hasattr(y, "isna"):  # a column of pandas, of whatever type
        if np.any(y.isna()):
            raise ValueError(MISSING)
        if getattr(getattr(y, "dtype", None), "kind", "") == "O":
            _check_order(np.asarray(y))
        return
    if isinstance(y, np.ndarray) and (y.dtype.kind != "O" or y.ndim != 1):
        return
    if not isinstance(y, (np.ndarray, list, tuple)):
        return
    for value in y:
        if value is None:
            raise ValueError(f"Input y contains None, which is no class: {LEAVE_OUT}.")
        if isinstance(value, float) and value != value:
            raise ValueError(MISSING)
    if isinstance(y, np.ndarray):
        _check_order(y)


def _check_order(labels: Any) -> None:
    """Refuse labels such as words and numbers: no two of a kind can be compared."""
    one_of = {type(label): label for label in labels.tolist()}
    try:
        sorted(one_of.values())
    except TypeError:
        shown = " and ".join(repr(label) for label in list(one_of.values())[:2])
        raise ValueError(
            f"y holds labels of several types, such as {shown}, which have no order: make words of"
            " all of them, or numbers"
        ) from None
