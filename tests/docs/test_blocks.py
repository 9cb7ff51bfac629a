"""The Python blocks of the pages run as they stand, each page in one session, and print what the
pages say they print.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/coming-from-r.md",
    "docs/conditional.md",
    "docs/diagnostics.md",
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
NEEDS = {"docs/interop.md": ["onnxruntime", "shap", "skl2onnx", "skops", "treelite"]}
#: A block of Python, and the block after it if that has no language: what it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for name in NEEDS.get(page, []):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    namespace = {}
    for source, output in blocks:
        exec(source, namespace)  # noqa: S102
        printed = capsys.readouterr().out.splitlines()
        missing = [line for line in output.splitlines() if line not in [*printed, "..."]]
        assert missing == []
    pyplot.close("all")
    if page == "docs/start.md":
        assert set(namespace["ranking"].top(2)) == {"age", "job"}
        assert Path("report.html").stat().st_size > 10_000
