"""Breiman's random forest; classes are weighted, as for ExtraTrees only."""

from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._cart import FOREST_VARIANTS, forest_seconds, ranker


def _estimator(task: Task) -> type[Any]:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return RandomForestClassifier if task == "classification" else RandomForestRegressor


METHOD = Method(
    name="RF",
    configs={
        "classification": {"default": {"n_estimators": 100, "class_weight": "balanced"}},
        "regression": {"default": {"n_estimators": 100}},
    },
    selected={"classification": "default", "regression": "default"},
    rank=ranker(_estimator),
    variants=FOREST_VARIANTS,
    cost_hint=forest_seconds,
)
