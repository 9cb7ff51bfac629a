"""A randomized tree: the best of one random threshold per feature."""

from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._cart import ranker


def _estimator(task: Task) -> type[Any]:
    from sklearn.tree import ExtraTreeClassifier, ExtraTreeRegressor

    return ExtraTreeClassifier if task == "classification" else ExtraTreeRegressor


METHOD = Method(
    name="RT",
    configs={
        "classification": {"default": {}},
        "regression": {"default": {}},
    },
    selected={"classification": "default", "regression": "default"},
    rank=ranker(_estimator),
    cost_hint=lambda n, p, _: 1.5e-7 * n * p,
)
