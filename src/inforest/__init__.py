"""Conditional inference trees and forests: rank and select features with permutation tests."""

from importlib.metadata import version as _version

from inforest.diagnostics import null_check, sensitivity, split_usage, stability
from inforest.export import export_text
from inforest.feature_selector import FeatureSelector
from inforest.filter import PermutationFilter
from inforest.forest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
)
from inforest.independence import independence_test
from inforest.independence_result import IndependenceResult
from inforest.persistence import load, save
from inforest.plotting import plot_tree
from inforest.rank_features import rank_features
from inforest.ranking import Ranking
from inforest.report import Report, make_report, write_report
from inforest.tree import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

__version__ = _version("inforest")

__all__ = [
    "ConditionalInferenceForestClassifier",
    "ConditionalInferenceForestRegressor",
    "ConditionalInferenceTreeClassifier",
    "ConditionalInferenceTreeRegressor",
    "FeatureSelector",
    "IndependenceResult",
    "PermutationFilter",
    "Ranking",
    "Report",
    "__version__",
    "export_text",
    "independence_test",
    "load",
    "make_report",
    "null_check",
    "plot_tree",
    "rank_features",
    "save",
    "sensitivity",
    "split_usage",
    "stability",
    "write_report",
]
