"""The committed results: they can be read, and say what the documents quote."""

from pathlib import Path

import pytest

from inforest_study.analysis import Analysis
from inforest_study.study import Study
from inforest_study.study_figures import drawings
from inforest_study.summary.ranks import mean_ranks
from inforest_study.tables.recovery import recovered

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "study"


@pytest.fixture(scope="module")
def analysis():
    return Analysis(Study.read(RESULTS))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_our_rank_is_the_one_that_is_quoted(analysis, task):
    panel = analysis.wide_panels[task]
    first = mean_ranks(panel.cells).iloc[0]
    assert first["method"] == "inforest"
    study = (ROOT / "docs" / "study.md").read_text()
    quoted = f"{first['mean_rank']:.2f} of {len(panel.methods)} methods"
    assert f"{quoted} on {len(panel.compared)} data sets" in study


def test_a_mean_over_some_designs_has_no_place(analysis):
    for table in recovered(analysis):
        rows = {row["method"]: row for row in table.rows}
        assert rows["inforest"]["n_designs"] == 8
        assert rows["inforest"]["place"] == 1
        for row in rows.values():
            assert (row["place"] > 0) == (row["n_designs"] == 8)


def test_slow_relatives_are_compared_where_they_have_results(analysis):
    titles = {one.key: one.title for one in drawings(analysis)}
    for task in ("classification", "regression"):
        assert titles[f"margins-{task}"].endswith("CIF minus ctree, cforest and CIT")


def test_the_report_is_that_of_the_results():
    page = (ROOT / "results" / "report" / "index.html").read_text()
    assert "inforest bench report --results results/study --out results/report" in page
