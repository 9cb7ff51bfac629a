"""How far a ranking can be trusted: stability, split usage, sensitivity, a check without signal."""

from inforest.inspection.diagnostics.complementary_pairs import expected_false_selections
from inforest.inspection.diagnostics.null_check import NullCheck, null_check
from inforest.inspection.diagnostics.sensitivity import Sensitivity, sensitivity
from inforest.inspection.diagnostics.split_usage import SplitUsage, split_usage
from inforest.inspection.diagnostics.stability import Overlap, Stability, stability
from inforest.inspection.diagnostics.stability_indices import (
    StabilityIndex,
    jaccard,
    kuncheva,
    nogueira,
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
