"""Runners of the study that are killed at random moments, alone or three at a time, retries too."""

import os
import signal
import sys
import time

import numpy as np
import psutil
import pytest

from inforest_study.export import runs, scores
from inforest_study.run import missing
from inforest_study.store import Store
from inforest_study.suite import read
from rounds import SEED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX signals"),
]


#: How many times runners are started and killed; 50 take some twenty minutes.
N_ROUNDS = int(os.environ.get("INFOREST_KILLS", "2"))


def endings(store):
    """Return how every step ended: what does not depend on when it was done."""
    table = runs(store).to_pylist()
    return sorted((r["dataset"], r["config"], r["seed"], r["fold"], r["step"], r["status"])
                  for r in table)  # fmt: skip


def kill(process):
    """End a runner as a power cut would; return its workers, who have yet to notice."""
    workers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    return workers


def progress(store):
    """Return how many results there are; an unborn store has none."""
    return len(list(store.glob("results/**/*.parquet")))


def wait_for_results(runner, store, n_more):
    """Wait until a store has grown by some results, or the runner has ended."""
    enough = progress(store) + n_more
    while progress(store) < enough and runner.poll() is None:
        time.sleep(0.02)


def disturb(runners, store, rng):
    """Kill runners one after another at random moments; return how many were still at work.

    A moment is some results and a fraction of a second away, and no time from the start: so a
    quick machine does not run out of work and a slow one is not killed before it has begun.
    """
    n_killed, orphans = 0, []
    for runner in rng.permutation(np.array(runners, dtype=object)):
        wait_for_results(runner, store, n_more=rng.integers(4))
        time.sleep(rng.uniform(0.0, 0.15))
        if runner.poll() is None:
            orphans += kill(runner)
            n_killed += 1
    for runner in runners:
        runner.communicate()  # reads and closes its pipe
    assert psutil.wait_procs(orphans, timeout=60)[1] == []
    return n_killed


@pytest.mark.parametrize("n_runners", [1, 3])
def test_killed_runners_leave_what_an_undisturbed_one_leaves(toys, tmp_path, n_runners):
    """Work enough for all rounds, nine results a seed: a runner that has ended cannot be killed."""
    n_seeds = 2 + 2 * N_ROUNDS * n_runners // 3
    suite = toys.suite(["slow", "raises"], ["toy-classes"], seeds=list(range(n_seeds)))
    jobs = read(suite).jobs()
    whole, store = tmp_path / "whole", tmp_path / "killed"
    toys.start("run", suite, "--store", whole, "--jobs", 1).communicate(timeout=7200)
    command = ["run", suite, "--store", store, "--jobs", 1]
    n_killed = 0
    for seed in range(SEED, SEED + N_ROUNDS):
        rng = np.random.default_rng(seed)
        again = ["--retry", "failed"] if rng.random() < 0.5 else []
        n_killed += disturb([toys.start(*command, *again) for _ in range(n_runners)], store, rng)
    assert n_killed >= 0.8 * N_ROUNDS * n_runners
    end = toys.start(*command)
    said = end.communicate(timeout=7200)[0].decode()
    assert end.returncode == 3, said  # "raises" has failed, as it should
    assert missing(jobs, Store(store)) == []
    assert scores(Store(store)).equals(scores(Store(whole)))
    assert endings(Store(store)) == endings(Store(whole))
    assert Store(store).complaints() == []
    assert list((store / "claims").iterdir()) == []
    assert list((store / "runners").iterdir()) == []
