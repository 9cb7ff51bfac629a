"""A run: what it does, what it does not do again, and how jobs end that do not end well."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future

import numpy as np
import psutil
import pytest
from numpy.testing import assert_array_equal
from sklearn.preprocessing import StandardScaler

from inforest.redundancy import rerank
from inforest_study import datasets, protocol, work
from inforest_study.display import LiveTable, Log, summary, table
from inforest_study.export import results, runs, scores
from inforest_study.method import Ranked
from inforest_study.outcome import Outcome
from inforest_study.plan import plan
from inforest_study.reranked import reranked
from inforest_study.run import Settings, missing, run
from inforest_study.runner import Runner
from inforest_study.status import status
from inforest_study.store import Store, StoreError
from inforest_study.suite import read
from inforest_study.work import Budget, Request
from inforest_study.worker import Worker


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_all_jobs_are_done_once_and_a_second_run_does_nothing(toys, store, threads):
    jobs = read(toys.suite()).jobs()
    progress = run(jobs, store, threads())
    assert len(jobs) == 12
    assert progress.ended == {"done": 12}, runs(store).column("reason").to_pylist()
    assert len(toys.executions()) == len(set(toys.executions())) == 12
    # Two k of one learner each: KNN for classes, KNN and Ridge for numbers; several metrics.
    table = scores(store)
    assert set(
        zip(*(table.column(c).to_pylist() for c in ("dataset", "learner", "k")), strict=True)
    ) == {
        ("toy-classes", "KNN", 2),
        ("toy-classes", "KNN", 4),
        ("toy-numbers", "KNN", 2),
        ("toy-numbers", "KNN", 4),
        ("toy-numbers", "Ridge", 2),
        ("toy-numbers", "Ridge", 4),
    }
    first = {path: path.stat().st_mtime_ns for path in store.results.rglob("*.parquet")}
    again = run(jobs, Store(store.root), threads())
    assert again.total == 0
    assert len(toys.executions()) == 12
    assert {path: path.stat().st_mtime_ns for path in store.results.rglob("*.parquet")} == first


def test_a_ranking_is_that_of_the_scaled_training_fold(toys, store, threads):
    import numpy as np
    from sklearn.preprocessing import StandardScaler

    from inforest_study import datasets, methods, protocol

    jobs = read(toys.suite(datasets=["toy-classes"])).jobs()
    run(jobs, store, threads())
    data = datasets.load("toy-classes")
    for result in results(store, "rank"):
        seed, fold = result.facts["seed"], result.facts["fold"]
        train, test = protocol.splits("classification", data.y, seed, 3)[fold]
        random_state = protocol.method_seed(seed, fold)
        X = StandardScaler().fit_transform(data.X[train])
        config = {"tag": "again"}
        ranked = methods.get("toy").rank(
            X, data.y[train], "classification", config, random_state, 1
        )
        np.testing.assert_array_equal(result.columns["order"], ranked.order)
        np.testing.assert_array_equal(result.columns["scores"], ranked.scores)
        assert result.facts["random_state"] == random_state
        expected = protocol.score_ranking(
            data, ranked.order, train, test, random_state, [2, 4], ["KNN"]
        )
        mine = [
            row for row in scores(store).to_pylist() if (row["seed"], row["fold"]) == (seed, fold)
        ]
        assert sorted(score.value for score in expected) == sorted(row["value"] for row in mine)


def test_changed_k_or_learners_score_again_but_do_not_rank_again(toys, store, threads):
    run(read(toys.suite(datasets=["toy-classes"])).jobs(), store, threads())
    n = len(toys.executions())
    progress = run(read(toys.suite(datasets=["toy-classes"], ks=[3])).jobs(), store, threads())
    assert progress.ended == {"done": 6}
    assert len(toys.executions()) == n
    assert set(scores(store).column("k").to_pylist()) == {2, 3, 4}


def test_a_suite_of_rankings_only(toys, store, threads):
    suite = toys.suite(folds=0, steps=["rank"])
    jobs = read(suite).jobs()
    run(jobs, store, threads())
    assert {entry.step for entry in store.entries()} == {"rank"}
    assert {result.facts["random_state"] for result in results(store, "rank")} == {0, 1}


def test_a_ranking_of_all_rows_is_scored_by_folds_of_the_scaled_data(toys, store, threads):
    more = dict(folds=0, score_folds=3, seeds=[5], learners=["KNN"], ks=[2])
    jobs = read(toys.suite(datasets=["toy-classes"], **more)).jobs()
    run(jobs, store, threads())
    (ranking,) = results(store, "rank")
    data = datasets.load("toy-classes")
    X = StandardScaler().fit_transform(data.X)[:, np.sort(ranking.columns["order"][:2])]
    right = []
    for train, test in protocol.splits("classification", data.y, 5, 3):
        model = protocol.LEARNERS["classification"]["KNN"](5).fit(X[train], data.y[train])
        judged = protocol.judge_classes(data.y[test], model.predict(X[test]))
        right.append(judged["balanced_accuracy"])
    rows = [row for row in scores(store).to_pylist() if row["metric"] == "balanced_accuracy"]
    assert [(row["fold"], row["k"]) for row in rows] == [(None, 2)]
    assert rows[0]["value"] == pytest.approx(np.mean(right), rel=1e-14)


def test_a_ranking_is_timed_as_often_as_asked(toys, store, threads):
    suite = dict(datasets=["toy-classes"], folds=0, steps=["rank"], seeds=[0])
    run(read(toys.suite(**suite, timed_runs=4)).jobs(), store, threads())
    assert len(toys.executions()) == 4
    # The ranking is what it is, however often it was timed.
    assert run(read(toys.suite(**suite)).jobs(), store, threads()).total == 0


def test_failures_are_rows_with_a_reason_and_do_not_stop_the_run(toys, store, threads):
    suite = toys.suite(["raises", "unavailable", "plain"], ["toy-classes", "toy-absent"], seeds=[0])
    jobs = read(suite).jobs()
    progress = run(jobs, store, threads())
    assert progress.ended == {"failed": 3, "skipped": 12, "done": 3}
    rows = runs(store).to_pylist()
    reasons = {(row["dataset"], row["config"]): row["reason"] for row in rows if row["reason"]}
    absent = "toy-absent is not available: it does not exist How to get it: do without it"
    assert reasons == {
        ("toy-classes", "raises"): "RuntimeError: the toy broke for a reason",
        ("toy-classes", "unavailable"): "toy not found: pip install toy",
        ("toy-absent", "raises"): absent,
        ("toy-absent", "unavailable"): absent,
        ("toy-absent", "plain"): absent,
    }
    failed = next(result for result in results(store, "rank") if result.facts["status"] == "failed")
    assert "RuntimeError: the toy broke" in failed.facts["traceback"]
    assert run(jobs, store, threads()).total == 0


def test_what_has_no_result_is_tried_again_only_when_asked(toys, store, threads):
    jobs = read(toys.suite(["raises", "unavailable"], ["toy-classes"], seeds=[0])).jobs()
    run(jobs, store, threads())
    n = Counter(toys.executions())
    progress = run(jobs, store, threads(), Settings(retry=frozenset({"failed"})))
    assert progress.ended == {"failed": 3}
    again = Counter(toys.executions()) - n
    assert len(again) == 3
    assert all(line.startswith("raises") for line in again)


def test_a_clock_that_was_put_back_keeps_nothing_from_being_retried(toys, store, threads):
    """Failures of tomorrow: they were written before the clock was put right."""
    jobs = read(toys.suite(["raises"], ["toy-classes"], seeds=[0])).jobs()
    run(jobs, store, threads())
    for job in jobs:
        tomorrow = time.time() + 86400
        os.utime(store.path(job, "rank", "failed"), (tomorrow, tomorrow))
    progress = run(jobs, store, threads(), Settings(retry=frozenset({"failed"})))
    assert progress.ended == {"failed": 3}


def test_a_ranking_that_cannot_be_read_is_not_made_again(toys, store, threads, monkeypatch):
    jobs = read(toys.suite(datasets=["toy-classes"], seeds=[0])).jobs()
    run(jobs, store, threads())
    ranking, score = (store.path(jobs[0], step, "done") for step in ("rank", "score"))
    score.unlink()
    content, open_file = ranking.read_bytes(), os.open

    def denied(path, *args, **options):
        if path == ranking:
            raise PermissionError(13, "Permission denied")
        return open_file(path, *args, **options)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(StoreError, match="Permission denied"):
        run(jobs, Store(store.root), threads())
    assert ranking.read_bytes() == content


def test_a_corrupt_result_is_computed_again(toys, store, threads):
    jobs = read(toys.suite(datasets=["toy-classes"])).jobs()
    run(jobs, store, threads())
    expected = scores(store)
    damaged = store.path(jobs[0], "score", "done"), store.path(jobs[1], "rank", "done")
    for path in damaged:
        path.write_bytes(path.read_bytes()[:-10])
    again = Store(store.root)
    progress = run(jobs, again, threads())
    assert progress.ended == {"done": 2}
    assert sorted(again.set_aside) == sorted(damaged)
    assert scores(store).equals(expected)
    assert len(toys.executions()) == 7  # only the damaged ranking is made again


def test_a_ranking_that_turns_out_corrupt_when_it_is_scored_is_made_again(toys, store, threads):
    jobs = read(toys.suite(datasets=["toy-classes"], seeds=[0])).jobs()
    run(jobs, store, threads())
    expected = scores(store)
    ranking, score = (store.path(jobs[0], step, "done") for step in ("rank", "score"))
    score.unlink()
    content = ranking.read_bytes()
    ranking.write_bytes(content[:4] + bytes(len(content) - 12) + content[-8:])
    progress = run(jobs, store, threads())
    assert progress.ended == {"done": 1}
    assert store.set_aside == [ranking]
    assert scores(store).equals(expected)


def test_a_full_disk_stops_the_run_and_nothing_is_lost(toys, store, threads, monkeypatch):
    import errno

    from inforest_study import store as module

    jobs = read(toys.suite(datasets=["toy-classes"])).jobs()
    write, calls = module.write_atomically, []

    def full(path, content, workspace):
        calls.append(path)
        if len(calls) == 5:
            monkeypatch.setattr(module.os, "fsync", refuse)
        write(path, content, workspace)

    def refuse(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_atomically", full)
        with pytest.raises(module.StoreError, match="No space left"):
            run(jobs, store, threads())
    monkeypatch.undo()
    monkeypatch.setenv("TOY_LOG", str(toys.log))
    assert len(list(store.entries())) == 4
    assert not list((store.root / "claims").iterdir())
    assert not list((store.root / "runners").iterdir())
    run(jobs, store, threads())
    assert missing(jobs, store) == []


# Worker processes and budgets


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="counts on process groups and `sleep`")
def test_a_worker_keeps_to_its_budget(toys):
    """Time, with a child of the method's own; memory; a worker that dies; then all is well."""

    def do(config, seconds=60.0):
        job = read(toys.suite([config], ["toy-classes"])).jobs()[0]
        return worker.do(Request.of(job, "rank", None, Budget(seconds, 0.8), None, (toys.plugins,)))

    worker = Worker()
    late = do("child", seconds=1.0)
    assert (late.status, late.reason) == ("over-budget", "more than 1 s")
    assert late.seconds >= 1
    assert not any(
        process.info["cmdline"] == ["sleep", "600"] and process.info["ppid"] in {*toys.pids(), 1}
        for process in psutil.process_iter(["cmdline", "ppid"])
    )
    large = do("hog")
    assert (large.status, large.reason) == ("over-budget", "more than 0.8 GB of memory")
    assert large.memory_mb > 800
    dead = do("exits")
    assert dead.status == "failed"
    assert dead.reason == "the worker ended with exit code 3: these are my last words"
    good = do("talks")
    assert good.status == "done"
    assert good.seconds > 0
    assert 10 < good.memory_mb < 800
    assert {"python", "numpy", "sklearn", "inforest"} <= set(good.versions)
    assert set(good.machine) == {"cores", "processor", "system"}
    assert good.facts["threads"] == 1
    worker.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_that_a_step_leaves_behind_are_ended(toys):
    """Also those of a worker that died, which keep its pipe open: the cause is its death."""

    def do(config):
        job = read(toys.suite([config], ["toy-classes"])).jobs()[0]
        return worker.do(Request.of(job, "rank", None, Budget(60, 0.8), None, (toys.plugins,)))

    def is_left(process, groups):
        """Return whether a worker, which leads the group of all it starts, started a process."""
        try:
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            return not is_dead and process.pid not in groups and os.getpgid(process.pid) in groups
        except (psutil.NoSuchProcess, ProcessLookupError):
            return False

    def all_end():
        """Wait for what was killed: the system takes a moment."""
        for _ in range(1200):
            if not any(is_left(process, toys.pids()) for process in psutil.process_iter()):
                return True
            time.sleep(0.05)
        return False

    worker = Worker()
    dead = do("orphan-exits")
    assert dead.status == "failed"
    assert dead.reason == "the worker ended with exit code 3: these are my last words"
    assert dead.seconds < 60
    assert all_end()
    assert do("orphan").status == "done"
    assert all_end()
    worker.close()


def test_a_worker_that_ends_while_it_starts_is_started_again(toys, monkeypatch):
    """Twice is bad luck; three times is a failed job and not the end of the run."""
    job = read(toys.suite(datasets=["toy-classes"])).jobs()[0]
    request = Request.of(job, "rank", None, Budget(), None, (toys.plugins,))
    start, starts = subprocess.Popen, []

    def killed_at_first(command, **options):
        starts.append(command)
        process = start(command, **options)
        if len(starts) <= n_killed:
            process.kill()
        return process

    monkeypatch.setattr("inforest_study.worker.subprocess.Popen", killed_at_first)
    n_killed, worker = 2, Worker()
    assert worker.do(request).status == "done"
    assert len(starts) == 3
    worker.close()
    n_killed, worker = 6, Worker()
    failed = worker.do(request)
    assert (failed.status, len(starts)) == ("failed", 6)
    assert failed.reason.startswith("a worker could not start: it was killed")
    worker.close()


class Overruns:
    """An engine that finds every step over the budget."""

    lost = ()
    capacity = 1

    def submit(self, request):
        future = Future()
        future.set_result(Outcome("over-budget", "more than 5 s"))
        return future

    def close(self):
        pass


def test_other_folds_of_what_is_over_the_budget_are_not_run(toys, store):
    jobs = read(toys.suite(datasets=["toy-classes"])).jobs()
    progress = run(jobs, store, Overruns(), Settings(Budget(5, 1)))
    assert progress.ended == {"over-budget": 6}
    reasons = Counter(runs(store).column("reason").to_pylist())
    not_run = "not run: over budget on seed0/fold0 (more than 5 s)"
    assert reasons == {"more than 5 s": 1, not_run: 5}


def test_every_fold_is_run_if_asked(toys, store):
    jobs = read(toys.suite(datasets=["toy-classes"])).jobs()
    run(jobs, store, Overruns(), Settings(Budget(5, 1, every_fold=True)))
    assert set(runs(store).column("reason").to_pylist()) == {"more than 5 s"}


def test_a_larger_budget_tries_the_other_folds(toys, store, threads):
    jobs = read(toys.suite(datasets=["toy-classes"], seeds=[0])).jobs()
    with Runner(store.root) as runner:
        limits = {"budget_seconds": 5.0, "budget_memory_gb": 1.0}
        store.write(jobs[0], "rank", Outcome("over-budget", "more than 5 s"), runner, **limits)
    small = run(jobs, store, threads(), Settings(Budget(5, 1)))
    assert small.ended == {"over-budget": 2}
    large = Settings(Budget(6, 1), retry=frozenset({"over-budget"}))
    assert run(jobs, store, threads(), large).ended == {"done": 3}


def test_no_exception_leaves_a_step(toys):
    job = read(toys.suite(["raises"])).jobs()[0]
    outcome = work.do(Request.of(job, "rank", None, Budget()))
    assert outcome.status == "failed"


# What people see


def test_plan_and_status(toys, store, threads):
    suite = read(toys.suite(["raises", "plain"], ["toy-classes"], seeds=[0]))
    jobs = suite.jobs()
    before = plan(jobs, store)
    (mine,) = before.methods
    assert (mine.jobs, mine.todo, mine.seconds, mine.guessed) == (6, 6, 12.0, 6)
    assert before.absent == {}
    run(jobs[:4], store, threads())
    after = plan(jobs, store)
    assert after.todo == 2
    assert after.seconds < 1  # as the stored ones took
    found = status(store, jobs)
    assert found.counts["toy", "rank"] == {"failed": 3, "done": 1, "missing": 2}
    assert found.reasons == [("RuntimeError: the toy broke for a reason", "toy", 3)]
    assert found.working == []
    assert status(store).counts["toy", "score"] == {"done": 1}


def test_log_and_live_table(toys, store, threads):
    import io

    from rich.console import Console

    jobs = read(toys.suite(["raises", "plain"], ["toy-classes"], seeds=[0])).jobs()
    log = io.StringIO()
    screens = []

    def show(progress):
        Log(log)(progress)
        console = Console(width=120, file=io.StringIO())
        console.print(table(progress))
        screens.append(console.file.getvalue())

    progress = run(jobs, store, threads(1), show=show)
    assert re.search(
        r"failed rank toy-classes/toy/raises/seed0/fold0 .* for a reason", log.getvalue()
    )
    assert re.search(r"\[6/6\] done score toy-classes/toy/plain/seed0/fold2", log.getvalue())
    assert any("left" in screen for screen in screens)
    assert summary(progress) == "6 of 6 jobs, 3 failed"
    with LiveTable() as live:
        live(progress)


def test_reranking_starts_from_the_stored_ranking(toys, store, threads):
    """Or from the method itself if nothing is stored; the order is the same either way."""
    suite = toys.suite(["plain", "plain+reranked"], datasets=["toy-classes"], seeds=[0])
    jobs = read(suite).jobs()
    plain = [job for job in jobs if job.config == "plain"]
    reranked = [job for job in jobs if job.config == "plain+reranked"]
    assert run(jobs, store, threads()).ended == {"done": 6}
    assert len(toys.executions()) == 3
    for one, other in zip(plain, reranked, strict=True):
        before, after = (store.read(store.path(job, "rank", "done")) for job in (one, other))
        assert_array_equal(after.columns["scores"], before.columns["scores"])
        data = datasets.load("toy-classes")
        rows = protocol.splits(data.info.task, data.y, other.seed, 3)[other.fold][0]
        X = StandardScaler().fit_transform(data.X[rows])
        assert_array_equal(after.columns["order"], rerank(before.columns["scores"], X))
        alone = work.do(Request.of(other, "rank", None, Budget(), None, (toys.plugins,)))
        assert_array_equal(alone.order, after.columns["order"])
    assert len(toys.executions()) == 6


def test_reranking_is_not_tried_where_the_method_is_over_its_budget(toys, store):
    suite = toys.suite(["plain", "plain+reranked"], datasets=["toy-classes"], seeds=[0])
    run(read(suite).jobs(), store, Overruns(), Settings(Budget(5, 1)))
    assert Counter(runs(store).column("reason").to_pylist())["more than 5 s"] == 1


def test_reranking_keeps_features_without_importance_in_their_order():
    X = np.random.default_rng(0).normal(size=(50, 5))
    X[:, 1] = X[:, 0]
    scores = np.array([3.0, 2.0, -1.0, 1.0, 0.0])
    ranked = Ranked(np.array([0, 1, 3, 2, 4]), scores)
    assert reranked(ranked, X, 1.0).order.tolist() == [0, 3, 1, 2, 4]
