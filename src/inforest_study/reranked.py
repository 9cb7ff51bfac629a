"""The variant that every method has: its importances, discounted for redundancy.

"RF/default+reranked" is RF's ranking after `inforest.redundancy.rerank`, so that our own ranking,
which does this, can be compared with others that do it too.
"""

from dataclasses import replace

import numpy as np

from inforest.redundancy import rerank
from inforest_study import revision
from inforest_study.dataset import Floats
from inforest_study.job import Job
from inforest_study.method import RERANK, RERANKED, Ranked


def reranked(ranked: Ranked, X: Floats, strength: float) -> Ranked:
    """Put off features that earlier ones explain; those without importance keep their order.

    Parameters
    ----------
    ranked : Ranked
        What a method found on `X`.
    X : ndarray of shape (n_samples, n_features)
        The samples it was fitted to.
    strength : float
        As in `rerank`.

    Returns
    -------
    ranked : Ranked
        The same with another order.

    """
    before = ranked.order  # `rerank` breaks ties by column: the columns go in as they are ranked
    importances = np.maximum(ranked.scores, 0.0)
    after = before[rerank(importances[before], X[:, before], strength=strength)]
    return replace(ranked, order=after)


def without_reranking(job: Job) -> Job | None:
    """Return the job whose ranking this one starts from; None if it re-ranks nothing."""
    if RERANK not in job.parameters or not job.config.endswith(f"+{RERANKED}"):
        return None
    parameters = {name: value for name, value in job.parameters.items() if name != RERANK}
    return replace(
        job,
        config=job.config.removesuffix(f"+{RERANKED}"),
        parameters=parameters,
        engine_revision=revision.current(job.method, parameters),
    )
