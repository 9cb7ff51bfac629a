"""Gradient boosting by XGBoost, with each of its importances."""

import json

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import (
    Method,
    Parameters,
    Ranked,
    best_first,
    requires_package,
)
from inforest_study.methods._usage import tree_usage, trees_per_round

_FIXED = {"n_estimators": 500, "max_depth": 6, "learning_rate": 0.1}
_CONFIGS: dict[str, Parameters] = {
    kind: {"importance_type": kind, **_FIXED}
    for kind in ("gain", "weight", "cover", "total_gain", "total_cover")
}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit and rank by `feature_importances_`."""
    from xgboost import XGBClassifier, XGBRegressor

    estimator = XGBClassifier if task == "classification" else XGBRegressor
    if task == "classification":
        y = np.unique(y, return_inverse=True)[1]  # it wants 0, 1, ... without gaps
    model = estimator(**parameters, random_state=random_state, n_jobs=n_jobs, verbosity=0)
    model.fit(X, y)
    importances = model.feature_importances_.astype(np.float64)
    learner = json.loads(model.get_booster().save_raw("json"))["learner"]
    trees = learner["gradient_booster"]["model"]["trees"]
    usage = tree_usage([_splits(tree) for tree in trees], X.shape[1])
    return Ranked(best_first(importances), importances, **usage)


def _splits(tree: dict[str, list[int]]) -> NDArray[np.int64]:
    inner = np.array(tree["left_children"]) >= 0
    return np.array(tree["split_indices"], dtype=np.int64)[inner]


METHOD = Method(
    name="XGBoost",
    configs={"classification": _CONFIGS, "regression": _CONFIGS},
    selected={"classification": "total_gain", "regression": "total_cover"},
    selected_synthetic={"classification": "total_gain", "regression": "total_gain"},
    rank=rank,
    requires=requires_package("xgboost", "xgboost-cpu"),
    cost_hint=lambda n, p, n_classes: 0.2 + 3e-5 * n * p * trees_per_round(n_classes),
)
