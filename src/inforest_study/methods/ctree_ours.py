"""R's ctree grown by us, ranked by how often it splits on a feature: the tree of partykit."""

from collections.abc import Callable
from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method, Parameters
from inforest_study.methods._inference import ranker


def _estimator(task: Task) -> Callable[..., Any]:
    from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

    if task == "classification":
        return ConditionalInferenceTreeClassifier.ctree
    return ConditionalInferenceTreeRegressor.ctree


_CONFIGS: dict[str, Parameters] = {"bonferroni": {"readout": "count"}}
_TASKS: tuple[Task, ...] = ("classification", "regression")

METHOD = Method(
    name="ctree-ours",
    configs=dict.fromkeys(_TASKS, _CONFIGS),
    selected=dict.fromkeys(_TASKS, "bonferroni"),
    rank=ranker(_estimator),
    cost_hint=lambda n, p, _: 3e-7 * n * p,
    uses_engine=True,
)
