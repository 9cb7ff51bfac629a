"""scikit-learn's histogram gradient boosting, by what shuffled features cost on held-out rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Task
from inforest_study.method import Method, Parameters, Ranked, best_first

_CONFIG: Parameters = {"max_iter": 200}
_REPEATS, _HELD_OUT = 5, 0.25


def rank(
    X: Any,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit on three quarters of the rows; shuffle each feature, words or not, in the others."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    is_class = task == "classification"
    estimator = HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    strata = y if is_class and np.bincount(y.astype(np.intp)).min() > 1 else None
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=_HELD_OUT, stratify=strata, random_state=random_state
    )
    model = estimator(**dict(parameters), random_state=random_state).fit(X_train, y_train)
    found = permutation_importance(
        model, X_test, y_test, n_repeats=_REPEATS, random_state=random_state, n_jobs=n_jobs,
        scoring="neg_log_loss" if is_class else "r2",
    )  # fmt: skip
    importances = np.asarray(found.importances_mean, dtype=np.float64)
    return Ranked(best_first(importances), importances)


METHOD = Method(
    name="HistGB",
    configs={"classification": {"default": _CONFIG}, "regression": {"default": _CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    cost_hint=lambda n, p, n_classes: 1 + 2e-5 * n * p * (n_classes or 1),
)
