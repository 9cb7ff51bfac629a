"""The Python blocks of the start page run, and find what the page says."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "start.md"


def test_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    namespace = {}
    for source in blocks:
        exec(source, namespace)  # noqa: S102
    assert set(namespace["ranking"].top(2)) == {"age", "job"}
    assert Path("report.html").stat().st_size > 10_000
