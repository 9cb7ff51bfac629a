"""How far a ranking can be trusted: stability, split usage, sensitivity, a check without signal."""

from inforest.inspection.diagnostics import (
    NullCheck,
    Overlap,
    Sensitivity,
    SplitUsage,
    Stability,
    StabilityIndex,
    expected_false_selections,
    jaccard,
    kuncheva,
    nogueira,
    null_check,
    sensitivity,
    split_usage,
    stability,
)

__all__ = [
    "NullCheck",
    "Overlap",
    "Sensitivity",
    "SplitUsage",
    "Stability",
    "StabilityIndex",
    "expected_false_selections",
    "jaccard",
    "kuncheva",
    "nogueira",
    "null_check",
    "sensitivity",
    "split_usage",
    "stability",
]
