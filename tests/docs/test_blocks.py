"""The Python blocks of the pages run as they stand, each page in one session."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/interop.md",
    "docs/large.md",
    "docs/ordered.md",
    "docs/p-values.md",
    "docs/predictions.md",
    "docs/report.md",
    "docs/rows.md",
    "docs/selection.md",
    "docs/start.md",
    "docs/survival.md",
    "docs/tables.md",
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for name in {"docs/interop.md": ["onnxruntime", "shap", "skl2onnx", "skops", "treelite"]}.get(
        page, []
    ):
        pytest.importorskip(name)
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
