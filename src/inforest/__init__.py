"""Conditional inference trees and forests: rank and select features with permutation tests."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from inforest._engine.notices import TableWarning
from inforest.estimators.forest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
)
from inforest.estimators.ordinal import (
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceTreeOrdinal,
)
from inforest.estimators.survival import (
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceSurvivalTree,
)
from inforest.estimators.tree import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)
from inforest.independence.result import IndependenceResult
from inforest.independence.tests import independence_test
from inforest.inspection.export import export_text
from inforest.inspection.plotting import plot_tree
from inforest.io.open_table import open_table
from inforest.io.persistence import load, save
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.rank_features import rank_features
from inforest.ranking.ranking import Ranking

if _TYPE_CHECKING:
    from inforest.conditional.conditional_test import conditional_test
    from inforest.conditional.importance_intervals import importance_intervals
    from inforest.conditional.importance_result import ImportanceResult
    from inforest.conditional.knockoff_result import KnockoffResult
    from inforest.conditional.result import ConditionalResult
    from inforest.independence.filter import PermutationFilter
    from inforest.inspection.diagnostics import null_check, sensitivity, split_usage, stability
    from inforest.report import Report, make_report, write_report
    from inforest.selection.conditional_selector import ConditionalSelector
    from inforest.selection.feature_selector import FeatureSelector
    from inforest.selection.knockoff_selector import KnockoffSelector

__version__ = _version("inforest")
#: Raised by one whenever the same call gives another tree, ranking or p-value than before; whoever
#: keeps results (the study does) keeps it with them, and knows which ones to compute anew.
engine_revision = 6

__all__ = [
    "ConditionalInferenceForestClassifier",
    "ConditionalInferenceForestOrdinal",
    "ConditionalInferenceForestRegressor",
    "ConditionalInferenceSurvivalForest",
    "ConditionalInferenceSurvivalTree",
    "ConditionalInferenceTreeClassifier",
    "ConditionalInferenceTreeOrdinal",
    "ConditionalInferenceTreeRegressor",
    "ConditionalResult",
    "ConditionalSelector",
    "FeatureSelector",
    "ForestRanker",
    "ImportanceResult",
    "IndependenceResult",
    "KnockoffResult",
    "KnockoffSelector",
    "PermutationFilter",
    "Ranking",
    "Report",
    "TableWarning",
    "__version__",
    "conditional_test",
    "engine_revision",
    "export_text",
    "importance_intervals",
    "independence_test",
    "load",
    "make_report",
    "null_check",
    "open_table",
    "plot_tree",
    "rank_features",
    "save",
    "sensitivity",
    "split_usage",
    "stability",
    "write_report",
]

#: Imported when first asked for: they need parts of SciPy and scikit-learn that load slowly.
_HOME = {
    "ConditionalResult": "conditional.result",
    "ConditionalSelector": "selection.conditional_selector",
    "FeatureSelector": "selection.feature_selector",
    "ImportanceResult": "conditional.importance_result",
    "KnockoffResult": "conditional.knockoff_result",
    "KnockoffSelector": "selection.knockoff_selector",
    "PermutationFilter": "independence.filter",
    "Report": "report",
    "conditional_test": "conditional.conditional_test",
    "importance_intervals": "conditional.importance_intervals",
    "make_report": "report",
    "null_check": "diagnostics",
    "sensitivity": "diagnostics",
    "split_usage": "diagnostics",
    "stability": "diagnostics",
    "write_report": "report",
}
#: Public modules, imported in the same way.
_MODULES = ("diagnostics", "redundancy", "report")


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(_import_module(f"{__name__}.{_HOME[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
