"""Rankers, selectors and filters in files: what they found, and the estimators inside them.

The header says what that of a forest says (`layout`), and in ``state`` what else is no array;
parameters that are estimators are ``{"class", "parameters"}``. An estimator that was fitted is a
file of its own, whose bytes are the array ``part_0``, ``part_1``, ...
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.features import Features
from inforest.io import archive, persistence
from inforest.io.archive import PART, Arrays, Header, demand
from inforest.io.layout import CLASSES
from inforest.io.reading import read_levels, read_names, unfitted
from inforest.io.writing import described_levels, plain

#: Where the classes are: they load slowly, so that they are imported when one is met.
HOMES = {
    "ForestRanker": "ranking.forest_ranker",
    "FeatureSelector": "selection.feature_selector",
    "PermutationFilter": "independence.filter",
    "ConditionalSelector": "selection.conditional_selector",
}
_RANKING = (
    *("order", "scores", "tie_breaker", "p_values", "adjusted_p_values", "nearest", "explained"),
)
_OF_RANKER = (
    *("feature_importances_", "scores_", "ranking_", "root_statistic_", "nearest_", "explained_"),
)
#: The cross-validated scores of a selector.
_CURVE = "cv_results_"


@dataclass(frozen=True)
class _Contents:
    """What a file holds besides parameters and columns."""

    state: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    parts: list[Any]


def class_of(name: str) -> type:
    """Return one of the classes by its name."""
    found: type = getattr(import_module(f"inforest.{HOMES[name]}"), name)
    return found


# --- Writing --------------------------------------------------------------------------------------


def header_and_arrays(estimator: Any) -> tuple[Header, dict[str, NDArray[Any]]]:
    """Return what a file holds of a fitted ranker, selector or filter."""
    name = type(estimator).__name__
    contents = _CONTENTS[name][0](estimator)
    features = getattr(estimator, "_features", None)
    names = getattr(estimator, "feature_names_in_", None)
    header = {
        "inforest": version("inforest"),
        "class": name,
        "parameters": {
            key: _parameter(key, value) for key, value in estimator.get_params(deep=False).items()
        },
        "n_features": estimator.n_features_in_,
        "feature_names": None if names is None else names.tolist(),
        "levels": None if features is None else described_levels(features),
        "state": contents.state,
    }
    parts = {f"{PART}{i}": _packed(part) for i, part in enumerate(contents.parts)}
    return header, contents.arrays | parts


def _packed(part: Any) -> NDArray[np.uint8]:
    """Return the file of a fitted estimator as an array of bytes."""
    file = BytesIO()
    archive.write_into(file, *persistence.contents(part), as_part=True)
    return np.frombuffer(file.getvalue(), dtype=np.uint8)


def _parameter(name: str, value: Any) -> Any:
    if not hasattr(value, "get_params") or isinstance(value, type):
        return plain(name, value)
    known = type(value).__name__
    if known not in CLASSES and known != "ForestRanker":
        raise ValueError(
            f"the parameter {name}={value!r} cannot be saved: only plain values and estimators of"
            f" inforest can. Use set_params({name}=None) before, if it is needed no more"
        )
    inner = value.get_params(deep=False)
    return {"class": known, "parameters": {key: _parameter(key, one) for key, one in inner.items()}}


def _of_ranker(ranker: Any) -> _Contents:
    arrays = {name: getattr(ranker, name) for name in _OF_RANKER}
    return _Contents({"n_parts": len(ranker.forests_)}, arrays, ranker.forests_)


def _of_selector(selector: Any) -> _Contents:
    result = selector.result_
    arrays = {name: getattr(result, name) for name in _RANKING if getattr(result, name) is not None}
    curve = getattr(selector, _CURVE, None)
    arrays |= {} if curve is None else {f"{_CURVE}.{name}": of for name, of in curve.items()}
    state = {
        "n_parts": 1,
        "k": int(selector.k_),
        "names": [str(name) for name in result.names],
        "words": {name: getattr(result, name) for name in ("score_name", "adjust", "statistic")},
        "of_plot": None if curve is None else selector._of_plot,
    }
    return _Contents(state, arrays, [selector.estimator_])


def _of_tests(selector: Any) -> _Contents:
    state, arrays = {}, {}
    for field in fields(selector.result_):
        value = getattr(selector.result_, field.name)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            arrays[field.name] = value
        else:
            state[field.name] = plain(field.name, value)
    return _Contents({"n_parts": 0, "result": state}, arrays, [])


# --- Reading --------------------------------------------------------------------------------------


def read(header: Header, arrays: Arrays, room: archive.Room) -> Any:
    """Return the ranker, selector or filter of a file with so much room for its parts."""
    for key in ("parameters", "n_features", "feature_names", "levels", "state"):
        demand(key in header, f"its header has no {key!r}")
    estimator = _made(header["class"], header["parameters"])
    n_features, state = header["n_features"], header["state"]
    demand(isinstance(n_features, int) and n_features > 0, "n_features is not a number")
    demand(isinstance(state, dict), "its state is not a table")
    estimator.n_features_in_ = n_features
    read_names(estimator, header)
    levels = read_levels(header["levels"], n_features)
    names = header["feature_names"]
    estimator._features = Features(n_features, levels, None if names is None else tuple(names))
    n_parts = state.get("n_parts")
    demand(isinstance(n_parts, int) and 0 <= n_parts <= len(arrays), "parts are missing")
    parts = [_unpacked(arrays, i, room) for i in range(n_parts)]
    for part in parts:
        demand(part.n_features_in_ == n_features, "a part has other features")
    others = {name: of for name, of in arrays.items() if not name.startswith(PART)}
    _CONTENTS[header["class"]][1](estimator, state, others, parts)
    return estimator


def _made(name: Any, parameters: Any) -> Any:
    """Return an unfitted estimator."""
    demand(isinstance(parameters, dict), "its parameters are not a table")
    if name in CLASSES:
        return unfitted(CLASSES[name], parameters)
    demand(name in HOMES, f"its class is {name!r}")
    cls: Any = class_of(name)
    unknown = set(parameters) - set(cls._parameter_constraints)
    demand(not unknown, f"{name} has no parameters {sorted(unknown)}")
    values = {
        key: _made(value["class"], value.get("parameters"))
        if isinstance(value, dict) and "class" in value
        else value
        for key, value in parameters.items()
    }
    estimator = cls(**values)
    estimator._validate_params()
    return estimator


def _unpacked(arrays: Arrays, i: int, room: archive.Room) -> Any:
    demand(f"{PART}{i}" in arrays, "a part is missing")
    content = arrays[f"{PART}{i}"]
    demand(content.dtype.kind in "iu" and content.ndim == 1, "a part is no file")
    file = BytesIO(content.astype(np.uint8).tobytes())
    return persistence.read(*archive.read(file, room), room)


def _checked(
    arrays: Arrays, name: str, dtype: Any, shape: tuple[int, ...], *, finite: bool = True
) -> NDArray[Any]:
    """Return an array of this shape and type; places of features must be such."""
    demand(name in arrays, f"the array {name} is missing")
    array, wanted = arrays[name], np.dtype(dtype)
    kinds = "f" if wanted.kind == "f" else "iub"
    demand(array.dtype.kind in kinds and array.shape == shape, f"the array {name} is not right")
    demand(not finite or bool(np.isfinite(array).all()), f"{name} is not finite")
    return array.astype(wanted)


def _order(arrays: Arrays, name: str, n: int) -> NDArray[np.intp]:
    order = _checked(arrays, name, np.intp, (n,))
    demand(np.array_equal(np.sort(order), np.arange(n)), f"{name} is no order of the features")
    return order


def _nearest(arrays: Arrays, name: str, n: int) -> NDArray[np.intp]:
    nearest = _checked(arrays, name, np.intp, (n,))
    demand(bool(((nearest >= -1) & (nearest < n)).all()), f"{name} is no feature")
    return nearest


def _read_ranker(ranker: Any, _state: Any, arrays: Arrays, parts: list[Any]) -> None:
    n = ranker.n_features_in_
    demand(len(parts) > 0, "there is no forest")
    kind = type(ranker.forest)
    demand(all(type(part) is kind for part in parts), "a forest is of another class")
    ranker.forests_ = parts
    for name in set(_OF_RANKER) - {"ranking_", "nearest_"}:
        setattr(ranker, name, _checked(arrays, name, np.float64, (n,)))
    ranker.ranking_ = _order(arrays, "ranking_", n)
    ranker.nearest_ = _nearest(arrays, "nearest_", n)


def _read_selector(selector: Any, state: Any, arrays: Arrays, parts: list[Any]) -> None:
    from inforest.ranking.ranking import Ranking

    n = selector.n_features_in_
    names, words, k = state.get("names"), state.get("words"), state.get("k")
    demand(isinstance(names, list) and len(names) == n, "names are not one each")
    demand(all(isinstance(name, str) for name in names), "a name is no word")
    demand(isinstance(words, dict) and len(words) == 3, "words of the ranking are missing")
    demand(all(isinstance(word, str | None) for word in words.values()), "a word is none")
    demand(isinstance(k, int) and 1 <= k <= n, "k is no number of features")
    found: dict[str, Any] = {
        name: _checked(arrays, name, np.float64, (n,))
        for name in _RANKING
        if name in arrays and name not in ("order", "nearest")
    }
    if "nearest" in arrays:
        found["nearest"] = _nearest(arrays, "nearest", n)
    demand("scores" in found, "the scores are missing")
    selector.estimator_ = parts[0]
    selector.k_ = k
    selector.result_ = Ranking(
        order=_order(arrays, "order", n),
        names=np.array(names, dtype=object),
        estimator=parts[0],
        **found,
        **words,
    )
    selector.support_ = np.zeros(n, dtype=bool)
    selector.support_[selector.result_.order[:k]] = True
    curve = [name for name in arrays if name.startswith(f"{_CURVE}.")]
    if curve:
        about = state.get("of_plot")
        demand(isinstance(about, dict) and {*about} == {"n_features", "score_name"}, "no curve")
        shape = arrays[curve[0]].shape
        demand(len(shape) == 1 and shape[0] > 0, "a curve has no points")
        whole = (f"{_CURVE}.k", f"{_CURVE}.n_splits")
        selector._of_plot = about
        selector.cv_results_ = {
            name.removeprefix(f"{_CURVE}."): _checked(
                arrays, name, np.intp if name in whole else np.float64, shape, finite=False
            )
            for name in curve
        }
        demand({"k", "mean_score", "std_error"} <= {*selector.cv_results_}, "a curve is not whole")


def _read_tests(selector: Any, state: Any, arrays: Arrays, _parts: list[Any]) -> None:
    from inforest.conditional.result import ConditionalResult
    from inforest.independence.result import IndependenceResult

    is_filter = type(selector).__name__ == "PermutationFilter"
    kind: Any = IndependenceResult if is_filter else ConditionalResult
    plain, n = state.get("result"), selector.n_features_in_
    demand(isinstance(plain, dict), "the result is missing")
    found: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in arrays:
            dtype = np.int64 if field.name.startswith("n_") else np.float64
            found[field.name] = _checked(arrays, field.name, dtype, (n,), finite=False)
        else:
            demand(field.name in plain, f"{field.name} is missing")
            value = plain[field.name]
            if isinstance(value, list) and field.name == "selector":
                value = tuple(value)
            elif isinstance(value, list):
                demand(len(value) == n, f"{field.name} is not one each")
                value = np.array(value, dtype=object)
            found[field.name] = value
    for name in ("statistic", "p_value", "adjusted_p_value", "feature_names"):
        demand(isinstance(found[name], np.ndarray), f"{name} is not one each")
    demand(isinstance(found["alpha"], float), "alpha is no number")
    selector.result_ = kind(**found)


_Write = Callable[[Any], _Contents]
_Read = Callable[[Any, Any, Arrays, list[Any]], None]
_CONTENTS: dict[str, tuple[_Write, _Read]] = {
    "ForestRanker": (_of_ranker, _read_ranker),
    "FeatureSelector": (_of_selector, _read_selector),
    "PermutationFilter": (_of_tests, _read_tests),
    "ConditionalSelector": (_of_tests, _read_tests),
}
