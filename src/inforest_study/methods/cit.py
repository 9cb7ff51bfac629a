"""A single conditional inference tree with the paper's configurations."""

from collections.abc import Callable
from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._inference import GRID, TREE_VARIANTS, ranker


def _estimator(task: Task) -> Callable[..., Any]:
    from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

    if task == "classification":
        return ConditionalInferenceTreeClassifier.paper
    return ConditionalInferenceTreeRegressor.paper


METHOD = Method(
    name="CIT",
    configs=GRID,
    selected={"classification": "mc", "regression": "pc"},
    rank=ranker(_estimator),
    variants=TREE_VARIANTS,
    cost_hint=lambda n, p, _: 3e-7 * n * p,
    uses_engine=True,
)
