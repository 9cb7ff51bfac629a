"""The `pip install` lines of the pages name extras that there are, in the wheel, too.

``INFOREST_WHEEL=dist/inforest-....whl pytest tests/packaging`` looks at a built wheel, and asks pip
whether each line could be installed from it (which needs a package index).
"""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINE = re.compile(r"""pip install (?:-\S+ (?:\S+=\S+ )?)*["']?(?:\.|inforest)\[([\w,]+)\]""")
WHEEL = os.environ.get("INFOREST_WHEEL")
needs_wheel = pytest.mark.skipif(WHEEL is None, reason="INFOREST_WHEEL names no built wheel")


def named():
    """Return each combination of extras that a page names, and where."""
    found = {}
    for page in PAGES:
        for extras in LINE.findall(page.read_text()):
            found.setdefault(extras, page.name)
    return found


def of_wheel():
    with zipfile.ZipFile(WHEEL) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_string(wheel.read(name).decode())


def test_lines_name_extras_that_there_are():
    lines = named()
    assert {"plot,cli", "interop", "study"} <= set(lines)
    known = set(metadata("inforest").get_all("Provides-Extra"))
    for extras, page in lines.items():
        assert set(extras.split(",")) <= known, f"{page}: {extras}"


def test_the_recipe_asks_for_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text()
    needed = project["project"]["dependencies"] + project["build-system"]["requires"]
    for requirement in needed:
        name, _, least = requirement.partition(">=")
        assert f"- {name} >={least}" in recipe
    assert f'version: "{project["project"]["version"]}"' in recipe


@pytest.mark.skipif(
    find_spec("cibuildwheel") is None,
    reason="needs cibuildwheel, which .github/workflows/wheels.yml installs",
)
@pytest.mark.parametrize(
    ("platform", "arch", "tag"),
    [
        ("linux", "x86_64", "manylinux_x86_64"),
        ("macos", "x86_64", "macosx_x86_64"),
        ("windows", "AMD64", "win_amd64"),
    ],
)
def test_cibuildwheel_reads_its_settings(platform, arch, tag):
    """Two wheels per platform: one for Python 3.11, and an abi3 one for 3.12 and all after it."""
    ask = ["--print-build-identifiers", "--platform", platform, "--archs", arch]
    run = [sys.executable, "-m", "cibuildwheel", *ask, str(ROOT)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == [f"cp311-{tag}", f"cp312-{tag}"]
    scikit_build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert scikit_build["wheel"]["py-api"] == "cp312"


@needs_wheel
def test_the_wheel_has_version_licence_and_extras():
    about = of_wheel()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert about["Version"] == project["version"]
    assert about["License-Expression"] == "BSD-3-Clause"
    assert set(about.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
    assert any(name.startswith("inforest/_core.") for name in names)
    assert not any("testing" in Path(name).name.casefold() for name in names)


@needs_wheel
@pytest.mark.slow
@pytest.mark.parametrize("extras", ["", *sorted(named())])
def test_lines_can_be_installed_from_the_wheel(extras):
    what = f"{WHEEL}[{extras}]" if extras else WHEEL
    run = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", what]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
