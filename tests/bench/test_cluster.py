"""The same jobs on a Dask cluster give the same scores, also when its workers die."""

import os
import signal
import sys

import pytest

distributed = pytest.importorskip("distributed")

from inforest.bench.cluster import Cluster  # noqa: E402
from inforest.bench.export import scores  # noqa: E402
from inforest.bench.run import Settings, missing, run  # noqa: E402
from inforest.bench.store import Store  # noqa: E402
from inforest.bench.suite import read  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="kills with POSIX signals"),
    # What Dask and its event loop leave behind is not ours.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]


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


def test_no_scheduler(monkeypatch):
    from inforest.bench import cluster

    monkeypatch.setattr(cluster, "_TIMEOUT", 0.5)
    with pytest.raises(ValueError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        Cluster("tcp://127.0.0.1:9")
