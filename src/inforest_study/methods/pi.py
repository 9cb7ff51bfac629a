"""Permutation importance: how much worse a random forest gets without a feature's order."""

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Method, Parameters, Ranked
from inforest_study.methods._held_out import CONFIG, Strata, held_out_seconds, rank_by_permutation


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Rank by the mean drop of the held-out score."""
    return rank_by_permutation(X, y, task, parameters, random_state, n_jobs, _all_rows)


def _all_rows(X: Floats) -> Strata:
    one_stratum = np.zeros(len(X), dtype=np.intp)
    return lambda _: one_stratum


METHOD = Method(
    name="PI",
    configs={"classification": {"default": CONFIG}, "regression": {"default": CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    cost_hint=held_out_seconds,
)
