"""The same bits on Dask clusters of any size, also while they lose workers; nothing is left."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

import ctrl_c
from forests import BOTH, Classifier, assert_same_forest, data, two_classes
from inforest import independence_test, rank_features
from inforest._engine.parallel import cut, run

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SIZES = [(1, 1), (2, 1), (1, 2), (2, 2)]
#: Draws permutations in both stages.
TESTS = dict(n_resamples_selector="auto", splitter_test="max", n_estimators=30, random_state=0)


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


@dataclass
class Numbers:
    """Arrays as fits and predictions send them: in the open, in a tuple, in an object."""

    alone: np.ndarray
    pair: tuple


@pytest.mark.parametrize("size", [3, 1000])
def test_numbers_arrive_where_the_processor_expects_them(size):
    """Dask reads a message into one buffer, in which they may begin at any byte."""
    x = np.arange(size, dtype=float)
    shared = {"x": x, "options": {"level": x}, "numbers": Numbers(x, (x, x))}
    with a_cluster(1, 1), parallel_config(backend="dask"):
        assert np.all(run(_are_aligned, shared, cut(2, 2), None))


def _are_aligned(signals, begin, end, *, x, options, numbers):
    arrays = [x, options["level"], numbers.alone, *numbers.pair, signals.done]
    return [array.flags.aligned for array in arrays]


async def _die_at_the_next_piece(dask_worker):
    """End this worker like a power cut as soon as it has begun with a piece of work.

    Only this one: whoever starts in its place is told nothing. By what it does and not by the
    clock, so that it is in the middle on a machine of any speed.
    """

    from distributed import WorkerPlugin

    class PowerCut(WorkerPlugin):
        def transition(self, key, start, finish, **_):
            if finish == "executing" and str(key).startswith("_numbered"):
                os.kill(os.getpid(), signal.SIGKILL)

    await dask_worker.plugin_add(PowerCut(), name="power cut")


@pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX signals")
@pytest.mark.parametrize(("size", "n_killed"), [((2, 1), 2), ((2, 1), 1), ((1, 1), 1)])
def test_killed_workers_change_nothing(size, n_killed):
    """Also when all that held the data die: others start in their place, and get them again."""
    X, y = two_classes()
    expected = Classifier(**TESTS).fit(X, y)
    with a_cluster(*size) as client:
        before = client.run(os.getpid)
        client.run(_die_at_the_next_piece, workers=list(before)[:n_killed])
        with parallel_config(backend="dask"):
            forest = Classifier(**TESTS).fit(X, y)
        client.wait_for_workers(size[0])
        survivors = set(before.values()) & set(client.run(os.getpid).values())
        assert len(survivors) == size[0] - n_killed
    assert_same_forest(forest, expected)


def test_a_shrinking_cluster_changes_nothing():
    """From two workers to one between two fits, and in the middle of a third."""
    X, y = two_classes()
    expected = Classifier(**TESTS).fit(X, y)
    with a_cluster(2, 1) as client, parallel_config(backend="dask"):
        assert_same_forest(Classifier(**TESTS).fit(X, y), expected)
        client.cluster.scale(1)
        assert_same_forest(Classifier(**TESTS).fit(X, y), expected)
        client.wait_for_workers(1)
        assert_same_forest(Classifier(**TESTS).fit(X, y), expected)


def _fail_or_wait(signals, begin, end):
    if begin == 0:
        raise ZeroDivisionError
    time.sleep(0.5)


def assert_idle(client):
    """What had begun comes to its end; nothing else begins: it would take minutes."""
    deadline = time.monotonic() + 100
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(client.processing().values())


def test_abandoned_tasks_are_cancelled():
    """After an error, as after Ctrl-C, nobody works on what is left."""
    with a_cluster(1, 1) as client, parallel_config(backend="dask"):
        with pytest.raises(ZeroDivisionError):
            run(_fail_or_wait, {}, cut(400, 400), None)
        assert_idle(client)


def _wait(signals, begin, end):
    time.sleep(0.5)


@pytest.fixture
def hearing():
    before = ctrl_c.hear()
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX signals")
@pytest.mark.usefixtures("hearing")
def test_ctrl_c_cancels_what_is_left():
    with a_cluster(1, 1) as client, parallel_config(backend="dask"):

        def press():
            while not any(client.processing().values()):
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        with pytest.raises(KeyboardInterrupt) as caught:
            run(_wait, {}, cut(400, 400), None)
        assert_idle(client)
        assert caught.value.__traceback__ is not None


def test_ctrl_c_between_two_results_cancels_what_is_left():
    """At once: a notebook keeps the traceback, and with it whatever waits to be collected."""

    def pressed(_):
        raise KeyboardInterrupt

    with a_cluster(1, 1) as client, parallel_config(backend="dask"):
        with pytest.raises(KeyboardInterrupt) as caught:
            run(_wait, {}, cut(400, 400), None, done=pressed)
        assert_idle(client)
        assert caught.value.__traceback__ is not None
