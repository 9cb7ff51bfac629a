"""Censored times as users hand them over: one array with an event and a time per row."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: How the library holds them: fields in scikit-survival's order.
DTYPE = np.dtype([("event", np.bool_), ("time", np.float64)])
_ACCEPTED = (
    "a structured array or a data frame with two columns, the event (True where it happened, False"
    " where the time is censored) and the time, or a pair (event, time)"
)


def read_censored(y: Any) -> NDArray[Any]:
    """Return y as a structured array with the fields "event" and "time", or say what is wrong.

    Which of two columns is the event: the one of that name if the other is called "time", else the
    one that holds truth values, else the only one that holds nothing but 0 and 1, else the first.
    """
    if getattr(y, "dtype", None) == DTYPE:
        return _checked(y["event"], y["time"])
    columns = _columns(y)
    if len(columns) != 2:
        words = "one column" if len(columns) == 1 else f"{len(columns)} columns"
        found = words if columns else _shown(y)
        raise ValueError(f"y must hold censored times: {_ACCEPTED}; got {found}")
    names, (first, second) = list(columns), [_flat(column) for column in columns.values()]
    if set(names) == {"event", "time"}:
        return censored(columns["event"], columns["time"])
    if (_looks_like_event(second) and not _looks_like_event(first)) or (
        second.dtype.kind == "b" and first.dtype.kind != "b"
    ):
        first, second, names = second, first, names[::-1]
    return censored(first, second, *names)


def censored(
    event: Any, time: Any, event_name: str = "event", time_name: str = "time"
) -> NDArray[Any]:
    """Return a structured array of two columns that are known for what they are."""
    first, second = _flat(event), _flat(time)
    if len(first) != len(second):
        raise ValueError(
            "y must have as many events as times; got columns of the lengths"
            f" {len(first)} and {len(second)}"
        )
    return _checked(_as_event(first, event_name), _as_time(second, time_name))


def is_censored(y: Any) -> bool:
    """Whether y says by its type that it holds censored times: a truth value and a number.

    So do a dict with the keys "event" and "time", and a pair of such columns.
    """
    if isinstance(y, Mapping):
        return set(y) == {"event", "time"}
    if is_pair_of_columns(y):
        pair = "".join(np.asarray(column).dtype.kind for column in y)
        return "b" in pair and any(kind in "iuf" for kind in pair)
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None or len(names) != 2:
        return False
    kinds = sorted("b" if y.dtype[name].kind == "b" else "n" for name in names)
    return kinds == ["b", "n"] and all(y.dtype[name].kind in "biuf" for name in names)


def is_pair_of_columns(y: Any) -> bool:
    """Whether y is a tuple of two columns, as (event, time) is, not one response per row."""
    return isinstance(y, tuple) and len(y) == 2 and all(np.ndim(column) == 1 for column in y)


def refuse_times(y: Any) -> None:
    """Refuse what can only be an event and a time per row, where one value per row is asked for."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None and not is_pair_of_columns(y):
        return
    what = "a pair of columns" if names is None else f"an array of the fields {', '.join(names)}"
    raise ValueError(
        f"y must be one value per row, or a matrix of numbers; got {what}. Are these survival"
        ' times? Pass {"event": ..., "time": ...} with truth values for the events, or'
        ' task="survival" where there is such a parameter; the models are'
        " ConditionalInferenceSurvivalForest and ConditionalInferenceSurvivalTree"
    )


def may_be_censored(y: Any) -> bool:
    """Whether y, by what it holds, could be censored times that are not said to be some."""
    try:
        columns = [_flat(column) for column in _columns(y).values()]
    except (TypeError, ValueError):  # whoever reads y says what is wrong
        return False
    if len(columns) != 2 or any(column.dtype.kind not in "biuf" for column in columns):
        return False
    event, other = sorted(columns, key=_looks_like_event, reverse=True)
    return _looks_like_event(event) and not _looks_like_event(other) and bool((other >= 0).all())


def _columns(y: Any) -> dict[str, Any]:
    """Return the columns by their names; empty if y has none."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is not None:
        return {name: y[name] for name in names}
    if isinstance(y, Mapping):
        return {str(name): column for name, column in y.items()}
    if hasattr(y, "columns") and hasattr(y, "__getitem__"):  # a data frame
        return {str(name): y[name] for name in y.columns}
    if isinstance(y, tuple):
        return (
            dict(zip(("first of the pair", "second of the pair"), y, strict=False))
            if len(y) == 2
            else {}
        )
    array = np.asarray(y)
    if array.ndim == 2:
        return {f"column {j}": array[:, j] for j in range(array.shape[1])}
    return {}


def _flat(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    return array.astype(bool) if _are_truth_values(array) else array.ravel()


def _are_truth_values(array: NDArray[Any]) -> bool:
    """Whether these are truth values in an array of objects, as data frames may have them."""
    return array.dtype == object and all(isinstance(one, (bool, np.bool_)) for one in array)


def _looks_like_event(column: NDArray[Any]) -> bool:
    if column.dtype.kind == "b":
        return True
    return column.dtype.kind in "iuf" and bool(np.isin(column, (0, 1)).all())


def _as_event(column: NDArray[Any], name: str) -> NDArray[np.bool_]:
    if _looks_like_event(column):
        return column.astype(bool)
    try:
        values = sorted({str(one) for one in column.tolist()})
    except TypeError:  # pragma: no cover
        values = []
    shown = ", ".join(values[:4]) + (", ..." if len(values) > 4 else "")
    hint = ""
    if values == ["1", "2"]:
        hint = (
            f". Codes 1 and 2 become truth values by `{name} == 2`; on the command line, by"
            f" --event {name}=2"
        )
    raise ValueError(
        "the events of y must be True or False, or 1 or 0: True, or 1, where the event happened at"
        f" that time, False where it is censored; {name!r} holds {shown}{hint}"
    )


def _as_time(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    try:
        if column.dtype.kind in "mM":
            raise TypeError("dates are no numbers")
        time = column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the times of y must be numbers; {name!r} holds {column.dtype}"
        ) from error
    return time


def _checked(event: NDArray[Any], time: NDArray[Any]) -> NDArray[Any]:
    if not np.isfinite(time).all():
        n_bad = int((~np.isfinite(time)).sum())
        raise ValueError(
            f"Input y contains NaN or infinity: {n_bad} of {len(time)} times are missing or not"
            " finite. Leave these rows out."
        )
    if len(time) and time.min() < 0:
        raise ValueError(f"the times of y must not be negative; the smallest is {time.min():g}")
    result = np.empty(len(time), dtype=DTYPE)
    result["event"], result["time"] = event, time
    return result


def _shown(y: Any) -> str:
    shape = np.shape(y)
    return f"one column of {shape[0]} values" if len(shape) == 1 else f"the shape {shape}"
