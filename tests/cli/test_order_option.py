"""`--order`."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from inforest import ConditionalInferenceForestOrdinal, independence_test
from inforest.cli import app

WORDS = np.array(["low", "middle", "high"])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).round(3)
    return X, np.digitize(X[:, 1] + 0.5 * rng.normal(size=120), [-0.5, 0.5])


@pytest.fixture
def path(tmp_path, data):
    rows = [f"{a},{b},{c},{WORDS[k]}" for (a, b, c), k in zip(*data, strict=True)]
    file = tmp_path / "grades.csv"
    file.write_text("\n".join(["a,b,c,grade", *rows]))
    return file


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_test_is_that_of_the_scores(path, data):
    order = ("--target", "grade", "--order", "low,middle,high")
    found = run("test", path, *order, "--method", "asymptotic", "--format", "json")
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    expected = independence_test(*data, selector="pc", task="regression", method="asymptotic")
    p = {row["feature"]: row["p_value"] for row in rows}
    for name, value in zip("abc", expected.p_value, strict=True):
        assert p[name] == pytest.approx(value, rel=1e-9)


def test_ranked_and_reported_in_the_order(path, tmp_path):
    report = tmp_path / "r.html"
    order = ("--target", "grade", "--order", "low, middle, high")
    found = run("rank", path, *order, "--trees", 20, "--seed", 0, "--report", report)
    assert found.exit_code == 0, found.output
    text = report.read_text()
    assert "quadratic weighted kappa" in text
    assert re.search(r"low: \d+, middle: \d+, high: \d+", text)


def test_forest_takes_what_the_command_line_makes(data):
    from inforest._engine.responses.ordinal import OrderedLabels

    X, codes = data
    y = OrderedLabels(WORDS[codes], tuple(WORDS.tolist()))
    forest = ConditionalInferenceForestOrdinal(10, random_state=0).fit(X, y)
    assert forest.classes_.tolist() == WORDS.tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--order", "low,high"), "misses 'middle'"),
        (("--order", "low,middle,high,low"), "each class once"),
        (("--order", "low,middle,high", "--task", "regression"), "--task says regression"),
        (("--task", "ordinal"), "--order LOWEST,...,HIGHEST"),
    ],
)
def test_bad_orders(path, arguments, words):
    found = run("rank", path, "--target", "grade", *arguments)
    assert found.exit_code != 0
    assert words in " ".join(found.output.split())


def test_an_order_in_words_and_gaps_in_a_column_go_together(path, tmp_path):
    text = path.read_text().splitlines()
    for place in range(1, 40, 3):
        text[place] = text[place][text[place].index(",") :]
    path.write_text("\n".join(text))
    order = ("--target", "grade", "--order", "low,middle,high", "--trees", "20", "--seed", "0")
    found = run("rank", path, *order, "--report", tmp_path / "report.html")
    assert found.exit_code == 0, found.output
    assert "13" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("options", [("--task", "ordinal"), ("--order",)])
def test_many_fractions_are_no_grades(tmp_path, options):
    path = tmp_path / "data.csv"
    grades = [f"{grade}.5" for grade in range(30)]
    path.write_text("\n".join(["x,y", *(f"{i % 7},{grades[i % 30]}" for i in range(60))]))
    options = (*options, ",".join(grades)) if options == ("--order",) else options
    result = run("rank", path, "--target", "y", *options)
    assert result.exit_code == 2
    assert "ordered classes are few" in result.stderr


def test_one_grade_is_one_line(path):
    text = path.read_text()
    path.write_text(text.replace("low", "high").replace("middle", "high"))
    result = run("rank", path, "--target", "grade", "--order", "high,top")
    assert result.exit_code == 2
    assert "the same value in every row" in result.stderr
