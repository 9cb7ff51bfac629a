"""`StoreStatus`: what a store holds, who is working on it, and what went wrong."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inforest_study.claims import Claims
from inforest_study.job import FIRST_REVISION, Job, Status, Step
from inforest_study.runner import Owner, Runner
from inforest_study.store import Entry, Store

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
        Files whose content is none; a run sets them aside and computes them again.
    other_data : list of str
        Data sets whose values differ from the study's copy, as one result of each configuration
        tells.
    revisions : Counter
        For each method and revision of our engine, how many rankings there are; of a suite's jobs
        also those of earlier revisions, which are in no other count.

    """

    counts: dict[tuple[str, Step], Counter[str]]
    reasons: list[tuple[str, str, int]]
    working: list[tuple[str, Owner]]
    corrupt: list[str]
    other_data: list[str]
    revisions: Counter[tuple[str, int]]


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
    outdated = _outdated(jobs or [])
    reasons: Counter[tuple[str, str]] = Counter()
    revisions: Counter[tuple[str, int]] = Counter()
    unread = _REASONS
    samples = _Samples(store)
    other_data: set[str] = set()
    for entry in store.entries():
        place = entry.key, entry.step, entry.digest
        if wanted is not None and place not in wanted and place not in outdated:
            continue
        dataset, method = entry.key.split("/")[:2]
        if entry.status == "done" and entry.step == "rank":
            revision = samples.of(entry).engine_revision
            if revision is not None:
                revisions[method, revision] += 1
        if place in outdated:
            continue
        count = counts.setdefault((method, entry.step), Counter())
        count[entry.status] += 1
        if wanted is not None:
            count["missing"] -= 1
        if entry.status != "done" and unread:
            unread -= 1
            result = store.read(entry.path)
            if result is not None:
                reasons[result.facts["reason"], method] += 1
        if entry.status == "done" and samples.of(entry).is_on_other_data:
            other_data.add(dataset)
    ordered = [(reason, method, n) for (reason, method), n in reasons.most_common()]
    corrupt = [path.name for path in store.corrupt]
    return StoreStatus(counts, ordered, _working(store), corrupt, sorted(other_data), revisions)


def _outdated(jobs: Sequence[Job]) -> set[tuple[str, Step, str]]:
    """Return where results of these jobs are that earlier revisions of our engine have made."""
    return {
        (job.key, step, replace(job, engine_revision=revision).digest(step))
        for job in jobs
        for revision in range(FIRST_REVISION, job.engine_revision or FIRST_REVISION)
        for step in job.options.steps
    }


@dataclass(frozen=True)
class _Sample:
    """What one result tells of all seeds and folds of its configuration."""

    engine_revision: int | None = None
    is_on_other_data: bool = False


class _Samples:
    """One result of each configuration, read when it is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, ...], _Sample] = {}

    def of(self, entry: Entry) -> _Sample:
        configuration = (*entry.key.split("/")[:3], entry.step, entry.digest)
        if configuration not in self._known:
            result = self._store.read(entry.path)
            if result is None:  # corrupt: the next one may tell
                return _Sample()
            self._known[configuration] = _Sample(
                result.facts["engine_revision"], result.is_on_other_data
            )
        return self._known[configuration]


def _working(store: Store) -> list[tuple[str, Owner]]:
    # The observer does not enter: whoever looks leaves no trace.
    return list(Claims(store.root, Runner(store.root)).held_by_others())


def has_failures(store: Store, jobs: Sequence[Job]) -> bool:
    """Return whether a step of these jobs failed."""
    return any(store.status(job, step) == "failed" for job in jobs for step in job.options.steps)


#: How a step can have ended, in the order of a table's columns.
COLUMNS: tuple[Status | str, ...] = ("done", "failed", "over-budget", "skipped", "missing")
