"""The registry, and loading from a folder, the cache and scikit-learn's bundles."""

import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_wine

from inforest_study import datasets
from inforest_study.dataset import Dataset, DatasetInfo, DatasetUnavailable, checksum
from inforest_study.datasets import files
from inforest_study.datasets.real import LISTED, read_entries

DATA = os.environ.get("INFOREST_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="INFOREST_DATA names no folder of data sets")
NOT_AT_HAND = {"gisette", "CLL_SUB_111"}  # when the checksums were made


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No folder, an empty cache, no network."""
    monkeypatch.delenv("INFOREST_DATA", raising=False)
    monkeypatch.setenv("INFOREST_CACHE", str(tmp_path / "cache"))

    def refuse(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("inforest_study.datasets.download.urlopen", refuse)
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)


@pytest.fixture
def registry(monkeypatch):
    """A registry to add to."""
    monkeypatch.setattr(datasets, "_REGISTRY", dict(datasets._REGISTRY))


def info(**changes):
    values = dict(
        name="toy",
        task="classification",
        n_samples=4,
        n_features=2,
        n_classes=2,
        source="here",
        license="BSD",
        quirks=(),
        group="plugin",
        checksum=None,
        loader=lambda data_dir, cache_dir: None,
    )
    return DatasetInfo(**(values | changes))


X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
Y = np.array([0, 1, 0, 1])


def write_parquet(path, X=X, y=Y, names=("a", "b")):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({**dict(zip(names, X.T, strict=True)), "y": y}), path)


def entry(tmp_path, text=""):
    path = tmp_path / "toy.toml"
    path.write_text(
        '[toy]\ntask = "classification"\nn_samples = 4\nn_features = 2\nn_classes = 2\n'
        'source = "nowhere"\nlicense = "none"\n' + text
    )
    return read_entries(path, group="plugin")


def test_the_study_has_23_and_8_real_data_sets():
    assert len(datasets.names("real", "classification")) == 23
    assert len(datasets.names("real", "regression")) == 8


def test_every_entry_says_where_it_comes_from():
    for name in datasets.names():
        known = datasets.info(name)
        assert known.name == name
        assert known.source
        assert known.license


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("glass", "the target leaks"),
        ("gamma", "first of the 10 predictors"),
        ("isolet", "first of the 617 predictors"),
        ("musk", "first of the 6598 rows"),
        ("imports-85", "missing prices are 0"),
        ("facebook", "leaks"),
        ("community_crime", "indicators"),
        ("comm_violence", "indicators"),
    ],
)
def test_quirks_are_told(name, words):
    assert words in " ".join(datasets.info(name).quirks)


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "digits", "diabetes", "wine"])
def test_bundles_are_there_without_anything_downloaded(name):
    dataset = datasets.load(name)
    assert dataset.X.dtype == np.float64
    assert dataset.y.dtype == (np.float64 if name == "diabetes" else np.int64)
    assert not dataset.X.flags.writeable


def test_wine_is_scikit_learns_wine():
    bunch = load_wine()
    assert checksum(bunch.data, bunch.target) == datasets.info("wine").checksum


@needs_data
@pytest.mark.parametrize(
    "name", [*datasets.names("real"), *datasets.names("variant")], ids=lambda name: name
)
def test_local_files_are_the_studys(name):
    if name in NOT_AT_HAND:
        pytest.skip("no copy at hand")
    dataset = datasets.load(name, DATA)  # a warning, which is an error here, if they differ
    assert dataset.info.checksum == checksum(dataset.X, dataset.y)


@needs_data
def test_the_rows_of_glass_are_numbered_and_those_of_glass_fixed_are_not():
    glass, fixed = datasets.load("glass", DATA), datasets.load("glass-fixed", DATA)
    assert glass.X[:, 0].tolist() == list(range(1, 215))
    assert (np.diff(glass.y) >= 0).all()
    np.testing.assert_array_equal(fixed.X, glass.X[:, 1:])
    assert fixed.feature_names[0] == "x2"


@pytest.mark.parametrize("folder", ["", "real/classification", "classification", "real"])
def test_a_folder_is_searched(folder, tmp_path, monkeypatch):
    (toy,) = entry(tmp_path)
    write_parquet(tmp_path / "data" / folder / "toy.parquet")
    dataset = toy.loader(tmp_path / "data", None)
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, Y)
    assert dataset.feature_names == ["a", "b"]


def test_the_folder_may_come_from_the_environment(tmp_path, monkeypatch, registry):
    (toy,) = entry(tmp_path)
    datasets.register(toy)
    write_parquet(tmp_path / "data" / "toy.parquet")
    monkeypatch.setenv("INFOREST_DATA", str(tmp_path / "data"))
    assert datasets.load("toy").X.shape == (4, 2)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"must be a folder that exists, got .*gone"):
        datasets.load("iris", tmp_path / "gone")


def test_local_values_that_differ_are_told(tmp_path):
    (toy,) = entry(tmp_path, f'checksum = "{checksum(X, Y)}"\n')
    write_parquet(tmp_path / "toy.parquet", X=X + 1)
    with pytest.warns(UserWarning, match="toy: .* differs from the study's copy"):
        toy.loader(tmp_path, None)


def test_a_file_without_a_target_is_named(tmp_path):
    (toy,) = entry(tmp_path)
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "toy.parquet")
    with pytest.raises(ValueError, match=r"toy\.parquet must have a column 'y'"):
        toy.loader(tmp_path, None)


def test_the_cache_comes_after_the_folder(tmp_path):
    (toy,) = entry(tmp_path)
    files.write(tmp_path / "cache" / "datasets" / "toy.parquet", X, Y)
    np.testing.assert_array_equal(toy.loader(None, tmp_path / "cache").X, X)
    write_parquet(tmp_path / "data" / "toy.parquet", X=X + 1)
    np.testing.assert_array_equal(toy.loader(tmp_path / "data", tmp_path / "cache").X, X + 1)


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_cache_is_refused(damage, tmp_path):
    (toy,) = entry(tmp_path)
    path = tmp_path / "datasets" / "toy.parquet"
    files.write(path, X, Y)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        content = pq.read_table(path)
        other = pa.table({"x1": X[:, 0] + 1, "x2": X[:, 1], "y": Y})
        pq.write_table(other.replace_schema_metadata(content.schema.metadata), path)
    with pytest.raises(DatasetUnavailable, match=r"damaged(.|\n)*delete that file"):
        toy.loader(None, tmp_path)


def test_nothing_is_left_of_a_failed_write(tmp_path):
    with pytest.raises(pa.ArrowException):
        files.write(tmp_path / "toy.parquet", X, Y[:-1])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["gisette", "CLL_SUB_111", "isolet", "california_housing"])
def test_without_network_the_message_says_how_to_get_it(name, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_california_housing", refuse)
    with pytest.raises(DatasetUnavailable, match=f"{name} is not available") as caught:
        datasets.load(name)
    assert f"{name}.parquet" in str(caught.value)
    assert "INFOREST_DATA" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))  # goes from workers to the runner
    assert str(again) == str(caught.value)


def test_an_entry_without_source_is_not_available(tmp_path):
    (toy,) = entry(tmp_path)
    with pytest.raises(DatasetUnavailable, match="no public source"):
        toy.loader(None, None)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wime", "did you mean wine"),
        ("synthetic-clasification-easy", "did you mean synthetic-classification-easy"),
        ("qqqqqqqqqqqqqq", "there are gamma, glass"),
        ("wine@3", "takes no seed"),
        ("synthetic-classification-easy@x", "the seed in .* must be an integer"),
    ],
)
def test_unknown_names(name, words):
    with pytest.raises(ValueError, match=words):
        datasets.info(name)


def test_registering(registry):
    toy = info(loader=lambda data_dir, cache_dir: Dataset(toy, X, Y))
    datasets.register(toy)
    assert "toy" in datasets.names("plugin")
    assert datasets.load("toy").feature_names == ["x1", "x2"]
    with pytest.raises(ValueError, match="there is a data set 'toy' already"):
        datasets.register(toy)
    with pytest.raises(ValueError, match="must have no '@' or '/'"):
        datasets.register(replace(toy, name="toy@1"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": "ranking"}, "task must be"),
        ({"n_classes": None}, "n_classes must be"),
        ({"task": "regression"}, "n_classes must be"),
    ],
)
def test_entries_are_checked(changes, words):
    with pytest.raises(ValueError, match=words):
        info(**changes)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (X[:3], Y, "must have 4 samples and 2 features"),
        (X, Y[:3], "must have 4 samples and 2 features"),
        (np.where(X == 1, np.nan, X), Y, "missing or infinite"),
        (X, Y + 1, "classes of toy must be 0 to 1"),
    ],
)
def test_data_are_checked_against_the_entry(X, y, words):
    with pytest.raises(ValueError, match=words):
        Dataset(info(), X, y)


def test_feature_names_are_counted():
    with pytest.raises(ValueError, match="must have 2 feature names, got 1"):
        Dataset(info(), X, Y, ["a"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('colour = "red"\n', "unknown keys"),
        ('parent = "gone"\n', "must come before it"),
    ],
)
def test_mistakes_in_a_list_are_named(text, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        entry(tmp_path, text)


def test_an_entry_needs_its_keys(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text('[toy]\ntask = "classification"\n')
    with pytest.raises(ValueError, match=r"toy.*missing"):
        read_entries(path)
    path.write_text("toy = 1\n")
    with pytest.raises(ValueError, match="must be a table"):
        read_entries(path)


def test_checksums_do_not_depend_on_storage():
    digest = checksum(X, Y)
    assert checksum(np.asfortranarray(X), Y.astype(np.int32)) == digest
    assert checksum(X.astype(">f8"), Y) == digest
    assert checksum(X[::-1], Y) != digest
    assert checksum(X, Y[::-1].copy()) != digest
    zeros = np.zeros((2, 1))
    assert checksum(-zeros, zeros[:, 0]) == checksum(zeros, -zeros[:, 0])


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/inforest"),
        ("linux", {}, "/home/me/.cache/inforest"),
        ("darwin", {}, "/home/me/Library/Caches/inforest"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/inforest"),
        ("linux", {"INFOREST_CACHE": "/mine"}, "/mine"),
    ],
)
def test_the_cache_is_where_the_platform_has_caches(platform, variables, folder, monkeypatch):
    for name in ("INFOREST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert files.cache_folder() == Path(folder)


def test_the_list_is_part_of_the_package():
    assert LISTED.is_file()
