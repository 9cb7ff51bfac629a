"""R's cforest grown by us, ranked by partykit's permutation importance.

As in partykit, a feature's importance is the mean over the trees that use it; one that no tree
uses has importance 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Method, Parameters, Ranked, best_first
from inforest_study.methods._inference import forest_seconds, forest_usage

#: The settings of the study's cforest: 100 trees, a level, with or without repeated rows.
_CONFIGS: dict[str, Parameters] = {
    f"bonferroni{'-replace' if replace else ''}": {
        "n_estimators": 100,
        "alpha_selector": 0.05,
        "adjust_alpha_selector": "sidak",
        "replace": replace,
        "max_samples": 0.632,
    }
    for replace in (False, True)
}
_TASKS: tuple[Task, ...] = ("classification", "regression")


def _rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit and rank by permutation importance, then by index."""
    from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

    cls: Any = ConditionalInferenceForestClassifier
    if task == "regression":
        cls = ConditionalInferenceForestRegressor
    forest = cls.cforest(**parameters, random_state=random_state, n_jobs=n_jobs).fit(X, y)
    importances = forest.permutation_importance(
        X, y, conditional="partykit", threshold=1.0, random_state=random_state, n_jobs=n_jobs
    ).importances_mean
    return Ranked(best_first(importances), importances, **forest_usage([forest], X.shape[1]))


METHOD = Method(
    name="cforest-ours",
    configs=dict.fromkeys(_TASKS, _CONFIGS),
    selected=dict.fromkeys(_TASKS, "bonferroni-replace"),
    rank=_rank,
    cost_hint=lambda n, p, k: 2 * forest_seconds(n, p, k),
    uses_engine=True,
)
