"""Recursive feature elimination by random forests, down to a total order.

Every round removes int(0.1 * p) features of the original p, as scikit-learn's `RFE` does. `RFE`
gives a round's features the same rank, so that in the authors' study the last tenth comes in the
order of the columns; here they are ordered by their importance in that round.
"""

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Method, Parameters, Ranked, best_first
from inforest_study.methods._cart import forest_seconds

_CONFIG = {"n_estimators": 100, "step": 0.1}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Rank by the round that removes a feature, then importance in it; the rounds are scores."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if task == "classification" else RandomForestRegressor
    options = dict(parameters)
    step = max(1, int(options.pop("step") * X.shape[1]))
    left = np.arange(X.shape[1])
    rounds = np.zeros(X.shape[1])
    removed: list[NDArray[np.intp]] = []
    while len(left) > 1:
        model = forest(**options, random_state=random_state, n_jobs=n_jobs).fit(X[:, left], y)
        best = left[best_first(model.feature_importances_)]
        n_kept = max(1, len(best) - step)
        removed.append(best[n_kept:])
        left = np.sort(best[:n_kept])
        rounds[left] += 1
    return Ranked(np.concatenate([left, *reversed(removed)]), rounds)


METHOD = Method(
    name="RF-RFE",
    configs={"classification": {"default": _CONFIG}, "regression": {"default": _CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    cost_hint=lambda n, p, n_classes: 6 * forest_seconds(n, p, n_classes),
)
