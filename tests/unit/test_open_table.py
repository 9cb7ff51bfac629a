"""Files larger than memory: their numbers, and the trees of the same numbers in memory."""

import gc
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    independence_test,
    open_table,
)
from inforest._engine import storage
from inforest.io import open_table as module

N = 500


def _columns(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N).astype(np.float32)
    return {
        "x": pa.array(x),
        "few": pa.array(rng.integers(0, 5, N).astype(np.int16)),
        "yes": pa.array(rng.random(N) < 0.3),
        "gaps": pa.array(np.where(rng.random(N) < 0.2, np.nan, x).astype(np.float32)),
        "nulls": pa.array([None if i % 7 == 0 else i % 50 for i in range(N)], pa.int8()),
        "y": pa.array(x + rng.normal(size=N)),
        "word": pa.array(np.where(x > 0, "high", "low")),
    }


def _write(path, columns):
    table = pa.table(columns)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=64)
    elif path.suffix == ".feather":
        feather.write_feather(table, path, chunksize=64)
    else:
        new = pa.ipc.new_stream if path.stem == "stream" else pa.ipc.new_file
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=64)
    return path


FEATURES = ["x", "few", "yes", "gaps", "nulls"]


def _expected(columns, names):
    return np.column_stack(
        [[np.nan if v is None else float(v) for v in columns[name].to_pylist()] for name in names]
    )


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow", "stream.arrow"])
@pytest.mark.parametrize("batch", [37, 2**16])
def test_numbers_are_those_of_the_file(tmp_path, monkeypatch, name, batch):
    monkeypatch.setattr(module, "_BATCH", batch)
    columns = _columns()
    path = _write(tmp_path / name, columns)
    table = open_table(path, target="y", columns=FEATURES, folder=tmp_path)
    assert isinstance(table.X, np.memmap)
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, _expected(columns, FEATURES))
    np.testing.assert_array_equal(table.y, columns["y"].to_numpy())
    assert table.feature_names == FEATURES
    words = open_table(path, target="word", columns=["few", "x"])
    np.testing.assert_array_equal(words.X, _expected(columns, ["few", "x"]))
    assert words.y.tolist() == columns["word"].to_pylist()
    assert open_table(path, columns=["x"]).y is None


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array(np.arange(4, dtype=np.int32)), np.float64),
        (pa.array([2.0**40 + 1, None, 0.1, 1.0]), np.float64),
        (pa.array([2**53 - 1, 1, 2, None]), np.float64),
        (pa.array(np.arange(4, dtype=np.float16)), np.float32),
    ],
)
def test_no_number_is_rounded(tmp_path, values, kind):
    path = _write(tmp_path / "t.parquet", {"a": values})
    X = open_table(path).X
    assert X.dtype == kind
    np.testing.assert_array_equal(X, _expected({"a": values}, ["a"]))


def test_the_map_is_deleted_with_its_last_view(tmp_path):
    path = _write(tmp_path / "t.parquet", {"a": pa.array([1.0, 2.0])})
    folder = tmp_path / "maps"
    folder.mkdir()
    part = open_table(path, folder=folder).X[1:]
    gc.collect()
    assert len(list(folder.iterdir())) == 1
    assert part[0, 0] == 2.0
    del part
    gc.collect()
    assert not list(folder.iterdir())


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_forests_are_those_of_the_numbers(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(storage, "_SMALL_BYTES", 0)
    path = _write(tmp_path / "t.parquet", _columns())
    target = "y" if kind == "regression" else "word"
    table = open_table(path, target=target, columns=FEATURES)
    forest = (
        ConditionalInferenceForestRegressor
        if kind == "regression"
        else ConditionalInferenceForestClassifier
    )
    for max_samples in (50, None):
        model = forest(10, max_samples=max_samples, random_state=0)
        found = model.fit(table.X, table.y).predict(table.X)
        known = model.fit(np.array(table.X, dtype=np.float64), table.y).predict(table.X)
        np.testing.assert_array_equal(found, known)
    tests = [
        independence_test(X, table.y, n_resamples=49, random_state=0).p_value
        for X in (table.X, np.array(table.X, dtype=np.float64))
    ]
    np.testing.assert_array_equal(*tests)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "z"}, "has no column 'z'; it has x"),
        ({"columns": ["x", "z"]}, "has no column 'z'"),
        ({"columns": "x"}, "a sequence of names; got 'x'"),
        ({"columns": 5}, "a sequence of names; got 5"),
        ({"target": ["x"]}, "the name of a column; got"),
        ({"target": "y"}, "column 'word' of .* holds string"),
        ({"target": "x", "columns": ["x"]}, "cannot be a feature, too"),
        ({"columns": []}, "no column that could be a feature"),
        ({"target": "nulls", "columns": ["x"]}, "'nulls' has missing values"),
    ],
)
def test_mistakes_are_named(tmp_path, options, words):
    path = _write(tmp_path / "t.parquet", _columns())
    folder = tmp_path / "maps"
    folder.mkdir()
    with pytest.raises(ValueError, match=words):
        open_table(path, folder=folder, **options)
    assert not list(folder.iterdir())


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        open_table(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"end in \.parquet"):
        open_table(tmp_path / "t.csv")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no, it is not")
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read"):
        open_table(tmp_path / "bad.parquet")
    empty = _write(tmp_path / "empty.parquet", {"a": pa.array([], pa.float32())})
    with pytest.raises(ValueError, match="has no rows"):
        open_table(empty)


def test_two_columns_of_one_name(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0])] * 3, names=["a", "a", "b"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="several columns 'a'"):
        open_table(tmp_path / "t.parquet")
    assert open_table(tmp_path / "t.parquet", columns=["b"]).X.shape == (1, 1)


def test_a_full_disk_is_an_error(tmp_path):
    """Written by way of the map, the first page without a place would have ended the process."""
    if shutil.which("unshare") is None:
        pytest.skip("cannot make a small disk here")
    _write(tmp_path / "t.parquet", {"a": pa.array(np.arange(100_000.0))})
    (tmp_path / "disk").mkdir()
    code = "from inforest import open_table; open_table('t.parquet', folder='disk')"
    mount = 'mount -t tmpfs -o size=64k none disk || exit 77; "$0" -c "$1"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, sys.executable, code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr or done.returncode == 77:
        pytest.skip("may not make a small disk here")
    assert "OSError: [Errno 28] No space left on device" in done.stderr
    assert done.returncode == 1
