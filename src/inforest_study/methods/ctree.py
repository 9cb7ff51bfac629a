"""A single conditional inference tree by R's partykit, ranked by how often it splits on a feature.

partykit does not adjust "MonteCarlo" p-values for the number of features.
"""

from inforest_study.dataset import Task
from inforest_study.method import Method, Parameters
from inforest_study.methods._r_partykit import ranker, requires_partykit

_FIXED = {"nresample": 9999, "alpha": 0.05, "minsplit": 20, "minbucket": 7}
_CONFIGS: dict[str, Parameters] = {
    "bonferroni": {"testtype": "Bonferroni", **_FIXED},
    "montecarlo": {"testtype": "MonteCarlo", **_FIXED},
}
_TASKS: tuple[Task, ...] = ("classification", "regression")


METHOD = Method(
    name="ctree",
    configs=dict.fromkeys(_TASKS, _CONFIGS),
    selected=dict.fromkeys(_TASKS, "montecarlo"),
    rank=ranker("ctree"),
    requires=requires_partykit,
    cost_hint=lambda n, p, _: 1 + 4e-4 * n * p,
)
