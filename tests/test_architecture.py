"""Rules of the design that a tool can check."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import inforest
from inforest import _core

ROOT = Path(__file__).parents[1]
#: What whoever builds on the library may import, by module.
PUBLIC = {
    "inforest": inforest.__all__,
    "inforest.diagnostics": inforest.diagnostics.__all__,
    "inforest.redundancy": ["choose_strength", "rerank"],
    "inforest.report": inforest.report.__all__,
}
#: Underscored, and yet public: of named tuples and of the standard library.
NOT_PRIVATE = {"_asdict", "_exit", "_replace"}
CORE = ROOT / "src" / "core"

#: The core's folders: files of each include their own and those before it, no others.
FOLDERS = ["base", "data", "inference", "stage_a", "stage_b", "tree", "independence", "testing"]


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
    for path in CORE.rglob("*.?pp"):
        assert not re.search(r"#include [<\"](Python|nanobind)", path.read_text()), path


def test_core_includes_go_one_way():
    """Files beside the folders join the stages and belong to none."""
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(FOLDERS)
    against = set()
    for place, folder in enumerate(FOLDERS):
        for path in (CORE / folder).rglob("*.?pp"):
            for included in re.findall(r'#include "core/(\w+/.+)"', path.read_text()):
                if included.partition("/")[0] not in FOLDERS[: place + 1]:
                    against.add((folder, included))
    assert against == set()


def test_one_place_says_which_child_a_row_goes_to():
    """Nothing else in the trees' code compares a value with a threshold."""
    compares = re.compile(r" [<>]=? [\w.\[\]()]*threshold|threshold[\w.\[\]()]* [<>]=? ")
    folder = ROOT / "src" / "core" / "tree"
    found = {path.name for path in folder.glob("*.?pp") if compares.search(path.read_text())}
    assert found == {"route.hpp"}


def test_no_core_file_is_long():
    for folder in ("src/core", "src/bind", "tests/core"):
        for path in (ROOT / folder).rglob("*.?pp"):
            assert len(path.read_text().splitlines()) <= 400, path


def test_every_core_file_says_its_job_first():
    for path in CORE.rglob("*.hpp"):
        first, second = path.read_text().splitlines()[:2]
        assert first.startswith("// SPDX-License-Identifier: BSD-3-Clause"), path
        assert second.startswith("/// "), path


def test_every_selector_and_splitter_is_one_file_in_the_roster():
    rosters = {"stage_a/selectors": "stage_a/roster.hpp", "stage_b/splitters": "stage_b/roster.hpp"}
    for folder, roster in rosters.items():
        listed = (CORE / roster).read_text()
        for path in (CORE / folder).glob("*.hpp"):
            if path.stem != "maximum":  # the combination of several, made by the factory
                assert f'#include "core/{folder}/{path.name}"' in listed
    assert _core.selector_names("labels") == ["mc", "mi", "rdc", "quad"]
    assert _core.selector_names("scores") == ["pc", "dc", "rdc", "quad"]


def imported(source):
    """Yield every name that a source text imports, in full."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def private_attributes(source):
    """Yield every private attribute that a source text reads off anything but its own objects."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not is_own and node.attr not in NOT_PRIVATE:
                yield node.attr


def of_package(name, package):
    return f"{name}.".startswith(f"{package}.")


def sources(package):
    paths = sorted((ROOT / "src" / package).rglob("*.py"))
    assert paths
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def test_the_library_does_not_import_the_study():
    found = [
        (path, name)
        for path, source in sources("inforest").items()
        for name in imported(source)
        if of_package(name, "inforest_study")
    ]
    assert found == []


def test_the_study_imports_public_names_only():
    public = {*PUBLIC, *(f"{module}.{name}" for module in PUBLIC for name in PUBLIC[module])}
    found = [
        (path, name)
        for path, source in sources("inforest_study").items()
        for name in imported(source)
        if of_package(name, "inforest") and name not in public
    ]
    assert found == []


def test_the_study_reads_no_private_attribute():
    found = [
        (path, name)
        for path, source in sources("inforest_study").items()
        for name in private_attributes(source)
    ]
    assert found == []


#: The library's packages; imports go to the left only. The last three are told apart below.
PACKAGES = (
    *("_engine", "estimators", "independence", "ranking", "conditional", "selection"),
    "inspection",
)
ABOVE = {
    "report": PACKAGES,
    "io": PACKAGES,
    "interop": PACKAGES,
    "cli": (*PACKAGES, "report", "io"),
}
ALLOWED = {name: PACKAGES[:i] for i, name in enumerate(PACKAGES)} | ABOVE
#: Methods that are shortcuts to a function further up; they import it when they are called.
SHORTCUTS = {("estimators/tree.py", "inspection")}


def imported_packages(path):
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
            for other, is_first in imported_packages(path):
                if other not in ALLOWED or other in (package, *below):
                    continue
                is_shortcut = (place, other) in SHORTCUTS and not is_first
                assert is_shortcut, f"{place} imports inforest.{other}, which is above it"


def test_every_package_is_in_the_order():
    root = Path(inforest.__file__).parent
    there = {path.parent.name for path in root.glob("*/__init__.py")}
    assert there == set(ALLOWED)
