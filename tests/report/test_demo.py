"""The demo: what the package itself needs is enough, and a newcomer gets an answer."""

import subprocess
import sys

import pytest

#: Refuses to import the extras, as if they were not installed.
WITHOUT_EXTRAS = """
import sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pandas", "polars", "pyarrow", "matplotlib", "rich", "typer"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refusal())
from inforest.demo import main
main()
"""


def test_demo_prints_the_answer_and_writes_the_report(tmp_path):
    """Without any extra: `make demo` installs the package alone."""
    run = [sys.executable, "-X", "utf8", "-c", WITHOUT_EXTRAS]
    done = subprocess.run(
        run, cwd=tmp_path, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    for part in (
        "of 30 features to predict diagnosis",
        "worst concave points",
        "Which features matter?",
        "How sure is that?",
        "inforest-demo.html",
    ):
        assert part in done.stdout
    page = (tmp_path / "inforest-demo.html").read_text(encoding="utf-8")
    assert "breast cancer data of scikit-learn" in page
    assert page.count("<svg") == 4


def test_demo_command(tmp_path, monkeypatch):
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from inforest.cli import app

    monkeypatch.setattr("inforest.demo._TREES", 10)
    path = tmp_path / "here.html"
    monkeypatch.setattr("sys.argv", ["inforest", "demo", "--report", str(path)])
    result = CliRunner().invoke(app, ["demo", "--report", str(path)])
    assert result.exit_code == 0, result.output
    assert str(path) in result.stdout.replace("\n", "")
    assert f"inforest demo --report {path}" in path.read_text(encoding="utf-8")
    refused = CliRunner().invoke(app, ["demo", "--report", str(tmp_path / "no" / "x.html")])
    assert refused.exit_code == 2
