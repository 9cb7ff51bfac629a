"""The same forest by any number of jobs, on any backend, through a crash; and Ctrl-C."""

import re
import signal
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

import ctrl_c
from forests import BOTH, Classifier, assert_same_forest, data
from inforest import _core
from inforest._engine import arrays
from inforest._engine.parallel import cut, run, workers
from inforest._engine.progress import Progress

EACH = pytest.mark.parametrize("cls", BOTH)


def model(cls, **params):
    """Return a forest that draws permutations in both stages."""
    tests = {"n_resamples_selector": "auto", "splitter_test": "max"}
    params = {**tests, **params}
    return cls(n_estimators=30, oob_score=True, replace=True, random_state=0, **params)


def test_ranges():
    assert cut(10, 3) == [(0, 3), (3, 6), (6, 10)]
    assert cut(2, 5) == [(0, 1), (1, 2)]
    assert cut(5, 0) == [(0, 5)]
    assert cut(0, 4) == [(0, 0)]


def test_results_come_in_order():
    def work(signals, begin, end, base):
        time.sleep(0.02 * (begin == 0))  # the first is the last to finish
        return base + begin

    done = []
    ranges = cut(6, 6)
    shared = {"base": 10}
    assert run(work, shared, ranges, 3, here=True) == [10, 11, 12, 13, 14, 15]
    assert run(work, shared, ranges, 3, here=True, done=done.append) == [10, 11, 12, 13, 14, 15]
    assert sum(done) == 6


def test_a_failure_stops_the_others():
    stops = []

    def work(signals, begin, end):
        stops.append(signals.stop)
        if begin == 0:
            raise ZeroDivisionError
        time.sleep(0.05)

    with pytest.raises(ZeroDivisionError):
        run(work, {}, cut(4, 4), 2, here=True)
    assert all(stop is stops[0] for stop in stops)
    assert stops[0][0] == 1


def test_what_is_done_is_told_while_the_work_runs():
    told = threading.Semaphore(0)

    def work(signals, begin, end):
        for _ in range(begin, end - 1):
            signals.done[0] += 1
            assert told.acquire(timeout=100)
        return end

    counted = []

    def tell(n):
        counted.append(n)
        told.release(n)

    assert run(work, {}, [(0, 3), (3, 5)], 1, done=tell) == [3, 5]
    assert sum(counted) == 5  # the last of each piece is told at the end, whether counted or not


def test_progress_changes_no_piece(monkeypatch):
    grow, lengths = _core.grow_trees, []

    def counted(**options):
        lengths.append(len(options["seeds"]))
        return grow(**options)

    monkeypatch.setattr(_core, "grow_trees", counted)
    X, y = data(Classifier)
    for n_jobs in (1, 2):
        lengths.clear()
        model(Classifier, n_jobs=n_jobs).fit(X, y)
        quiet = sorted(lengths)
        lengths.clear()
        model(Classifier, n_jobs=n_jobs, verbose=1).fit(X, y)
        assert sorted(lengths) == quiet


def test_one_worker_needs_no_joblib(monkeypatch):
    monkeypatch.setattr("inforest._engine.parallel.Parallel", None)
    assert workers(None) == workers(1) == 1
    X, y = data(Classifier)
    model(Classifier).fit(X, y).predict(X)
    model(Classifier, verbose=1).fit(X, y)


@EACH
def test_jobs_change_nothing(cls):
    X, y = data(cls)
    one, two, five = (model(cls, n_jobs=n).fit(X, y) for n in (1, 2, 5))
    assert_same_forest(two, one)
    assert_same_forest(five, one)
    noisy = model(cls, n_jobs=2, verbose=1).fit(X, y)
    assert_same_forest(noisy, one)


@EACH
def test_blocks_of_rows_change_nothing(cls, monkeypatch):
    X, y = data(cls)
    forest = model(cls).fit(X, y)
    methods = ["predict", "apply"] + ["predict_proba"] * (cls is Classifier)
    expected = {name: getattr(forest, name)(X) for name in methods}
    path, _ = forest.decision_path(X)
    monkeypatch.setattr("inforest._engine.arrays._BLOCK", 10)
    for n_jobs in (2, 5):
        forest.set_params(n_jobs=n_jobs)
        for name in methods:
            assert_array_equal(getattr(forest, name)(X), expected[name])
        assert_array_equal(forest.decision_path(X)[0].toarray(), path.toarray())
        assert_same_forest(model(cls, n_jobs=n_jobs).fit(X, y), forest)


@EACH
@pytest.mark.filterwarnings("ignore")  # of processes, none of ours
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_backends_change_nothing(cls, backend):
    X, y = data(cls)
    forest = model(cls).fit(X, y)
    with parallel_config(backend=backend, n_jobs=2):
        assert_same_forest(model(cls).fit(X, y), forest)
        assert_same_forest(model(cls, verbose=1).fit(X, y), forest)  # as they come, or at the end


INTERRUPT = """
    import sys, threading, time
    import numpy as np
    from inforest import ConditionalInferenceForestRegressor, _core
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 50)), rng.normal(size=20_000)
    model = ConditionalInferenceForestRegressor(
        n_resamples_selector=1_000_000, early_stopping_selector=None, n_jobs=2, verbose={verbose}
    )
    grow, first = _core.grow_trees, threading.Lock()
    def announced(**options):
        if first.acquire(blocking=False):  # of the two threads
            print("growing", flush=True)
        return grow(**options)
    _core.grow_trees = announced
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        assert set(vars(model)) == set(model.get_params())
        time.sleep(0.3)
        used = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - used < 0.1  # no thread goes on
        print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a subprocess")
@pytest.mark.parametrize("verbose", [0, 1])
def test_ctrl_c_ends_all_threads_and_leaves_nothing(verbose):
    code = textwrap.dedent(INTERRUPT).format(verbose=verbose)
    process = ctrl_c.start(code)
    try:
        assert process.stdout.readline() == "growing\n"
        time.sleep(0.2)  # into the permutation tests, which would take hours
        process.send_signal(signal.SIGINT)
        # Takes a tenth of a second; the bound is only a guard against hanging.
        output, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    assert output == "interrupted\n"
    assert process.returncode == 0


def test_long_predictions_stop_for_ctrl_c(monkeypatch):
    """They are made in blocks of a fraction of a second, and the first block is the last here."""
    X, y = data(Classifier)
    forest = model(Classifier).fit(X, y)
    sizes = []

    def first_block(signals, begin, end, **shared):
        sizes.append(end - begin)
        raise KeyboardInterrupt

    monkeypatch.setattr(arrays, "_predict_rows", first_block)
    n_rows = 400_000
    with pytest.raises(KeyboardInterrupt):
        forest.predict(np.zeros((n_rows, X.shape[1])))
    assert len(sizes) == 1
    assert sizes[0] * forest.n_estimators <= 4_000_000 < n_rows * forest.n_estimators


def test_progress_bar(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress(8, "trees") as progress:
        progress.advance(3)
        assert progress.line(2.0) == "█████████··············· 3/8 trees, 1.5/s, 3.3 s left"
        assert progress.line(300.0).endswith("8:20 min left")
        assert progress.line(30000.0).endswith("13:53:20 left")
        progress.advance(5)
    text = capsys.readouterr().err
    assert text.startswith("\r████████████████████████ 8/8 trees, ")
    assert text.endswith("\n")


def test_progress_in_a_log(capsys):
    with Progress(3000, "trees") as progress:
        progress.advance(2820)
        assert progress.words(2.0) == "2820/3000 trees, 1410/s, 0.1 s left"
    X, y = data(Classifier)
    capsys.readouterr()
    model(Classifier, verbose=1).fit(X, y)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "30 trees to do"
    assert re.fullmatch(r"30/30 trees, \d+(\.\d+)?/s, took \d+\.\d s", last)
    model(Classifier).fit(X, y)
    assert capsys.readouterr().err == ""


def test_progress_of_nothing(capsys):
    with Progress(4, "trees") as progress:
        assert progress.line(0.0) == "························ 0/4 trees"
    assert capsys.readouterr().err.endswith("0/4 trees\n")
