"""Work in pieces by joblib: any number of pieces, on any backend, gives the same result."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

#: Set to 1, it makes the core stop: the threads of one `run` share it.
Stop = NDArray[np.uint8]
Range = tuple[int, int]
Work = Callable[..., Any]
#: Seconds of work that threads do not shorten: to start them and to collect takes as long.
_ALONE = 0.03


def workers(n_jobs: int | None) -> int:
    """Return how many pieces can be worked on at once; 1 also where joblib has no say."""
    return max(1, effective_n_jobs(n_jobs))


def cut(n: int, n_pieces: int) -> list[Range]:
    """Cut 0..n into at most n_pieces ranges of nearly the same length, at least one."""
    bounds = np.linspace(0, n, max(1, min(n, n_pieces)) + 1).astype(int).tolist()
    return list(pairwise(bounds))


def run(
    work: Work,
    shared: Sequence[Any],
    ranges: Sequence[Range],
    n_jobs: int | None,
    *,
    here: bool = False,
    trial: bool = False,
    done: Callable[[int], None] | None = None,
) -> list[Any]:
    """Return ``work(stop, *shared, begin, end)`` for each range, in their order.

    Parameters
    ----------
    work : callable
        A function of a module, so that processes find it.
    shared : sequence
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
        Called with the length of each finished range.

    """
    stop: Stop = np.zeros(1, dtype=np.uint8)
    results: list[Any] = [None] * len(ranges)
    try:
        how = here, trial, done is not None
        for i, result in _results(stop, work, shared, ranges, n_jobs, *how):
            results[i] = result
            if done is not None:
                done(ranges[i][1] - ranges[i][0])
    except BaseException:
        stop[0] = 1  # the threads still at work quit
        _wait_for_threads(stop)
        raise
    return results


def _results(
    stop: Stop,
    work: Work,
    shared: Sequence[Any],
    ranges: Sequence[Range],
    n_jobs: int | None,
    here: bool,
    trial: bool,
    as_they_come: bool,
) -> Iterator[tuple[int, Any]]:
    """Yield the results with their numbers."""
    stays = here or n_jobs == 1 or _is_local()
    alone = stays and (len(ranges) == 1 or workers(n_jobs) == 1)
    n_done = 0
    if stays and trial and not alone:
        started = time.perf_counter()
        yield 0, work(stop, *shared, *ranges[0])
        n_done = 1
        (begin, end), last = ranges[0], ranges[-1][1]
        alone = (time.perf_counter() - started) * (last - end) / (end - begin) < _ALONE
    if alone:
        for i in range(n_done, len(ranges)):
            yield i, work(stop, *shared, *ranges[i])
        return
    if not here:
        shared = _broadcast(shared)
    if n_jobs is not None and workers(n_jobs) > len(ranges):
        n_jobs = len(ranges)  # more threads than pieces would only be started and ended
    yield from _parallel(n_jobs, here, as_they_come)(
        delayed(_numbered)(i, work, stop, *shared, *ranges[i]) for i in range(n_done, len(ranges))
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


def _broadcast(shared: Sequence[Any]) -> Sequence[Any]:
    """Under dask, copy the big arrays to all workers, once each.

    joblib alone would leave them on one worker, from where the others fetch them. When that worker
    dies they are lost, and dask cannot make them again.
    """
    client: Any = getattr(_backend(), "client", None)
    if not hasattr(client, "scatter"):
        return shared
    return [
        client.scatter(x, broadcast=True, hash=False) if np.size(x) > 100 else x for x in shared
    ]


def _numbered(number: int, work: Work, stop: Stop, *args: Any) -> tuple[int, Any]:
    with _at_work(stop):
        stop = np.require(stop, requirements="W")  # another process may have got a read-only copy
        try:
            return number, work(stop, *args)
        except KeyboardInterrupt:
            if threading.current_thread() is threading.main_thread():
                raise
            return number, None  # the main thread has raised it already


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
