"""The Python blocks of the pages run as they stand, each page in one session."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/ordered.md",
    "docs/predictions.md",
    "docs/rows.md",
    "docs/start.md",
    "docs/survival.md",
    "docs/tables.md",
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    namespace = {}
    for source in blocks:
        exec(source, namespace)  # noqa: S102
    pyplot.close("all")
    if page == "docs/start.md":
        assert set(namespace["ranking"].top(2)) == {"age", "job"}
        assert Path("report.html").stat().st_size > 10_000
