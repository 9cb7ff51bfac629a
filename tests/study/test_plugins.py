"""A method or a data set of one's own is one file in a folder."""

import os
import subprocess
import sys

import numpy as np
import pytest

from inforest_study import datasets, methods, plugins

METHOD = """
import numpy as np
from inforest_study.method import Method, Ranked

def rank(X, y, task, parameters, random_state, n_jobs):
    scores = np.random.default_rng(random_state).random(X.shape[1]) + parameters["offset"]
    return Ranked(np.argsort(-scores), scores)

METHOD = Method(
    name="{name}",
    configs={{"regression": {{"default": {{"offset": 1.0}}}}}},
    selected={{"regression": "default"}},
    rank=rank,
)
"""
DATASETS = """
import numpy as np
from inforest_study.dataset import Dataset, DatasetInfo

def load(data_dir, cache_dir):
    X = np.arange(12.0).reshape(6, 2)
    return Dataset(DATASETS[0], X, X[:, 0])

DATASETS = [
    DatasetInfo("{name}", "regression", 6, 2, None, "made up", "BSD", (), "plugin", None, load)
]
"""
ENTRY = """
[{name}]
task = "regression"
n_samples = 6
n_features = 2
source = "made up"
license = "BSD"
"""


@pytest.fixture
def registries(monkeypatch):
    """Begin with the package's own methods and data sets, and forget what a test registers."""
    own = {name: info for name, info in datasets._REGISTRY.items() if info.group != "plugin"}
    monkeypatch.setattr(methods, "_added", {})
    monkeypatch.setattr(datasets, "_REGISTRY", own)
    monkeypatch.setattr(plugins, "_loaded", set())


def write(folder, **files):
    for path, text in files.items():
        place, name, suffix = path.split("__")
        (folder / place).mkdir(exist_ok=True)
        (folder / place / f"{name}.{suffix}").write_text(text)
    return folder


@pytest.mark.usefixtures("registries")
def test_a_method_is_one_file(tmp_path):
    plugins.load(write(tmp_path, methods__lottery__py=METHOD.format(name="Lottery")))
    method = methods.get("Lottery")
    assert methods.names()[-1] == "Lottery"
    parameters = method.parameters("regression")
    found = method.rank(np.zeros((3, 4)), np.zeros(3), "regression", parameters, 0, 1)
    assert sorted(found.order.tolist()) == [0, 1, 2, 3]
    assert found.scores.min() >= 1.0
    plugins.load(tmp_path)  # once more: nothing happens
    assert methods.get("Lottery") is method


@pytest.mark.usefixtures("registries")
def test_a_data_set_is_one_file(tmp_path):
    folder = write(
        tmp_path,
        datasets__ramp__py=DATASETS.format(name="ramp"),
        datasets__listed__toml=ENTRY.format(name="ramp-2"),
    )
    plugins.load(folder)
    plugins.load(str(folder))
    assert datasets.names("plugin") == ["ramp", "ramp-2"]
    assert datasets.load("ramp").X.shape == (6, 2)
    assert datasets.info("ramp-2").n_features == 2


@pytest.mark.usefixtures("registries")
def test_files_that_know_the_study_by_its_old_name_work(tmp_path, monkeypatch):
    for part in ("", ".method", ".dataset"):
        monkeypatch.delitem(sys.modules, f"inforest.bench{part}", raising=False)
    old = {
        path: text.format(name="Old").replace("inforest_study", "inforest.bench")
        for path, text in [("methods__old__py", METHOD), ("datasets__old__py", DATASETS)]
    }
    plugins.load(write(tmp_path, **old))
    assert methods.names()[-1] == "Old"
    assert datasets.names("plugin") == ["Old"]


@pytest.mark.usefixtures("registries")
def test_taken_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="a method named 'CIF' exists already"):
        plugins.load(write(tmp_path, methods__mine__py=METHOD.format(name="CIF")))
    (tmp_path / "methods" / "mine.py").write_text(METHOD.format(name="Mine"))
    plugins.load(tmp_path)  # mended: it is read again
    assert "Mine" in methods.names()
    with pytest.raises(ValueError, match="data set 'wine' already"):
        plugins.load(write(tmp_path, datasets__mine__py=DATASETS.format(name="wine")))


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("methods__m__py", "x = 1", r"m\.py must define METHOD"),
        ("methods__m__py", "METHOD = 1", r"m\.py must define METHOD"),
        ("methods__m__py", "1 / 0", r"m\.py cannot be imported: ZeroDivisionError"),
        ("methods__m__py", "def (", r"m\.py cannot be imported: SyntaxError"),
        ("datasets__d__py", "DATASETS = 3", r"d\.py must define DATASETS"),
        ("datasets__d__toml", "x = 1", r"d\.toml"),
    ],
)
def test_a_bad_file_is_named(tmp_path, path, text, message):
    with pytest.raises(ValueError, match=message):
        plugins.load(write(tmp_path, **{path: text}))


def test_a_folder_without_plugins_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="must have a folder methods or datasets"):
        plugins.load(tmp_path)
    with pytest.raises(ValueError, match="must have a folder methods or datasets"):
        plugins.load(tmp_path / "nowhere")


def test_environment_names_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("INFOREST_BENCH_PATH", os.pathsep.join([str(tmp_path / "a"), "", "b"]))
    assert [str(folder) for folder in plugins.folders_from_environment()] == [
        str(tmp_path / "a"),
        "b",
    ]
    monkeypatch.delenv("INFOREST_BENCH_PATH")
    assert plugins.folders_from_environment() == ()


def test_files_of_one_name_do_not_meet(tmp_path):
    """Each file is a module of its own, and a fresh process finds the same plugins."""
    for name in ("One", "Two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, methods__same__py=METHOD.format(name=name))
    code = (
        "from inforest_study import methods, plugins\n"
        "for folder in plugins.folders_from_environment(): plugins.load(folder)\n"
        "print(methods.get('One').rank.__module__ != methods.get('Two').rank.__module__)"
    )
    path = os.pathsep.join(str(tmp_path / name) for name in ("One", "Two"))
    environment = {**os.environ, "INFOREST_BENCH_PATH": path}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "True"
