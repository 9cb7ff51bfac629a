"""The study's page in a real browser: no errors or requests, tables sort, it fits a phone."""

import pytest

import browser
from inforest_study.study import Study
from inforest_study.study_report import write_study_report
from study_helpers import small_report

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

TABLE = """
  const table = page.querySelector("table[data-key='main-classification']");
  const rows = () => Array.from(table.tBodies[0].rows);
  const column = (i) => rows().map((row) => row.cells[i].textContent);
  const head = (title) => Array.from(table.tHead.rows[0].cells)
    .findIndex((cell) => cell.textContent === title);"""


@pytest.fixture(scope="module")
def page():
    return (small_report() / "index.html").read_text(encoding="utf-8")


def ask(tmp_path, page, script, width=360):
    return browser.ask(tmp_path, page, TABLE + script, width)


def test_the_page_opens_without_errors_and_requests(tmp_path, page):
    script = """
      const fetched = page.defaultView.performance.getEntriesByType("resource");
      return [fetched.map((one) => one.name).filter((name) => !name.startsWith("data:")),
        page.querySelectorAll("thead button").length > 100];"""
    assert ask(tmp_path, page, script) == [[], True]


def test_columns_sort_as_numbers_and_what_is_absent_comes_last(tmp_path, page):
    script = """
      const place = head("rank"), click = (i) => table.querySelectorAll("thead button")[i].click();
      const found = [column(place)];
      click(place); found.push(column(place));
      click(place); found.push(column(place));
      click(0); found.push(column(0));
      const wide = page.querySelector("table[data-key='direct']");
      const titles = Array.from(wide.tHead.rows[0].cells).map((cell) => cell.textContent);
      const change = titles.indexOf("change");
      const button = wide.querySelectorAll("thead button")[change];
      for (const clicks of [1, 2]) {
        button.click();
        found.push(Array.from(wide.tBodies[0].rows).map((row) => row.cells[change].textContent));
      }
      return found;"""
    first, up, down, methods, rising, falling = ask(tmp_path, page, script)
    numbers = [float(text) for text in up]
    assert numbers == sorted(numbers)
    assert sorted(first) == sorted(up)
    assert [float(text) for text in down] == numbers[::-1]
    assert methods == sorted(methods, key=str.lower)
    assert rising[-2:] == falling[-2:] == ["–", "–"]  # inforest is not in the paper
    assert [float(text) for text in rising[:-2]] == sorted(float(text) for text in falling[:-2])


def test_a_row_tells_its_source_and_rows_can_be_filtered(tmp_path, page):
    script = """
      const row = rows().find((one) => one.cells[0].textContent === "CIF");
      row.click();
      const place = page.getElementById("main-classification-source");
      const scores = page.querySelector("table[data-key='scores-classification']");
      const input = scores.closest("details").querySelector("input");
      input.value = "wine cif"; input.dispatchEvent(new Event("input"));
      const shown = Array.from(scores.tBodies[0].rows).filter((one) => !one.hidden);
      return [place.textContent, place.closest("details").open, shown.length];"""
    source, is_open, shown = ask(tmp_path, page, script)
    assert source.startswith("CIF ← scores: task == 'classification' and method == 'CIF'")
    assert is_open
    assert shown == 1


@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_does_not_scroll_sideways(tmp_path, page, width):
    script = """
      for (const details of page.querySelectorAll("details")) details.open = true;
      const root = page.documentElement;
      return [root.clientWidth, root.scrollWidth, page.body.scrollWidth];"""
    client, root, body = ask(tmp_path, page, script, width)
    assert client >= width - 20  # a scroll bar at the side
    assert root <= client
    assert body <= client


def test_a_page_without_results_opens_too(tmp_path):
    page = write_study_report(Study(), tmp_path / "out").read_text(encoding="utf-8")
    document, console = browser.browse(tmp_path, page)
    assert console == []
    assert "Nothing yet" in document
