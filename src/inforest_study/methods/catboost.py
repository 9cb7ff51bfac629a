"""Gradient boosting by CatBoost, ranked by how much predictions change (its default importance)."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Task
from inforest_study.expanded import is_table
from inforest_study.method import (
    Method,
    Parameters,
    Ranked,
    best_first,
    requires_package,
)
from inforest_study.methods._usage import tree_usage

_CONFIG = {"iterations": 500, "depth": 6, "learning_rate": 0.1, "l2_leaf_reg": 1}


def rank(
    X: Any,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit and rank by `feature_importances_`."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    estimator = CatBoostClassifier if task == "classification" else CatBoostRegressor
    threads = n_jobs if n_jobs > 0 else -1
    quiet = {"verbose": False, "allow_writing_files": False}
    model = estimator(**{**parameters, **quiet}, random_seed=random_state, thread_count=threads)
    if is_table(X):
        words = [name for name in X if X[name].dtype == "category"]
        texts = {name: X[name].astype(object).fillna("nothing").astype(str) for name in words}
        model.fit(X.assign(**texts), y, cat_features=words)
        # Splits of combinations of categories belong to no single feature.
        importances = np.asarray(model.feature_importances_, dtype=np.float64)
        return Ranked(best_first(importances), importances)
    model.fit(X, y)
    importances = np.asarray(model.feature_importances_, dtype=np.float64)
    usage = tree_usage(_splits(model), X.shape[1])
    return Ranked(best_first(importances), importances, **usage)


def _splits(model: Any) -> list[list[int]]:
    """Read the features of each tree; a tree asks one question per level, and counts it once."""
    with TemporaryDirectory(prefix="inforest-catboost-") as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        trees = json.loads(path.read_text())["oblivious_trees"]
    return [[split["float_feature_index"] for split in tree.get("splits") or []] for tree in trees]


METHOD = Method(
    name="CatBoost",
    configs={"classification": {"default": _CONFIG}, "regression": {"default": _CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    requires=requires_package("catboost", "catboost"),
    cost_hint=lambda n, p, n_classes: 1 + p * (0.08 + 0.03 * (n_classes or 1) + 1e-5 * n),
)
