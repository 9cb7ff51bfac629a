"""The tables of a tree's arrays, in the core and in Python: they agree, and are the only ones."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from engine import grow
from forests import BOTH, Classifier, assert_same_trees, data
from inforest._engine import arrays
from inforest._engine.arrays import ARRAYS, DTYPES, Per
from inforest.io import layout, persistence, reading, reading_trees, writing

CORE = Path(__file__).parents[2] / "src" / "core" / "tree"
BIND = Path(__file__).parents[2] / "src" / "bind"


@pytest.mark.parametrize("n_classes", [0, 3])
def test_both_tables_agree(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(float)
    grown = grow(X, y, n_classes, seeds=(0, 1))
    counts = grown.pop("candidate_counts")
    assert counts.shape == (2,)
    assert set(grown) == set(ARRAYS)
    n_nodes = grown["offset"][-1]
    length = {Per.NODE: n_nodes, Per.TREE: 2, Per.BORDER: 3, Per.WORD: grown["pool_offset"][-1]}
    for name, about in ARRAYS.items():
        columns = (max(1, n_classes),) if about.is_table else ()
        assert grown[name].dtype == DTYPES[name], name
        assert grown[name].shape == (length[about.per], *columns), name
        assert about.meaning


def test_the_core_lists_its_arrays_once():
    """What growing only records is named in the table and where it is recorded, nowhere else."""
    table = re.findall(r"^  (?:ARRAY|NUMBER)\((\w+),", (CORE / "tree.hpp").read_text(), re.M)
    listed = [name for name, about in ARRAYS.items() if about.per in (Per.NODE, Per.TREE)]
    assert sorted([*table, "value"]) == sorted(listed)
    common_words = {
        *("feature", "threshold", "missing_left", "left", "right", "n_samples"),
        "level_set",
    }
    files = BIND / "grow.cpp", BIND / "trees.cpp", CORE / "forest.hpp"
    text = "".join(path.read_text() for path in files)
    for name in set(table) - common_words:
        assert not re.search(rf"\b{name}\b", text), name


# --- A new array is one line ----------------------------------------------------------------------


@pytest.fixture
def with_one_more(tmp_path, monkeypatch):
    """Return the table's module and that of files as they are after a line was added to it."""
    old = Path(arrays.__file__).read_text()
    line = '    surprise: Annotated[NDArray[np.int16], About("for a test")]\n'
    before = "    draws_selector: Annotated["
    assert old.count(before) == 1
    path = tmp_path / "arrays.py"
    path.write_text(old.replace(before, line + before))

    def run(name, path):
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    more = run("inforest._engine.arrays", path)
    for module in (layout, writing, reading_trees, reading):
        run(module.__name__, module.__file__)
    return more, run(persistence.__name__, persistence.__file__)


@pytest.mark.parametrize("cls", BOTH)
def test_a_line_is_enough_for_a_new_array(cls, with_one_more, tmp_path):
    more, files = with_one_more
    forest = cls(n_estimators=4, random_state=0).fit(*data(cls))
    old = {name: getattr(forest.trees_, name) for name in ARRAYS}
    surprise = np.arange(forest.trees_.node_count, dtype=np.int16)
    forest.trees_ = trees = more.Trees(surprise=surprise, **old)

    again = more.Trees.concatenate([trees.part(0, 1), trees.part(1, 4)])
    assert_same_trees(again, trees)
    assert_array_equal(again.surprise, surprise)
    begin, end = trees.offset[2:4]
    assert_array_equal(trees.tree(2).surprise, surprise[begin:end])
    assert trees.tree(2).node(1).surprise == begin + 1
    files.save(forest, tmp_path / "file")
    assert_array_equal(files.load(tmp_path / "file").trees_.surprise, surprise)


def test_fitted_arrays_are_plain_and_read_only():
    trees = Classifier(n_estimators=2, random_state=0).fit(*data(Classifier)).trees_
    assert list(vars(trees)) == list(ARRAYS)
    for name in ARRAYS:
        array = getattr(trees, name)
        assert type(array) is np.ndarray
        assert not array.flags.writeable
