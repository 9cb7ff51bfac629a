"""Ranges of parameters that have no natural end: beyond these, arithmetic would fail first."""

from numbers import Integral, Real
from typing import Any

from inforest._engine.sklearn_private import Interval

#: Trees of a forest.
MOST_TREES = 10_000_000
TREES = Interval(Integral, 1, MOST_TREES, closed="both")
#: Permutations of a test: the core counts them in 32 bits.
DRAWS = Interval(Integral, 1, 2**31 - 1, closed="both")
#: Fits of a diagnostic.
MOST_FITS = 1_000_000
#: A level; smaller ones are not normal floating-point numbers.
LEVEL: list[Any] = [Interval(Real, 1e-300, 1, closed="both")]
#: A factor, or an amount in units of the data.
FACTOR = Interval(Real, 0, 1e300, closed="both")
#: Jobs, as in joblib.
JOBS: list[Any] = [Interval(Integral, -10_000, 10_000, closed="both"), None]
