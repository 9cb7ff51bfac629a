"""The response types there are; here the words of ``task=`` become one of them."""

import warnings
from typing import Any

from sklearn.base import is_classifier, is_regressor

from inforest._engine.notices import TableWarning
from inforest._engine.responses.censored import may_be_censored, refuse_times
from inforest._engine.responses.presence import check_there
from inforest._engine.responses.response_type import ResponseType

_types: dict[str, ResponseType] = {}
#: What ``task=`` accepts. Constraints of parameters hold this very set, so that it may grow.
TASK_NAMES: set[str] = {"auto"}


def register(response_type: ResponseType) -> None:
    """Make a type known to everything that has a parameter `task`."""
    _types[response_type.name] = response_type
    TASK_NAMES.add(response_type.name)


def response_types() -> list[ResponseType]:
    """Return all types, in the order in which "auto" asks them."""
    return list(_types.values())


def any_response_type() -> ResponseType:
    """Return a type, for questions that all answer alike.

    The default models of all types accept the same X and request the same metadata.
    """
    return response_types()[0]


def of_task(task: str) -> ResponseType:
    """Return the type with this name."""
    return _types[task]


def of_estimator(model: Any) -> ResponseType | None:
    """Return the type that an estimator predicts, ours or any other's; None if it says nothing."""
    own = getattr(model, "_response_type", None)
    if isinstance(own, ResponseType):
        return own.configured(model)
    kind = "classifier" if is_classifier(model) else "regressor" if is_regressor(model) else ""
    return next((one for one in response_types() if one.estimator_type == kind), None)


def declared_type(y: Any) -> ResponseType | None:
    """Return the type that y names by its own, None if it names none."""
    return next((one for one in response_types() if one.declares(y)), None)


def find_response_type(task: str, selector: Any, y: Any) -> ResponseType:
    """Return the type that `task` names; "auto": the selector's if it has one only, else y's."""
    check_there(y)
    if task != "auto":
        return of_task(task)
    declared = declared_type(y)
    if declared is not None:
        return declared.read(y)[1]
    refuse_times(y)
    if may_be_censored(y):
        warnings.warn(
            "y has a column of numbers and one of 0 and 1, taken for two numbers. If they are times"
            ' and events, pass {"event": ..., "time": ...} as y, or task="survival" where there is'
            ' such a parameter; task="regression" says that they are numbers',
            TableWarning,
            stacklevel=2,
        )
    names = [selector] if isinstance(selector, str) else list(selector or [])
    guessed = [one for one in response_types() if one.is_guessed]
    fitting = [one for one in guessed if names and set(names) <= set(one.selectors)]
    if len(fitting) == 1:
        return fitting[0]
    return next(one for one in guessed if one.suits(y))
