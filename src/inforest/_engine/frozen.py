"""Arrays that do not change any more."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy; the caller's array stays as it is."""
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def freeze_arrays(result: Any) -> None:
    """Make the arrays of a dataclass read-only, as they are."""
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
