"""Gradient boosting by LightGBM, with each of its importances."""

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
    kind: {"importance_type": kind, **_FIXED} for kind in ("split", "gain")
}
# One way to build histograms, chosen here and not by a stopwatch: the same sums in the same order.
_REPRODUCIBLE = {"deterministic": True, "force_col_wise": True, "verbose": -1}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit and rank by `feature_importances_`."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    estimator = LGBMClassifier if task == "classification" else LGBMRegressor
    options = {**_REPRODUCIBLE, **parameters}
    model = estimator(**options, random_state=random_state, n_jobs=n_jobs).fit(X, y)
    importances = model.feature_importances_.astype(np.float64)
    usage = tree_usage(_splits(model.booster_.model_to_string()), X.shape[1])
    return Ranked(best_first(importances), importances, **usage)


def _splits(model: str) -> list[list[int]]:
    """Read the features of each tree's splits from the model's text; a lone leaf has no line."""
    trees = model.split("end of trees")[0].split("\nTree=")[1:]
    found = []
    for tree in trees:
        line = next((one for one in tree.splitlines() if one.startswith("split_feature=")), "=")
        found.append([int(feature) for feature in line.split("=")[1].split()])
    return found


METHOD = Method(
    name="LightGBM",
    configs={"classification": _CONFIGS, "regression": _CONFIGS},
    selected={"classification": "gain", "regression": "gain"},
    rank=rank,
    requires=requires_package("lightgbm", "lightgbm"),
    cost_hint=lambda n, p, n_classes: 0.2 + 1.2e-5 * n * p * trees_per_round(n_classes),
)
