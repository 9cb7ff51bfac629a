"""The report on disk: whole, partial and empty stores; what it says and what it escapes."""

import csv
import re
from io import StringIO

import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from inforest_study.analysis import Analysis
from inforest_study.cli import app
from inforest_study.findings import findings
from inforest_study.render import figures
from inforest_study.render.terminal import to_rich
from inforest_study.study import Study
from inforest_study.study_report import write_study_report
from inforest_study.tables.comparison import breadths
from inforest_study.tables.corrected import EXPLANATION
from study_helpers import COMMAND, small_report, small_study

BREADTH = "On how many data sets CIF is among the best"


@pytest.fixture(scope="module")
def report():
    return small_report()


@pytest.fixture
def sketches(monkeypatch):
    """Draw figures, but do not render them: that takes most of the time."""

    def write(figure, folder, name):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.svg").write_text("<svg></svg>")

    monkeypatch.setattr(figures, "write", write)


@pytest.fixture(scope="module")
def page(report):
    return (report / "index.html").read_text()


def test_all_tables_and_figures_are_files(report):
    tables = {path.name for path in (report / "tables").iterdir()}
    stems = {name.partition(".")[0] for name in tables}
    assert tables == {f"{stem}.{end}" for stem in stems for end in ("csv", "md", "tex")}
    assert {"main-classification", "direct", "complete-case", "recovery-regression"} <= stems
    figures = {path.name for path in (report / "figures").iterdir()}
    expected = ["recovery", "feature-counts"]
    for task in ("classification", "regression"):
        expected += [f"{name}-{task}" for name in ("by-k", "margins", "high-p", "feature-sampling")]
    assert figures == {f"{name}.{end}" for name in expected for end in ("svg", "png")}


def test_the_csv_has_full_precision(report):
    with (report / "tables" / "direct.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 35
    assert len(rows[0]["mean_difference"]) > 10


def test_the_page_begins_in_plain_words(page):
    body = page[page.index("<main>") :]
    first = body.index("What was run")
    assert first < body.index("What it shows") < body.index("What it does not show")
    assert body.index("What it does not show") < body.index("<nav") < body.index("<table")
    assert EXPLANATION.split(".")[0] in page.replace("&#x27;", "'")


def test_the_page_needs_nothing_else(page):
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#|data:)""", page)
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert page.count("<script") == 1


def test_figures_tell_their_values(page):
    assert re.search(r"<title>CIF, k = 25: mean rank \d+\.\d\d</title>", page)
    assert re.search(r"<title>CIF, k = 5: \d+\.\d %</title>", page)
    assert re.search(r"<title>LR, k &lt; 100: \d+ of \d+ data sets</title>", page)
    assert page.count("<svg") == 10


def test_identifiers_are_unique_but_for_shared_definitions(page):
    ids = re.findall(r'<(?:section|h\d|table|code|figure|div|span)[^>]* id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = re.findall(r'href="#([^"]+)"', page[: page.index("<h2")])
    assert set(links) <= set(ids)
    assert len(links) == 12


def test_the_same_results_give_the_same_page(report, tmp_path):
    small_study().write(tmp_path / "compact")
    study = Study.read(tmp_path / "compact")
    again = write_study_report(study, tmp_path / "out", COMMAND)
    assert again.read_bytes() == (report / "index.html").read_bytes()


def test_names_from_results_are_escaped(sketches, tmp_path):
    scores = small_study().scores
    evil = "<script>alert('&')</script>"
    scores = scores.assign(method=scores["method"].replace({"inforest": evil}))
    page = write_study_report(Study(scores=scores), tmp_path).read_text()
    assert evil not in page
    assert "&lt;script&gt;alert" in page


def test_another_copy_of_the_data_is_told():
    study = small_study()
    is_wine = study.runs["dataset"] == "wine"
    assert is_wine.any()
    runs = study.runs.assign(data_checksum=study.runs["data_checksum"].where(~is_wine, "bb"))
    said = "Results on wine are of data that differ from the study's copy."
    assert said in findings(Analysis(Study(study.scores, runs)))[2][1]
    assert said not in findings(Analysis(study))[2][1]


def empty(study):
    return Study()


def one_job(study):
    first = study.scores.iloc[:1]
    same = dict(first[["task", "dataset", "method", "config", "seed", "fold"]].iloc[0])
    job = [f"`{name}` == @same['{name}']" for name in same]
    chosen = {
        name: getattr(study, name).query(
            " and ".join(job), local_dict={"same": same}, engine="python"
        )
        for name in ("scores", "runs", "rankings")
    }
    return Study(**chosen)


def only_rankings(study):
    return Study(rankings=study.rankings)


def only_real_rankings(study):
    return Study(rankings=study.rankings[study.rankings["dataset"] == "wine"])


def only_scores(study):
    return Study(scores=study.scores)


def only_regression(study):
    frames = (study.scores, study.runs, study.rankings)
    return Study(*(frame[frame["task"] == "regression"] for frame in frames))


def without_cif(study):
    frames = (study.scores, study.runs, study.rankings)
    return Study(*(frame[frame["method"] != "CIF"] for frame in frames))


def only_failures(study):
    return Study(runs=study.runs[study.runs["status"] != "done"])


PARTIAL = [
    (empty, "Nothing yet: there are no results here."),
    (one_job, "1 methods ranked the features of 1 of the paper&#x27;s 23"),
    (only_rankings, "There are no scores on the paper&#x27;s data sets"),
    (only_real_rankings, "There are rankings, but nothing that was compared."),
    (only_scores, "There are no rankings of the synthetic designs"),
    (only_regression, "There are no classification scores on the paper&#x27;s data sets."),
    (without_cif, "There are no scores of CIF and of another method"),
    (only_failures, "took more than 600 s"),
]


@pytest.mark.parametrize(("part", "said"), PARTIAL, ids=[part.__name__ for part, _ in PARTIAL])
def test_partial_results_give_a_report_that_says_what_is_missing(part, said, sketches, tmp_path):
    page = write_study_report(part(small_study()), tmp_path).read_text()
    assert said in page
    assert "nan" not in re.sub(r"<[^>]*>", "", page[page.index("<main>") : page.index("<script>")])


def test_the_command_reads_a_store_or_compact_results(toys, sketches, tmp_path):
    store = tmp_path / "store"
    toys.finish("run", toys.suite(datasets=["toy-classes"]), "--store", store, "--jobs", 1)
    options = ["--store", str(store), "--compact", str(tmp_path / "compact")]
    said = CliRunner().invoke(app, ["report", *options, "--out", str(tmp_path / "a")])
    assert said.exit_code == 0, said.output
    assert "6 rankings" in said.output
    options = ["--results", str(tmp_path / "compact"), "--out", str(tmp_path / "b")]
    assert CliRunner().invoke(app, ["report", *options]).exit_code == 0
    one, other = ((tmp_path / name / "tables" / "coverage.csv").read_text() for name in "ab")
    assert one == other
    assert pd.read_csv(tmp_path / "a" / "tables" / "coverage.csv")["done"].tolist() == [6, 6]


def test_the_command_refuses_what_it_cannot_do(tmp_path):
    both = ["--store", str(tmp_path), "--results", str(tmp_path), "--out", str(tmp_path)]
    said = CliRunner().invoke(app, ["report", *both])
    assert said.exit_code == 2
    assert "not both" in said.stderr
    said = CliRunner().invoke(app, ["report", "--store", str(tmp_path / "no"), "--out", "x"])
    assert said.exit_code == 2
    assert "there is no" in said.stderr


def test_show_prints_tables_without_a_report(tmp_path):
    small_study().write(tmp_path)
    results = ["--results", str(tmp_path)]
    listed = CliRunner().invoke(app, ["show", *results]).output.splitlines()
    shown = next(line for line in listed if line.startswith("breadth "))
    assert shown.split(maxsplit=3) == ["breadth", "2", "rows", BREADTH]
    said = CliRunner().invoke(app, ["show", "main-regression", "breadth", *results])
    assert said.exit_code == 0
    assert said.output.startswith("### Regression: mean ranks of the paper's methods\n\n| method |")
    assert f"### {BREADTH}" in said.output
    wrong = CliRunner().invoke(app, ["show", "bredth", *results])
    assert wrong.exit_code == 2
    assert "got 'bredth'; did you mean 'breadth'?" in wrong.output


def test_tables_fit_a_terminal():
    console = Console(width=70, file=StringIO())
    console.print(to_rich(breadths(Analysis(small_study()))))
    printed = console.file.getvalue()
    assert BREADTH in printed
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= 70
