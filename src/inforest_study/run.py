"""Running a suite: the loop that claims jobs, hands them to an engine and stores what comes back.

Only this loop writes to the store. What the engine does may be lost at any time without harm.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Protocol

from inforest_study.claims import Claims
from inforest_study.errors import RunError
from inforest_study.job import Job, Status, Step
from inforest_study.method import Ranked
from inforest_study.outcome import Outcome
from inforest_study.reranked import without_reranking
from inforest_study.result_file import Result
from inforest_study.runner import Runner
from inforest_study.store import Store, StoreError
from inforest_study.work import Budget, Request
from inforest_study.worker import close_workers, perform, stop_workers

#: Seconds between two signs of life.
_PULSE = 0.25


class EngineError(RunError):
    """Nobody is left to do any step; what was stored is complete."""


class Engine(Protocol):
    """Whatever does steps of jobs at the same time: a pool of processes, or a cluster.

    It raises `EngineError`, or cancels steps, when it cannot go on.
    """

    #: What a step raises if whoever does it is lost again and again.
    lost: tuple[type[BaseException], ...]

    @property
    def capacity(self) -> int:
        """How many steps it can do at the same time."""

    def submit(self, request: Request) -> "Future[Outcome]":
        """Start a step."""

    def close(self) -> None:
        """End everything at once, finished or not."""


class Pool:
    """An engine of worker processes on this machine.

    Parameters
    ----------
    n_jobs : int
        Number of processes.

    """

    lost: tuple[type[BaseException], ...] = ()

    def __init__(self, n_jobs: int) -> None:
        self.capacity = n_jobs
        self._threads = ThreadPoolExecutor(n_jobs, thread_name_prefix="bench")

    def submit(self, request: Request) -> "Future[Outcome]":
        """Start a step in a process of the pool."""
        return self._threads.submit(perform, request)

    def close(self) -> None:
        """End the processes."""
        stop_workers()
        self._threads.shutdown(wait=True, cancel_futures=True)
        close_workers()


@dataclass(frozen=True)
class Settings:
    """How a run goes about its jobs.

    Attributes
    ----------
    budget : Budget
        What one step may take.
    retry : frozenset of {"failed", "over-budget", "skipped"}
        Which jobs without a result are tried again.
    data : Path or None
        Folder of local data sets.
    plugins : tuple of Path
        Folders of further methods and data sets.

    """

    budget: Budget = field(default_factory=Budget)
    retry: frozenset[Status] = frozenset()
    data: Path | None = None
    plugins: tuple[Path, ...] = ()


@dataclass
class Progress:
    """Where a run stands; what a display shows.

    Attributes
    ----------
    total : int
        Jobs to do when the run began.
    ended : Counter
        Jobs that ended in this run, by status.
    running : dict
        Jobs that run, with their step and since when.
    elsewhere : list of str
        Jobs that another runner was working on.
    latest : tuple or None
        The step that ended last: job, step and outcome.
    warnings : list of str
        What was to be said about the data sets, each once.

    """

    total: int
    ended: Counter[Status] = field(default_factory=Counter)
    running: dict[Job, tuple[Step, float]] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)
    latest: tuple[Job, Step, Outcome] | None = None
    warnings: list[str] = field(default_factory=list)
    began: float = field(default_factory=monotonic)

    @property
    def n_ended(self) -> int:
        """Jobs of this run that need no more work, here or elsewhere."""
        return self.ended.total() + len(self.elsewhere)

    @property
    def rate(self) -> float:
        """Jobs per second."""
        return self.ended.total() / max(monotonic() - self.began, 1e-9)


def run(
    jobs: Sequence[Job],
    store: Store,
    engine: Engine,
    settings: Settings | None = None,
    show: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Do all jobs that have no result yet, and store how each ended.

    Several runs may work on one store at the same time, on one machine or on many. A run may be
    ended at any time in any way; the next one goes on where it was.

    Parameters
    ----------
    jobs : sequence of Job
        What to do, in this order.
    store : Store
        Where results are and go.
    engine : Engine
        Who does it. It is closed at the end.
    settings : Settings or None, default=None
        Budget, what to try again, where data are.
    show : callable
        Called with the `Progress` after each step, and about four times a second.

    Returns
    -------
    progress : Progress
        How the jobs of this run ended.

    """
    try:
        with Runner(store.root) as runner:
            loop = _Loop(store, engine, settings or Settings(), runner, show)
            try:
                progress = loop.run(jobs)
                loop.claims.clear_dead()
                return progress
            finally:
                loop.claims.release_all()
    finally:
        engine.close()


def missing(jobs: Sequence[Job], store: Store, retry: frozenset[Status] = frozenset()) -> list[Job]:
    """Return the jobs that a run would do.

    Parameters
    ----------
    jobs : sequence of Job
        All jobs.
    store : Store
        Where results are.
    retry : frozenset of str
        Which jobs without a result count as not done.

    """
    found: dict[tuple[str, Step, str], Status] = {}
    for entry in store.entries():
        place = entry.key, entry.step, entry.digest
        if found.get(place) != "done":
            found[place] = entry.status

    def is_missing(job: Job) -> bool:
        status = {step: found.get((job.key, step, job.digest(step))) for step in job.options.steps}
        return _next_step(job, status, retry) is not None

    return [job for job in jobs if is_missing(job)]


def _next_step(
    job: Job, status: dict[Step, Status | None], retry: frozenset[Status]
) -> Step | None:
    """Return the first step without a result, unless it ended without one and is not retried."""
    for step in job.options.steps:
        if status[step] is None or status[step] in retry:
            return step
        if status[step] != "done":
            return None
    return None


class _Loop:
    """The state of one run."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        settings: Settings,
        runner: Runner,
        show: Callable[[Progress], None],
    ) -> None:
        self.claims = Claims(store.root, runner)
        self._store = store
        self._engine = engine
        self._settings = settings
        self._runner = runner
        self._show = show
        self._futures: dict[Future[Outcome], tuple[Job, Step]] = {}
        # What was there when the run began and is to be tried again.
        self._tried: dict[tuple[str, Step], tuple[Status, object] | None] = {}
        # What was over the budget: the place that showed it, by step and siblings.
        self._overrun: dict[tuple[Step, tuple[str, ...]], str] = {}

    def run(self, jobs: Sequence[Job]) -> Progress:
        if self._settings.retry:
            self._tried = {
                (job.key, step): self._trace(job, step)
                for job in jobs
                for step in job.options.steps
            }
        todo = missing(jobs, self._store, self._settings.retry)
        self._store.put_aside()
        self._refuse_what_is_no_file()
        self._progress = Progress(len(todo))
        self._remember_overruns(jobs)
        self._do(todo)
        # A runner that had claimed some of them may have died since.
        others, self._progress.elsewhere = set(self._progress.elsewhere), []
        self._do([job for job in todo if job.key in others])
        return self._progress

    def _do(self, jobs: Sequence[Job]) -> None:
        queue = deque(jobs)
        while queue or self._futures:
            while queue and len(self._futures) < self._engine.capacity:
                self._take(queue.popleft())
            self._collect()
            self._runner.touch()
            self._show(self._progress)

    def _take(self, job: Job) -> None:
        """Claim a job and start it, unless somebody else has it or has done it."""
        if not self.claims.take(job.key):
            self._progress.elsewhere.append(job.key)
            return
        # The listing may be old by now. What another runner tried again is not tried once more.
        status = {step: self._status(job, step) for step in job.options.steps}
        step = _next_step(job, status, frozenset())
        if step is None:
            self.claims.release(job.key)
            self._progress.elsewhere.append(job.key)
        else:
            self._start(job, step)

    def _status(self, job: Job, step: Step) -> Status | None:
        """Return how a step ended; None if it did in a way, and before this run, to be retried."""
        status = self._store.status(job, step)
        if status in self._settings.retry and self._trace(job, step) == self._tried[job.key, step]:
            return None
        return status

    def _trace(self, job: Job, step: Step) -> tuple[Status, object] | None:
        """Return what tells an ending that is to be retried from the next one."""
        status = self._store.status(job, step)
        if status is None or status not in self._settings.retry:
            return None
        return status, self._store.identity(job, step, status)

    def _refuse_what_is_no_file(self) -> None:
        """Tell of a folder or pipe in a result's place before work is done for nothing."""
        for path, reason in self._store.unreadable.items():
            if path.exists() and not path.is_file():
                raise StoreError(f"{path} is in a result's place, but {reason}; move it away")

    def _read(self, path: Path) -> Result | None:
        """Return a result; None if it is none, and then it is set aside."""
        result = self._store.read(path)
        if path in self._store.unreadable:
            raise StoreError(f"cannot read {path}: {self._store.unreadable[path]}")
        self._store.put_aside()
        return result

    def _start(self, job: Job, step: Step) -> None:
        shown_by = self._shown_over_budget(job, step)
        if shown_by is not None:
            self._end(job, step, Outcome("over-budget", f"not run: over budget on {shown_by}"))
            return
        order, ranked_data, start = None, "", None
        if step == "rank":
            start, ranked_data = self._start_of(job)
        else:
            ranking = self._read(self._store.path(job, "rank", "done"))
            if ranking is None:  # corrupt, and set aside now
                self._start(job, "rank")
                return
            order = ranking.columns["order"]
            ranked_data = ranking.facts.get("data_checksum", "")
        settings = self._settings
        request = Request.of(
            job, step, order, settings.budget, settings.data, settings.plugins, ranked_data, start
        )
        self._futures[self._engine.submit(request)] = job, step
        self._progress.running[job] = step, monotonic()

    def _shown_over_budget(self, job: Job, step: Step) -> str | None:
        """Return what showed that a step takes too much: a sibling, or what it starts from."""
        plain = without_reranking(job)
        of_plain = None if plain is None else self._overrun.get((step, plain.siblings))
        return self._overrun.get((step, job.siblings)) or of_plain

    def _start_of(self, job: Job) -> tuple[Ranked | None, str]:
        """Return the stored ranking that a job only re-ranks, and the checksum of its data."""
        plain = without_reranking(job)
        if plain is None or self._store.status(plain, "rank") != "done":
            return None, ""
        result = self._read(self._store.path(plain, "rank", "done"))
        if result is None:
            return None, ""
        names = ("order", "scores", "usage", "trees_using")
        columns = {name: result.columns[name] for name in names if name in result.columns}
        facts = {**result.facts["facts"], "start_seconds": result.facts["seconds"]}
        return Ranked(**columns, facts=facts), result.facts.get("data_checksum", "")

    def _collect(self) -> None:
        """Store what is finished; wait a moment if nothing is."""
        finished, _ = wait(self._futures, timeout=_PULSE, return_when=FIRST_COMPLETED)
        for future in finished:
            job, step = self._futures.pop(future)
            del self._progress.running[job]
            try:
                outcome = future.result()
            except self._engine.lost as error:
                outcome = Outcome("failed", " ".join(str(error).split()))
            except CancelledError:  # nobody here cancels a step: it says nothing about the method
                raise EngineError("the scheduler is gone; run the same command again") from None
            self._end(job, step, outcome)

    def _end(self, job: Job, step: Step, outcome: Outcome) -> None:
        """Store how a step ended, and go on with the job's next step."""
        budget = self._settings.budget
        limits = {"budget_seconds": budget.seconds, "budget_memory_gb": budget.memory_gb}
        self._store.write(job, step, outcome, self._runner, **limits)
        if outcome.status == "over-budget" and not budget.every_fold:
            place = "/".join(job.key.split("/")[-2:])
            self._overrun.setdefault((step, job.siblings), f"{place} ({outcome.reason})")
        self._progress.latest = job, step, outcome
        known = self._progress.warnings
        known += [warning for warning in outcome.warnings if warning not in known]
        status = {step: self._store.status(job, step) for step in job.options.steps}
        following = _next_step(job, status, frozenset())
        if following is not None:
            self._start(job, following)
        else:
            self.claims.release(job.key)
            self._progress.ended[outcome.status] += 1
        self._show(self._progress)

    def _remember_overruns(self, jobs: Sequence[Job]) -> None:
        """Learn from earlier runs what is over this run's budget."""
        if self._settings.budget.every_fold or "over-budget" in self._settings.retry:
            return
        for job in jobs:
            for step in job.options.steps:
                if (step, job.siblings) in self._overrun:
                    continue
                self._remember(job, step)

    def _remember(self, job: Job, step: Step) -> None:
        path = self._store.path(job, step, "over-budget")
        if not path.is_file():
            return
        result = self._read(path)
        if result is None or result.facts["reason"].startswith("not run"):
            return
        budget, facts = self._settings.budget, result.facts
        if (
            budget.seconds <= facts["budget_seconds"]
            and budget.memory_gb <= facts["budget_memory_gb"]
        ):
            place = "/".join(job.key.split("/")[-2:])
            self._overrun[step, job.siblings] = f"{place} ({facts['reason']})"
