"""The study's page in a real browser: no errors or requests, tables sort, it fits a phone."""

import html
import json
import re
import shutil
import subprocess

import pytest

from bench_study import small_report
from inforest.bench.study import Study
from inforest.bench.study_report import write_study_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
    "--dump-dom",
]
#: The page in a frame as wide as a phone, because a window cannot be that narrow.
FRAME = """<!DOCTYPE html><body><iframe id="frame" style="width:{width}px;height:900px;border:0"
srcdoc="{page}"></iframe><pre id="result"></pre><script>
document.getElementById("frame").addEventListener("load", function () {{
  const page = this.contentDocument;
  const table = page.querySelector("table[data-key='main-classification']");
  const rows = () => Array.from(table.tBodies[0].rows);
  const column = (i) => rows().map((row) => row.cells[i].textContent);
  const head = (title) => Array.from(table.tHead.rows[0].cells)
    .findIndex((cell) => cell.textContent === title);
  const result = (function () {{ {script} }})();
  document.getElementById("result").textContent = JSON.stringify(result);
}});
</script></body>"""


@pytest.fixture(scope="module")
def page():
    return (small_report() / "index.html").read_text(encoding="utf-8")


def browse(tmp_path, page):
    """Return the document after its scripts ran, and what the console says."""
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = [CHROMIUM, *OPTIONS, profile, path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


def ask(tmp_path, page, script, width=360):
    """Return what a script finds in the page, which it may click and fill in before."""
    framed = FRAME.format(width=width, page=html.escape(page), script=script)
    document, console = browse(tmp_path, framed)
    assert console == []
    found = re.search(r'<pre id="result">(.*?)</pre>', document, re.DOTALL).group(1)
    return json.loads(html.unescape(found))


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
    document, console = browse(tmp_path, page)
    assert console == []
    assert "Nothing yet" in document
