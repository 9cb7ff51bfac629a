"""The committed results: they can be read, and say what the documents quote."""

import platform
import re
from importlib.metadata import version
from itertools import zip_longest
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from inforest_study.analysis import Analysis
from inforest_study.study import Study
from inforest_study.study_figures import drawings
from inforest_study.study_report import write_study_report
from inforest_study.summary.ranks import mean_ranks
from inforest_study.tables.recovery import recovered

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "study"
#: The page says with which versions it was made; the next one need not change its content.
VERSIONS = re.compile(r"<dt>(?:inforest|matplotlib)</dt><dd>.*?</dd>")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


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


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def without_drawings(text):
    """Keep of each drawing what its marks say: matplotlib's versions place and letter anew."""
    return re.sub(
        r"<svg.*?</svg>",
        lambda svg: "".join(re.findall(r"<title>.*?</title>", svg.group())),
        text,
        flags=re.DOTALL,
    )


def assert_same_text(text, expected, name):
    """Compare texts, numbers by value: in full precision, processors differ in the last digits."""
    words, expected_words = (NUMBER.sub("#", one).splitlines() for one in (text, expected))
    for line, (one, other) in enumerate(zip_longest(words, expected_words), 1):
        assert one == other, f"{name}, line {line}"
    numbers, expected_numbers = (NUMBER.findall(one) for one in (text, expected))
    far = [
        pair
        for pair in zip(numbers, expected_numbers, strict=True)
        if not isclose(*map(float, pair), rel_tol=1e-9, abs_tol=1e-12)
    ]
    assert far == [], name


def test_the_report_is_that_of_the_results(tmp_path):
    """It is built again: the same files, words, numbers and drawings."""
    written = ROOT / "results" / "report"
    command = "inforest bench report --results results/study --out results/report"
    write_study_report(Study.read(RESULTS), tmp_path, command)
    files = files_of(tmp_path)
    assert files == files_of(written)
    page = (written / "index.html").read_text(encoding="utf-8")
    is_drawn_alike = f"<dt>matplotlib</dt><dd>{version('matplotlib')}</dd>" in page
    is_drawn_alike &= (platform.system(), platform.machine()) == ("Linux", "x86_64")
    for name in files:
        ours, theirs = tmp_path / name, written / name
        if name.endswith(".png"):
            assert not is_drawn_alike or np.array_equal(imread(ours), imread(theirs)), name
            continue
        texts = [path.read_text(encoding="utf-8") for path in (ours, theirs)]
        texts = [VERSIONS.sub("", text) for text in texts]
        if not is_drawn_alike:
            texts = [without_drawings(text) for text in texts]
        assert_same_text(*texts, name)
