"""Conditional inference trees and forests: rank and select features with permutation tests."""

from importlib.metadata import version as _version

from inforest.export import export_text
from inforest.forest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
)
from inforest.persistence import load, save
from inforest.plotting import plot_tree
from inforest.tree import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

__version__ = _version("inforest")

__all__ = [
    "ConditionalInferenceForestClassifier",
    "ConditionalInferenceForestRegressor",
    "ConditionalInferenceTreeClassifier",
    "ConditionalInferenceTreeRegressor",
    "__version__",
    "export_text",
    "load",
    "plot_tree",
    "save",
]
