"""`StoreStatus`: what a store holds, who is working on it, and what went wrong."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inforest_study.claims import Claims
from inforest_study.job import Job, Status, Step
from inforest_study.runner import Owner, Runner
from inforest_study.store import Store

#: Different reasons that are read; more of them say no more.
_REASONS = 1000


@dataclass(frozen=True)
class StoreStatus:
    """What a store holds.

    Attributes
    ----------
    counts : dict
        For each method and step, how many ended in which way; "missing" if a suite was asked for.
    reasons : list of (reason, method, n)
        Why steps have no result, the most frequent reason first.
    working : list of (key, Owner)
        What is being worked on, and by whom.
    corrupt : list of str
        Files that were set aside just now; a run computes them again.
    other_data : list of str
        Data sets whose values differ from the study's copy, as one result of each configuration
        tells.

    """

    counts: dict[tuple[str, Step], Counter[str]]
    reasons: list[tuple[str, str, int]]
    working: list[tuple[str, Owner]]
    corrupt: list[str]
    other_data: list[str]


def status(store: Store, jobs: Sequence[Job] | None = None) -> StoreStatus:
    """Look at a store; seconds for tens of thousands of results.

    Parameters
    ----------
    store : Store
        Where results are.
    jobs : sequence of Job or None, default=None
        A suite's jobs; None looks at everything that is there.

    Returns
    -------
    status : StoreStatus

    """
    counts: dict[tuple[str, Step], Counter[str]] = {}
    wanted = None
    if jobs is not None:
        wanted = {(job.key, step, job.digest(step)) for job in jobs for step in job.options.steps}
        for job in jobs:
            for step in job.options.steps:
                counts.setdefault((job.method, step), Counter())["missing"] += 1
    reasons: Counter[tuple[str, str]] = Counter()
    unread = _REASONS
    looked_at: set[tuple[str, ...]] = set()
    other_data: set[str] = set()
    for entry in store.entries():
        if wanted is not None and (entry.key, entry.step, entry.digest) not in wanted:
            continue
        method = entry.key.split("/")[1]
        count = counts.setdefault((method, entry.step), Counter())
        count[entry.status] += 1
        if wanted is not None:
            count["missing"] -= 1
        if entry.status != "done" and unread:
            unread -= 1
            result = store.read(entry.path)
            if result is not None:
                reasons[result.facts["reason"], method] += 1
        configuration = (*entry.key.split("/")[:3], entry.step, entry.digest)
        if entry.status == "done" and configuration not in looked_at:
            looked_at.add(configuration)
            result = store.read(entry.path)
            if result is not None and result.is_on_other_data:
                other_data.add(result.facts["dataset"])
    ordered = [(reason, method, n) for (reason, method), n in reasons.most_common()]
    corrupt = [path.name for path in store.set_aside]
    return StoreStatus(counts, ordered, _working(store), corrupt, sorted(other_data))


def _working(store: Store) -> list[tuple[str, Owner]]:
    if not (store.root / "claims").is_dir():
        return []
    with Runner(store.root) as observer:
        return list(Claims(store.root, observer).held_by_others())


def has_failures(store: Store, jobs: Sequence[Job]) -> bool:
    """Return whether a step of these jobs failed."""
    return any(store.status(job, step) == "failed" for job in jobs for step in job.options.steps)


#: How a step can have ended, in the order of a table's columns.
COLUMNS: tuple[Status | str, ...] = ("done", "failed", "over-budget", "skipped", "missing")
