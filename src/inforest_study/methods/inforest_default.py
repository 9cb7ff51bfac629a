"""Our ranking as `rank_features` makes it, without the paper's configuration."""

import numpy as np
from numpy.typing import NDArray

from inforest._ranker import SETTINGS, default_ranker
from inforest_study.dataset import Task
from inforest_study.method import Floats, Method, Parameters, Ranked
from inforest_study.methods._inference import forest_seconds, forest_usage

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
    ranker = default_ranker(task, **parameters, random_state=random_state, n_jobs=n_jobs)
    ranker.fit(X, y)
    return Ranked(
        ranker.ranking_, ranker.feature_importances_, **forest_usage(ranker.forests_, X.shape[1])
    )


METHOD = Method(
    name="inforest",
    configs={
        "classification": {"default": SETTINGS["classification"]},
        "regression": {"default": SETTINGS["regression"]},
    },
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    variants=_VARIANTS,
    cost_hint=lambda n, p, n_classes: 20 * forest_seconds(n, p, n_classes),
)
