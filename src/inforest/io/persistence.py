"""Fitted estimators in files, without pickle: reading one runs no code that the file brings along.

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

import os
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import ARRAYS, DTYPES, STOP_REASONS, Per, Trees
from inforest._engine.boxes import N_NUMBERS
from inforest._engine.curves import LeafCurves, thinned
from inforest._engine.feature import CATEGORY, KINDS, ORDERED, Feature
from inforest._engine.features import Features
from inforest._engine.leaf_rows import smallest
from inforest._engine.sampling import MAX_CASES, Sampling
from inforest.estimators.forest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
)
from inforest.estimators.forest_weights import ForestQuantiles, KeptRows
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
from inforest.io import archive
from inforest.io.archive import Arrays, Header, demand

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
_SAMPLING = ("case_counts", "groups", "strata", "quota", "row_weight")
_TREES = [name for name, about in ARRAYS.items() if about.in_files]
#: What the core expects; the file may hold smaller types.
_DTYPES = DTYPES | {
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


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted tree, forest, ranker, selector or filter to a file that `load` reads.

    The file is complete or not there: it is written under another name first. A forest of 500 trees
    with 91,000 nodes on the digits data takes 2.0 MB (14 MB as a pickle, most of it the
    proportions of the ten classes).

    Parameters
    ----------
    estimator : tree, forest, ForestRanker, FeatureSelector, PermutationFilter, ConditionalSelector
        It must be fitted, and its parameters plain values or estimators of this package: not a
        RandomState as `random_state`, not a function as `oob_score`.
    path : str or path-like
        The file. An old one is replaced.

    See Also
    --------
    load : The way back.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(forest, Path(folder) / "iris.inforest")
    ...     copy = load(Path(folder) / "iris.inforest")
    >>> bool((copy.predict(X) == forest.predict(X)).all())
    True

    """
    archive.write(Path(path), *contents(estimator))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator that `save` has written.

    Nothing in the file is executed. All of it is checked, so that a file that was cut off, changed
    or made by something else gives an error and never a wrong estimator that crashes later.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : estimator object
        As it was saved.

    See Also
    --------
    save : The way there, with an example.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from inforest import PermutationFilter, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(PermutationFilter(k=2, random_state=0).fit(X, y), Path(folder) / "filter.inforest")
    ...     copy = load(Path(folder) / "filter.inforest")
    >>> copy.transform(X).shape
    (150, 2)

    """
    with Path(path).open("rb") as file:
        try:
            room = archive.Room(file)
            return read(*archive.read(file, room), room)
        except Exception as error:  # damage shows in many ways
            reason = str(error) or type(error).__name__
            if not zipfile.is_zipfile(file):
                reason = "it is not a file of inforest, or it was cut off"
            raise ValueError(f"{os.fspath(path)!r} cannot be loaded: {reason}") from error


# --- Writing --------------------------------------------------------------------------------------


def contents(estimator: Any) -> tuple[Header, dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a fitted estimator."""
    from inforest.io import compound

    name = type(estimator).__name__
    has_parts = name in compound.HOMES and compound.class_of(name) is type(estimator)
    if not has_parts and CLASSES.get(name) is not type(estimator):
        raise TypeError(
            f"estimator must be a fitted {_listed([*CLASSES, *compound.HOMES])}; got {name}"
        )
    check_is_fitted(estimator)
    if has_parts:
        return compound.header_and_arrays(estimator)
    return _header(estimator), _arrays(estimator)


def _header(estimator: Any) -> dict[str, Any]:
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


def _arrays(estimator: Any) -> dict[str, NDArray[Any]]:
    trees = estimator._trees
    arrays = {name: getattr(trees, name) for name in _TREES}
    arrays["right"] = np.where(trees.is_leaf, 0, trees.right - _numbers(trees.offset))
    for name in _TREES:
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
        arrays |= {name: getattr(sampling, name) for name in _SAMPLING}
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


# --- Reading --------------------------------------------------------------------------------------


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


def read(header: Header, arrays: Arrays, room: archive.Room) -> Any:
    """Return the estimator of a file; `room` is what the files in it may take."""
    from inforest.io import compound

    if header.get("class") in compound.HOMES:
        return compound.read(header, arrays, room)
    _check_header(header)
    cls = CLASSES[header["class"]]
    estimator = unfitted(cls, header["parameters"])
    n_features = header["n_features"]
    demand(isinstance(n_features, int) and n_features > 0, "n_features is not a number")
    estimator.n_features_in_ = n_features
    strange = sorted(set(arrays) - set(_DTYPES))
    demand(not strange, f"this version does not know its arrays {', '.join(strange)}")
    read_names(estimator, header)
    estimator._features = Features(
        n_features, read_levels(header.get("levels"), n_features), _names(estimator)
    )
    estimator._entropy = _entropy(header["entropy"])
    estimator.root_statistic_ = _array(arrays, "root_statistic", (n_features,))
    estimator._root_tail = None
    if "root_tail" in arrays:
        estimator._root_tail = _array(arrays, "root_tail", (n_features,))
    estimator.missing_counts_ = np.zeros(n_features, dtype=np.int64)
    if "missing_counts" in arrays:
        estimator.missing_counts_ = _array(arrays, "missing_counts", (n_features,))
        demand(bool((estimator.missing_counts_ >= 0).all()), "less than nothing is missing")
    if "candidate_counts" in arrays:
        counts = _array(arrays, "candidate_counts", (n_features,))
        demand(bool((counts >= 0).all()), "a feature was a candidate less than 0 times")
        estimator.candidate_counts_ = counts
    n_classes = _read_classes(estimator, header)
    estimator.n_outputs_ = _read_n_outputs(header, estimator)
    trees = _read_trees(arrays, estimator._features, max(estimator.n_outputs_, n_classes))
    if cls._response_type.has_curves:
        _read_curves(arrays, estimator, trees)
    if header["forest"] is None:
        demand(trees.n_trees == 1, f"a tree is one tree, not {trees.n_trees}")
        demand(not hasattr(cls, "_oob_name"), "the sampling of the forest is missing")
        estimator.tree_ = trees.tree(0)
        if "boxes" in arrays:
            _read_boxes(arrays, estimator)
    else:
        demand(hasattr(cls, "_oob_name"), "a tree has no sampling")
        estimator.trees_ = trees
        _read_forest(arrays, estimator, header["forest"], n_classes)
    return estimator


def _check_header(header: Header) -> None:
    if header.get("class") not in CLASSES:
        raise ValueError(f"its class {header.get('class')!r} is none of {_listed(CLASSES)}")
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


def _read_trees(found: Arrays, features: Features, n_outputs: int) -> Trees:
    """Read the trees and make sure that whoever walks them stays inside and arrives."""
    offset = _array(found, "offset", None)
    demand(
        len(offset) > 1 and offset[0] == 0 and bool((np.diff(offset) > 0).all()),
        "offset does not ascend from 0",
    )
    n_trees, n_nodes = len(offset) - 1, int(offset[-1])
    n_words = int(_array(found, "pool_offset", (n_trees + 1,))[-1]) if "pool_offset" in found else 0
    # Arrays that a file leaves out are made as long as it says; so what it holds is as long.
    _array(found, "feature", (n_nodes,))
    if n_words > 0:
        _array(found, "level_pool", (n_words,))
    length = {
        Per.NODE: n_nodes,
        Per.TREE: n_trees,
        Per.BORDER: n_trees + 1,
        Per.WORD: n_words,
    }
    for name, about in ARRAYS.items():
        if about.else_like is not None and name not in found and about.else_like in found:
            found = found | {name: found[about.else_like].astype(DTYPES[name])}
        if about.else_value is not None and name not in found:
            plain = np.full(length[about.per], about.else_value, dtype=DTYPES[name])
            found = found | {name: plain}
    knows_missing = "missing_left" in found
    if not knows_missing:  # filled in below, where the children are known
        found = found | {"missing_left": np.zeros(n_nodes, dtype=np.uint8)}
    arrays = {
        name: _array(found, name, (length[about.per], n_outputs)[: 2 if about.is_table else 1])
        for name, about in ARRAYS.items()
        if about.in_files
    }
    feature = arrays["feature"]
    exists = (feature >= -1) & (feature < features.n_features)
    demand(bool(exists.all()), "a feature does not exist")
    demand(bool((arrays["stop_reason"] < len(STOP_REASONS)).all()), "a stop_reason is unknown")
    for name in ("validated", "missing_left"):
        demand(bool((arrays[name] <= 1).all()), f"{name} is neither 0 nor 1")
    effect = arrays["unseen_effect"]
    demand(bool((np.abs(effect) <= 1).all()), "an unseen_effect is not between -1 and 1")
    demand(bool(np.isfinite(arrays["value"]).all()), "a value is not finite")
    demand(bool(np.isfinite(arrays["impurity"]).all()), "an impurity is not finite")
    demand(bool((arrays["n_samples"] > 0).all()), "a node has no rows")
    for name in ("p_value_feature", "p_value_threshold"):
        p_value = arrays[name]
        fits = np.isnan(p_value) | ((p_value >= 0) & (p_value <= 1))
        demand(bool(fits.all()), f"{name} is not between 0 and 1")
    weight = arrays["weight"]
    demand(bool((np.isfinite(weight) & (weight > 0)).all()), "a node weighs nothing")
    inner = feature >= 0
    parts_levels = arrays["level_set"] >= 0
    no_threshold = np.isnan(arrays["threshold"])
    demand(bool((no_threshold == (parts_levels | ~inner)).all()), "a split has no threshold")
    demand(_are_level_sets(arrays, features), "a set of levels is not what it should be")
    number = _numbers(offset)
    size = np.repeat(np.diff(offset), np.diff(offset))
    distance = arrays["right"].astype(np.int64)
    # Preorder: the left child is the next node, the right one comes later in the same tree. Every
    # node but the root is the child of one node.
    inside = (distance[inner] >= 2).all() and (number + distance < size)[inner].all()
    demand(bool(inside), "a child is not where it should be")
    node = np.flatnonzero(inner)
    children = np.concatenate([node + 1, node + distance[node]])
    once = np.bincount(children, minlength=n_nodes) == (number > 0)
    demand(bool(once.all()), "a node is not the child of one node")
    if not knows_missing:
        arrays["missing_left"][node] = weight[node + 1] > weight[node + distance[node]]
    arrays["right"] = np.where(inner, number + distance, -1).astype(np.int32)
    left = np.where(inner, number + 1, -1).astype(np.int32)
    return Trees(left=left, **arrays)


def _read_boxes(arrays: Arrays, estimator: Any) -> None:
    tree = estimator.tree_
    shape = (tree.n_leaves, estimator.n_outputs_, N_NUMBERS)
    boxes = _array(arrays, "boxes", shape)
    demand(bool(np.isfinite(boxes).all()), "a box plot is not finite")
    demand(hasattr(type(estimator), "_boxes"), "boxes of what is no regression tree")
    estimator._boxes = np.full((tree.node_count, *shape[1:]), np.nan)
    estimator._boxes[tree.is_leaf] = boxes


def _read_curves(arrays: Arrays, estimator: Any, trees: Trees) -> None:
    """Read what leaves keep of censored times."""
    times = _array(arrays, "event_times", None)
    is_grid = len(times) > 0 and bool(np.isfinite(times).all() and (np.diff(times) > 0).all())
    demand(is_grid, "event_times do not ascend")
    length = _array(arrays, "curve_length", (trees.node_count,))
    demand(bool((length >= 0).all() and not length[~trees.is_leaf].any()), "a curve has no leaf")
    begin = np.concatenate([[0], np.cumsum(length)])
    shape = (int(begin[-1]),)
    floats = {
        name: arrays[name].astype(np.float64)
        for name in ("curve_events", "curve_at_risk")
        if name in arrays and arrays[name].dtype.kind in "iu"
    }
    time = _array(arrays, "curve_time", shape)
    events = _array(arrays | floats, "curve_events", shape)
    at_risk = _array(arrays | floats, "curve_at_risk", shape)
    demand(bool(((time >= 0) & (time < len(times))).all()), "an event has no time")
    inside = np.isfinite(at_risk) & (events > 0) & (events <= at_risk * (1 + 1e-9))
    demand(bool(inside.all()), "more events than rows at risk")
    estimator._curves = LeafCurves(begin.astype(np.int64), time, events, at_risk, times)
    estimator.event_times_ = times
    estimator.unique_times_ = thinned(times, estimator.time_grid)


def _are_level_sets(arrays: Arrays, features: Features) -> bool:
    """Whether splits of categories, and no others, have sets of the right number of levels."""
    border, pool = arrays["pool_offset"], arrays["level_pool"]
    if border[0] != 0 or (np.diff(border) < 0).any():
        return False
    feature, level_set = arrays["feature"], arrays["level_set"]
    n_levels = np.where(feature < 0, 0, features.n_levels[feature])
    if not np.array_equal(level_set >= 0, n_levels > 0) or (level_set < -1).any():
        return False
    of_tree = np.repeat(np.arange(len(border) - 1), np.diff(arrays["offset"]))
    node = np.flatnonzero(level_set >= 0)
    place = border[of_tree[node]] + level_set[node]
    end = place + 1 + -(-n_levels[node] // 64)
    inside = bool((end <= border[of_tree[node] + 1]).all())
    return inside and np.array_equal(pool[place], n_levels[node].astype(np.uint64))


def _read_forest(arrays: Arrays, estimator: Any, forest: dict[str, Any], n_classes: int) -> None:
    n_samples = forest["n_samples"]
    is_number = isinstance(n_samples, int) and 0 < n_samples <= MAX_CASES
    demand(is_number, "n_samples is not a number of rows")
    demand(isinstance(forest["replace"], bool), "replace is neither true nor false")
    shapes = dict.fromkeys((*_SAMPLING, "blocks"), (n_samples,)) | {"quota": None}
    found = {
        name: _array(arrays, name, shape) if name in arrays else None
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
        setattr(estimator, estimator._oob_name, _array(arrays, "oob", shape))
    if "leaf" in arrays:
        estimator._kept = _read_kept(arrays, estimator, forest)


def _read_kept(arrays: Arrays, estimator: Any, forest: dict[str, Any]) -> KeptRows:
    """Read what a forest knows of its training rows."""
    trees, n_samples = estimator.trees_, forest["n_samples"]
    leaf = _array(arrays, "leaf", (trees.n_trees, n_samples))
    inside = (leaf >= 0) & (leaf < np.diff(trees.offset)[:, None])
    demand(bool(inside.all()), "a row is in a leaf that does not exist")
    demand(bool(trees.is_leaf[leaf + trees.offset[:-1, None]].all()), "a row is in no leaf")
    honesty = forest.get("honesty", -1)
    demand(isinstance(honesty, (int, float)) and 0 <= honesty < 1, "honesty is no share")
    weight = _array(arrays, "leaf_weight", (n_samples,)) if "leaf_weight" in arrays else None
    are_weights = weight is None or bool((np.isfinite(weight) & (weight >= 0)).all())
    demand(are_weights, "the weight of a row is negative, or no number")
    has_y = isinstance(estimator, ForestQuantiles)
    n_outputs = estimator.n_outputs_
    shape = (n_samples, n_outputs) if n_outputs > 1 else (n_samples,)
    y = _array(arrays, "training_y", shape) if has_y else None
    demand(y is None or bool(np.isfinite(y).all()), "a response is no number")
    return KeptRows(smallest(leaf), float(honesty), weight, y)


def _array(arrays: Arrays, name: str, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Return one array of the given shape in its own type; None accepts any length."""
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    array, expected = arrays[name], _DTYPES[name]
    demand(array.dtype.kind in ("f" if expected.kind == "f" else "iu"), f"{name} has a wrong type")
    right_shape = array.ndim == 1 if shape is None else array.shape == shape
    demand(right_shape, f"the array {name} has the shape {array.shape}, not {shape}")
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(array, dtype=expected)
    demand(np.array_equal(converted, array, equal_nan=expected.kind == "f"), f"{name} is too large")
    return converted


def _are_cases(counts: NDArray[np.int64]) -> bool:
    """Whether these can be numbers of cases, alone and together."""
    alone = len(counts) > 0 and counts.min() >= 0 and counts.max() <= MAX_CASES
    return bool(alone) and int(counts.sum()) <= MAX_CASES


def _numbers(offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each node's number in its own tree."""
    return np.arange(offset[-1]) - np.repeat(offset[:-1], np.diff(offset))


def _listed(names: Any) -> str:
    return ", ".join(names)
