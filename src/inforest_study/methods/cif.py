"""The conditional inference forest with the paper's configurations: 100 trees, bootstrap."""

from collections.abc import Callable
from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._inference import FOREST_VARIANTS, GRID, forest_seconds, ranker


def paper_forest(task: Task) -> Callable[..., Any]:
    """Return the constructor of the paper's forest."""
    from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

    if task == "classification":
        return ConditionalInferenceForestClassifier.paper
    return ConditionalInferenceForestRegressor.paper


METHOD = Method(
    name="CIF",
    configs=GRID,
    selected={"classification": "mc", "regression": "pc-honest"},
    selected_synthetic={"classification": "rdc", "regression": "pc"},
    rank=ranker(paper_forest),
    variants=FOREST_VARIANTS,
    cost_hint=forest_seconds,
    uses_engine=True,
)
