"""Cox regression on one feature at a time, the usual filter for censored times."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Task
from inforest_study.expanded import as_numbers
from inforest_study.method import Method, Parameters, Ranked, best_first, requires_package

_CONFIG: Parameters = {"alpha": 1e-4}


def rank(
    X: Any,
    y: NDArray[np.generic],
    _task: Task,
    parameters: Parameters,
    _random_state: int,
    _n_jobs: int,
) -> Ranked:
    """Rank by the concordance that each feature has by itself, words by all their levels."""
    from sklearn.preprocessing import StandardScaler
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    columns, owner = as_numbers(X)
    columns = StandardScaler().fit_transform(columns)
    scores = np.zeros(X.shape[1])
    for j in range(len(scores)):
        own = columns[:, owner == j]
        if own.any():  # else it is constant in these rows
            scores[j] = CoxPHSurvivalAnalysis(**parameters).fit(own, y).score(own, y)
    return Ranked(best_first(scores), scores)


METHOD = Method(
    name="Cox filter",
    configs={"survival": {"default": _CONFIG}},
    selected={"survival": "default"},
    rank=rank,
    requires=requires_package("sksurv", "scikit-survival"),
    cost_hint=lambda n, p, _: 0.005 * p + 1e-5 * n * p,
)
