"""ctree and cforest by the real partykit: every importance belongs to its feature."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from inforest_study import datasets, methods
from inforest_study.method import MethodUnavailable
from inforest_study.methods import _r_partykit

TASKS = ("classification", "regression")


def _missing():
    try:
        _r_partykit.requires_partykit()
    except MethodUnavailable as error:
        return str(error)
    return None


needs_r = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


def noise_but(informative, task, n=150, p=6):
    """Return noise of which one feature decides y."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    signal = X[:, informative] + 0.1 * rng.normal(size=n)
    return X, (signal > 0).astype(int) if task == "classification" else signal


def rank(name, data, task, config="bonferroni", random_state=1, n_jobs=1, **changes):
    method = methods.get(name)
    parameters = {**method.parameters(task, config), **changes}
    return method.rank(*data, task, parameters, random_state, n_jobs)


@needs_r
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("informative", [0, 2, 5])
def test_ctree_credits_the_feature_it_splits_on(task, informative):
    """The response is the model frame's first column: `varid` is not the feature's number."""
    found = rank("ctree", noise_but(informative, task), task)
    assert found.order[0] == informative
    assert found.usage[informative] == found.scores[informative] > 0
    assert found.facts["mean_max_depth"] >= 1


@needs_r
@pytest.mark.parametrize("task", TASKS)
def test_cforest_reads_importances_by_name(task):
    """`varimp` leaves out the features that no tree uses, so that positions in it mean nothing."""
    found = rank("cforest", noise_but(40, task, p=60), task, ntree=10)
    unused = found.trees_using == 0
    assert unused.sum() > 10, "varimp's result is shorter than p"
    assert (found.scores[unused] == 0).all()
    assert found.order[0] == 40
    assert len(found.order) == 60


@needs_r
def test_importances_follow_the_columns():
    X, y = noise_but(3, "classification")
    shuffled = np.random.default_rng(4).permutation(6)
    straight = rank("ctree", (X, y), "classification")
    moved = rank("ctree", (X[:, shuffled], y), "classification")
    np.testing.assert_array_equal(moved.scores, straight.scores[shuffled])


@needs_r
def test_seed_decides_and_cores_do_not():
    data = noise_but(3, "regression", n=80)
    options = {"config": "montecarlo-replace", "ntree": 6, "nresample": 99}
    one = rank("cforest", data, "regression", **options)
    two = rank("cforest", data, "regression", n_jobs=2, **options)
    other = rank("cforest", data, "regression", random_state=2, **options)
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(one.usage, two.usage)
    assert not np.array_equal(one.scores, other.scores)


@needs_r
@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ["ctree", "cforest"])
def test_informative_feature_comes_first_on_the_easy_designs(name, task):
    easy = datasets.load(f"synthetic-{task}-easy")
    config = "bonferroni" if name == "ctree" else "bonferroni-replace"
    found = rank(name, (easy.X, easy.y), task, config)
    assert found.order[0] in easy.informative
    assert len(found.order) == easy.info.n_features


@needs_r
def test_list_of_variables_is_the_same_model_as_a_formula():
    """The script names its variables in a list, because a formula of 20,000 terms overflows."""
    code = """
        suppressPackageStartupMessages(library(partykit))
        set.seed(1)
        d <- data.frame(y = factor(iris$Species), iris[1:4] + rnorm(600, 0, 0.5))
        used <- function(model) {
          set.seed(2)
          control <- ctree_control(mincriterion = 0.95, saveinfo = FALSE)
          forest <- cforest(model, d, ntree = 5, mtry = 2, control = control)
          set.seed(3)
          varimp(forest)
        }
        stopifnot(identical(used(y ~ .), used(list(y = "y", z = names(d)[-1]))))
    """
    subprocess.run(["Rscript", "--vanilla", "-e", code], check=True)


@needs_r
def test_error_holds_the_words_of_r():
    with pytest.raises(RuntimeError, match=r"(?s)partykit failed: .*should be one of"):
        rank("ctree", noise_but(0, "regression"), "regression", testtype="Bayes")


def test_missing_r_says_how_to_get_it(monkeypatch, tmp_path):
    _r_partykit.requires_partykit.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    match = "^R with partykit not found: apt-get install r-cran-partykit"
    for name in ("ctree", "cforest"):
        with pytest.raises(MethodUnavailable, match=match):
            methods.get(name).requires()
        with pytest.raises(MethodUnavailable, match=match):
            rank(name, noise_but(0, "regression"), "regression")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script in place of R")
def test_missing_partykit_says_how_to_get_it(monkeypatch, tmp_path):
    _r_partykit.requires_partykit.cache_clear()
    fake_r(tmp_path, "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MethodUnavailable, match="r-cran-partykit"):
        methods.get("ctree").requires()


def fake_r(folder, body):
    script = folder / "Rscript"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv of util-linux")
def test_r_does_not_outlive_its_parent(tmp_path):
    """The process that ranks is killed: R, which would go on for hours, is gone too."""
    pid = tmp_path / "pid"
    fake_r(tmp_path, f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 99")
    code = "from inforest_study.methods import _r_partykit; _r_partykit._run_r({})"
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PATH": path})
    wait_for(pid.exists)
    child = int(pid.read_text())
    assert is_running(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not is_running(child))


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid):
    """Tell whether a process lives; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
