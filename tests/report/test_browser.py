"""The page in a real browser: no errors, sorting and filtering work, it fits a phone."""

import pytest

import browser
from inforest.report.render import render
from report_content import example

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

TABLE = """
  const rows = () => Array.from(page.querySelectorAll("#ranking-table tbody tr"));
  const names = () => rows().filter((row) => !row.hidden).map((row) => row.cells[1].textContent);"""


def ask(tmp_path, content, script, width=360):
    return browser.ask(tmp_path, render(content), TABLE + script, width)


def test_the_page_opens_without_errors(tmp_path):
    document, console = browser.browse(tmp_path, render(example(30)))
    assert console == []
    assert 'type="search"' in document  # the script has run


def test_a_script_in_a_name_does_not_run(tmp_path):
    names = ["<script>document.title='gone'</script>", "<img src=x onerror=alert(1)>", "c", "d"]
    document, console = browser.browse(tmp_path, render(example(4, names)))
    assert console == []
    assert "<title>Which features matter for outcome?</title>" in document


CLICK = "page.querySelectorAll('#ranking-table thead button')[{column}].click();"


def test_columns_can_be_sorted(tmp_path):
    best = [f"feature {i}" for i in range(12)]
    by_name = CLICK.format(column=1)
    by_importance = CLICK.format(column=2)
    script = f"""
      const found = [names()];
      {by_name} found.push(names()); {by_name} found.push(names());
      {by_importance} found.push(names()); {by_importance} found.push(names());
      const sorted = page.querySelectorAll("th[aria-sort]");
      found.push([sorted.length, sorted[0].textContent, sorted[0].getAttribute("aria-sort")]);
      return found;"""
    first, up, down, most, least, state = ask(tmp_path, example(12), script)
    assert first == up == most == best  # 10 comes after 9
    assert down == least == best[::-1]
    assert state == [1, "importance", "ascending"]


def test_names_can_be_filtered(tmp_path):
    script = """
      const input = page.getElementById("filter");
      const type = (text) => { input.value = text; input.dispatchEvent(new Event("input")); };
      type("FEATURE 1"); const some = names();
      type("nothing"); const none = names();
      type(""); return [some, none, names().length];"""
    assert ask(tmp_path, example(12), script) == [
        ["feature 1", "feature 10", "feature 11"],
        [],
        12,
    ]


@pytest.mark.parametrize("n_features", [5, 30, 20_000])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_does_not_scroll_sideways(tmp_path, n_features, width):
    names = [f"feature {i}" for i in range(n_features)]
    names[1] = "x" * 400
    names[2] = "a_long_name_without_a_space_" * 3
    script = """
      for (const details of page.querySelectorAll("details")) details.open = true;
      const root = page.documentElement;
      return [root.clientWidth, root.scrollWidth, page.body.scrollWidth];"""
    client, root, body = ask(tmp_path, example(n_features, names), script, width)
    assert client >= width - 20  # a scroll bar at the side
    assert root <= client
    assert body <= client


def test_the_ranking_fits_a_phone(tmp_path):
    names = [f"measure {i} of the cell" for i in range(30)]
    script = """
      const box = page.querySelector(".scroll");
      return [box.scrollWidth, box.clientWidth];"""
    needed, there = ask(tmp_path, example(30, names), script, 360)
    assert needed <= there


def test_everything_can_be_reached_by_keyboard(tmp_path):
    script = """
      const clickable = page.querySelectorAll("a, button, input, summary, [tabindex]");
      const scrolling = page.querySelectorAll(".scroll:not(details .scroll), pre.data");
      return [
        Array.from(clickable).every((one) => one.tabIndex === 0),
        Array.from(scrolling).every((one) => one.tabIndex === 0),
        clickable.length,
      ];"""
    reachable, scrolling, count = ask(tmp_path, example(300), script)
    assert reachable
    assert scrolling
    assert count > 15
