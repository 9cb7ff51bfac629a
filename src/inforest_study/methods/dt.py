"""A CART decision tree."""

from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._cart import ranker


def _estimator(task: Task) -> type[Any]:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor


METHOD = Method(
    name="DT",
    configs={
        "classification": {"default": {}},
        "regression": {"default": {}},
    },
    selected={"classification": "default", "regression": "default"},
    rank=ranker(_estimator),
    cost_hint=lambda n, p, _: 6e-7 * n * p,
)
