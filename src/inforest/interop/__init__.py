"""Fitted trees and forests for other tools: shap, treelite, ONNX, skops, drawings of scikit-learn.

They get plain numbers, complete or with gaps: `to_numbers` has those that stand for categories.
Formats that know no categories refuse trees that split on them.
"""

from inforest.interop.onnx_model import to_onnx
from inforest.interop.shap_trees import to_shap
from inforest.interop.sklearn_trees import to_sklearn
from inforest.interop.skops_types import trusted_types
from inforest.interop.table_numbers import to_numbers
from inforest.interop.treelite_model import to_treelite

__all__ = [
    "to_numbers",
    "to_onnx",
    "to_shap",
    "to_sklearn",
    "to_treelite",
    "trusted_types",
]
