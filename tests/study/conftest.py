"""A toy experiment in a plug-in folder: it can sleep, fail or take memory, and it counts."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("psutil")

METHOD = '''
"""Ranks by correlation, after misbehaving as told; leaves a line for each time it is run."""

import os
import subprocess
import sys
import time

import numpy as np

from inforest_study.method import Method, MethodUnavailable, Ranked, best_first


def rank(X, y, task, parameters, random_state, n_jobs):
    line = f"{parameters['tag']} {random_state} {X.shape[1]} {os.getpid()}\\n"
    with open(os.environ["TOY_LOG"], "a") as log:
        log.write(line)
    time.sleep(parameters.get("sleep", 0))
    if parameters.get("child"):
        subprocess.run(["sleep", "600"])
    if parameters.get("raises"):
        raise RuntimeError("the toy broke\\nfor a reason")
    if parameters.get("orphan"):
        subprocess.Popen(["sleep", "601"])  # shares the worker's files, the pipes among them
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
    if parameters.get("exits"):
        print("these are my last words", file=sys.stderr, flush=True)
        os._exit(3)
    if parameters.get("unavailable"):
        raise MethodUnavailable("toy not found:  pip install toy")
    if parameters.get("hog"):
        hog = np.ones(parameters["hog"] * 10**6 // 8)
        time.sleep(60)
    if parameters.get("talks"):
        print("methods may print")
    rng = np.random.default_rng(random_state)
    scores = np.abs(np.corrcoef(X.T, y)[-1, :-1]) + 1e-3 * rng.random(X.shape[1])
    threads = float(os.environ.get("OMP_NUM_THREADS", n_jobs))
    return Ranked(best_first(scores), scores, facts={"threads": threads})


def config(tag, **parameters):
    return {"tag": tag, **parameters}


CONFIGS = {
    "plain": config("plain"),
    "talks": config("talks", talks=True),
    "slow": config("slow", sleep=0.1),
    "child": config("child", child=True),
    "raises": config("raises", raises=True),
    "exits": config("exits", exits=True),
    "orphan": config("orphan", orphan=True),
    "orphan-exits": config("orphan-exits", orphan=True, exits=True),
    "unavailable": config("unavailable", unavailable=True),
    "hog": config("hog", hog=900),
}
METHOD = Method(
    name="toy",
    configs={"classification": CONFIGS, "regression": CONFIGS},
    selected={"classification": "plain", "regression": "plain"},
    rank=rank,
    cost_hint=lambda n, p, n_classes: 2.0,
)
'''
DATASETS = """
import numpy as np

from inforest_study.dataset import Dataset, DatasetInfo, DatasetUnavailable


def load(name, data_dir, cache_dir):
    info = next(one for one in DATASETS if one.name == name)
    if name == "toy-absent":
        raise DatasetUnavailable(name, "it does not exist", "do without it")
    rng = np.random.default_rng(7)
    X = rng.normal(size=(info.n_samples, info.n_features))
    signal = X[:, 2] + 0.5 * rng.normal(size=info.n_samples)
    return Dataset(info, X, signal > 0 if info.task == "classification" else signal)


def info(name, task, n, p):
    n_classes = 2 if task == "classification" else None
    loader = lambda data_dir, cache_dir: load(name, data_dir, cache_dir)
    return DatasetInfo(name, task, n, p, n_classes, "made up", "BSD", (), "plugin", None, loader)


DATASETS = [
    info("toy-classes", "classification", 60, 8),
    info("toy-numbers", "regression", 50, 6),
    info("toy-absent", "classification", 60, 8),
]
"""


class Toys:
    """The plug-in folder, its suites, and what its method left behind."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugins = root / "plugins"
        self.log = root / "log"
        for place, text in [("methods/toy.py", METHOD), ("datasets/toy.py", DATASETS)]:
            path = self.plugins / place
            path.parent.mkdir(parents=True)
            path.write_text(text)

    def suite(
        self, configs=("plain",), datasets=("toy-classes", "toy-numbers"), seconds=60.0, **more
    ):
        """Write a suite and return its path."""
        values = dict(name="toys", datasets=list(datasets), seeds=[0, 1], folds=3, ks=[2, 4])
        values |= dict(learners=["KNN", "Ridge"]) | more
        lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
        lines.append(f"budget = {{ seconds = {seconds}, memory_gb = 0.8 }}")
        lines.append(f'methods = [{{ method = "toy", config = {list(configs)} }}]')
        path = self.root / f"suite{len(list(self.root.glob('suite*')))}.toml"
        path.write_text("\n".join(lines))
        return str(path)

    def executions(self):
        """Return what was run, once for each time, without the process."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.rpartition(" ")[0] for line in lines]

    def pids(self):
        """Return the processes that ran something."""
        return {int(line.split()[-1]) for line in self.log.read_text().splitlines()}

    def start(self, *arguments):
        """Start `inforest bench` in a process of its own."""
        command = [sys.executable, "-m", "inforest_study", *map(str, arguments)]
        command += ["--plugins", str(self.plugins)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, *arguments):
        """Run `inforest bench` to its end and return what it said."""
        process = self.start(*arguments)
        output = process.communicate(timeout=120)[0].decode()
        assert process.returncode == 0, output
        return output


def _toml(value):
    return str(value).lower() if isinstance(value, bool) else repr(value)


class Threads:
    """An engine without processes: quick, and without budgets."""

    lost = ()

    def __init__(self, capacity=2):
        self.capacity = capacity
        self._pool = ThreadPoolExecutor(capacity)

    def submit(self, request):
        from inforest_study.work import do

        return self._pool.submit(do, request)

    def close(self):
        self._pool.shutdown()


@pytest.fixture(scope="session")
def _toy_folder(tmp_path_factory):
    """One folder for all tests: a process registers a plug-in's names once."""
    from inforest_study import plugins

    toys = Toys(tmp_path_factory.mktemp("toys"))
    plugins.load(toys.plugins)
    return toys


@pytest.fixture
def toys(_toy_folder, monkeypatch):
    _toy_folder.log.unlink(missing_ok=True)
    monkeypatch.setenv("TOY_LOG", str(_toy_folder.log))
    return _toy_folder


@pytest.fixture
def threads():
    return Threads
