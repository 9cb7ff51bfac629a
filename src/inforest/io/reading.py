"""A fitted tree or forest as its file has it (`layout`): all of it is checked."""

from typing import Any

import numpy as np

from inforest._engine.feature import CATEGORY, KINDS, ORDERED, Feature
from inforest._engine.features import Features
from inforest.io.archive import Arrays, Header, demand
from inforest.io.layout import CLASSES, EXPECTED, array_of
from inforest.io.reading_forest import read_forest
from inforest.io.reading_trees import read_boxes, read_curves, read_trees


def unfitted(cls: Any, parameters: Any) -> Any:
    """Return a tree or a forest with the parameters of a file."""
    demand(isinstance(parameters, dict), "its parameters are not a table")
    unknown = set(parameters) - set(cls._parameter_constraints)
    demand(not unknown, f"{cls.__name__} has no parameters {sorted(unknown)}")
    parameters = dict(parameters)
    if isinstance(parameters.get("max_features"), list):  # JSON has no tuples
        parameters["max_features"] = tuple(parameters["max_features"])
    if isinstance(parameters.get("class_weight"), dict):
        parameters["class_weight"] = dict(parameters["class_weight"]["pairs"])
    estimator = cls(**parameters)
    estimator._validate_params()
    return estimator


def read_estimator(header: Header, arrays: Arrays) -> Any:
    """Return the tree or the forest of a file."""
    _check_header(header)
    cls = CLASSES[header["class"]]
    estimator = unfitted(cls, header["parameters"])
    n_features = header["n_features"]
    demand(isinstance(n_features, int) and n_features > 0, "n_features is not a number")
    estimator.n_features_in_ = n_features
    strange = sorted(set(arrays) - set(EXPECTED))
    demand(not strange, f"this version does not know its arrays {', '.join(strange)}")
    read_names(estimator, header)
    estimator._features = Features(
        n_features, read_levels(header.get("levels"), n_features), _names(estimator)
    )
    estimator._entropy = _entropy(header["entropy"])
    estimator.root_statistic_ = array_of(arrays, "root_statistic", (n_features,))
    estimator._root_tail = None
    if "root_tail" in arrays:
        estimator._root_tail = array_of(arrays, "root_tail", (n_features,))
    estimator.missing_counts_ = np.zeros(n_features, dtype=np.int64)
    if "missing_counts" in arrays:
        estimator.missing_counts_ = array_of(arrays, "missing_counts", (n_features,))
        demand(bool((estimator.missing_counts_ >= 0).all()), "less than nothing is missing")
    if "candidate_counts" in arrays:
        counts = array_of(arrays, "candidate_counts", (n_features,))
        demand(bool((counts >= 0).all()), "a feature was a candidate less than 0 times")
        estimator.candidate_counts_ = counts
    n_classes = _read_classes(estimator, header)
    estimator.n_outputs_ = _read_n_outputs(header, estimator)
    trees = read_trees(arrays, estimator._features, max(estimator.n_outputs_, n_classes))
    if cls._response_type.has_curves:
        read_curves(arrays, estimator, trees)
    if header["forest"] is None:
        demand(trees.n_trees == 1, f"a tree is one tree, not {trees.n_trees}")
        demand(not hasattr(cls, "_oob_name"), "the sampling of the forest is missing")
        estimator.tree_ = trees.tree(0)
        if "boxes" in arrays:
            read_boxes(arrays, estimator)
    else:
        demand(hasattr(cls, "_oob_name"), "a tree has no sampling")
        estimator.trees_ = trees
        read_forest(arrays, estimator, header["forest"], n_classes)
    return estimator


def _check_header(header: Header) -> None:
    if header.get("class") not in CLASSES:
        raise ValueError(f"its class {header.get('class')!r} is none of {', '.join(CLASSES)}")
    for name in ("parameters", "n_features", "feature_names", "entropy", "classes", "forest"):
        demand(name in header, f"its header has no {name!r}")
    if header.get("missing") is not None:  # version 1 has none
        raise ValueError(
            f"its missing are of inforest {header.get('inforest')}; this one knows none"
        )


def read_levels(described: Any, n_features: int) -> dict[int, Feature]:
    """Return the features that are no plain numbers."""
    if described is None:
        return {}
    demand(isinstance(described, dict), "its levels are not a table")
    found = {}
    for place, entry in described.items():
        demand(place.isdecimal() and int(place) < n_features, "levels of no feature")
        kind, levels, places = (entry.get(name) for name in ("kind", "levels", "places"))
        has_levels = kind in (CATEGORY, ORDERED)
        demand(kind in KINDS, f"a feature is of the kind {kind!r}")
        demand(isinstance(levels, list), f"levels are {levels!r}")
        plain = all(isinstance(level, (str, int, float)) for level in levels)
        demand(plain and len(set(levels)) == len(levels), "levels are not different words")
        demand(has_levels or (not levels and places is None), f"a {kind} has levels")
        if has_levels:
            demand(isinstance(places, list) and len(places) == len(levels), "a level has no place")
            places = np.array(places, dtype=np.float64)
            codes = np.arange(len(levels))
            is_right = np.array_equal(places, codes) or kind == ORDERED
            demand(is_right and bool(np.isfinite(places).all()), "a level is out of place")
        found[int(place)] = Feature(kind, tuple(levels), places)
    return found


def _names(estimator: Any) -> tuple[str, ...] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else tuple(names.tolist())


def read_names(estimator: Any, header: dict[str, Any]) -> None:
    """Tell the estimator the columns' names, if there are any."""
    names = header["feature_names"]
    if names is None:
        return
    is_fine = isinstance(names, list) and all(isinstance(name, str) for name in names)
    demand(is_fine and len(names) == estimator.n_features_in_, "feature_names are not one each")
    estimator.feature_names_in_ = np.array(names, dtype=object)


def _read_classes(estimator: Any, header: dict[str, Any]) -> int:
    """Set the classes; return how many there are, 0 in regression."""
    labels = header["classes"]
    is_classifier = estimator._response_type.keeps_shares
    demand((labels is not None) == is_classifier, f"classes are {labels!r}")
    if labels is None:
        return 0
    dtype = np.dtype(labels["dtype"])
    demand(dtype.kind in "biufUO", f"classes cannot be of dtype {dtype}")
    longest = max((len(str(value)) for value in labels["values"]), default=0)
    demand(dtype.kind != "U" or dtype.itemsize <= 4 * longest, "the classes are shorter than said")
    classes = np.array(labels["values"], dtype=dtype)
    demand(classes.ndim == 1 and len(classes) > 1, "there must be at least two classes")
    demand(classes.tolist() == labels["values"], f"the classes are not of dtype {dtype}")
    if estimator._response_type.has_order:
        demand(len(set(classes.tolist())) == len(classes), "a class is there twice")
    else:
        demand(np.array_equal(np.unique(classes), classes), "the classes are not in order")
    estimator.classes_, estimator.n_classes_ = classes, len(classes)
    return len(classes)


def _read_n_outputs(header: Header, estimator: Any) -> int:
    """Return how many numbers are predicted; files of single ones do not say so."""
    n_outputs = header.get("n_outputs", 1)
    demand(isinstance(n_outputs, int) and n_outputs > 0, "n_outputs is not a number")
    several = n_outputs == 1 or estimator._response_type.takes_columns
    demand(several, "there are several outputs of one class")
    return n_outputs


def _entropy(value: Any) -> int | list[int]:
    words = value if isinstance(value, list) else [value]
    demand(all(type(word) is int and word >= 0 for word in words), "entropy is not a number")
    return value
