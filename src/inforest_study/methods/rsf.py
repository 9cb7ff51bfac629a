"""scikit-survival's random survival forest, by what shuffled features cost on held-out rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Task
from inforest_study.expanded import as_numbers
from inforest_study.method import Method, Parameters, Ranked, best_first, requires_package

_CONFIG: Parameters = {"n_estimators": 100}
_REPEATS, _HELD_OUT = 5, 0.25


def rank(
    X: Any,
    y: NDArray[Any],
    _task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit on three quarters of the rows; shuffle each feature, words or not, in the others.

    What is lost is Harrell's concordance. A variable's columns are shuffled together.
    """
    from sklearn.model_selection import train_test_split
    from sksurv.ensemble import RandomSurvivalForest

    columns, owner = as_numbers(X)
    X_train, X_test, y_train, y_test = train_test_split(
        columns, y, test_size=_HELD_OUT, stratify=y["event"], random_state=random_state
    )
    model = RandomSurvivalForest(**parameters, random_state=random_state, n_jobs=n_jobs)
    model.fit(X_train, y_train)
    whole = model.score(X_test, y_test)
    rng = np.random.default_rng(random_state)
    lost = np.zeros(X.shape[1])
    for j in range(len(lost)):
        own = owner == j
        for _ in range(_REPEATS):
            shuffled = X_test.copy()
            shuffled[:, own] = X_test[rng.permutation(len(X_test))][:, own]
            lost[j] += (whole - model.score(shuffled, y_test)) / _REPEATS
    return Ranked(best_first(lost), lost)


METHOD = Method(
    name="RSF",
    configs={"survival": {"default": _CONFIG}},
    selected={"survival": "default"},
    rank=rank,
    requires=requires_package("sksurv", "scikit-survival"),
    cost_hint=lambda n, p, _: 0.3 + 1e-3 * n + 0.05 * _REPEATS * p,
)
