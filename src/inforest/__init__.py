"""Conditional inference trees and forests: rank and select features with permutation tests."""

from importlib.metadata import version as _version

from inforest.export import export_text
from inforest.plotting import plot_tree
from inforest.tree import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

__version__ = _version("inforest")

__all__ = [
    "ConditionalInferenceTreeClassifier",
    "ConditionalInferenceTreeRegressor",
    "__version__",
    "export_text",
    "plot_tree",
]
