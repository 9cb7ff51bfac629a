"""Our forest as it comes, without the paper's configuration."""

from collections.abc import Callable
from typing import Any

from inforest.bench.dataset import Task
from inforest.bench.method import Method
from inforest.bench.methods._inference import FOREST_VARIANTS, forest_seconds, ranker


def _estimator(task: Task) -> Callable[..., Any]:
    from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

    if task == "classification":
        return ConditionalInferenceForestClassifier
    return ConditionalInferenceForestRegressor


#: `ranking_` orders features that no split uses by their association with y.
_AS_IT_RANKS = {"ties": "root"}

METHOD = Method(
    name="inforest",
    configs={"classification": {"default": _AS_IT_RANKS}, "regression": {"default": _AS_IT_RANKS}},
    selected={"classification": "default", "regression": "default"},
    rank=ranker(_estimator),
    variants=FOREST_VARIANTS,
    cost_hint=forest_seconds,
)
