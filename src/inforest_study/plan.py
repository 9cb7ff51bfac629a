"""`Plan`: what a run would do and about how long it would take, before anything runs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from inforest_study import datasets, methods
from inforest_study.datasets import files
from inforest_study.job import Job, Status, Step
from inforest_study.method import MethodUnavailable
from inforest_study.run import missing
from inforest_study.store import Store
from inforest_study.suite import cost

#: Stored results of a configuration that are looked at for its time.
_SAMPLE = 3


@dataclass(frozen=True)
class MethodPlan:
    """The jobs of one method.

    Attributes
    ----------
    method : str
        The method.
    jobs, todo : int
        How many jobs there are, and how many of them a run would do.
    seconds : float
        What they take on one core: as stored results took, or as the method itself guesses.
    guessed, unknown : int
        How many of the jobs to do are guessed, and how many cannot even be.
    unavailable : str
        Why the method cannot run here; empty if it can.

    """

    method: str
    jobs: int
    todo: int
    seconds: float
    guessed: int
    unknown: int
    unavailable: str


@dataclass(frozen=True)
class Plan:
    """What a run would do.

    Attributes
    ----------
    methods : list of MethodPlan
        One for each method.
    datasets : list of str
        The data sets.
    absent : dict
        Data sets that are not on this machine, and where they would be downloaded from.

    """

    methods: list[MethodPlan]
    datasets: list[str]
    absent: dict[str, str]

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return sum(one.jobs for one in self.methods)

    @property
    def todo(self) -> int:
        """Number of jobs that a run would do."""
        return sum(one.todo for one in self.methods)

    @property
    def seconds(self) -> float:
        """Time on one core."""
        return sum(one.seconds for one in self.methods)


def plan(
    jobs: Sequence[Job],
    store: Store,
    data: Path | None = None,
    retry: frozenset[Status] = frozenset(),
) -> Plan:
    """Work out what a run would do and about how long it would take.

    Parameters
    ----------
    jobs : sequence of Job
        All jobs.
    store : Store
        Where results are.
    data : Path or None, default=None
        Folder of local data sets.
    retry : frozenset of str
        Which jobs without a result are tried again.

    Returns
    -------
    plan : Plan
        Times are those of the method alone where no scores are stored yet.

    """
    todo = set(missing(jobs, store, retry))
    by_method: dict[str, list[Job]] = {}
    for job in jobs:
        by_method.setdefault(job.method, []).append(job)
    times = _Times(store, jobs)
    return Plan(
        [_method_plan(name, mine, todo, times) for name, mine in by_method.items()],
        list(dict.fromkeys(job.dataset for job in jobs)),
        _absent(jobs, data),
    )


def _method_plan(name: str, jobs: list[Job], todo: set[Job], times: "_Times") -> MethodPlan:
    unavailable = unavailability(name)
    mine = [job for job in jobs if job in todo]
    seconds, guessed, unknown = 0.0, 0, 0
    for job in mine if not unavailable else []:
        stored = times.stored(job)
        guess = None if stored is not None else cost(methods.get(name), datasets.info(job.dataset))
        seconds += stored or guess or 0.0
        guessed += stored is None and guess is not None
        unknown += stored is None and guess is None
    return MethodPlan(name, len(jobs), len(mine), seconds, guessed, unknown, unavailable)


def unavailability(method: str) -> str:
    """Return why a method cannot run here; empty if it can."""
    try:
        methods.get(method).requires()
    except MethodUnavailable as error:
        return " ".join(str(error).split())
    return ""


class _Times:
    """What stored results took, by data set, method and configuration."""

    def __init__(self, store: Store, jobs: Sequence[Job]) -> None:
        self._store = store
        self._siblings: dict[tuple[str, ...], list[Job]] = {}
        for job in jobs:
            self._siblings.setdefault(job.siblings, []).append(job)
        self._known: dict[tuple[Step, tuple[str, ...]], float | None] = {}

    def stored(self, job: Job) -> float | None:
        """Return the time of all steps; None if the ranking's is not known."""
        steps = [self._step(job, step) for step in job.options.steps]
        return None if steps[0] is None else sum(seconds or 0.0 for seconds in steps)

    def _step(self, job: Job, step: Step) -> float | None:
        place = step, job.siblings
        if place not in self._known:
            paths = (self._store.path(one, step, "done") for one in self._siblings[job.siblings])
            present = [path for path in paths if path.is_file()][:_SAMPLE]
            found = [self._store.read(path) for path in present]
            seconds = [result.facts["seconds"] for result in found if result is not None]
            self._known[place] = median(seconds) if seconds else None
        return self._known[place]


def _absent(jobs: Sequence[Job], data: Path | None) -> dict[str, str]:
    """Return the data sets that would have to be downloaded."""
    local = data or os.environ.get("INFOREST_DATA")
    folders = [files.cache_folder(), *([Path(local)] if local else [])]
    absent = {}
    for name in dict.fromkeys(job.dataset for job in jobs):
        info = datasets.info(name)
        is_file = any(files.find(name, info.task, folder) for folder in folders)
        if info.checksum is not None and not is_file:
            absent[name] = info.source
    return absent
