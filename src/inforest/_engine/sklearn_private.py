"""The one door to private scikit-learn: when it moves, only this file changes."""

from typing import Any

import numpy as np
from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import (
    Interval,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import _check_sample_weight as check_sample_weight


def empty_tree(n_features: int, n_outputs: int, n_classes: int) -> Any:
    """Return the array of nodes inside a decision tree of scikit-learn, without any nodes."""
    from sklearn.tree._tree import Tree  # loads slowly

    return Tree(n_features, np.full(n_outputs, n_classes, dtype=np.intp), n_outputs)


__all__ = [
    "Interval",
    "RealNotInt",
    "StrOptions",
    "check_sample_weight",
    "empty_tree",
    "fit_context",
    "safe_indexing",
    "validate_parameter_constraints",
]
