"""Is it the value or its absence? The parts of a test of features with missing values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.training_set import TrainingSet

#: What of a feature is tested, by the name of its p-values.
PARTS = {"p_observed": "ignore", "p_missing": "alone", "p_joint": "incorporate"}


@dataclass(frozen=True)
class Parts:
    """Of each feature, the parts of its test; of a complete one its value is all there is.

    Where both are tested, a missing value of a category is one of its levels.
    """

    n_missing: NDArray[np.int64]
    p_observed: Floats
    p_missing: Floats
    p_joint: Floats


def find_parts(
    data: TrainingSet,
    missing: str,
    p_value: Floats,
    test: Callable[[TrainingSet, str], Floats],
) -> Parts:
    """Return the p-values of all parts; those of `missing` are `p_value`.

    `test` returns the p-values of a part, of features with missing values.
    """
    p_values = {name: p_value.copy() for name in PARTS}
    p_values["p_missing"][:] = np.nan
    n_missing = data.features.missing_counts.copy()
    holed = np.flatnonzero(n_missing > 0)
    if len(holed) == 0:
        return Parts(n_missing, **p_values)
    part = data.of_columns(holed.tolist())
    for name, rule in PARTS.items():
        p_values[name][holed] = p_value[holed] if rule == missing else test(part, rule)
    return Parts(n_missing, **p_values)
