"""Runners of the study that are killed at random moments, alone or three at a time, retries too."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

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
    """End a runner as a power cut would, and wait until its workers have noticed."""
    workers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert psutil.wait_procs(workers, timeout=60)[1] == []


def disturb(runners, rng):
    """Kill runners one after another at random moments; return how many were still at work."""
    n_killed = 0
    for runner in rng.permutation(np.array(runners, dtype=object)):
        with suppress(subprocess.TimeoutExpired):
            runner.wait(rng.uniform(0.5, 4.0))
        if runner.poll() is None:
            kill(runner)
            n_killed += 1
        else:
            runner.communicate()  # reads and closes its pipe
    return n_killed


@pytest.mark.parametrize("n_runners", [1, 3])
def test_killed_runners_leave_what_an_undisturbed_one_leaves(toys, tmp_path, n_runners):
    """Work enough for all rounds: a runner that has ended cannot be killed."""
    n_seeds = 1 + N_ROUNDS * n_runners
    suite = toys.suite(["slow", "raises"], ["toy-classes"], seeds=list(range(n_seeds)))
    jobs = read(suite).jobs()
    whole, store = tmp_path / "whole", tmp_path / "killed"
    toys.start("run", suite, "--store", whole, "--jobs", 1).communicate(timeout=900)
    command = ["run", suite, "--store", store, "--jobs", 1]
    n_killed = 0
    for seed in range(SEED, SEED + N_ROUNDS):
        rng = np.random.default_rng(seed)
        again = ["--retry", "failed"] if rng.random() < 0.5 else []
        n_killed += disturb([toys.start(*command, *again) for _ in range(n_runners)], rng)
    assert n_killed >= 0.8 * N_ROUNDS * n_runners
    end = toys.start(*command)
    said = end.communicate(timeout=900)[0].decode()
    assert end.returncode == 3, said  # "raises" has failed, as it should
    assert missing(jobs, Store(store)) == []
    assert scores(Store(store)).equals(scores(Store(whole)))
    assert endings(Store(store)) == endings(Store(whole))
    assert Store(store).complaints() == []
    assert list((store / "claims").iterdir()) == []
    assert list((store / "runners").iterdir()) == []
