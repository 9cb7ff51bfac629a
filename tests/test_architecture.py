"""Rules of the design that a tool can check."""

import ast
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


#: The library's packages; imports go to the left only. The last three are told apart below.
PACKAGES = ("_engine", "estimators", "independence", "ranking", "selection", "inspection")
ABOVE = {"report": PACKAGES, "io": PACKAGES, "cli": (*PACKAGES, "report", "io")}
ALLOWED = {name: PACKAGES[:i] for i, name in enumerate(PACKAGES)} | ABOVE
#: Methods that are shortcuts to a function further up; they import it when they are called.
SHORTCUTS = {("estimators/tree.py", "inspection")}


def imported(path):
    """Yield the package of the library that each import of a file is from, and its depth."""
    tree = ast.parse(path.read_text())
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "inforest" and len(parts) > 1:
                yield parts[1], id(node) in top


def test_imports_go_one_way():
    root = Path(inforest.__file__).parent
    for package, below in ALLOWED.items():
        for path in (root / package).rglob("*.py"):
            place = path.relative_to(root).as_posix()
            for other, is_first in imported(path):
                if other not in ALLOWED or other in (package, *below):
                    continue
                is_shortcut = (place, other) in SHORTCUTS and not is_first
                assert is_shortcut, f"{place} imports inforest.{other}, which is above it"


def test_every_package_is_in_the_order():
    root = Path(inforest.__file__).parent
    there = {path.parent.name for path in root.glob("*/__init__.py")}
    assert there - {"bench"} == set(ALLOWED)
