"""Boruta by BorutaPy: random forests against shuffled copies of the features.

Boruta has no order among the features it confirms: they share rank 1 and keep the order of the
columns here, as do the tentative ones.
"""

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
from inforest_study.methods._cart import forest_seconds

_CONFIG = {"n_estimators": "auto", "max_iter": 200, "perc": 100, "alpha": 0.05}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Rank by Boruta's ranks; they are the scores, negated."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if task == "classification" else RandomForestRegressor
    boruta = BorutaPy(forest(n_jobs=n_jobs), **parameters, random_state=random_state)
    boruta.fit(X, y)
    scores = -boruta.ranking_.astype(np.float64)
    facts = {
        "n_confirmed": float(boruta.support_.sum()),
        "n_tentative": float(boruta.support_weak_.sum()),
    }
    return Ranked(best_first(scores), scores, facts=facts)


METHOD = Method(
    name="Boruta",
    configs={"classification": {"default": _CONFIG}, "regression": {"default": _CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    requires=requires_package("boruta", "boruta"),
    cost_hint=lambda n, p, n_classes: 100 * forest_seconds(n, 2 * p, n_classes),
)
