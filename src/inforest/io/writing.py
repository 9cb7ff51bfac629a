"""What a file holds of a fitted tree or forest (`layout`)."""

from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import ARRAYS
from inforest._engine.curves import LeafCurves
from inforest._engine.features import Features
from inforest.io.layout import SAMPLING, TREES, numbers_in_tree


def header_of(estimator: Any) -> dict[str, Any]:
    """Return the header."""
    names = getattr(estimator, "feature_names_in_", None)
    classes = getattr(estimator, "classes_", None)
    sampling = getattr(estimator, "_sampling", None)
    n_outputs = int(getattr(estimator, "n_outputs_", 1))
    return {
        "inforest": version("inforest"),
        "class": type(estimator).__name__,
        "parameters": {
            name: plain(name, value) for name, value in estimator.get_params(deep=False).items()
        },
        "n_features": estimator.n_features_in_,
        "feature_names": None if names is None else names.tolist(),
        "levels": described_levels(estimator._features),
        "missing": None,
        "entropy": estimator._entropy,
        **({"n_outputs": n_outputs} if n_outputs > 1 else {}),
        "classes": None if classes is None else _labels(classes),
        "forest": None
        if sampling is None
        else {
            "fingerprint": estimator._fingerprint,
            "n_samples": sampling.n_samples,
            "replace": sampling.replace,
            "oob_score": getattr(estimator, "oob_score_", None),
            **({} if estimator._kept is None else {"honesty": estimator._kept.honesty}),
        },
    }


def plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON has it."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(name, one) for one in value]
    if isinstance(value, dict):  # the keys of JSON are strings
        return {"pairs": plain(name, list(value.items()))}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(
        f"the parameter {name}={value!r} cannot be saved, only plain values can;"
        f" use set_params({name}=...) before"
    )


def _labels(classes: NDArray[Any]) -> dict[str, Any]:
    values = classes.tolist()
    if classes.dtype.kind not in "biufUO" or not all(
        isinstance(value, (bool, int, float, str)) for value in values
    ):
        raise ValueError(
            f"classes of dtype {classes.dtype} cannot be saved, only strings, ints, floats, bools"
        )
    return {"dtype": classes.dtype.str, "values": values}


def described_levels(features: Features) -> dict[str, Any] | None:
    """Return what the features are that are no plain numbers, as JSON has it."""
    described = {
        str(j): {
            "kind": feature.kind,
            "levels": list(feature.levels),
            "places": None if feature.places is None else feature.places.tolist(),
        }
        for j, feature in features.special.items()
    }
    return described or None


def arrays_of(estimator: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays that it has."""
    trees = estimator._trees
    arrays = {name: getattr(trees, name) for name in TREES}
    arrays["right"] = np.where(trees.is_leaf, 0, trees.right - numbers_in_tree(trees.offset))
    for name in TREES:
        like = ARRAYS[name].else_like
        if like is not None and np.array_equal(arrays[name], arrays[like]):
            del arrays[name]
        plain = ARRAYS[name].else_value
        if plain is not None and np.array_equal(
            arrays[name], np.full_like(arrays[name], plain), equal_nan=True
        ):
            del arrays[name]
    arrays["root_statistic"] = estimator.root_statistic_
    arrays["root_tail"] = estimator._root_tail
    arrays["missing_counts"] = (
        estimator.missing_counts_ if estimator.missing_counts_.any() else None
    )
    # A tree taken out of a forest has none.
    arrays["candidate_counts"] = getattr(estimator, "candidate_counts_", None)
    if estimator._response_type.has_curves:
        arrays |= _curve_arrays(estimator._curves)
    if getattr(estimator, "_boxes", None) is not None:
        arrays["boxes"] = estimator._boxes[trees.is_leaf]
    sampling = getattr(estimator, "_sampling", None)
    if sampling is not None:
        arrays |= {name: getattr(sampling, name) for name in SAMPLING}
        arrays["blocks"] = estimator._blocks
        arrays["oob"] = getattr(estimator, estimator._oob_name, None)
        if estimator._kept is not None:
            arrays["leaf"] = estimator._kept.leaf
            arrays["leaf_weight"] = estimator._kept.weight
            arrays["training_y"] = estimator._kept.y
    return {name: array for name, array in arrays.items() if array is not None}


def _curve_arrays(curves: LeafCurves) -> dict[str, NDArray[Any]]:
    return {
        "event_times": curves.event_times,
        "curve_length": np.diff(curves.begin),
        "curve_time": curves.time,
        "curve_events": _whole(curves.events),
        "curve_at_risk": _whole(curves.at_risk),
    }


def _whole(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Return counts as integers, which need less room; other weights as they are."""
    counts = numbers.astype(np.int64)
    return counts if np.array_equal(counts, numbers) else numbers
