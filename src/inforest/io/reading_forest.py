"""What a file says of a forest beside its trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.leaf_rows import smallest
from inforest._engine.sampling import MAX_CASES, Sampling
from inforest.estimators.forest_weights import ForestQuantiles, KeptRows
from inforest.io.archive import Arrays, demand
from inforest.io.layout import SAMPLING, array_of


def read_forest(arrays: Arrays, estimator: Any, forest: dict[str, Any], n_classes: int) -> None:
    """Read the sampling, the out-of-bag predictions and the rows that leaves keep."""
    n_samples = forest["n_samples"]
    is_number = isinstance(n_samples, int) and 0 < n_samples <= MAX_CASES
    demand(is_number, "n_samples is not a number of rows")
    demand(isinstance(forest["replace"], bool), "replace is neither true nor false")
    shapes = dict.fromkeys((*SAMPLING, "blocks"), (n_samples,)) | {"quota": None}
    found = {
        name: array_of(arrays, name, shape) if name in arrays else None
        for name, shape in shapes.items()
    }
    for name in ("groups", "blocks"):
        codes = found[name]
        fits = codes is None or bool(((codes >= 0) & (codes < n_samples)).all())
        demand(fits, f"{name} are not numbered from 0")
    quota, strata, counts = found["quota"], found["strata"], found["case_counts"]
    weight = found["row_weight"]
    are_weights = weight is None or bool((np.isfinite(weight) & (weight >= 0)).all())
    demand(are_weights, "the weight of a row is negative, or no number")
    demand(counts is None or _are_cases(counts), "a case count is not a number of cases")
    demand(quota is None or _are_cases(quota), "a quota is not a number of cases")
    one = quota is None or strata is not None or len(quota) == 1
    demand(one, "a quota has no stratum")
    demand(
        strata is None
        or (quota is not None and bool(((strata >= 0) & (strata < len(quota))).all())),
        "a stratum has no quota",
    )
    estimator._sampling = Sampling(
        n_samples, counts, strata, quota, forest["replace"], found["groups"], weight
    )
    estimator._blocks = found["blocks"]
    estimator._fingerprint = str(forest["fingerprint"])
    if forest["oob_score"] is not None:
        estimator.oob_score_ = float(forest["oob_score"])
    if "oob" in arrays:
        n_columns = max(n_classes, estimator.n_outputs_)
        shape = (n_samples, n_columns) if n_columns > 1 else (n_samples,)
        setattr(estimator, estimator._oob_name, array_of(arrays, "oob", shape))
    if "leaf" in arrays:
        estimator._kept = _read_kept(arrays, estimator, forest)


def _read_kept(arrays: Arrays, estimator: Any, forest: dict[str, Any]) -> KeptRows:
    """Read what a forest knows of its training rows."""
    trees, n_samples = estimator.trees_, forest["n_samples"]
    leaf = array_of(arrays, "leaf", (trees.n_trees, n_samples))
    inside = (leaf >= 0) & (leaf < np.diff(trees.offset)[:, None])
    demand(bool(inside.all()), "a row is in a leaf that does not exist")
    demand(bool(trees.is_leaf[leaf + trees.offset[:-1, None]].all()), "a row is in no leaf")
    honesty = forest.get("honesty", -1)
    demand(isinstance(honesty, (int, float)) and 0 <= honesty < 1, "honesty is no share")
    weight = array_of(arrays, "leaf_weight", (n_samples,)) if "leaf_weight" in arrays else None
    are_weights = weight is None or bool((np.isfinite(weight) & (weight >= 0)).all())
    demand(are_weights, "the weight of a row is negative, or no number")
    has_y = isinstance(estimator, ForestQuantiles)
    n_outputs = estimator.n_outputs_
    shape = (n_samples, n_outputs) if n_outputs > 1 else (n_samples,)
    y = array_of(arrays, "training_y", shape) if has_y else None
    demand(y is None or bool(np.isfinite(y).all()), "a response is no number")
    return KeptRows(smallest(leaf), float(honesty), weight, y)


def _are_cases(counts: NDArray[np.int64]) -> bool:
    """Whether these can be numbers of cases, alone and together."""
    alone = len(counts) > 0 and counts.min() >= 0 and counts.max() <= MAX_CASES
    return bool(alone) and int(counts.sum()) <= MAX_CASES
