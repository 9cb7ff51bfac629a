"""Permutation-test filters: each feature is tested by itself, the smallest p-value comes first.

Every test takes 52 draws, the budget that "auto" gives the paper at alpha = 0.05. Its adaptive
stopping never rejects before the last of them: 52 draws without an exceedance give a posterior of
0.934, and 0.95 is asked for. So the smallest p-value is 1/53, and the many features that share it
are ordered by their statistic. Features that are clearly not significant stop after 20 to 52 draws
in the paper. Ours would stop after a handful, by curtailment, with p-values too coarse to rank by:
here they take all 52. The variant "adaptive" lets them stop.
"""

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Method, Parameters, Ranked

_TEST = {"n_resamples": 52, "alpha": 0.05}
_ADAPTIVE = {"early_stopping": "adaptive", "early_stopping_confidence": 0.95}


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Rank by p-value, then statistic, then index; the statistics are the scores."""
    from inforest import independence_test

    options = {**parameters, "task": task, "random_state": random_state, "n_jobs": n_jobs}
    result = independence_test(X, y, **options)
    facts = {"n_rejected": float(result.rejected.sum()), "mean_draws": float(result.n_draws.mean())}
    return Ranked(result.ranking, np.array(result.statistic), facts=facts)


def filter_method(selector: str, tasks: tuple[Task, ...], seconds_per_value: float) -> Method:
    """Make the filter of a statistic; `seconds_per_value` is what one entry of X costs."""
    return Method(
        name=f"{selector.upper()} filter",
        configs={task: {selector: {"selector": selector, **_TEST}} for task in tasks},
        selected=dict.fromkeys(tasks, selector),
        rank=rank,
        variants={"adaptive": _ADAPTIVE},
        cost_hint=lambda n, p, _: seconds_per_value * n * p,
        uses_engine=True,
    )
