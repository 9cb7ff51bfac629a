"""The same bits on Dask clusters of any size, also while they lose workers; nothing is left."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

from forests import BOTH, Classifier, assert_same_forest, data, two_classes
from inforest import independence_test, rank_features
from inforest._engine.parallel import cut, run

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SIZES = [(1, 1), (2, 1), (1, 2), (2, 2)]
#: Draws permutations in both stages; with SLOW there is time to lose workers.
TESTS = dict(n_resamples_selector="auto", splitter_test="max", n_estimators=30, random_state=0)
SLOW = TESTS | dict(n_resamples_selector=1000, early_stopping_selector=None)


@contextmanager
def a_cluster(n_workers, n_threads):
    distributed = pytest.importorskip("distributed")
    options = dict(processes=True, dashboard_address=None)
    size = dict(n_workers=n_workers, threads_per_worker=n_threads)
    with (
        distributed.LocalCluster(**size, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module", params=SIZES, ids="{0[0]}x{0[1]}".format)
def client(request):
    with a_cluster(*request.param) as client:
        yield client


@pytest.mark.parametrize("cls", BOTH)
def test_a_cluster_changes_nothing(cls, client):
    X, y = data(cls)
    weight = np.arange(len(y)) % 3
    options = TESTS | dict(oob_score=True, replace=True)
    forest = cls(**options).fit(X, y, sample_weight=weight)
    with parallel_config(backend="dask"):
        assert_same_forest(cls(**options).fit(X, y, sample_weight=weight), forest)
        assert_same_forest(cls(**options, verbose=1).fit(X, y, sample_weight=weight), forest)


def test_rankings_and_tests_on_a_cluster(client):
    X, y = data(Classifier)

    def results():
        importances = rank_features(X, y, random_state=0).scores
        rdc = independence_test(X, y, selector="rdc", n_resamples=99, random_state=0)
        mc = independence_test(X, y, random_state=0)
        return importances, rdc.p_value, mc.p_value

    expected = results()
    with parallel_config(backend="dask"):
        for one, other in zip(results(), expected, strict=True):
            assert_array_equal(one, other)


def test_a_single_slot_does_the_work(monkeypatch):
    """It is not done in this process because there is only one."""
    with a_cluster(1, 1) as client, parallel_config(backend="dask"):
        theirs = set(client.run(os.getpid).values())
        assert set(run(_process, {}, cut(2, 2), None)) == theirs


def _process(signals, begin, end):
    return os.getpid()


@pytest.mark.parametrize(("size", "n_killed"), [((2, 1), 2), ((1, 1), 1)])
def test_killed_workers_change_nothing(size, n_killed):
    """Also when all that held the data die: others start in their place, and get them again."""
    X, y = two_classes()
    expected = Classifier(**SLOW).fit(X, y)
    with a_cluster(*size) as client:
        victims = list(client.run(os.getpid).values())[:n_killed]
        finished = threading.Event()
        was_in_the_middle = []

        def kill_in_the_middle():
            while not any(client.processing().values()):
                time.sleep(0.02)
            for victim in victims:
                time.sleep(0.2)
                os.kill(victim, signal.SIGKILL)
            was_in_the_middle.append(not finished.is_set())

        killer = threading.Thread(target=kill_in_the_middle)
        killer.start()
        with parallel_config(backend="dask"):
            forest = Classifier(**SLOW).fit(X, y)
        finished.set()
        killer.join()
        assert was_in_the_middle == [True]
        assert_same_forest(forest, expected)


def test_a_shrinking_cluster_changes_nothing():
    """From two workers to one between two fits, and in the middle of a third."""
    X, y = two_classes()
    expected = Classifier(**SLOW).fit(X, y)
    with a_cluster(2, 1) as client, parallel_config(backend="dask"):
        assert_same_forest(Classifier(**SLOW).fit(X, y), expected)
        client.cluster.scale(1)
        assert_same_forest(Classifier(**SLOW).fit(X, y), expected)
        client.wait_for_workers(1)
        assert_same_forest(Classifier(**SLOW).fit(X, y), expected)


def _fail_or_wait(signals, begin, end):
    if begin == 0:
        raise ZeroDivisionError
    time.sleep(0.5)


def assert_idle(client):
    """What had begun comes to its end; nothing else begins."""
    deadline = time.monotonic() + 10
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(client.processing().values())


def test_abandoned_tasks_are_cancelled():
    """After an error, as after Ctrl-C, nobody works on what is left."""
    with a_cluster(1, 1) as client, parallel_config(backend="dask"):
        with pytest.raises(ZeroDivisionError):
            run(_fail_or_wait, {}, cut(40, 40), None)
        assert_idle(client)


def _wait(signals, begin, end):
    time.sleep(0.5)


@pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX signals")
def test_ctrl_c_cancels_what_is_left():
    with a_cluster(1, 1) as client, parallel_config(backend="dask"):

        def press():
            while not any(client.processing().values()):
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        with pytest.raises(KeyboardInterrupt) as caught:
            run(_wait, {}, cut(40, 40), None)
        assert_idle(client)
        assert caught.value.__traceback__ is not None


def test_ctrl_c_between_two_results_cancels_what_is_left():
    """At once: a notebook keeps the traceback, and with it whatever waits to be collected."""

    def pressed(_):
        raise KeyboardInterrupt

    with a_cluster(1, 1) as client, parallel_config(backend="dask"):
        with pytest.raises(KeyboardInterrupt) as caught:
            run(_wait, {}, cut(40, 40), None, done=pressed)
        assert_idle(client)
        assert caught.value.__traceback__ is not None
