"""`inforest bench`: one-line errors, tables that programs can read, exit codes."""

import csv
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("typer")
from pyarrow import parquet
from typer.testing import CliRunner

from inforest_study import run as run_module
from inforest_study.cli import app
from inforest_study.store import StoreError


@pytest.fixture
def bench(toys, tmp_path, threads, monkeypatch):
    """Return a function that calls `inforest bench`, with threads in the place of processes."""
    monkeypatch.setattr(run_module, "Pool", threads)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def call(*arguments, store=tmp_path / "store", exit_code=0):
        command = [*map(str, arguments), "--plugins", str(toys.plugins)]
        if arguments[0] != "list":
            command += ["--store", str(store)]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == exit_code, (result.output, result.exception)
        return result

    return call


def rows(output):
    """Return the lines of a table, by the first column."""
    return {line.split("\t")[0]: line.split("\t")[1:] for line in output.splitlines()}


def test_a_missing_requirement_is_one_line(tmp_path):
    code = (
        "import sys; sys.modules['psutil'] = None; from inforest_study.cli import app;"
        f"app(['status', '--store', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "inforest: there is no module psutil: pip install 'inforest[study]'\n"


def test_list(bench):
    output = rows(bench("list").stdout)
    assert output["smoke"][1].startswith("Every method")
    assert output["toy"][0].startswith("plain, talks, slow")
    assert output["iris"] == ["bundled", "classification", "150", "4", "3"]
    assert output["toy-numbers"] == ["plugin", "regression", "50", "6", ""]


def test_budget(bench, toys, tmp_path):
    """It replaces the suite's; each result says under which it was made."""
    bench("run", toys.suite(), "--budget", 7)
    bench("export", "--out", tmp_path / "s.csv", "--runs", tmp_path / "runs.parquet")
    runs = parquet.read_table(tmp_path / "runs.parquet").to_pydict()
    assert set(runs["budget_seconds"]) == {7.0}
    assert "positive" in bench("run", toys.suite(), "--budget", 0, exit_code=2).stderr


def test_plan_run_status_export(bench, toys, tmp_path):
    suite = toys.suite()
    assert rows(bench("plan", suite).stdout)["toy"] == ["12", "12", "24 s", "12 guessed"]
    assert not toys.executions()
    assert bench("run", suite).stdout == "12 of 12 jobs\n"
    assert bench("run", suite).stdout == "nothing to do: all jobs have ended\n"
    assert len(toys.executions()) == 12
    assert rows(bench("plan", suite).stdout)["toy"][1] == "0"
    counts = [line.split("\t") for line in bench("status", suite).stdout.splitlines()]
    assert counts[2:] == [
        ["toy", "rank", "12", "0", "0", "0", "0"],
        ["toy", "score", "12", "0", "0", "0", "0"],
    ]
    out = tmp_path / "scores.parquet"
    bench("export", "--out", out, "--suite", suite)
    table = parquet.read_table(out)
    assert table.num_rows > 0
    assert table.column_names[:4] == ["task", "dataset", "method", "config"]
    bench("export", "--out", tmp_path / "all.csv", "--runs", tmp_path / "runs.parquet")
    assert parquet.read_table(tmp_path / "runs.parquet").num_rows == 24
    bench("export", "--out", tmp_path / "all.csv", "--runs", tmp_path / "runs.csv")
    with (tmp_path / "runs.csv").open(newline="") as file:
        described = list(csv.DictReader(file))
    assert len(described) == 24
    assert json.loads(described[0]["facts"])["threads"] >= 1
    assert "python" in json.loads(described[0]["versions"])


def test_parts_of_a_suite(bench, toys):
    suite = toys.suite(["plain", "slow"])
    assert (
        bench("run", suite, "--datasets", "toy-classes", "--seeds", "1").stdout == "6 of 6 jobs\n"
    )
    assert {line.split()[2] for line in toys.executions()} == {"8"}
    assert bench("run", suite, "--shard", "1/2", "--methods", "toy", "--seeds", "0-1").stdout
    bench("run", suite, "--shard", "2/2", "--seeds", "0,1")
    assert bench("run", suite).stdout.startswith("nothing to do")


def test_failures_are_told_and_tried_again(bench, toys):
    suite = toys.suite(["raises"], ["toy-classes"], seeds=[0])
    first = bench("run", suite, exit_code=3)
    assert first.stdout == "3 of 3 jobs, 3 failed\n"
    assert "some jobs failed; `inforest bench status` says why" in first.stderr
    assert "--retry failed tries again" in first.stderr
    assert bench("run", suite, exit_code=3).stdout.startswith("nothing to do")
    assert bench("run", suite, "--retry", "failed", exit_code=3).stdout.startswith("3 of 3")
    assert "toy: 3 x RuntimeError: the toy broke for a reason" in bench("status").stdout


def test_what_is_skipped_is_no_failure(bench, toys):
    suite = toys.suite(["unavailable"], ["toy-absent"], seeds=[0])
    assert bench("run", suite).stdout == "3 of 3 jobs, 3 skipped\n"


@pytest.mark.filterwarnings("default")  # as for users
def test_commands_that_read_write_nothing(bench, toys, tmp_path):
    """Not even for a moment, which a folder's time would tell; damage blocks none of them."""
    store = tmp_path / "store"
    suite = toys.suite(datasets=["toy-classes"], seeds=[0])
    bench("run", suite)
    cut = next(store.rglob("fold1.score*.parquet"))
    cut.write_bytes(cut.read_bytes()[:-1])
    (store / "claims" / "x").write_text('{"runner": "gone", "token": "t", "key": "x"}')
    before = {path: path.stat().st_mtime_ns for path in [store, *store.rglob("*")]}
    commands = [
        ["status"],
        ["status", suite],
        ["plan", suite],
        ["export", "--out", tmp_path / "x.csv", "--runs", tmp_path / "y.csv"],
    ]
    for command in commands:
        assert f"{cut} is corrupt: " in bench(*command).stderr
    for command in (["show"], ["report", "--out", tmp_path / "page"]):
        options = [*map(str, command), "--store", str(store)]
        said = CliRunner().invoke(app, options)
        assert said.exit_code == 0, said.output
        assert f"{cut} is corrupt: " in said.stderr
    after = {path: path.stat().st_mtime_ns for path in [store, *store.rglob("*")]}
    assert after == before


def test_unreadable_results_are_reported_with_a_code(bench, toys, tmp_path, monkeypatch):
    suite = toys.suite(datasets=["toy-classes"], seeds=[0])
    bench("run", suite)
    files = sorted((tmp_path / "store").rglob("*"))
    open_file = os.open

    def denied(path, *args, **options):
        if str(path).endswith(".parquet") and str(tmp_path / "store") in str(path):
            raise PermissionError(13, "Permission denied")
        return open_file(path, *args, **options)

    monkeypatch.setattr(os, "open", denied)
    said = bench("status", exit_code=3)
    assert rows(said.stdout)["toy"] == ["score", "3", "0", "0", "0"]
    assert said.stderr.count("Permission denied") == 5
    assert "cannot read 1 more results" in said.stderr
    assert sorted((tmp_path / "store").rglob("*")) == files


def test_corrupt_results_are_named(bench, toys, tmp_path):
    suite = toys.suite(datasets=["toy-classes"], seeds=[0])
    bench("run", suite)
    path = next((tmp_path / "store").rglob("fold1.score*.parquet"))
    path.write_bytes(b"PAR1")
    for command in ("status",), ("plan", suite), ("export", "--out", tmp_path / "x.csv"):
        assert f"{path} is corrupt: `inforest bench run` sets it aside" in bench(*command).stderr
        assert path.exists()
    ran = bench("run", suite)
    assert ran.stdout == "1 of 1 jobs\n"
    assert f"{path} is corrupt: set aside as {path.name}.corrupt" in ran.stderr
    assert path.exists()


def test_interrupted(bench, toys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run", interrupt)
    result = bench("run", toys.suite(), exit_code=130)
    assert "stopped; run the same command again to go on" in result.stderr


def test_full_disk(bench, toys, monkeypatch):
    def full(*_, **__):
        raise StoreError("cannot write x: No space left on device")

    monkeypatch.setattr(run_module, "run", full)
    assert bench("run", toys.suite(), exit_code=3).stderr == (
        "inforest: cannot write x: No space left on device\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smok"], "unknown suite 'smok': did you mean 'smoke'?"),
        (["smoke", "--methods", "RFF"], "unknown method of smoke 'RFF': did you mean 'RF'"),
        (["smoke", "--datasets", "irs"], "unknown data set of smoke 'irs': did you mean 'iris'?"),
        (["smoke", "--seeds", "a"], "--seeds must be like 0,1,2 or 0-4; got 'a'"),
        (["smoke", "--shard", "3/2"], "--shard must be i/n with 1 <= i <= n"),
        (["no.toml"], "there is no file no.toml"),
        (["smoke", "--methods", ","], "--methods must name something; got ','"),
        (["smoke", "--datasets", " , "], "--datasets must name something; got ' , '"),
    ],
)
@pytest.mark.parametrize("command", ["plan", "run"])
def test_bad_input_is_one_line_and_exit_code_2(bench, command, arguments, message):
    error = bench(command, *arguments, exit_code=2).stderr
    assert error.count("\n") == 1
    assert error.startswith(f"inforest: {message}")


def test_jobs_and_scheduler_exclude_each_other(bench, toys):
    error = bench("run", toys.suite(), "--jobs", 2, "--scheduler", "tcp://x:1", exit_code=2).stderr
    assert "--jobs is for this machine" in error


@pytest.mark.parametrize("arguments", [["status"], ["export", "--out", "never.csv"]])
def test_a_store_that_does_not_exist(bench, tmp_path, arguments):
    store = tmp_path / "no-store"
    error = bench(*arguments, store=store, exit_code=2).stderr
    assert error == f"inforest: --store must be a folder of results; there is none called {store}\n"
    assert not store.exists()


def test_export_needs_a_known_ending(bench, tmp_path):
    (tmp_path / "store").mkdir()
    error = bench("export", "--out", tmp_path / "a.txt", exit_code=2).stderr
    assert "the file must end in .parquet or .csv; got 'a.txt'" in error


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--data", "nowhere"], "--data must be a folder"), (["--seeds", "4-0"], "--seeds must name")],
)
def test_a_mistyped_option_is_no_run(options, words, tmp_path):
    result = CliRunner().invoke(app, ["run", "smoke", "--store", str(tmp_path / "s"), *options])
    assert result.exit_code == 2
    assert words in result.stderr
    assert not (tmp_path / "s").exists()


def test_other_data_than_the_study_s_are_told_once_and_not_mixed(bench, toys, tmp_path):
    """A local copy of wine with a changed value: the run, its rows, status and export say so."""
    from sklearn.datasets import load_wine

    from inforest_study import datasets
    from inforest_study.dataset import checksum
    from inforest_study.datasets import files

    X, y = load_wine(return_X_y=True)

    def local_copy(name, change):
        changed = X.copy()
        changed[0, 0] += change
        files.write(tmp_path / name / "wine.parquet", changed, y)
        return tmp_path / name, checksum(changed, y)

    folder, used = local_copy("one", 1.0)
    suite = toys.suite(datasets=["wine"], seeds=[0])
    first = bench("run", suite, "--data", folder)
    assert first.stderr.count("differs from the study's copy") == 1
    notice = "inforest: results on wine are of data that differ from the study's copy\n"
    assert notice in bench("status").stderr
    out = tmp_path / "runs.parquet"
    assert notice in bench("export", "--out", tmp_path / "all.csv", "--runs", out).stderr
    runs = parquet.read_table(out)
    assert set(runs.column("data_checksum").to_pylist()) == {used}
    assert set(runs.column("study_checksum").to_pylist()) == {datasets.info("wine").checksum}
    # The rankings of one copy are not scored on another.
    other, _ = local_copy("two", 2.0)
    again = toys.suite(datasets=["wine"], seeds=[0], ks=[3])
    assert bench("run", again, "--data", other, exit_code=3).stdout == "3 of 3 jobs, 3 failed\n"
    assert "the ranking was made on other data of wine" in bench("status").stdout


def test_the_study_s_own_data_need_no_notice(bench, toys, tmp_path):
    suite = toys.suite(datasets=["wine"], seeds=[0])
    (tmp_path / "empty").mkdir()
    assert "differ" not in bench("run", suite, "--data", tmp_path / "empty").stderr
    assert "differ" not in bench("status").stderr
