"""`inforest rank`: the library's numbers, notices and warnings, one-line errors, the report."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from inforest.ranking.rank_features import rank_features

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from typer.testing import CliRunner

from inforest.cli import app

QUICK = ["--trees", 20, "--seed", 0]


def run(*arguments, given=None):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)], input=given)


def columns(n=60):
    rng = np.random.default_rng(0)
    label = np.where(np.arange(n) % 2, "yes", "no")
    return {
        "height": rng.normal(size=n).round(6),
        "weight": (rng.normal(size=n) + 2 * (label == "yes")).round(6),
        "colour": rng.choice(["red", "green", "blue"], n),
        "label": label,
    }


@pytest.fixture
def path(tmp_path):
    data = columns()
    with (tmp_path / "data.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))
    return tmp_path / "data.csv"


def test_numbers_are_those_of_the_library(path):
    result = run(path, "--target", "label", "--drop", "colour", *QUICK)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    data = columns()
    X = np.column_stack([data["height"], data["weight"]])
    names = ["height", "weight"]
    ranking = rank_features(
        X, data["label"], feature_names=names, p_values="westfall-young", n_estimators=20,
        random_state=0,
    )  # fmt: skip
    for row, expected in zip(rows, ranking.to_rows(), strict=True):
        assert row["feature"] == expected["feature"]
        assert float(row["importance"]) == expected["score"]
        assert float(row["p_value"]) == expected["p_value"]
        assert float(row["adjusted_p_value"]) == expected["adjusted_p_value"]
    assert rows[0]["feature"] == "weight"


def test_standard_input_gives_the_same_and_jobs_do_not_matter(path):
    result = run(path, "--target", "label", *QUICK)
    piped = run("-", "--target", "label", "--jobs", 2, *QUICK, given=path.read_text())
    assert result.stdout == piped.stdout
    assert piped.stderr == ""


def test_json_table_file_and_top(path, tmp_path):
    rows = json.loads(run(path, "--target", "label", "--format", "json", *QUICK).stdout)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert "kept" not in rows[0]
    shown = run(path, "--target", "label", "--format", "table", "--top", 1, *QUICK).stdout
    assert "weight" in shown
    assert "2 features not shown" in " ".join(shown.split())
    out = tmp_path / "out.json"
    written = run(path, "--target", "label", "--out", out, *QUICK)
    assert written.stdout == ""
    assert json.loads(out.read_text()) == rows


def test_k_marks_what_to_keep(path):
    rows = json.loads(run(path, "--target", "label", "--k", 2, "--format", "json", *QUICK).stdout)
    assert [row["kept"] for row in rows] == [True, True, False]
    chosen = run(path, "--target", "label", "--k", "auto", "--format", "json", *QUICK)
    kept = [row["kept"] for row in json.loads(chosen.stdout)]
    assert kept[0]
    assert kept == sorted(kept, reverse=True)


def test_k_that_cannot_be_chosen_is_told(tmp_path):
    path = numbers(tmp_path, ["rare", *["a", "b", "b"] * 13])
    result = run(path, "--target", "y", "--k", "auto", *QUICK)
    assert result.exit_code == 0
    assert "the class rare has one row only" in result.stderr
    assert "kept" not in result.stdout


def test_nothing_to_keep_is_told(path, tmp_path):
    said = "no feature is shown to be associated with"
    noise = run(numbers(tmp_path, [0, 1] * 20), "--target", "y", "--k", 1, *QUICK)
    assert noise.stderr.count(said) == 1
    assert said not in run(path, "--target", "label", "--k", 1, *QUICK).stderr


def test_the_smallest_p_value_is_shown_as_a_bound(path):
    shown = run(path, "--target", "label", "--format", "table", *QUICK).stdout
    assert "≤ 0.001" in shown
    assert "≤" not in run(path, "--target", "label", *QUICK).stdout


def test_report_is_written_and_can_be_repeated(path, tmp_path, monkeypatch):
    report = tmp_path / "report.html"
    arguments = ["rank", str(path), "--target", "label", "--report", str(report), "--seed", "0"]
    monkeypatch.setattr("sys.argv", ["inforest", *arguments])
    result = run(*arguments[1:], "--trees", 10)
    assert result.exit_code == 0, result.output
    assert f"report written to {report}" in result.stderr.replace("\n", "")
    page = report.read_text(encoding="utf-8")
    assert f"inforest rank {path} --target label --report {report} --seed 0" in page
    assert "category, 3 levels" in page
    assert "kept" in result.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "labels"], "did you mean 'label'?"),
        (["--target", "label", "--drop", "x"], "no column 'x'"),
        (["--target", "label", "--k", "many"], "--k must be 'auto' or a whole number"),
        (["--target", "label", "--k", "0"], "--k must be 'auto' or a whole number of at least 1"),
        (["--target", "label", "--k", "99"], "--k must be at most 3, the number of features"),
        (["--target", "label", "--report", "x.pdf"], "--report must end in .html"),
        (["--target", "label", "--report", "no/x.html"], "--report: there is no folder no"),
        (["--target", "label", "--out", "no/x.csv"], "--out: there is no folder no"),
        (["--target", "label", "--out", "x.txt"], "--out must end in .csv or .json"),
        (["--target", "label", "--out", "x.csv", "--format", "json"], "contradict each other"),
        (["--target", "label", "--decimal", "x"], "the decimal point must be '.' or ','"),
        (["--target", "weight", "--task", "classification"], "'weight' holds fractions"),
        (["--target", "label", "--task", "regression"], "needs a target of numbers"),
        (["--target", "label", "--categorical", "colours"], "no column 'colours'"),
        (["--target", "label", "--drop", "x", "--blocks", "z"], "no column 'x', 'z'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(path, arguments, message):
    result = run(path, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,y\n1,0\n3,1,2\n", "Row #3: Expected 2 columns, got 3"),
        ("a;y\n1;0\n", "is the separator a semicolon"),
        ("x," * 1_000_000 + "y\n", "transposed"),
        ("a,y\n1,5\n2,5\n", "the target 'y' has the same value in every row"),
        ("a,y\ninf,0\n2,1\n", "column 'a' of"),
        ("a,y\n1,inf\n2,1\n", "the target 'y' of"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "data.csv"
    path.write_text(text)
    result = run(path, "--target", "y")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    [
        "größe,y\n1,0\n2,1\n".encode("latin-1"),
        "a,y\nweiß,0\nrot,1\n".encode("latin-1"),
        "a,y\n1,0\n2,1\n".encode("utf-16"),
        "a,y\n1,0\n2,1\n".encode("utf-16-le"),
    ],
)
def test_a_file_that_is_no_utf_8_is_named(tmp_path, content):
    path = tmp_path / "latin.csv"
    path.write_bytes(content)
    result = run(path, "--target", "y")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"inforest: {path} is not UTF-8 text")
    assert result.stderr.count("\n") == 1


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "data.csv").mkdir()
    for folder in (tmp_path, tmp_path / "data.csv"):
        result = run(folder, "--target", "y")
        assert result.exit_code == 2
        assert f"{folder} is a folder, not a file" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("kind", ["csv", "table"])
def test_a_full_device_is_one_line(path, kind):
    command = [sys.executable, "-m", "inforest.cli", "rank", str(path), "--target", "label"]
    command += ["--drop", "colour", "--format", kind, *map(str, QUICK)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == [
        "inforest: standard output cannot be written: No space left on device"
    ]  # after what was left out


def numbers(tmp_path, target):
    rng = np.random.default_rng(1)
    path = tmp_path / "numbers.csv"
    rows = [
        f"{a:.4f},{b:.4f},{y}" for (a, b), y in zip(rng.normal(size=(40, 2)), target, strict=True)
    ]
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("target", "task", "message"),
    [
        (range(40), "classification", "40 different values in 40 rows, each taken for a class"),
        ([f"n{i}" for i in range(40)], "auto", "is it an identifier?"),
        ([0, 1] * 20, "regression", "only 2 different values; --task classification"),
        ([i % 8 for i in range(40)], "auto", "are taken for classes; --task regression"),
    ],
)
def test_a_target_that_looks_like_another_task_is_told(tmp_path, target, task, message):
    result = run(numbers(tmp_path, target), "--target", "y", "--task", task, *QUICK)
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("target", "task"), [([0, 1] * 20, "auto"), (np.arange(40) / 7, "auto"), (range(40), "auto")]
)
def test_a_plain_target_is_no_news(tmp_path, target, task):
    result = run(numbers(tmp_path, target), "--target", "y", "--task", task, *QUICK)
    assert result.exit_code == 0
    assert result.stderr == ""


def test_no_threads_are_refused(path):
    result = run(path, "--target", "label", "--jobs", 0)
    assert result.exit_code == 2
    assert "-1 means all" in result.stderr


def test_missing_values_by_option(path):
    text = path.read_text().replace("red", "")
    refused = run("-", "--target", "label", "--missing", "error", given=text)
    assert refused.exit_code == 2
    assert "'colour'" in refused.stderr
    result = run("-", "--target", "label", "--drop-rows", *QUICK, given=text)
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 4  # one line per column


def test_interruption_has_its_own_exit_code(path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("inforest.report.make_report", interrupted)
    result = run(path, "--target", "label", "--drop", "colour")
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1] == "inforest: interrupted"


def test_warnings_of_the_library_are_one_line(path, monkeypatch):
    import warnings

    from inforest import report

    original = report.make_report

    def warns(*arguments, **options):
        warnings.warn("two\nlines", UserWarning, stacklevel=1)
        return original(*arguments, **options)

    monkeypatch.setattr("inforest.report.make_report", warns)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = run(path, "--target", "label", "--drop", "colour", *QUICK)
    assert "inforest: warning: two lines\n" in result.stderr


def test_names_are_not_read_as_markup(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("[bold]a[/],y\n" + "1,0\n2,1\n" * 20)
    shown = run(path, "--target", "y", "--format", "table", *QUICK).stdout
    assert "[bold]a[/]" in shown


def test_help_has_examples_and_exit_codes():
    for command in ([], ["rank"], ["test"], ["demo"]):
        text = CliRunner().invoke(app, [*command, "--help"], terminal_width=200).stdout
        assert "Example" in text
        assert "Exit codes: 0 done" in text
    assert "--ignore" not in CliRunner().invoke(app, ["rank", "--help"]).stdout


def test_bench_is_loaded_only_when_asked_for():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom inforest.cli import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "assert 'inforest_study' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def without(monkeypatch, name):
    """Make the study's program one that needs a module which is not there."""

    def refuse(_):
        raise ModuleNotFoundError(name=name)

    program = ModuleType("inforest_study.cli")
    program.__getattr__ = refuse
    monkeypatch.setitem(sys.modules, "inforest_study.cli", program)
    return CliRunner().invoke(app, ["bench", "list"])


def test_bench_without_its_extra_says_how_to_get_it(monkeypatch):
    result = without(monkeypatch, "psutil")
    assert result.exit_code == 2
    assert "(psutil): pip install 'inforest[study]'" in result.stderr


def test_bench_without_the_study_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("inforest.cli.bench.entry_points", lambda **_: ())
    result = CliRunner().invoke(app, ["bench", "list"])
    assert result.exit_code == 2
    assert "the study is not installed: pip install 'inforest[study]'" in result.stderr


def test_a_lost_module_of_the_package_is_a_bug(monkeypatch):
    result = without(monkeypatch, "inforest_study.lost")
    assert result.exit_code == 1
    assert "pip install" not in result.stderr


@pytest.mark.parametrize("error", [TypeError, ValueError, OSError, KeyError])
def test_bugs_are_no_bad_input(path, monkeypatch, error):
    def buggy(*_, **__):
        raise error("a bug")

    monkeypatch.setattr("inforest.report.make_report", buggy)
    result = run(path, "--target", "label", "--drop", "colour")
    assert result.exit_code == 1
    assert isinstance(result.exception, error)  # what Python shows with its traceback


def test_a_file_that_cannot_be_written_is_no_bug(path, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = run(path, "--target", "label", "--out", tmp_path / "out.csv", *QUICK)
    assert result.exit_code == 2
    assert "out.csv cannot be written: No space left on device" in result.stderr


def test_old_names_are_names_of_options_only(path):
    assert run(path, "--target", "label", "--missing", "--ignore").exit_code == 2
    assert run(path, "--target", "label", "--ignore=colour", *QUICK).exit_code == 0


def test_a_report_without_a_seed_can_be_repeated(path, tmp_path, monkeypatch):
    report = tmp_path / "report.html"
    arguments = ["rank", str(path), "--target", "label", "--trees", "3", "--report", str(report)]
    monkeypatch.setattr("sys.argv", ["inforest", *arguments])
    first = run(*arguments[1:])
    assert first.exit_code == 0, first.output
    seed = re.search(r" --seed (\d+)</pre>", report.read_text(encoding="utf-8")).group(1)
    assert f"<dt>seed</dt><dd>{seed}</dd>" in report.read_text(encoding="utf-8")
    assert run(*arguments[1:], "--seed", seed).stdout == first.stdout


def test_bench_gets_its_own_options():
    pytest.importorskip("psutil")
    result = CliRunner().invoke(app, ["bench", "--help"])
    assert result.exit_code == 0
    assert "inforest bench" in result.stdout


def test_version():
    from inforest import __version__

    assert CliRunner().invoke(app, ["--version"]).stdout.strip() == __version__


def test_blocks_and_groups_reach_ranking_and_report(tmp_path):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 2)
    label = (rng.random(40) < 0.5).astype(int)[patient]
    data = {
        "dose": (rng.normal(size=80) + label).round(6),
        "age": rng.normal(size=80).round(6),
        "centre": patient % 3,
        "patient": patient,
        "label": label,
    }
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    path, page = tmp_path / "data.csv", tmp_path / "page.html"
    path.write_text("\n".join(lines))
    named = ("--blocks", "centre", "--groups", "patient")
    result = run(path, "--target", "label", *named, "--report", page, *QUICK)
    assert result.exit_code == 0, result.output
    rows = {row["feature"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    assert rows.keys() == {"dose", "age"}
    ranking = rank_features(
        np.column_stack([data["dose"], data["age"]]),
        label,
        blocks=patient % 3,
        groups=patient,
        p_values="westfall-young",
        n_estimators=20,
        random_state=0,
    )
    for j, name in enumerate(("dose", "age")):
        assert float(rows[name]["p_value"]) == ranking.p_values[j]
        assert float(rows[name]["importance"]) == ranking.scores[j]
    text = page.read_text()
    assert "The rows fall into 3 blocks." in text
    assert "The rows fall into 40 groups." in text
    assert "the p-values are those of groups" in text


def test_rank_with_an_error_rate(tmp_path):
    rng = np.random.default_rng(0)
    cause = rng.normal(size=200)
    data = {"cause": cause, "proxy": cause + rng.normal(size=200), "noise": rng.normal(size=200)}
    data["y"] = np.sin(2 * cause) + 0.3 * rng.normal(size=200)
    path = tmp_path / "data.csv"
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    path.write_text("\n".join(lines))
    page = tmp_path / "page.html"
    result = run(
        path, "--target", "y", "--fdr", 0.1, "--trees", 20, "--seed", 0, "--format", "json",
        "--report", page,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = {row["feature"]: row for row in json.loads(result.stdout)}
    assert rows["cause"]["given_others"] == "selected"
    assert rows["proxy"]["given_others"] != "selected"
    html = page.read_text()
    assert html.index("Which features say what the others do not?") < html.index("The ranking")
