"""Responses that are not there, found before anybody sorts or compares them."""

from typing import Any

import numpy as np


def check_there(y: Any) -> None:
    """Refuse a y that is None, or that holds None or NaN among its labels.

    Numbers are looked at later, by who makes floats of them.
    """
    if y is None:
        raise ValueError(
            "This call requires y to be passed, but the target y is None: it takes one response per"
            " row."
        )
    if hasattr(y, "isna"):  # a column of pandas, of whatever type
        if np.any(y.isna()):
            raise ValueError("Input y contains NaN.")
        return
    if isinstance(y, np.ndarray) and (y.dtype.kind != "O" or y.ndim != 1):
        return
    if not isinstance(y, (np.ndarray, list, tuple)):
        return
    for value in y:
        if value is None:
            raise ValueError("Input y contains None, which is no class.")
        if isinstance(value, float) and value != value:
            raise ValueError("Input y contains NaN.")
