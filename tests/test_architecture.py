"""Rules of the design that a tool can check."""

import re
import subprocess
import sys
from pathlib import Path

import inforest
from inforest import _core

ROOT = Path(__file__).parents[1]


def test_stub_is_what_the_module_says(tmp_path):
    stub = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-m", "inforest._core", "-o", str(stub)]
    subprocess.run(command, check=True, capture_output=True)
    committed = Path(inforest.__file__).with_name("_core.pyi").read_text()
    assert committed == stub.read_text(), "run `make stubs`"


def loaded_by(code):
    run = [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"]
    output = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    return {name.partition(".")[0] for name in output.split()}


def test_import_loads_no_optional_dependency():
    """`import inforest` stays quick and works without the extras."""
    theirs = "import joblib, sklearn.feature_selection, sklearn.metrics, scipy.sparse"
    ours = loaded_by("import inforest") - loaded_by(theirs)
    assert not ours & {"matplotlib", "pandas", "polars", "pyarrow", "rich", "typer", "distributed"}


def test_core_knows_no_python():
    """Only src/bind may include nanobind or Python."""
    for path in (ROOT / "src" / "core").rglob("*.?pp"):
        assert not re.search(r"#include [<\"](Python|nanobind)", path.read_text()), path


def test_one_place_says_which_child_a_row_goes_to():
    """Nothing else in the trees' code compares a value with a threshold."""
    compares = re.compile(r" [<>]=? [\w.\[\]()]*threshold|threshold[\w.\[\]()]* [<>]=? ")
    folder = ROOT / "src" / "core" / "tree"
    found = {path.name for path in folder.glob("*.?pp") if compares.search(path.read_text())}
    assert found == {"route.hpp"}


def test_every_core_file_says_its_job_first():
    for path in (ROOT / "src" / "core").rglob("*.hpp"):
        first, second = path.read_text().splitlines()[:2]
        assert first.startswith("// SPDX-License-Identifier: BSD-3-Clause"), path
        assert second.startswith("/// "), path


def test_every_selector_and_splitter_is_one_file_in_the_roster():
    roster = (ROOT / "src" / "core" / "roster.hpp").read_text()
    for folder in ("stage_a/selectors", "stage_b/splitters"):
        for path in (ROOT / "src" / "core" / folder).glob("*.hpp"):
            if path.stem != "maximum":  # the combination of several, made by the factory
                assert f'#include "core/{folder}/{path.name}"' in roster
    assert _core.selector_names("classification") == ["mc", "mi", "rdc", "quad"]
    assert _core.selector_names("regression") == ["pc", "dc", "rdc", "quad"]
