"""How far a ranking can be trusted: stability, split usage, sensitivity, a check without signal."""

from inforest.diagnostics.complementary_pairs import expected_false_selections
from inforest.diagnostics.null_check import NullCheck, null_check
from inforest.diagnostics.sensitivity import Sensitivity, sensitivity
from inforest.diagnostics.split_usage import SplitUsage, split_usage
from inforest.diagnostics.stability import Overlap, Stability, stability
from inforest.diagnostics.stability_indices import StabilityIndex, jaccard, kuncheva, nogueira

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
