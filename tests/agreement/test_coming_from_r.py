"""Every block of Python in docs/coming-from-r.md runs, and prints what the page shows."""

import re
from pathlib import Path

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceTreeClassifier,
)

PAGE = Path(__file__).parents[2] / "docs" / "coming-from-r.md"


def test_all_blocks_run(capsys):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks].count("python") == 3
    namespace = {}
    for (kind, source), (next_kind, shown) in zip(blocks, [*blocks[1:], ("end", "")], strict=True):
        if kind != "python":
            continue
        exec(source, namespace)  # noqa: S102
        printed = capsys.readouterr().out
        if next_kind == "":
            assert printed.strip() == shown.strip()
    lower, upper = namespace["lower"], namespace["upper"]
    assert (lower <= upper).all()


def test_the_dictionary_speaks_of_parameters_that_exist():
    ours = {
        *ConditionalInferenceForestClassifier().get_params(),
        *ConditionalInferenceTreeClassifier().get_params(),
    }
    section = PAGE.read_text().partition("## Dictionary")[2].partition("## What remains")[0]
    lines = [line.rstrip("| ") for line in section.splitlines() if "|" in line]
    named = {name for line in lines for name in re.findall(r"\b(\w+)=", line.rpartition("|")[2])}
    assert len(named) > 10
    assert named - ours <= {"groups", "blocks"}  # of fit
