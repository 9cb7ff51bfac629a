"""Arrays that do not change any more."""

from typing import Any

from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy; the caller's array stays as it is."""
    copy = array.copy()
    copy.setflags(write=False)
    return copy
