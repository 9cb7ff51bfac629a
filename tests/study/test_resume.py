"""Runs that are killed, interrupted, or that share a store: nothing is lost, nothing done twice."""

import os
import signal
import sys
import time

import numpy as np
import psutil
import pytest

from inforest_study.export import scores, write_table
from inforest_study.run import Pool, Settings, missing, run
from inforest_study.store import Store
from inforest_study.suite import read

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX signals"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # Python 3.12: of threads
]


def wait_for(condition, process):
    """Wait until something is so, while a process runs."""
    deadline = time.monotonic() + 100
    while not condition():
        assert process.is_running()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def uninterrupted(jobs, toys, store, threads):
    """Return the scores of a run that nothing happens to, and the number of its executions."""
    run(jobs, store, threads())
    n = len(toys.executions())
    toys.log.unlink()
    return scores(store), n


def same_bytes(one, other, folder):
    """Return whether two tables make the same file."""
    for name, table in [("one", one), ("other", other)]:
        write_table(table, folder / f"{name}.parquet")
    return (folder / "one.parquet").read_bytes() == (folder / "other.parquet").read_bytes()


def forked(function):
    """Start a process that calls a function and ends."""
    pid = os.fork()
    if pid == 0:
        try:
            function()
        finally:
            os._exit(0)
    return psutil.Process(pid)


@pytest.mark.slow
def test_kill_9_at_random_moments_then_resume(toys, tmp_path, threads):
    suite = read(toys.suite(["slow"], seeds=[0, 1, 2]))
    jobs = suite.jobs()
    expected, n_jobs = uninterrupted(jobs, toys, Store(tmp_path / "whole"), threads)
    store = Store(tmp_path / "killed")
    settings = Settings(suite.budget, plugins=(toys.plugins,))
    rng = np.random.default_rng(1718)
    for n_more in rng.integers(1, 6, size=3):
        goal = len(toys.executions()) + n_more
        runner = forked(lambda: run(jobs, store, Pool(2), settings))
        wait_for(lambda: len(toys.executions()) >= goal, runner)  # noqa: B023
        time.sleep(rng.uniform(0, 0.1))  # in the middle of a step, a write, a claim
        runner.kill()
        assert runner.wait() == -signal.SIGKILL
        workers = [psutil.Process(pid) for pid in toys.pids() if psutil.pid_exists(pid)]
        assert psutil.wait_procs(workers, timeout=60)[1] == []  # they end with their runner
    left = missing(jobs, store)
    assert left  # it was not over yet
    done = len(toys.executions())
    run(jobs, store, threads(), settings)
    assert missing(jobs, store) == []
    assert same_bytes(expected, scores(store), tmp_path)
    assert len(toys.executions()) - done <= len(left)  # nothing that was stored is done again
    assert len(toys.executions()) <= n_jobs + 2 * 3  # at most the two that ran at each kill
    assert list((store.root / "claims").iterdir()) == []
    assert list((store.root / "runners").iterdir()) == []


@pytest.mark.slow
def test_two_runners_on_one_store(toys, tmp_path, threads):
    suite = toys.suite(["slow", "plain"], seeds=[0, 1, 2])
    jobs = read(suite).jobs()
    expected, n_jobs = uninterrupted(jobs, toys, Store(tmp_path / "one"), threads)
    command = "run", suite, "--store", tmp_path / "two", "--jobs", 1
    runners = [toys.start(*command) for _ in range(2)]
    outputs = [runner.communicate(timeout=120)[0].decode() for runner in runners]
    assert [runner.returncode for runner in runners] == [0, 0], outputs
    executions = toys.executions()
    assert len(executions) == len(set(executions)) == n_jobs == len(jobs)
    assert missing(jobs, Store(tmp_path / "two")) == []
    assert same_bytes(expected, scores(Store(tmp_path / "two")), tmp_path)


def test_many_runners_in_threads_never_do_a_job_twice(toys, tmp_path, threads):
    """More of them and closer together than processes can be."""
    from concurrent.futures import ThreadPoolExecutor

    jobs = read(toys.suite(seeds=list(range(10)), steps=["rank"])).jobs()
    with ThreadPoolExecutor(4) as pool:
        stores = [Store(tmp_path / "store") for _ in range(4)]
        list(pool.map(lambda store: run(jobs, store, threads()), stores))
    executions = toys.executions()
    assert len(executions) == len(set(executions)) == len(jobs) == 60
    assert missing(jobs, stores[0]) == []


def test_a_polite_end(toys, tmp_path):
    """A batch system's request counts as Ctrl-C: a message, no claims left, no processes left."""
    suite = toys.suite(["child"], ["toy-classes"])
    process = toys.start("run", suite, "--store", tmp_path / "store", "--jobs", 1)
    wait_for(toys.executions, psutil.Process(process.pid))
    process.send_signal(signal.SIGTERM)
    output = process.communicate(timeout=120)[0].decode()
    assert process.returncode == 130
    assert "stopped; run the same command again to go on" in output
    assert not any(psutil.pid_exists(pid) for pid in toys.pids())
    assert list((tmp_path / "store" / "claims").iterdir()) == []
    assert list(Store(tmp_path / "store").entries()) == []
