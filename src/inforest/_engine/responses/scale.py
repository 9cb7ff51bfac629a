"""The unit of y: the one place where numbers too large or too small to be squared are scaled."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Within these bounds squares of y and their sums neither overflow nor vanish.
_SAFE = (1e-100, 1e100)


def size_exponent(y: Floats) -> int:
    """Return the power of two by which y must be divided to bring the largest |y| near 1."""
    return int(np.frexp(np.abs(y).max())[1])


def scaled(y: Floats) -> tuple[Floats, int]:
    """Return y divided by a power of two, if it is extreme, and that power; exact."""
    largest = np.abs(y).max()
    if largest == 0 or _SAFE[0] <= largest <= _SAFE[1]:
        return y, 0
    exponent = size_exponent(y)
    return np.ldexp(y, -exponent), exponent
