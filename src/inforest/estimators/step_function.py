"""`StepFunction`: a curve that changes at some times only."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from inforest._engine.arrays import Floats


class StepFunction:
    """A function of time that is constant between the times at which it changes.

    Attributes
    ----------
    x : ndarray of shape (n_times,)
        The times, ascending.
    y : ndarray of shape (n_times,)
        The value from each time on.
    start : float
        The value before the first time: 1 for a survival curve, 0 for a cumulative hazard.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest.estimators.step_function import StepFunction
    >>> survival = StepFunction(np.array([2.0, 5.0]), np.array([0.75, 0.5]), start=1.0)
    >>> survival([1, 2, 9])
    array([1.  , 0.75, 0.5 ])

    """

    def __init__(self, x: Floats, y: Floats, *, start: float) -> None:
        self.x = x
        self.y = y
        self.start = start

    def __call__(self, time: ArrayLike) -> Any:
        """Return the value at a time, or at each of several.

        Parameters
        ----------
        time : float or array-like
            Any times; after the last change the value stays what it is.

        Returns
        -------
        value : float or ndarray
            As many as there are times.

        """
        times = np.asarray(time, dtype=np.float64)
        values = np.concatenate([[self.start], self.y])
        found = values[np.searchsorted(self.x, times, side="right")]
        return float(found) if times.ndim == 0 else found

    @property
    def domain(self) -> tuple[float, float]:
        """The first and the last time at which the data say something."""
        return 0.0, float(self.x[-1])

    def __repr__(self) -> str:
        return (
            f"StepFunction({len(self.x)} times up to {self.x[-1]:g}, last value {self.y[-1]:.3g})"
        )
