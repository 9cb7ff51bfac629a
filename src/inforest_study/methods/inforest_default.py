"""Our ranking as `rank_features` makes it, without the paper's configuration."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import REDUNDANCY, Method, Parameters, Ranked
from inforest_study.methods._inference import forest_seconds, forest_usage

#: What the forest and its ranker do by default: written down, because a result records what made
#: it. A test compares it with what `rank_features` takes.
_SHARED = {
    "selector": "quad",
    "max_features": (1 / 3, 500),
    "alpha_selector": 0.5,
    "n_resamples_selector": "minimum",
    "splitter_test": None,
    "importance_type": "unseen_effect",
    "learning_rate": 0.6,
}
_DEFAULT: dict[Task, Parameters] = {
    "classification": {**_SHARED, "n_rounds": 1, "redundancy": REDUNDANCY["classification"]},
    "regression": {**_SHARED, "n_rounds": 6, "redundancy": REDUNDANCY["regression"]},
    "survival": {
        **_SHARED,
        "selector": "pc",
        "max_features": "sqrt",
        "n_resamples_selector": None,
        "min_samples_leaf": 7,
        "max_depth": 3,
        "n_rounds": 1,
        "redundancy": REDUNDANCY["survival"],
    },
}
_N_TREES = 500
_OF_RANKER = ("n_rounds", "learning_rate", "redundancy")
#: Changes of the default, one at a time, and what is on the way to it from the paper's forest.
_VARIANTS: dict[str, Parameters] = {
    "not_reranked": {"redundancy": 0.0},
    "half_reranked": {"redundancy": 0.5},
    "fully_reranked": {"redundancy": 1.0},
    "one_round": {"n_rounds": 1},
    "no_gate": {"alpha_selector": 1.0},
    "alpha_05": {"alpha_selector": 0.05},
    "alpha_20": {"alpha_selector": 0.2},
    "maxt_05": {"alpha_selector": 0.05, "adjust_alpha_selector": "maxt"},
    "maxt_50": {"adjust_alpha_selector": "maxt"},
    "sqrt_features": {"max_features": "sqrt"},
    "tenth_features": {"max_features": 0.1},
    "all_features": {"max_features": None},
    "max_test": {"splitter_test": "max"},
    "bootstrapped": {"replace": True},
    "validated": {"importance_type": "validated"},
    "effect": {"importance_type": "effect"},
    "paper_importance": {"importance_type": "split"},
    "counted": {"importance_type": "count"},
    "weighted": {"importance_type": "weighted"},
    "200_trees": {"n_estimators": 200},
}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Fit the default ranker; parameters are those of it and of its forest."""
    ranker = make_ranker(task, parameters, random_state, n_jobs).fit(X, y)
    return Ranked(
        ranker.ranking_, ranker.feature_importances_, **forest_usage(ranker.forests_, X.shape[1])
    )


def make_ranker(task: Task, parameters: Parameters, random_state: int, n_jobs: int) -> Any:
    """Return the unfitted ranker, the default with these parameters on top."""
    from inforest import (
        ConditionalInferenceForestClassifier,
        ConditionalInferenceForestRegressor,
        ConditionalInferenceSurvivalForest,
        ForestRanker,
    )

    forests: dict[Task, Any] = {
        "classification": ConditionalInferenceForestClassifier,
        "regression": ConditionalInferenceForestRegressor,
        "survival": ConditionalInferenceSurvivalForest,
    }
    of_forest = {"n_estimators": _N_TREES, **_DEFAULT[task], **parameters}
    of_ranker = {name: of_forest.pop(name) for name in _OF_RANKER}
    forest = forests[task](**of_forest, random_state=random_state, n_jobs=n_jobs)
    return ForestRanker(forest, **of_ranker)


METHOD = Method(
    name="inforest",
    configs={task: {"default": parameters} for task, parameters in _DEFAULT.items()},
    selected=dict.fromkeys(_DEFAULT, "default"),
    rank=rank,
    variants=_VARIANTS,
    cost_hint=lambda n, p, n_classes: 20 * forest_seconds(n, p, n_classes),
    uses_engine=True,
)
