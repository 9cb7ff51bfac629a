"""Cox regression with an elastic net: features in the order in which they enter its path."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Task
from inforest_study.expanded import as_numbers
from inforest_study.method import Method, Parameters, Ranked, best_first, requires_package

_CONFIG: Parameters = {"l1_ratio": 0.9, "alpha_min_ratio": 0.01, "n_alphas": 100}


def rank(
    X: Any,
    y: NDArray[np.generic],
    _task: Task,
    parameters: Parameters,
    _random_state: int,
    _n_jobs: int,
) -> Ranked:
    """Rank by the penalty at which a feature enters, then by its largest coefficient at the end.

    A variable of several columns enters with the first of them.
    """
    from sklearn.preprocessing import StandardScaler
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    columns, owner = as_numbers(X)
    columns = StandardScaler().fit_transform(columns)
    path = np.abs(CoxnetSurvivalAnalysis(**parameters).fit(columns, y).coef_)
    entered = path.shape[1] - np.argmax(path > 0, axis=1)
    steps, last = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    np.maximum.at(steps, owner, np.where(path.any(axis=1), entered, 0))
    np.maximum.at(last, owner, path[:, -1])
    return Ranked(best_first(steps, last), steps)


METHOD = Method(
    name="CoxNet",
    configs={"survival": {"default": _CONFIG}},
    selected={"survival": "default"},
    rank=rank,
    requires=requires_package("sksurv", "scikit-survival"),
    cost_hint=lambda n, p, _: 0.1 + 1e-5 * n * p,
)
