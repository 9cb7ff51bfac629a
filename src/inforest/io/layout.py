"""What a file of a fitted tree or forest holds.

A file is a zip archive of a header and arrays; `archive` says how, and what version 2 has added to
version 1. The header holds

- ``format`` ("inforest"), ``version`` (of the format) and ``inforest`` (which wrote it),
- ``class`` and ``parameters`` of the estimator,
- ``n_features``, ``feature_names`` (or null), ``entropy`` (of the fit's seeds),
- ``levels``: since version 2, what the features are that are no plain numbers, null if there are
  none: by the feature's place ``{"kind", "levels", "places"}``, as in `Feature`,
- ``missing``: since version 2, and null,
- ``n_outputs``, if several numbers are predicted,
- ``classes``: null in regression, else ``{"dtype": ..., "values": [...]}``,
- ``forest``: null for a tree, else ``{"fingerprint", "n_samples", "replace", "oob_score"}`` and,
  with ``leaf``, ``"honesty"``: the share of a tree's rows that its leaf values come from,
- ``arrays``: since version 2, what there is.

The arrays are those of `Trees`, except that ``left`` is missing (a left child follows its parent)
and ``right`` is the distance from a node to its right child, 0 in leaves; ``root_statistic``; and,
where there are any, ``missing_counts`` (of the features), ``candidate_counts`` and a forest's
``case_counts``, ``groups``, ``strata``,
``quota`` and ``row_weight`` of its sampling, the ``blocks`` of its rows, and ``oob``. ``weight`` is
missing where nodes weigh as much as they have rows, and ``row_weight`` in files of versions that
repeated rows, ``case_counts`` times. ``missing_left`` is missing in files of versions that knew no
missing values: those go into the child that weighs more, as they do today where none was seen.
Trees of censored times also have ``event_times``, and of each
leaf the event times of its rows: how many there are is in ``curve_length``, which ones, how much
had the event then and how much was at risk in ``curve_time``, ``curve_events``, ``curve_at_risk``.
``boxes`` are the box plots of a regression tree's leaves, in the order of the leaves.
A forest that keeps its leaves has ``leaf``, of each tree and training row, and, where there are
any, ``leaf_weight`` and ``training_y`` of the rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import ARRAYS, DTYPES
from inforest.estimators.forest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
)
from inforest.estimators.ordinal import (
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceTreeOrdinal,
)
from inforest.estimators.survival import (
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceSurvivalTree,
)
from inforest.estimators.tree import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)
from inforest.io.archive import Arrays, demand

CLASSES = {
    cls.__name__: cls
    for cls in (
        ConditionalInferenceTreeClassifier,
        ConditionalInferenceTreeRegressor,
        ConditionalInferenceForestClassifier,
        ConditionalInferenceForestRegressor,
        ConditionalInferenceTreeOrdinal,
        ConditionalInferenceForestOrdinal,
        ConditionalInferenceSurvivalTree,
        ConditionalInferenceSurvivalForest,
    )
}
#: Arrays of how a forest drew its rows.
SAMPLING = ("case_counts", "groups", "strata", "quota", "row_weight")
#: Arrays of `Trees`.
TREES = [name for name, about in ARRAYS.items() if about.in_files]
#: What the core expects; the file may hold smaller types.
EXPECTED = DTYPES | {
    "root_statistic": np.dtype(np.float64),
    "root_tail": np.dtype(np.float64),
    "missing_counts": np.dtype(np.int64),
    "candidate_counts": np.dtype(np.int64),
    "case_counts": np.dtype(np.int64),
    "strata": np.dtype(np.int32),
    "groups": np.dtype(np.int32),
    "blocks": np.dtype(np.int32),
    "quota": np.dtype(np.int64),
    "row_weight": np.dtype(np.float64),
    "oob": np.dtype(np.float64),
    "event_times": np.dtype(np.float64),
    "curve_length": np.dtype(np.int64),
    "curve_time": np.dtype(np.int32),
    "curve_events": np.dtype(np.float64),
    "curve_at_risk": np.dtype(np.float64),
    "boxes": np.dtype(np.float64),
    "leaf": np.dtype(np.int32),
    "leaf_weight": np.dtype(np.float64),
    "training_y": np.dtype(np.float64),
}


def array_of(arrays: Arrays, name: str, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Return one array of the given shape in its own type; None accepts any length."""
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    array, expected = arrays[name], EXPECTED[name]
    demand(array.dtype.kind in ("f" if expected.kind == "f" else "iu"), f"{name} has a wrong type")
    right_shape = array.ndim == 1 if shape is None else array.shape == shape
    demand(right_shape, f"the array {name} has the shape {array.shape}, not {shape}")
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(array, dtype=expected)
    demand(np.array_equal(converted, array, equal_nan=expected.kind == "f"), f"{name} is too large")
    return converted


def numbers_in_tree(offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each node's number in its own tree."""
    return np.arange(offset[-1]) - np.repeat(offset[:-1], np.diff(offset))
