"""`inforest test`: the library's numbers, one-line errors, formats that programs can read."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inforest import independence_test
from inforest._engine.patience import Patience
from inforest.io.tables import read_table

pa = pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from pyarrow import feather, parquet  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from inforest.cli import app  # noqa: E402

NAMES = ["height", "weight", "flag"]


def columns(n=40):
    rng = np.random.default_rng(0)
    label = np.where(np.arange(n) % 2, "yes", "no")
    return {
        "height": rng.normal(size=n),
        "weight": rng.normal(size=n) + 2 * (label == "yes"),
        "flag": rng.random(n) < 0.5,
        "label": label,
    }


@pytest.fixture
def table():
    return pa.table(columns())


@pytest.fixture
def path(table, tmp_path):
    from pyarrow.csv import write_csv

    write_csv(table, tmp_path / "data.csv")
    return tmp_path / "data.csv"


def run(*arguments):
    return CliRunner().invoke(app, ["test", *map(str, arguments)])


def test_numbers_are_those_of_the_library(path):
    result = run(path, "--target", "label", "--seed", 3, "--adjust", "westfall-young")
    assert result.exit_code == 0, result.output
    rows = {row["feature"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    data = columns()
    X = np.column_stack([data[name] for name in NAMES])
    expected = independence_test(X, data["label"], adjust="westfall-young", random_state=3)
    for j, name in enumerate(NAMES):
        assert float(rows[name]["p_value"]) == expected.p_value[j]
        assert float(rows[name]["adjusted_p_value"]) == expected.adjusted_p_value[j]
    assert next(iter(rows)) == "weight"  # the best comes first


def test_every_file_format_gives_the_same(path, table, tmp_path):
    first = run(path, "--target", "label", "--seed", 0).stdout
    parquet.write_table(table, tmp_path / "d.parquet")
    feather.write_feather(table, tmp_path / "d.arrow", compression="uncompressed")
    (tmp_path / "d.tsv").write_text(path.read_text().replace(",", "\t"))
    for name in ("d.parquet", "d.arrow", "d.tsv"):
        assert run(tmp_path / name, "--target", "label", "--seed", 0).stdout == first


def test_json_table_and_files(path, tmp_path):
    rows = json.loads(run(path, "--target", "label", "--format", "json", "--top", 2).stdout)
    assert len(rows) == 2
    assert rows[0]["feature"] == "weight"
    assert rows[0]["rejected"] is True
    shown = run(path, "--target", "label", "--format", "table", "--top", 1).stdout
    assert "weight" in shown
    assert "2 features not shown" in " ".join(shown.split())
    out = tmp_path / "out.json"
    assert run(path, "--target", "label", "--output", out).exit_code == 0
    assert len(json.loads(out.read_text())) == 3


@pytest.mark.parametrize("adjust", ["none", "holm"])
def test_only_adjusted_p_values_are_called_so(path, adjust):
    arguments = [path, "--target", "label", "--seed", 0, "--adjust", adjust]
    header = run(*arguments, "--format", "csv").stdout.splitlines()[0].split(",")
    rows = json.loads(run(*arguments, "--format", "json").stdout)
    shown = " ".join(run(*arguments, "--format", "table").stdout.split())
    is_adjusted = adjust != "none"
    assert ("adjusted_p_value" in header) is is_adjusted
    assert ("adjusted_p_value" in rows[0]) is is_adjusted
    assert ("adjusted p" in shown) is is_adjusted
    assert ("not adjusted for the number of features" in shown) is not is_adjusted


def test_options_reach_the_library(path):
    options = ["--drop", "flag", "--selector", "mc", "--selector", "rdc", "--n-resamples", 50]
    result = run(path, "--target", "label", *options, "--format", "json", "--n-jobs", 2)
    rows = json.loads(result.stdout)
    assert {row["feature"] for row in rows} == {"height", "weight"}
    assert {row["n_draws"] for row in rows} == {50}
    curtailed = run(path, "--target", "label", "--early-stopping", "curtailed", "--seed", 0)
    assert curtailed.exit_code == 0
    numeric = run(path, "--target", "height", "--ignore", "label", "--method", "asymptotic")
    assert numeric.exit_code == 0


def test_old_names_of_options_still_work(path, tmp_path):
    new = run(path, "--target", "label", "--seed", 0, "--drop", "flag", "--jobs", 1).stdout
    out = tmp_path / "old.csv"
    old = ["--ignore", "flag", "--n-jobs", 1, "--output", out]
    assert run(path, "--target", "label", "--seed", 0, *old).exit_code == 0
    assert out.read_text() == new


def test_standard_input(path):
    arguments = ["test", "-", "--target", "label", "--seed", "0"]
    piped = CliRunner().invoke(app, arguments, input=path.read_bytes())
    assert piped.stdout == run(path, "--target", "label", "--seed", 0).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "nope"], "no column 'nope' in"),
        (["--target", "nope"], "there are 'height', 'weight', 'flag', 'label'"),
        (["--target", "height", "--categorical", "labels"], "no column 'labels' in"),
        (["--target", "label", "--ignore", "x"], "no column 'x'"),
        (["--target", "label", "--selector", "pc"], "y must be numeric"),
        (["--target", "label", "--selector", "nope"], "selector must be one of"),
        (["--target", "label", "--n-resamples", "many"], "--n-resamples must be 'auto' or a whole"),
        (["--target", "label", "--output", "x.txt"], "--out must end in .csv or .json"),
        (["--target", "label", "--adjust", "holm", "--early-stopping", "adaptive"], "contradict"),
        (["--target", "label", "--alpha", "7"], "'alpha' parameter"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(path, arguments, message):
    result = run(path, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing.csv", None, "there is no file"),
        ("data.xls", "a,b\n", "the file's ending must be one of .csv, .tsv"),
        ("ragged.csv", "a,y\n1,0\n3,1,2\n", "cannot be read"),
        ("empty.csv", "a,y\n", "has no rows"),
        ("alone.csv", "y\n1\n", "no column besides the target 'y'"),
        ("twice.csv", "a,a,y\n1,2,3\n", "two columns of the same name"),
        ("fake.parquet", "a,y\n", "cannot be read"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / name, "y")
    assert run(tmp_path / name, "--target", "y").exit_code == 2


def test_the_program_itself(path):
    """A real process: piped output is CSV, nothing else is printed, errors go to stderr."""
    program = Path(sys.executable).with_name("inforest")
    command = [str(program), "test", str(path), "--target", "label", "--seed", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].startswith("feature,selector,statistic,p_value")
    failed = subprocess.run([*command[:-3], "nope"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert failed.stdout == ""


def test_choices_are_those_of_the_library():
    from inforest.cli import choices
    from inforest.independence.options import CONSTRAINTS

    for accepted, name in [
        (choices.Task, "task"),
        (choices.Method, "method"),
        (choices.Adjust, "adjust"),
        (choices.EarlyStopping, "early_stopping"),
    ]:
        assert {c.value for c in accepted} - {"none"} == set(CONSTRAINTS[name][0].options)


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom inforest import cli\n"
        "assert not {'pyarrow.csv', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    help_text = CliRunner().invoke(app, ["test", "--help"], terminal_width=200).stdout
    for option in ("--target", "--selector", "--adjust", "--early-stopping", "--format"):
        assert option in help_text


def test_progress_shows_up_only_after_a_second(capsys, monkeypatch):
    clock = iter([0.0, 0.5, 1.5, 3.0, 3.0, 3.0])
    monkeypatch.setattr("inforest._engine.patience.monotonic", lambda: next(clock))
    with Patience(10, "permutations") as progress:
        progress.advance(1)
        assert capsys.readouterr().err == ""
        progress.advance(1)
        progress.advance(4)
    assert "permutations" in capsys.readouterr().err


@pytest.fixture
def centres(tmp_path):
    """Two rows of each of 40 patients in five centres, which shift everything."""
    from pyarrow.csv import write_csv

    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 2)
    centre = patient % 5
    outcome = (rng.random(40)[patient] < 0.1 + 0.2 * centre).astype(int)
    data = {
        "dose": rng.normal(size=80) + centre,
        "age": rng.normal(size=80),
        "centre": np.array(list("vwxyz"))[centre],
        "patient": patient,
        "outcome": outcome,
    }
    write_csv(pa.table(data), tmp_path / "centres.csv")
    return tmp_path / "centres.csv", data


@pytest.mark.parametrize("named", [("blocks",), ("groups",), ("blocks", "groups")])
def test_blocks_and_groups_are_columns_and_no_features(centres, named):
    path, data = centres
    columns = {"blocks": "centre", "groups": "patient"}
    options = [word for name in named for word in (f"--{name}", columns[name])]
    drop = [word for name in set(columns) - set(named) for word in ("--drop", columns[name])]
    result = run(path, "--target", "outcome", "--seed", 0, *options, *drop)
    assert result.exit_code == 0, result.output
    rows = {row["feature"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    expected = independence_test(
        np.column_stack([data["dose"], data["age"]]),
        data["outcome"],
        random_state=0,
        **{name: data[columns[name]] for name in named},
    )
    assert rows.keys() == {"dose", "age"}
    found = [float(rows[name]["p_value"]) for name in ("dose", "age")]
    np.testing.assert_array_equal(found, expected.p_value)


@pytest.mark.parametrize(("options", "message"), [
    (["--blocks", "center"], "centres.csv; did you mean 'centre'?"),
    (["--blocks", "outcome"], "the target 'outcome' cannot say the blocks as well"),
    (["--groups", "age", "--blocks", "dose", "--drop", "centre,patient"], "no column besides"),
    (["--groups", "centre"], "groups can be tested if all rows of a group have the same y"),
    (["--blocks", "centre", "--method", "asymptotic"], "contradict each other"),
])  # fmt: skip
def test_wrong_blocks_and_groups_are_one_line(centres, options, message):
    result = run(centres[0], "--target", "outcome", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_missing_blocks_are_refused(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("x,b,y\n1,a,0\n2,,1\n3,a,1\n4,b,\n5,b,0\n6,a,1\n")
    result = run(path, "--target", "y", "--blocks", "b", "--drop-rows")
    assert result.exit_code == 2
    assert "gaps.csv, which --blocks names, is missing in 1 row" in result.stderr
    path.write_text("x,b,y\n1,a,0\n2,a,1\n3,a,1\n4,,\n5,b,0\n6,a,1\n")
    result = run(path, "--target", "y", "--blocks", "b", "--drop-rows")
    assert result.exit_code == 0  # the row without a block has no target, either


def test_given_the_others_a_proxy_says_nothing(tmp_path):
    from inforest import conditional_test

    rng = np.random.default_rng(0)
    cause = rng.normal(size=300)
    data = {"cause": cause, "proxy": cause + rng.normal(size=300), "noise": rng.normal(size=300)}
    y = np.sin(2 * cause) + 0.5 * rng.normal(size=300)
    path = tmp_path / "data.parquet"
    parquet.write_table(pa.table({**data, "y": y}), path)
    asked = (path, "--target", "y", "--given-others", "--seed", 3)
    result = run(*asked, "--format", "json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    expected = conditional_test(
        np.column_stack(list(data.values())), y, alpha=0.05, random_state=3
    ).p_value
    assert {row["feature"]: row["p_value"] for row in rows} == pytest.approx(
        dict(zip(data, expected, strict=True))
    )
    assert [row["feature"] for row in rows if row["verdict"] == "selected"] == ["cause"]
    shown = run(*asked, "--format", "table")
    assert "say something about y that the others do not say: cause" in " ".join(
        shown.stdout.split()
    )
    refused = run(*asked, "--method", "exact")
    assert refused.exit_code == 2
    assert "--method cannot be used with --given-others" in refused.output
    alone = run(*asked, "--adjust", "none", "--format", "csv")
    assert "adjusted_p_value" not in alone.stdout


def test_too_few_rows_given_the_others(path):
    result = run(path, "--target", "label", "--given-others")
    assert result.exit_code == 2
    assert "at least 50 rows" in result.output


def test_the_smallest_p_value_is_shown_as_a_bound(table, tmp_path):
    path = tmp_path / "data.parquet"
    parquet.write_table(table, path)
    ran = CliRunner().invoke(
        app, ["test", str(path), "--target", "label", "--format", "table", "--seed", "0"]
    )
    assert ran.exit_code == 0
    line = next(line for line in ran.stdout.splitlines() if "weight" in line)
    assert "≤" in line
    assert "≤" not in next(line for line in ran.stdout.splitlines() if "height" in line)
