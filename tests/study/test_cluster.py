"""The same jobs on a Dask cluster give the same scores, also when its workers die."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

distributed = pytest.importorskip("distributed")

from inforest_study.cluster import Cluster  # noqa: E402
from inforest_study.export import scores  # noqa: E402
from inforest_study.run import Settings, missing, run  # noqa: E402
from inforest_study.store import Store  # noqa: E402
from inforest_study.suite import read  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="kills with POSIX signals"),
    # What Dask and its event loop leave behind is not ours.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
        "ignore:Port .* is already in use",  # by the same test, next door
    ),
]


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker(toys, tmp_path, threads):
    suite = read(toys.suite(["slow"], seeds=[0, 1]))
    jobs = suite.jobs()
    run(jobs, Store(tmp_path / "pool"), threads())
    toys.log.unlink()
    settings = Settings(suite.budget, plugins=(toys.plugins,))
    killed = []

    def kill_one(progress):
        """Kill a cluster's worker, once, as soon as something ran on it."""
        if not killed and len(toys.executions()) >= 3:
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        store = Store(tmp_path / "cluster")
        progress = run(jobs, store, Cluster(cluster.scheduler_address), settings, kill_one)
    assert killed
    assert progress.ended == {"done": len(jobs)}
    assert missing(jobs, store) == []
    assert scores(store).equals(scores(Store(tmp_path / "pool")))


@pytest.mark.slow
def test_a_scheduler_that_dies_leaves_no_failures(toys, tmp_path):
    """One line and exit code 3; the same command goes on elsewhere."""
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = subprocess.Popen(
        [*dask, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Nobody joins the scheduler, so all steps still wait when it dies.
    suite, store = toys.suite(datasets=["toy-classes"]), tmp_path / "store"
    process = toys.start("run", suite, "--store", store, "--scheduler", address)
    try:
        claims = store / "claims"
        wait_until(lambda: claims.is_dir() and any(claims.iterdir()))
    finally:
        scheduler.kill()
        scheduler.wait()
    output = process.communicate(timeout=120)[0].decode()
    assert process.returncode == 3, output
    assert "inforest: the scheduler is gone; run the same command again\n" in output
    assert "Traceback" not in output
    assert list(Store(store).entries()) == []
    assert list(claims.iterdir()) == []


def wait_until(condition):
    for _ in range(1800):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it never happened")


def test_no_scheduler(monkeypatch):
    from inforest_study import cluster

    monkeypatch.setattr(cluster, "_TIMEOUT", 0.5)
    with pytest.raises(ValueError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster("tcp://127.0.0.1:9")
