"""Response types: what y is, and all that follows from it. One file per type."""

from inforest._engine.responses.censored import refuse_times
from inforest._engine.responses.classes import CLASSES
from inforest._engine.responses.number import NUMBER
from inforest._engine.responses.ordinal import ORDINAL
from inforest._engine.responses.presence import check_there
from inforest._engine.responses.registry import (
    TASK_NAMES,
    any_response_type,
    declared_type,
    find_response_type,
    of_estimator,
    of_task,
    register,
    response_types,
)
from inforest._engine.responses.response_type import Response, ResponseType
from inforest._engine.responses.survival import SURVIVAL

__all__ = [
    "CLASSES",
    "NUMBER",
    "ORDINAL",
    "SURVIVAL",
    "TASK_NAMES",
    "Response",
    "ResponseType",
    "any_response_type",
    "check_there",
    "declared_type",
    "find_response_type",
    "of_estimator",
    "of_task",
    "refuse_times",
    "register",
    "response_types",
]

# In this order "auto" asks them whether y is theirs: whatever is no number is a class.
register(NUMBER)
register(CLASSES)
register(ORDINAL)  # these are asked for by name, or by the dtype of y
register(SURVIVAL)
