"""One step of a job, as the worker process does it: rank features, or score a ranking.

`python -m inforest_study.work` is the worker: requests come in on stdin, outcomes go out on stdout.
"""

import os
import pickle
import queue
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import inforest
from inforest_study import datasets, methods, protocol
from inforest_study.dataset import Dataset, DatasetUnavailable, Task, checksum
from inforest_study.job import Job, Options, Step
from inforest_study.machine import machine, versions
from inforest_study.method import RERANK, MethodUnavailable, Ranked
from inforest_study.outcome import Outcome, ranking_columns
from inforest_study.reranked import reranked

#: What a worker says when it is ready for requests, and when the part that counts begins.
READY, BEGIN = "ready", "begin"
#: Data sets that a worker keeps in memory.
_KEPT = 2
#: Seconds after which no further run is begun for its time.
_TIMING = 1.0
#: Letters of a reason and lines of a traceback that a result records.
_LETTERS, _LINES = 300, 12


@dataclass(frozen=True)
class Budget:
    """What one step may take.

    Attributes
    ----------
    seconds : float
        Wall-clock time, without loading the data.
    memory_gb : float
        Resident memory of the worker and the processes it starts.
    every_fold : bool
        Whether to try the other folds and seeds after one was over the budget.

    """

    seconds: float = 3600.0
    memory_gb: float = 8.0
    every_fold: bool = False

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_gb"):
            limit = getattr(self, name)
            if type(limit) not in (int, float) or not 0 < limit < inf:
                raise ValueError(f"budget: {name} must be a positive, finite number; got {limit!r}")


@dataclass(frozen=True, eq=False)
class Request:
    """All that a worker on any machine needs to know for one step.

    Attributes
    ----------
    step : {"rank", "score"}
        What to do.
    dataset, method, task, parameters, seed, fold, options, random_state, engine_revision
        As in `Job`.
    order : ndarray or None
        The ranking to score.
    start : Ranked or None
        The ranking to start from where the job only re-ranks; None: the method has to run first.
    ranked_data : str
        Checksum of the data that the ranking was made on; empty if it is not known.
    budget : Budget
        What it may take.
    data : Path or None
        Folder of local data sets.
    plugins : tuple of Path
        Folders of further methods and data sets.

    """

    step: Step
    dataset: str
    method: str
    task: Task
    parameters: Mapping[str, object]
    seed: int
    fold: int | None
    options: Options
    random_state: int
    order: NDArray[np.int32] | None
    budget: Budget
    data: Path | None
    plugins: tuple[Path, ...]
    ranked_data: str = ""
    start: Ranked | None = None
    engine_revision: int | None = None

    @classmethod
    def of(
        cls,
        job: Job,
        step: Step,
        order: NDArray[np.int32] | None,
        budget: Budget,
        data: Path | None = None,
        plugins: tuple[Path, ...] = (),
        ranked_data: str = "",
        start: Ranked | None = None,
    ) -> "Request":
        """Make the request for a job's step."""
        return cls(
            step,
            job.dataset,
            job.method,
            job.task,
            dict(job.parameters),
            job.seed,
            job.fold,
            job.options,
            job.random_state,
            order,
            budget,
            data,
            plugins,
            ranked_data,
            start,
            job.engine_revision,
        )


def do(request: Request, begin: Callable[[], None] = lambda: None) -> Outcome:
    """Do one step in this process, without a budget.

    Parameters
    ----------
    request : Request
        What to do.
    begin : callable, optional
        Called when the data are there and the part that counts begins.

    Returns
    -------
    outcome : Outcome
        Also if the method fails or is not available: no exception leaves this function.

    """
    loaded: _Loaded | None = None
    try:
        load_plugins(request.plugins)
        if request.step == "rank":
            _check_requirements(request.method)
            _check_revision(request.engine_revision)
        loaded = _load(request.dataset, request.data)
        if request.ranked_data not in ("", loaded.checksum):
            raise ValueError(
                f"the ranking was made on other data of {request.dataset} than are here now; "
                f"use those data, or another --store"
            )
        step = _rank if request.step == "rank" else _score
        outcome = step(request, loaded.dataset, begin)
    except (MethodUnavailable, DatasetUnavailable) as error:
        outcome = Outcome("skipped", " ".join(str(error).split()))
    except Exception as error:  # whatever a method raises is its result
        reason = " ".join("".join(traceback.format_exception_only(error)).split())
        lines = traceback.format_exc().splitlines()
        outcome = Outcome("failed", reason[:_LETTERS], traceback="\n".join(lines[-_LINES:]))
    if loaded is not None:
        outcome = replace(outcome, data_checksum=loaded.checksum, warnings=loaded.warnings)
    return replace(outcome, versions=versions(), machine=machine())


def _rank(request: Request, dataset: Dataset, begin: Callable[[], None]) -> Outcome:
    rows = slice(None) if request.fold is None else _split(request, dataset)[0]
    X: Any = dataset.X[rows] if dataset.levels is None else dataset.frame(rows)
    y = dataset.y[rows]
    if request.options.scale and dataset.levels is None:
        from sklearn.preprocessing import StandardScaler

        X = StandardScaler().fit_transform(X)
    rank = methods.get(request.method).rank
    parameters: dict[str, Any] = dict(request.parameters)
    strength = parameters.pop(RERANK, None)

    def make() -> Ranked:
        made = request.start or rank(X, y, request.task, parameters, request.random_state, 1)
        return made if strength is None else reranked(made, X, strength)

    begin()
    ranked, seconds, cpu_seconds = _timed(make, request.options.timed_runs)
    if len(ranked.order) != dataset.info.n_features:
        raise ValueError(
            f"{request.method} must rank all {dataset.info.n_features} features; "
            f"it ranked {len(ranked.order)}"
        )
    columns = ranking_columns(ranked.order, ranked.scores, ranked.usage, ranked.trees_using)
    return Outcome(
        "done",
        columns=columns,
        facts=dict(ranked.facts),
        seconds=seconds,
        cpu_seconds=cpu_seconds,
    )


def _timed(make: Callable[[], Ranked], runs: int) -> tuple[Ranked, float, float]:
    """Return a ranking and the least wall-clock and processor time it took in some runs."""
    whole = _Clock()
    times: list[tuple[float, float]] = []
    while not times or (len(times) < runs and whole.read()[0] < _TIMING):
        clock = _Clock()
        ranked = make()
        times.append(clock.read())
    seconds, cpu_seconds = (min(kind) for kind in zip(*times, strict=True))
    return ranked, seconds, cpu_seconds


def _score(request: Request, dataset: Dataset, begin: Callable[[], None]) -> Outcome:
    order = np.asarray(request.order, dtype=np.intp)
    ks = request.options.ks
    p = dataset.info.n_features
    if isinstance(ks, str):
        ks = tuple(protocol.k_schedule(p, high_p=ks == "high-p"))
    else:
        ks = tuple(k for k in ks if k <= p) or (p,)
    learners = request.options.learners
    if learners is not None:  # a suite of both tasks names the learners of both
        learners = tuple(name for name in learners if name in protocol.LEARNERS[request.task])
    folds, scale = _scoring_folds(request, dataset), True
    if request.fold is None and request.options.scale and dataset.levels is None:
        # The whole data set is scaled once, as the ranker saw it.
        dataset, scale = _scaled(dataset), False
    begin()
    clock = _Clock()
    scores = _mean_scores(
        [
            protocol.score_ranking(
                dataset, order, train, test, request.random_state, ks, learners, scale
            )
            for train, test in folds
        ]
    )
    seconds, cpu_seconds = clock.read()
    columns = {
        "learner": np.array([score.learner for score in scores], dtype=object),
        "k": np.array([score.k for score in scores], dtype=np.int32),
        "metric": np.array([score.metric for score in scores], dtype=object),
        "value": np.array([score.value for score in scores], dtype=np.float64),
    }
    return Outcome("done", columns=columns, seconds=seconds, cpu_seconds=cpu_seconds)


def _split(request: Request, dataset: Dataset) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows to train on and those that are left out."""
    assert request.fold is not None
    folds = protocol.splits(request.task, dataset.y, request.seed, request.options.folds)
    return folds[request.fold]


def _scoring_folds(request: Request, dataset: Dataset) -> list[protocol.Fold]:
    """Return the fold of a job, or all those that score a ranking of the whole data set."""
    if request.fold is not None:
        return [_split(request, dataset)]
    return protocol.splits(request.task, dataset.y, request.seed, request.options.score_folds)


def _mean_scores(of_folds: list[list[protocol.Score]]) -> list[protocol.Score]:
    """Average the scores of folds, which come in the same order."""
    return [
        same[0]._replace(value=float(np.mean([score.value for score in same])))
        for same in zip(*of_folds, strict=True)
    ]


@lru_cache(maxsize=_KEPT)
def _scaled(dataset: Dataset) -> Dataset:
    from sklearn.preprocessing import StandardScaler

    return replace(dataset, X=StandardScaler().fit_transform(dataset.X))


class _Clock:
    """Wall-clock and processor time from its making on, of this process and its children."""

    def __init__(self) -> None:
        self._cpu, self._wall = sum(os.times()[:4]), time.perf_counter()

    def read(self) -> tuple[float, float]:
        wall = time.perf_counter() - self._wall
        return wall, sum(os.times()[:4]) - self._cpu


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A data set, what its values really are, and what its loader warned of."""

    dataset: Dataset
    checksum: str
    warnings: tuple[str, ...]


_loaded: dict[tuple[str, Path | None], _Loaded | DatasetUnavailable] = {}
#: Catching warnings changes the whole process, so one thread at a time may load.
_loading = threading.Lock()


def _load(name: str, data: Path | None) -> _Loaded:
    """Load a data set, or remember that it cannot be had: a second try may wait for a network."""
    key = name, data
    with _loading:
        if key not in _loaded:
            while len(_loaded) >= _KEPT:
                del _loaded[next(iter(_loaded))]
            try:
                _loaded[key] = _load_anew(name, data)
            except DatasetUnavailable as error:
                _loaded[key] = error
        found = _loaded[key]
    if isinstance(found, DatasetUnavailable):
        raise found
    return found


def _load_anew(name: str, data: Path | None) -> _Loaded:
    """Load a data set; nobody reads a worker's stderr, so warnings become part of the outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        dataset = datasets.load(name, data)
    said = tuple(dict.fromkeys(str(one.message) for one in caught if one.category is UserWarning))
    return _Loaded(dataset, checksum(dataset.X, dataset.y), said)


@cache
def load_plugins(folders: tuple[Path, ...]) -> None:
    """Make the methods and data sets of some folders known, once."""
    from inforest_study import plugins

    for folder in folders:
        plugins.load(folder)


@cache
def _requirement(method: str) -> MethodUnavailable | None:
    try:
        methods.get(method).requires()
    except MethodUnavailable as error:
        return error
    return None


def _check_requirements(method: str) -> None:
    """Raise what keeps a method from running; looking for R takes a while, so look once."""
    error = _requirement(method)
    if error is not None:
        raise error


def _check_revision(wanted: int | None) -> None:
    """Refuse to rank under the name of another engine: a worker may have another version."""
    if wanted not in (None, inforest.engine_revision):
        raise ValueError(
            f"the worker's inforest has revision {inforest.engine_revision} of the engine, the"
            f" runner's {wanted}; install the same version for both"
        )


def main() -> None:
    """Serve requests until stdin ends; what methods print goes to stderr."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)

    def send(message: Any) -> None:
        pickle.dump(message, outgoing)
        outgoing.flush()

    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(incoming, requests), daemon=True).start()
    send(READY)
    while True:
        send(do(requests.get(), lambda: send(BEGIN)))


def _receive(incoming: Any, requests: "queue.SimpleQueue[Request]") -> None:
    """Hand requests on; when the parent is gone, however it went, end with all children."""
    while True:
        try:
            requests.put(pickle.load(incoming))  # noqa: S301 - from our own parent
        except (EOFError, OSError):
            if hasattr(os, "killpg"):
                os.killpg(0, signal.SIGKILL)  # the worker leads its own group
            os._exit(1)


if __name__ == "__main__":
    main()
