"""The commands with files, names and numbers that are meant to break them."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
from typer.testing import CliRunner

import ctrl_c
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceTreeClassifier,
    conditional_test,
    export_text,
    independence_test,
    make_report,
    rank_features,
    split_usage,
    stability,
)
from inforest.cli import app
from inforest.cli.writing import as_text

QUICK = ["--target", "y", "--trees", "3", "--seed", "0"]
#: Clear the screen, write to the clipboard, disguise a link, turn letters round.
EVIL = "a\x1b[2J\x1b]52;c;cm0gLXJm\x07\x1b]8;;http://x\x1b\\b\u202ec\x9b"
posix = pytest.mark.skipif(sys.platform == "win32", reason="counts on POSIX")


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def refused(*arguments):
    """Return the one line that a command says about bad input."""
    result = run(*arguments)
    assert result.exit_code == 2, (result.output, result.exception)
    return result.stderr


@pytest.fixture
def path(tmp_path):
    rows = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(40))
    (tmp_path / "data.csv").write_text("a,b,y\n" + rows)
    return tmp_path / "data.csv"


def without_the_work(monkeypatch):
    """Let a command fail that goes on to the work."""

    def work(*_, **__):
        raise AssertionError("it should have been refused before")

    monkeypatch.setattr("inforest.cli.reading.read_table", work)


@pytest.mark.parametrize("command", ["rank", "test"])
def test_no_output_replaces_the_input(path, command, monkeypatch):
    without_the_work(monkeypatch)
    before = path.read_bytes()
    arguments = [command, path, "--target", "y"]
    assert "--out and DATA are the same file" in refused(*arguments, "--out", path)
    detour = path.parent / "." / "data.csv"
    assert "--out and DATA are the same file" in refused(*arguments, "--out", detour)
    os.link(path, path.with_name("hard.csv"))
    same = path.with_name("hard.csv")
    assert "--out and DATA are the same file" in refused(*arguments, "--out", same)
    assert path.read_bytes() == before


def test_two_outputs_are_two_files(path, tmp_path, monkeypatch):
    without_the_work(monkeypatch)
    both = tmp_path / "x.html"
    message = refused("rank", path, *QUICK, "--report", both, "--out", both, "--format", "csv")
    assert "--report and --out are the same file" in message


@posix
def test_devices_and_links_are_refused_before_the_work(path, tmp_path, monkeypatch):
    without_the_work(monkeypatch)
    link, target = tmp_path / "link.csv", tmp_path / "target.csv"
    target.write_text("precious")
    link.symlink_to(target)
    assert "it is a link" in refused("rank", path, *QUICK, "--out", link)
    null = ["--out", "/dev/null", "--format", "csv"]
    assert "device or a pipe" in refused("rank", path, *QUICK, *null)
    assert target.read_text() == "precious"
    report = tmp_path / "report.html"
    report.symlink_to(target)
    assert "it is a link" in refused("rank", path, *QUICK, "--report", report)


@posix
def test_permissions_of_an_old_result_stay(path, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(0o600)
    assert run("rank", path, *QUICK, "--out", out).exit_code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert out.read_text().startswith("rank,feature")


def test_a_report_that_cannot_be_written_whole_leaves_the_old_one(path, tmp_path, monkeypatch):
    report = tmp_path / "report.html"
    report.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    arguments = ["rank", path, *QUICK, "--k", "1", "--report", report]
    assert "report.html cannot be written: No space left" in refused(*arguments)
    assert report.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [path, report]


@posix
@pytest.mark.parametrize("option", ["DATA", "--out", "--report"])
def test_names_that_are_not_utf_8(path, tmp_path, option, monkeypatch):
    without_the_work(monkeypatch)
    name = os.fsdecode(bytes(tmp_path) + b"/\xff" + (b".html" if option == "--report" else b".csv"))
    if option == "DATA":
        Path(name).write_bytes(path.read_bytes())
        arguments = ["rank", name, *QUICK]
    else:
        arguments = ["rank", path, *QUICK, option, name]
    message = refused(*arguments)
    assert f"{option}: the name" in message
    assert "is not UTF-8" in message


# Terminals


def test_nothing_but_text_reaches_a_terminal(tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    rows = "".join(f"{i % 7},{'no' if i % 2 else EVIL}\n" for i in range(40))
    path.write_text(f"{EVIL},y\n{rows}")
    for arguments in (
        ["rank", path, *QUICK, "--format", "table"],
        ["test", path, "--target", "y", "--format", "table"],
        ["rank", path, "--target", EVIL, "--trees", "3"],
        ["rank", path, "--target", f"no{EVIL}"],
        ["rank", tmp_path / f"{EVIL}.csv", "--target", "y"],
        ["rank", path, *QUICK, "--drop", EVIL],
    ):
        result = run(*arguments)
        for text in (result.stdout, result.stderr):
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), (arguments, text)


def test_a_csv_on_a_terminal_is_text_and_in_a_file_it_is_exact(tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    path.write_text(f"{EVIL},y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(40)))
    assert run("rank", path, *QUICK, "--out", tmp_path / "out.csv").exit_code == 0
    assert EVIL in (tmp_path / "out.csv").read_text()
    assert EVIL in run("rank", path, *QUICK, "--format", "csv").stdout


def test_reprs_are_text():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({EVIL: rng.normal(size=80), "word": np.where(rng.random(80) < 0.5, EVIL, "b")})
    y = np.where((X[EVIL] > 0) ^ (X["word"] == "b"), f"no{EVIL}", "yes")
    forest = ConditionalInferenceForestClassifier(5, random_state=0).fit(X, y)
    tree = ConditionalInferenceTreeClassifier(alpha_selector=0.9, random_state=0).fit(X, y)
    for shown in (
        rank_features(X, y, n_estimators=5, random_state=0),
        independence_test(X, y, n_resamples=99, random_state=0),
        conditional_test(X, y, random_state=0),
        forest.permutation_importance(X, y, random_state=0),
        stability(X, y, estimator=forest, k=1, n_repeats=2, random_state=0),
        split_usage(forest),
        make_report(X, y, n_estimators=5, checks=False, random_state=0),
        tree.rules(),
        export_text(tree),
        export_text(tree, style="partykit"),
    ):
        text = shown if isinstance(shown, str) else repr(shown)
        assert all(line.isprintable() for line in text.split("\n")), text
        assert "\\x1b[2J" in text


def test_formulas_are_defused_if_asked(tmp_path):
    path = tmp_path / "data.csv"
    rows = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(40))
    path.write_text("\"=HYPERLINK('http://x')\",b,y\n" + rows)
    plain = run("rank", path, *QUICK, "--format", "csv").stdout
    assert ",=HYPERLINK" in plain
    defused = run("rank", path, *QUICK, "--format", "csv", "--for-spreadsheets").stdout
    assert defused == plain.replace(",=HYPERLINK", ",'=HYPERLINK")
    for first in "=+-@\t\r":
        assert f"'{first}x" in as_text([{"feature": f"{first}x"}], "csv", defused=True)
    tested = run("test", path, "--target", "y", "--format", "csv", "--for-spreadsheets").stdout
    assert "'=HYPERLINK" in tested


# Numbers and closed files


@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "--seed", "99999999999999999999"],
        ["rank", "--redundancy", "inf"],
        ["rank", "--redundancy", "nan"],
        ["rank", "--trees", "99999999999999999999"],
        ["rank", "--jobs", str(2**63)],
        ["rank", "--k", "9" * 30],
        ["rank", "--fdr", "nan"],
        ["rank", "--fdr", "0"],
        ["rank", "--fdr", "1"],
        ["test", "--seed", "99999999999999999999"],
        ["test", "--n-resamples", "99999999999999999999"],
        ["test", "--n-resamples", str(2**31)],
        ["test", "--alpha", "1e-320"],
        ["test", "--alpha", "nan"],
        ["test", "--jobs", str(2**63)],
    ],
    ids=" ".join,
)
def test_numbers_beyond_all_bounds(path, arguments):
    command, *options = arguments
    message = refused(command, path, "--target", "y", *options)
    assert "Traceback" not in message


@posix
@pytest.mark.slow
@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&-", "2>&-"])
@pytest.mark.parametrize("data", ["-", "data.csv"])
def test_closed_standard_files(path, redirection, data):
    command = f"{sys.executable} -m inforest.cli test {data} --target y {redirection} < data.csv"
    if "<&-" in redirection:
        command = command.removesuffix("< data.csv")
    done = subprocess.run(
        ["bash", "-c", command], cwd=path.parent, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)


# Ctrl-C while modules are loaded

INTERRUPTED_IMPORT = """
import os, signal, sys
from importlib.metadata import entry_points

class CtrlC:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
sys.argv = ["inforest", "rank", "data.csv", "--target", "y"]
(script,) = entry_points(group="console_scripts", name="inforest")
script.load()()
"""


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["inforest", "numpy", "scipy.stats", "sklearn", "inforest._core", "typer", "pyarrow"]
)
def test_ctrl_c_during_imports_is_one_line(path, name):
    code = INTERRUPTED_IMPORT.format(name=name)
    done = subprocess.run(**ctrl_c.python(code), cwd=path.parent, capture_output=True, check=False)
    assert done.stderr == "inforest: interrupted\n"
    assert done.stdout == ""
    assert done.returncode == 130


@posix
@pytest.mark.slow
def test_what_ignores_ctrl_c_goes_on(path):
    """As behind nohup: the shell has said so before the program began."""
    command = [sys.executable, "-c", INTERRUPTED_IMPORT.format(name="numpy")]
    done = subprocess.run(
        ["bash", "-c", 'trap "" INT; exec "$0" "$@"', *command],
        cwd=path.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "interrupted" not in done.stderr
