"""The store: what has a name is complete, and the name says what it is."""

import errno
import json
import os
import signal
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from pyarrow import parquet

from inforest_study import claims as claims_module
from inforest_study import store as store_module
from inforest_study.claims import Claims
from inforest_study.export import runs, scores
from inforest_study.job import Job, Options
from inforest_study.outcome import Outcome
from inforest_study.result_file import CorruptError, unpack
from inforest_study.run import run
from inforest_study.runner import Runner
from inforest_study.store import Store, StoreError
from rounds import flips

JOB = Job("wine", "MC filter", "mc", 0, 3, parameters={"alpha": 0.05})
#: What the name of its scores says.
NAME = dict(key=JOB.key, step="score", digest=JOB.digest("score"), status="done")
RANKING = Outcome(
    "done",
    columns={"order": np.array([2, 0, 1], np.int32), "scores": np.array([0.5, 0.0, 1.0])},
    facts={"n_trees": 100.0},
    seconds=1.5,
    versions={"numpy": "2"},
)
SCORES = Outcome(
    "done",
    columns={
        "learner": np.array(["LR", "LR"], object),
        "k": np.array([5, 10], np.int32),
        "metric": np.array(["r2", "r2"], object),
        "value": np.array([0.25, 0.1]),
    },
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def runner(store):
    with Runner(store.root) as runner:
        yield runner


pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # from Python 3.12
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def in_a_process_that_dies(function):
    """Call a function in a process that then kills itself; return how it ended."""
    pid = os.fork()
    if pid == 0:
        try:
            function()
        except BaseException:
            os._exit(1)
        os.kill(os.getpid(), signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def all_files(store):
    return sorted(path.name for path in store.root.rglob("*") if path.is_file())


def test_a_result_comes_back_as_it_was(store, runner):
    store.write(JOB, "rank", RANKING, runner, budget_seconds=60)
    path = store.path(JOB, "rank", "done")
    assert path.relative_to(store.results).parts[:4] == ("wine", "MC filter", "mc", "seed0")
    result = store.read(path)
    np.testing.assert_array_equal(result.columns["order"], [2, 0, 1])
    np.testing.assert_array_equal(result.columns["scores"], [0.5, 0.0, 1.0])
    assert result.facts["key"] == JOB.key == "wine/MC filter/mc/seed0/fold3"
    assert result.facts["seconds"] == 1.5
    assert result.facts["facts"] == {"n_trees": 100.0}
    assert result.facts["parameters"] == {"alpha": 0.05}
    assert result.facts["budget_seconds"] == 60
    (entry,) = store.entries()
    assert (entry.key, entry.step, entry.status) == (JOB.key, "rank", "done")
    assert entry.digest == JOB.digest("rank")


def test_names_with_odd_letters_stay_inside_the_store(store, runner):
    job = Job("a@1", "x:y é%", "..", 0, None)
    store.write(job, "rank", RANKING, runner)
    (entry,) = store.entries()
    assert entry.key == job.key
    assert store.results in entry.path.resolve().parents


def test_another_configuration_is_another_result(store, runner):
    store.write(JOB, "rank", RANKING, runner)
    changed = replace(JOB, parameters={"alpha": 0.01})
    assert store.status(JOB, "rank") == "done"
    assert store.status(changed, "rank") is None
    other_k = replace(JOB, options=Options(ks="high-p"))
    assert store.status(other_k, "rank") == "done"  # the ranking stays
    assert other_k.digest("score") != JOB.digest("score")  # its scores do not


def test_a_result_replaces_a_failure(store, runner):
    store.write(JOB, "rank", Outcome("failed", "no luck", traceback="here"), runner)
    assert store.status(JOB, "rank") == "failed"
    assert store.read(store.path(JOB, "rank", "failed")).facts["reason"] == "no luck"
    store.write(JOB, "rank", RANKING, runner)
    assert store.status(JOB, "rank") == "done"
    assert len(list(store.entries())) == 1


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage"])
def test_a_corrupt_file_is_named_and_set_aside_by_runs(store, runner, damage):
    store.write(JOB, "rank", RANKING, runner)
    path = store.path(JOB, "rank", "done")
    content = path.read_bytes()
    if damage == "garbage":  # whole at first sight
        path.write_bytes(content[:4] + bytes(len(content) - 12) + content[-8:])
        assert store.read(path) is None
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
        assert list(store.entries()) == []
    assert store.corrupt == [path]
    assert path.exists()  # whoever reads renames nothing
    store.put_aside()
    assert store.set_aside == [path]
    assert store.corrupt == []
    assert path.with_name(f"{path.name}.corrupt").exists()
    assert store.status(JOB, "rank") is None


def test_a_corrupt_file_that_was_replaced_meanwhile_keeps_its_name(store, runner):
    store.write(JOB, "rank", RANKING, runner)
    path = store.path(JOB, "rank", "done")
    path.write_bytes(b"")
    assert list(store.entries()) == []
    store.write(JOB, "rank", RANKING, runner)
    store.put_aside()
    assert store.read(path) is not None


@pytest.mark.slow
def test_every_flipped_bit_is_refused_or_harmless(store, runner):
    """The footer, Parquet's own schema and the facts included."""
    path = store.path(JOB, "score", "done")
    store.write(JOB, "score", SCORES, runner)
    whole = path.read_bytes()
    expected = store.read(path)
    n_flipped, n_read = 0, 0
    for broken in flips(whole):
        n_flipped += 1
        try:
            found = unpack(broken, NAME)
        except CorruptError:
            continue
        n_read += 1
        assert found.facts == expected.facts
        assert list(found.columns) == list(expected.columns)
        for name, column in expected.columns.items():
            assert found.columns[name].dtype == column.dtype
            np.testing.assert_array_equal(found.columns[name], column)
    assert n_read < 0.4 * n_flipped  # statistics and the like, which nobody reads


def test_a_result_under_anothers_name_is_noticed(store, runner):
    store.write(JOB, "rank", RANKING, runner)
    for other in (replace(JOB, seed=1), replace(JOB, parameters={"alpha": 0.01})):
        path = store.path(other, "rank", "done")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.path(JOB, "rank", "done").read_bytes())
        assert store.read(path) is None
        assert path in store.corrupt
    failed = store.path(JOB, "rank", "failed")
    store.path(JOB, "rank", "done").rename(failed)
    assert store.read(failed) is None


def test_a_file_from_before_there_was_a_checksum_is_read(store, runner):
    path = store.path(JOB, "rank", "done")
    store.write(JOB, "rank", RANKING, runner)
    table = parquet.read_table(path)
    old = {b"inforest": table.schema.metadata[b"inforest"]}
    parquet.write_table(table.replace_schema_metadata(old), path)
    np.testing.assert_array_equal(store.read(path).columns["order"], [2, 0, 1])


def denied(path, *_, **__):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_what_cannot_be_read_is_reported_and_stays(store, runner, monkeypatch):
    """Another user's files: their names tell, their content does not, and nothing is renamed."""
    store.write(JOB, "rank", RANKING, runner)
    path = store.path(JOB, "rank", "done")
    before = all_files(store)
    monkeypatch.setattr("inforest_study.store.os.open", denied)
    assert [entry.path for entry in store.entries()] == [path]
    assert store.read(path) is None
    store.put_aside()
    assert all_files(store) == before
    assert store.corrupt == store.set_aside == []
    assert store.complaints() == [f"cannot read {path}: Permission denied"]


def test_many_unreadable_files_are_told_in_a_few_lines(store):
    store.unreadable = {store.results / f"{i}": "Permission denied" for i in range(136)}
    assert len(store.complaints()) == 6
    assert store.complaints()[-1] == "cannot read 131 more results"


@pytest.mark.skipif(sys.platform == "win32", reason="has no FIFO")
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_something_else_in_a_results_place_is_reported(store, runner, kind):
    path = store.path(JOB, "rank", "done")
    path.parent.mkdir(parents=True)
    (os.mkfifo if kind == "pipe" else os.mkdir)(path)
    assert list(store.entries()) == []
    words = "it is not a file" if kind == "pipe" else "it is a folder"
    assert store.complaints() == [f"cannot read {path}: {words}"]
    assert store.read(path) is None  # at once: nobody writes into the pipe
    assert store.status(JOB, "rank") is None
    with pytest.raises(StoreError, match=f"in a result's place, but {words}; move it away"):
        run([JOB], store, ThreadsThatDoNothing())


class ThreadsThatDoNothing:
    lost = ()
    capacity = 1

    def close(self):
        pass


def test_a_failure_that_is_replaced_while_it_is_listed(store, runner, monkeypatch):
    """By a runner with --retry: whoever lists goes on, and finds what has taken its place."""
    store.write(JOB, "rank", Outcome("failed", "no luck"), runner)
    is_whole = store_module._is_whole

    def late(path):
        monkeypatch.setattr(store_module, "_is_whole", is_whole)
        store.write(JOB, "rank", RANKING, runner)
        return is_whole(path)

    monkeypatch.setattr(store_module, "_is_whole", late)
    assert [entry.status for entry in store.entries()] == ["done"]
    assert store.complaints() == []


def test_a_full_disk_leaves_nothing_half_written(store, runner, monkeypatch):
    store.write(JOB, "rank", RANKING, runner)
    before = all_files(store)

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"No space left on device; what was stored before"):
        store.write(JOB, "score", SCORES, runner)
    assert all_files(store) == before
    assert store.status(JOB, "score") is None


@forks
def test_a_file_that_cannot_grow_leaves_nothing_half_written(store):
    """The kernel itself refuses, in the middle of a write."""
    import resource

    def write_too_much():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        big = Outcome("done", columns={"scores": np.random.default_rng(0).random(20_000)})
        runner = Runner(store.root).__enter__()
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        with pytest.raises(StoreError, match="File too large"):
            store.write(JOB, "rank", big, runner)

    assert in_a_process_that_dies(write_too_much) == -signal.SIGKILL  # it came to its end
    assert [name for name in all_files(store) if not name.endswith(".json")] == []
    assert list(store.entries()) == []


def test_tables_of_all_results(store, runner):
    store.write(JOB, "rank", RANKING, runner)
    store.write(JOB, "score", SCORES, runner)
    other = Job("wine", "CIF", "mc", 0, 3)
    store.write(other, "rank", Outcome("failed", "no luck"), runner)
    table = scores(store)
    assert table.column("method").to_pylist() == ["MC filter"] * 2
    assert table.column("k").to_pylist() == [5, 10]
    assert table.column("value").to_pylist() == [0.25, 0.1]
    rows = runs(store).to_pylist()
    assert [(row["method"], row["step"], row["status"]) for row in rows] == [
        ("CIF", "rank", "failed"),
        ("MC filter", "rank", "done"),
        ("MC filter", "score", "done"),
    ]
    assert dict(rows[1]["facts"]) == {"n_trees": 100.0}
    assert scores(store, [other]).num_rows == 0


def test_two_suites_scores_of_one_ranking_count_once(store, runner):
    store.write(JOB, "score", SCORES, runner)
    other_k = replace(JOB, options=Options(ks=(5,)))
    first = {name: column[:1] for name, column in SCORES.columns.items()}
    store.write(other_k, "score", Outcome("done", columns=first), runner)
    assert len(list(store.entries())) == 2
    assert scores(store).num_rows == 2


# Claims


def test_a_claim_is_exclusive_until_released(store):
    with Runner(store.root) as one, Runner(store.root) as two:
        first, second = Claims(store.root, one), Claims(store.root, two)
        assert first.take("a/b")
        assert not second.take("a/b")
        assert not first.take("a/b")
        assert [key for key, _ in second.held_by_others()] == ["a/b"]
        first.release("a/b")
        assert second.take("a/b")
        second.release_all()
    assert all_files(store) == []


def die_with_a_claim(store, *keys):
    def claim():
        runner = Runner(store.root).__enter__()
        for key in keys:
            assert Claims(store.root, runner).take(key)

    assert in_a_process_that_dies(claim) == -signal.SIGKILL


@forks
def test_a_dead_runners_claim_is_taken_over_once(store, runner):
    die_with_a_claim(store, "a", "b")
    with Runner(store.root) as other:
        mine, theirs = Claims(store.root, runner), Claims(store.root, other)
        assert mine.take("a")
        assert not theirs.take("a")
        assert theirs.take("b")
        assert not mine.take("b")
        mine.release("a")
        assert theirs.take("a")


@forks
def test_a_runner_killed_while_it_gives_back_leaves_nothing(store):
    """Of two files the first was gone, and nobody followed to the second."""
    die_with_a_claim(store, "a")

    def give_half_back():
        claims = Claims(store.root, Runner(store.root).__enter__())
        assert claims.take("a")
        (store.root / "claims" / "a").unlink()

    assert in_a_process_that_dies(give_half_back) == -signal.SIGKILL
    with Runner(store.root) as runner:
        Claims(store.root, runner).clear_dead()
    assert list((store.root / "claims").iterdir()) == []


@forks
@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_claim_without_content_blocks_nobody(store, runner, content):
    """A crash of the machine can leave one; its job can be claimed, by one runner."""
    claims = Claims(store.root, runner)
    path = store.root / "claims" / "a"
    path.parent.mkdir()
    path.write_text(content)
    with Runner(store.root) as other:
        assert claims.take("a")
        assert not Claims(store.root, other).take("a")
        claims.release("a")
        assert Claims(store.root, other).take("a")
    assert not runner.lives("")


def test_whoever_follows_a_claim_that_was_given_back_gives_up(store, runner, monkeypatch):
    """Two see a dead claim; one takes it over and gives it back; a third claims the job anew."""
    die_with_a_claim(store, "a")
    with Runner(store.root) as second, Runner(store.root) as third:
        slow, quick, new = (Claims(store.root, one) for one in (runner, second, third))
        link = os.link

        def late(source, target):
            if source.parent == runner.workspace and target.name.startswith("after-"):
                monkeypatch.setattr(claims_module.os, "link", link)
                assert quick.take("a")
                quick.release("a")
                assert new.take("a")
            link(source, target)

        monkeypatch.setattr(claims_module.os, "link", late)
        assert not slow.take("a")
        assert not quick.take("a")
        assert [key for key, _ in slow.held_by_others()] == ["a"]


def test_a_runner_on_another_machine_lives_as_long_as_its_lease(store, runner):
    with Runner(store.root) as other:
        path = store.root / "runners" / f"{other.name}.json"
        owner = json.loads(path.read_text())
        path.write_text(json.dumps(owner | {"host": "elsewhere", "pid": 2**22 + 1}))
        assert Claims(store.root, other).take("a")
        mine = Claims(store.root, runner)
        assert not mine.take("a")
        old = time.time() - 1000
        os.utime(path, (old, old))
        assert mine.take("a")


def test_another_process_with_a_dead_ones_id_is_not_taken_for_it(store, runner):
    with Runner(store.root) as other:
        path = store.root / "runners" / f"{other.name}.json"
        owner = json.loads(path.read_text())
        path.write_text(json.dumps(owner | {"started": owner["started"] - 1000}))
        assert not runner.lives(other.name)


@forks
def test_traces_of_dead_runners_are_removed(store):
    die_with_a_claim(store, "a")
    with Runner(store.root) as runner:
        assert list(runner.others()) == []
