"""Extremely randomized trees; classes are weighted, as for RF only."""

from typing import Any

from inforest_study.dataset import Task
from inforest_study.method import Method
from inforest_study.methods._cart import FOREST_VARIANTS, forest_seconds, ranker


def _estimator(task: Task) -> type[Any]:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    return ExtraTreesClassifier if task == "classification" else ExtraTreesRegressor


METHOD = Method(
    name="ExtraTrees",
    configs={
        "classification": {"default": {"n_estimators": 100, "class_weight": "balanced"}},
        "regression": {"default": {"n_estimators": 100}},
    },
    selected={"classification": "default", "regression": "default"},
    rank=ranker(_estimator),
    variants=FOREST_VARIANTS,
    cost_hint=lambda n, p, n_classes: 0.5 * forest_seconds(n, p, n_classes),
)
