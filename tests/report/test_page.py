"""The page as text: escaped, self-contained, complete, of bounded size."""

import doctest
import importlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from inforest.report.figures import nice_ticks, percent, shorten
from inforest.report.render import render
from report_content import example

NASTY = [
    "<script>document.title = 'gone'</script>",
    '"><img src=x onerror="document.title=1">',
    "</style></script><b>",
    'a & b\'s "c"',
    "x" * 5000,
    "</pre><script>1</script>",
]
#: Elements without an end.
VOID = {"meta", "link", "br", "img", "input"}


class Reader(HTMLParser):
    """Collects elements and their attributes, and checks that they are nested."""

    def __init__(self):
        super().__init__()
        self.open, self.elements = [], []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader.elements


@pytest.mark.parametrize("n_features", [2, 5, 30, 1000])
def test_the_page_is_well_formed_and_links_lead_somewhere(n_features):
    elements = read(render(example(n_features)))
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in elements:
        if tag == "a":
            assert attributes["href"].removeprefix("#") in ids
    images = [attributes for tag, attributes in elements if tag == "svg"]
    assert len(images) == 4
    assert all(image["role"] == "img" and image["aria-label"] for image in images)


def test_nothing_is_fetched():
    html = render(example(300))
    for _, attributes in read(html):
        for name in ("src", "href", "srcset", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert "url(" not in html
    assert "@import" not in html
    assert not re.search(r"https?://", html)
    assert "default-src 'none'" in html


def test_names_cannot_do_harm():
    names = NASTY + [f"feature {i}" for i in range(300)] + NASTY
    content = example(len(names), names)
    tags = [tag for tag, _ in read(render(content))]
    assert tags.count("script") == 1
    assert tags.count("style") == 1
    assert "img" not in tags
    assert "b" not in tags
    assert not any("onerror" in attributes for _, attributes in read(render(content)))


def test_what_was_asked_and_how_to_repeat_it_are_there():
    html = render(example(30))
    for part in (
        "data.csv",
        "no: 60, yes: 40",
        "3 rows with missing values were left out",
        "inforest rank data.csv --target outcome --seed 7",
        "inforest 1.2.3",
        "<dt>seed</dt><dd>7</dd>",
        "The top 5 is stable.",
        "80% of the splits use the top 5.",
        "9 features matter more than luck explains.",
        "Not guaranteed:",
        "An association is not a cause",
    ):
        assert part in html, part


def test_noise_is_not_worth_keeping():
    content = example(30)
    features = tuple(replace(f, adjusted_p_value=1.0) for f in content.features)
    noise = replace(content, features=features, null_check=None)
    for found, is_kept in [(content, True), (noise, False)]:
        html = render(found)
        assert ("The 5 to keep are in bold." in html) is is_kept
        assert ('<tr class="kept' in html) is is_kept


def test_the_size_is_bounded():
    assert len(render(example(5)).encode()) < 40_000
    html = render(example(20_000))
    assert len(html.encode()) < 2_000_000
    assert html.count('<th scope="row" class="name">') == 200
    assert "The other 19,800 features as text</summary>" in html
    long = render(example(20_000, [f"{i} {'very ' * 60}long" for i in range(20_000)]))
    assert len(long.encode()) < 2_000_000
    assert "(the first " in long


def test_shares_are_written_for_people():
    shares = (1.0, 0.1234, 0.01234, 0.00004, 0.0)
    assert [percent(share) for share in shares] == ["100 %", "12 %", "1.2 %", "< 0.1 %", "0 %"]


@pytest.mark.parametrize(
    ("low", "high"), [(0.87, 0.98), (0, 0), (-1e3, 5), (0.4999, 0.5001), (1e-9, 2e-9)]
)
def test_ticks_enclose_the_values(low, high):
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low
    assert high <= ticks[-1]
    assert 2 <= len(ticks) <= 8
    assert len(set(ticks)) == len(ticks)


def test_long_names_are_cut_in_the_middle():
    assert shorten("short", 10) == "short"
    assert shorten("abcdefghijklmnop", 7) == "abc…nop"
    assert len(shorten("x" * 100, 26)) == 26


@pytest.mark.parametrize("name", ["answer", "collect", "figures", "render", "report", "svg"])
def test_examples_run(name):
    module = importlib.import_module(f"inforest.report.{name}")
    assert doctest.testmod(module).failed == 0
