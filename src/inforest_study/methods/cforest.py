"""The conditional inference forest of R's partykit, ranked by its permutation importance.

partykit averages the importance of a feature over the trees that use it; a feature that no tree
uses has importance 0 here, above those whose permutation does good.
"""

from inforest_study.dataset import Task
from inforest_study.method import Method, Parameters
from inforest_study.methods._r_partykit import ranker, requires_partykit

_FIXED = {"ntree": 100, "fraction": 0.632, "mincriterion": 0.95, "nresample": 9999, "nperm": 1}
_CONFIGS: dict[str, Parameters] = {
    f"{testtype.lower()}{'-replace' if replace else ''}": {
        "testtype": testtype,
        "replace": replace,
        **_FIXED,
    }
    for testtype in ("Bonferroni", "MonteCarlo")
    for replace in (False, True)
}
_TASKS: tuple[Task, ...] = ("classification", "regression")


METHOD = Method(
    name="cforest",
    configs=dict.fromkeys(_TASKS, _CONFIGS),
    selected=dict.fromkeys(_TASKS, "montecarlo-replace"),
    rank=ranker("cforest"),
    requires=requires_partykit,
    cost_hint=lambda n, p, _: 1 + 0.04 * n * p**0.5,
)
