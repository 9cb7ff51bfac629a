"""The API reference lists every public name."""

import importlib
import re
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "api.rst"


@pytest.mark.parametrize(
    "module", ["inforest", "inforest.diagnostics", "inforest.interop", "inforest.redundancy"]
)
def test_every_public_name_is_listed(module):
    found = importlib.import_module(module)
    names = {name for name in found.__all__ if callable(getattr(found, name))}
    listed = set(re.findall(r"^   (\w+)$", REFERENCE.read_text(), re.MULTILINE))
    assert names - listed == set()
