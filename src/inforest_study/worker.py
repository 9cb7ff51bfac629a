"""`Worker`: a process that does one step after the other and is ended when a budget is over."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psutil

from inforest_study.errors import RunError
from inforest_study.machine import machine, versions
from inforest_study.outcome import Outcome
from inforest_study.work import BEGIN, Budget, Request

#: One core per worker, so that times can be compared. Read when the libraries are loaded.
_ONE_THREAD = dict.fromkeys(
    [
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "LOKY_MAX_CPU_COUNT",
    ],
    "1",
)
#: How often a process is started before its job counts as failed.
_STARTS = 3
#: Seconds that loading a data set, perhaps a download, may take.
_LOADING = 3600.0
#: Seconds between two looks at a worker's memory: often at first, for short jobs.
_FIRST_LOOK, _LAST_LOOK = 0.02, 0.5
_GB = 1e9
_MB = 1e6


class WorkerError(RunError):
    """No worker process can be started; the message says what it said."""


class Worker:
    """A process for one step at a time; a new one is started whenever there is none.

    Examples
    --------
    >>> from inforest_study.worker import Worker
    >>> worker = Worker()
    >>> worker.stop()

    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - what the process writes to stderr
        self._stopped = False
        _workers.add(self)

    def do(self, request: Request) -> Outcome:
        """Do a step within its budget.

        Parameters
        ----------
        request : Request
            What to do and what it may take.

        Returns
        -------
        outcome : Outcome
            Status "over-budget" if the worker had to be ended, "failed" if it died.

        """
        try:
            process = self._running()
        except WorkerError as error:
            if self._stopped:
                raise
            return Outcome("failed", str(error), versions=versions(), machine=machine())
        watch = _Watch(process, request.budget)
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
            message = _receive(process)
            if message == BEGIN:
                watch.begin()
                message = _receive(process)
        except (EOFError, OSError, pickle.UnpicklingError):
            message = None
        watch.end()
        memory = max(watch.memory, _memory(process.pid)) / _MB  # a short step may not be looked at
        if isinstance(message, Outcome) and not watch.reason:
            _kill_children(process.pid)  # the next step's time and memory are its own
            return replace(message, memory_mb=memory)
        if watch.reason:
            outcome = Outcome("over-budget", watch.reason)
        else:
            outcome = Outcome("failed", f"the worker {self._cause_of_death()}")
        self._end()
        return replace(
            outcome,
            seconds=watch.seconds,
            memory_mb=memory,
            versions=versions(),
            machine=machine(),
        )

    def stop(self) -> None:
        """End the process, whatever it is doing, for good."""
        self._stopped = True
        if self._process is not None:
            _kill(self._process)

    def close(self) -> None:
        """Tidy up, when no thread waits for an outcome any more."""
        self.stop()
        self._end()
        self._log.close()

    def _running(self) -> Any:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            self._start()
        return self._process

    def _start(self) -> None:
        """Start a process; whatever ended one that was still starting may be over."""
        for last in [False] * (_STARTS - 1) + [True]:
            if self._stopped:
                raise WorkerError("the worker was stopped")
            self._log.seek(0)
            self._log.truncate()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "inforest_study.work"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=os.environ | _ONE_THREAD,
                start_new_session=True,  # no Ctrl-C from the terminal; one group to end
            )
            try:
                _receive(self._process)  # READY
                return
            except (EOFError, pickle.UnpicklingError):
                cause = self._cause_of_death()
                self._end()
                if last:
                    raise WorkerError(f"a worker could not start: it {cause}") from None

    def _cause_of_death(self) -> str:
        assert self._process is not None
        code = self._process.wait()
        if code == -9:
            return "was killed: perhaps the machine ran out of memory"
        self._log.seek(0)
        words = self._log.read().decode(errors="replace").strip().splitlines()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return f"ended {how}: {words[-1].strip() if words else 'it said nothing'}"

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # there may be something left to write
                    if pipe is not None:
                        pipe.close()


_workers: set[Worker] = set()
_own = threading.local()


def perform(request: Request) -> Outcome:
    """Do a step within its budget, in the worker process of the calling thread.

    The pool's threads and those of a cluster's workers all call this function.
    """
    if not hasattr(_own, "worker"):
        _own.worker = Worker()
    worker: Worker = _own.worker
    return worker.do(request)


def stop_workers() -> None:
    """End all worker processes of this process, so that nobody waits for them any more."""
    for worker in list(_workers):
        worker.stop()


def close_workers() -> None:
    """Tidy up after workers that nobody waits for."""
    for worker in list(_workers):
        worker.close()
        _workers.discard(worker)


class _Watch:
    """Looks at a worker's time and memory, and ends it when either is over the budget."""

    def __init__(self, process: "subprocess.Popen[bytes]", budget: Budget) -> None:
        self.memory = 0.0
        self.reason = ""
        self._process = process
        self._budget = budget
        self._is_over = threading.Event()
        self._began = time.monotonic()
        self._deadline = self._began + _LOADING
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """Time since the step began."""
        return time.monotonic() - self._began

    def begin(self) -> None:
        """Count time from here on: the data are loaded."""
        self._began = time.monotonic()
        self._deadline = self._began + self._budget.seconds

    def end(self) -> None:
        """Look no more: the step is over."""
        self._is_over.set()
        self._thread.join()

    def _look_on(self) -> None:
        """Look again and again, less and less often."""
        pause = _FIRST_LOOK
        while not self._is_over.wait(min(pause, max(0.0, self._deadline - time.monotonic()))):
            # A child of a dead worker may hold the pipe open, so its end alone tells nothing.
            is_dead = self._process.poll() is not None
            if not is_dead:
                self._look()
            if self.reason or is_dead:
                _kill(self._process)
                return
            pause = min(2 * pause, _LAST_LOOK)

    def _look(self) -> None:
        self.memory = max(self.memory, _memory(self._process.pid))
        if self.memory > self._budget.memory_gb * _GB:
            self.reason = f"more than {self._budget.memory_gb:g} GB of memory"
        elif time.monotonic() >= self._deadline:
            self.reason = f"more than {self._budget.seconds:g} s"


def _memory(pid: int) -> float:
    """Return the resident memory of a process and all it started, in bytes."""
    total = 0.0
    try:
        process = psutil.Process(pid)
        for one in [process, *process.children(recursive=True)]:
            total += one.memory_info().rss
    except psutil.Error:  # ended while we looked
        pass
    return total


def _kill_children(pid: int) -> None:
    """End what a step started and left behind."""
    with suppress(psutil.Error):
        for child in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End a worker and everything it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
    except (ProcessLookupError, psutil.NoSuchProcess):
        pass
    process.wait()


def _receive(process: Any) -> Any:
    return pickle.load(process.stdout)  # noqa: S301 - from our own child
