"""`--time` and `--event`."""

import numpy as np
import pytest
from typer.testing import CliRunner

from inforest.cli import app


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 80))
    time, end = rng.exponential(np.exp(-x)), rng.exponential(2, size=80)
    rows = zip(x, noise, np.minimum(time, end), (time <= end).astype(int), strict=True)
    lines = [f"{a:.3f},{b:.3f},{t:.3f},{e}" for a, b, t, e in rows]
    file = tmp_path / "patients.csv"
    file.write_text("\n".join(["x,noise,days,died", *lines]))
    return file


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


SURVIVAL = ("--time", "days", "--event", "died", "--seed", "0")


def test_ranked_and_reported(path, tmp_path):
    report = tmp_path / "r.html"
    result = run("rank", path, *SURVIVAL, "--trees", 20, "--report", report)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].startswith("1,x,")
    assert "Which features matter for survival (days, died)?" in report.read_text()


def test_another_code_of_the_event(path, tmp_path):
    """As in R's survival::lung: 1 is censored, 2 is dead."""
    lines = path.read_text().splitlines()
    recoded = tmp_path / "recoded.csv"
    codes = {"0": "1", "1": "2"}
    rows = [f"{line[:-1]}{codes[line[-1]]}" for line in lines[1:]]
    recoded.write_text("\n".join([lines[0], *rows]))
    options = ("--time", "days", "--seed", "0", "--trees", 20)
    named = run("rank", recoded, *options, "--event", "died=2")
    assert named.exit_code == 0
    assert named.stdout == run("rank", path, *options, "--event", "died").stdout
    told = run("rank", recoded, *options, "--event", "died")
    assert "on the command line, by --event died=2" in told.stderr


def test_tested(path):
    result = run("test", path, *SURVIVAL)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].startswith("x,")


@pytest.mark.parametrize("command", ["rank", "test"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say --target COL, the column to explain, or, for survival, --time COL"),
        (("--time", "days"), "--time needs --event"),
        (("--event", "died"), "--event needs --time"),
        (("--time", "days", "--event", "days"), "name the same column"),
        (("--time", "days", "--event", "died", "--target", "x"), "say either the one"),
        (("--time", "days", "--event", "x"), "must be True or False, or 1 or 0"),
        (("--time", "days", "--event", "died=3"), "'died' holds no 3, but 0, 1"),
        (("--time", "x", "--event", "died"), "must not be negative"),
        (("--time", "days", "--event", "dead"), "no column 'dead'"),
        ((*SURVIVAL, "--task", "classification"), "--task says classification"),
        (("--target", "x", "--task", "survival"), "needs --time COL and --event COL"),
    ],
)
def test_bad_options_are_one_line(path, command, arguments, words):
    result = run(command, path, *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["rank", "test"])
@pytest.mark.parametrize(
    ("rows", "words"),
    [(["2,0", "5,1"], "leaves nothing to explain"), (["2,0", "5,0"], "at least one event")],
)
def test_times_that_leave_nothing_to_explain_are_one_line(tmp_path, command, rows, words):
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["x,days,died", *(f"{i % 3},{rows[i % 2]}" for i in range(30))]))
    result = run(command, path, *SURVIVAL)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
