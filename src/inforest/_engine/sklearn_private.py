"""The one door to private scikit-learn: when it moves, only this file changes."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import (
    Interval,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "Interval",
    "RealNotInt",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "validate_parameter_constraints",
]
