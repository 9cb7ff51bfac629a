"""Work in pieces by joblib: any number of pieces, on any backend, gives the same result."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from inforest._engine.dask_cluster import aligned, cluster_results, is_dask

Stop = NDArray[np.uint8]
#: How much of each piece is done.
Counts = NDArray[np.int64]
Range = tuple[int, int]
Work = Callable[..., Any]
#: Seconds of work that threads do not shorten: to start them and to collect takes as long.
_ALONE = 0.03
#: Seconds between two looks at what is done.
_GLANCE = 0.1


@dataclass(frozen=True, eq=False)
class Signals:
    """What a piece of work and the one who waits for it tell each other while it runs.

    Attributes
    ----------
    stop : ndarray of shape (1,)
        Set to 1, it makes the core stop; all pieces of a `run` share it.
    done : ndarray of shape (1,)
        What is done of this piece; the work may count it up. At the end it is set to all.

    """

    stop: Stop
    done: Counts

    def writable(self) -> "Signals":
        """Return signals that can be written: another process may have got read-only copies.

        And aligned ones, which a message of Dask need not hold.
        """
        return Signals(
            np.require(self.stop, requirements=("W", "A")),
            np.require(self.done, requirements=("W", "A")),
        )


@dataclass(frozen=True, eq=False)
class Piece:
    """A range of the work, its number among the others, and its signals."""

    number: int
    begin: int
    end: int
    signals: Signals

    @property
    def length(self) -> int:
        """How many things there are to do."""
        return self.end - self.begin

    def result(self, work: Work, shared: Mapping[str, Any]) -> tuple[int, Any]:
        """Do the work; return the number of the piece and what came out."""
        signals = self.signals.writable()
        found = work(signals, self.begin, self.end, **shared)
        signals.done[0] = self.length
        return self.number, found


def workers(n_jobs: int | None) -> int:
    """Return how many pieces can be worked on at once; 1 also where joblib has no say."""
    return max(1, effective_n_jobs(n_jobs))


def leaves_process(n_jobs: int | None) -> bool:
    """Whether the work goes to other processes or machines."""
    return n_jobs != 1 and not _is_local()


def cut(n: int, n_pieces: int) -> list[Range]:
    """Cut 0..n into at most n_pieces ranges of nearly the same length, at least one."""
    bounds = np.linspace(0, n, max(1, min(n, n_pieces)) + 1).astype(int).tolist()
    return list(pairwise(bounds))


def run(
    work: Work,
    shared: Mapping[str, Any],
    ranges: Sequence[Range],
    n_jobs: int | None,
    *,
    here: bool = False,
    trial: bool = False,
    done: Callable[[int], None] | None = None,
) -> list[Any]:
    """Return ``work(signals, begin, end, **shared)`` for each range, in their order.

    Parameters
    ----------
    work : callable
        A function of a module, so that processes find it.
    shared : mapping
        Arguments of every call, big arrays among them. They are handed over one by one, because
        this is how loky maps an array into all its processes.
    ranges : sequence of (int, int)
        What the calls differ in.
    n_jobs : int or None
        As in joblib; None leaves it to `joblib.parallel_config`.
    here : bool, default=False
        Whether the work must stay in this process.
    trial : bool, default=False
        Whether the first range is a short one, to be worked on before any thread is started: if it
        shows that the others are done soon, this thread does them, too.
    done : callable, default=None
        Called with the number of things done since the last call: after each range, and in between
        by a thread that reads the counters of the pieces, unless other processes count them.

    """
    stop: Stop = np.zeros(1, dtype=np.uint8)
    counts: Counts = np.zeros(len(ranges), dtype=np.int64)
    results: list[Any] = [None] * len(ranges)
    stays = here or n_jobs == 1 or _is_local()
    pieces = [
        Piece(i, begin, end, Signals(stop, counts[i : i + 1]))
        for i, (begin, end) in enumerate(ranges)
    ]
    watching = _watching(counts, done) if done is not None and stays else nullcontext()
    with watching as tell:
        try:
            as_they_come = done is not None and not stays
            for i, result in _results(work, shared, pieces, n_jobs, here, trial, as_they_come):
                results[i] = result
                if tell is not None:
                    tell()
                elif done is not None:
                    done(pieces[i].length)
        except BaseException:
            stop[0] = 1  # the threads still at work quit
            _wait_for_threads(stop)
            raise
    return results


@contextmanager
def _watching(counts: Counts, done: Callable[[int], None]) -> Iterator[Callable[[], None]]:
    """Let a thread tell `done` how the counters grow, also while this one is inside the core.

    Give a function that does so at once.
    """
    finished, one_at_a_time = threading.Event(), threading.Lock()
    told = 0

    def tell() -> None:
        nonlocal told
        with one_at_a_time:
            total = int(counts.sum())
            if total > told:
                done(total - told)
                told = total

    def watch() -> None:
        with suppress(OSError, ValueError):  # nobody can be told any more: stderr is closed
            while not finished.wait(_GLANCE):
                tell()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield tell
        tell()
    finally:
        finished.set()
        watcher.join()


def _results(
    work: Work,
    shared: Mapping[str, Any],
    pieces: Sequence[Piece],
    n_jobs: int | None,
    here: bool,
    trial: bool,
    as_they_come: bool,
) -> Iterator[tuple[int, Any]]:
    """Yield the results with their numbers."""
    stays = here or n_jobs == 1 or _is_local()
    alone = stays and (len(pieces) == 1 or workers(n_jobs) == 1)
    n_done = 0
    if stays and trial and not alone:
        first = pieces[0]
        started = time.perf_counter()
        yield first.result(work, shared)
        n_done = 1
        share = (pieces[-1].end - first.end) / first.length
        alone = (time.perf_counter() - started) * share < _ALONE
    if alone:
        for piece in pieces[n_done:]:
            yield piece.result(work, shared)
        return
    if not here and is_dask(_backend()):
        yield from cluster_results(_backend(), partial(_numbered, work), pieces[n_done:], shared)
        return
    if n_jobs is not None and workers(n_jobs) > len(pieces):
        n_jobs = len(pieces)  # more threads than pieces would only be started and ended
    yield from _parallel(n_jobs, here, as_they_come)(
        delayed(_numbered)(work, piece, **shared) for piece in pieces[n_done:]
    )


def _is_local() -> bool:
    """Whether joblib would work in this process: no other backend is configured."""
    return bool(getattr(_backend(), "supports_sharedmem", False))


def _backend() -> Any:
    return get_active_backend(prefer="threads")[0]


def _parallel(n_jobs: int | None, here: bool, as_they_come: bool) -> Parallel:
    options: dict[str, Any] = {"require": "sharedmem"} if here else {"prefer": "threads"}
    options |= {"n_jobs": n_jobs, "pre_dispatch": "all"}
    if as_they_come:
        try:
            return Parallel(return_as="generator_unordered", **options)
        except ValueError:  # this backend returns everything at the end
            pass
    return Parallel(**options)


def _numbered(work: Work, piece: Piece, **shared: Any) -> tuple[int, Any]:
    with _at_work(piece.signals.stop):
        try:
            return piece.result(work, aligned(shared))
        except KeyboardInterrupt:
            if threading.current_thread() is threading.main_thread():
                raise
            return piece.number, None  # the main thread has raised it already


#: How many threads of this process work for each `run`, known by its stop array.
_n_at_work: dict[int, int] = {}
_changed = threading.Condition()


@contextmanager
def _at_work(stop: Stop) -> Iterator[None]:
    with _changed:
        _n_at_work[id(stop)] = _n_at_work.get(id(stop), 0) + 1
    try:
        yield
    finally:
        with _changed:
            _n_at_work[id(stop)] -= 1
            if not _n_at_work[id(stop)]:
                del _n_at_work[id(stop)]
            _changed.notify_all()


def _wait_for_threads(stop: Stop) -> None:
    """Wait until no thread works for this run: the interpreter must not end under their feet."""
    with _changed:
        _changed.wait_for(lambda: id(stop) not in _n_at_work, timeout=10)
