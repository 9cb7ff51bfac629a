"""Files of fitted estimators: exact, compact, and clear about what is wrong with a bad one."""

import io
import json
import os
import re
import tracemalloc
import zipfile
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

from forests import BOTH, Classifier, Regressor, assert_same_forest, data
from inforest import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    load,
    save,
)
from inforest.estimators.importance import importances
from inforest.io import archive

EACH = pytest.mark.parametrize("cls", BOTH)


def fitted(cls=Classifier, **params):
    return cls(**{"n_estimators": 5, "random_state": 0, **params}).fit(*data(cls))


def roundtrip(estimator, folder):
    save(estimator, folder / "file")
    return load(folder / "file")


@EACH
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"bootstrap": False},
        {"splitter_test": "max", "n_resamples_selector": "auto"},
        {"replace": True, "honesty": True, "selector": ["rdc"]},
        {"max_features": (0.5, 4), "importance_type": "validated"},
    ],
    ids=str,
)
def test_forest_comes_back_bit_for_bit(cls, params, tmp_path):
    X, y = data(cls)
    oob = params.get("bootstrap", True)
    forest = cls(n_estimators=40, oob_score=oob, random_state=0, **params).fit(X, y)
    copy = roundtrip(forest, tmp_path)
    assert type(copy) is cls
    assert copy.get_params() == forest.get_params()
    assert set(vars(copy)) == set(vars(forest))
    assert_same_forest(copy, forest)
    assert_array_equal(copy.predict(X), forest.predict(X))
    copy.set_params(warm_start=True, n_estimators=45).fit(X, y)
    assert_same_forest(copy, forest.set_params(n_estimators=45).fit(X, y))
    if oob:
        one, other = (m.permutation_importance(X, y, random_state=0) for m in (copy, forest))
        assert_array_equal(one.importances_per_tree, other.importances_per_tree)


@pytest.mark.parametrize(
    "cls", [ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor]
)
def test_tree_comes_back(cls, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = cls(random_state=0).fit(X, y)
    copy = roundtrip(tree, tmp_path)
    assert type(copy) is cls
    assert set(vars(copy)) == set(vars(tree))
    assert_array_equal(copy.candidate_counts_, tree.candidate_counts_)
    assert_array_equal(copy.feature_names_in_, X.columns)
    assert_array_equal(copy.predict(X), tree.predict(X))
    assert copy.export_text() == tree.export_text()
    with pytest.raises(ValueError, match="feature names"):
        copy.predict(X.rename(columns={"sepal length (cm)": "length"}))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ä", "b", ""]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([-1, 2**40, 7]),
        np.array([3, 4, 250], dtype=np.uint8),
        np.array([0.0, 1.0, 3.0], dtype=np.float32),
        np.array([True, False, True]),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_come_back(labels, tmp_path):
    X, y = data(Classifier)
    forest = Classifier(n_estimators=3, random_state=0).fit(X, labels[y])
    copy = roundtrip(forest, tmp_path)
    assert copy.classes_.dtype == forest.classes_.dtype
    assert_array_equal(copy.predict(X), forest.predict(X))
    if labels.dtype != object:
        assert copy.predict(X).dtype == labels.dtype


def test_a_tree_of_a_forest_comes_back(tmp_path):
    X, _ = data(Classifier)
    tree = fitted().estimators_[2]
    assert_array_equal(roundtrip(tree, tmp_path).predict_proba(X), tree.predict_proba(X))


def test_weights_come_back(tmp_path):
    X, y = data(Classifier)
    weight = np.arange(len(y)) % 3
    forest = Classifier(n_estimators=3, random_state=0).fit(X, y, sample_weight=weight)
    copy = roundtrip(forest, tmp_path)
    for one, other in zip(copy.estimators_samples_, forest.estimators_samples_, strict=True):
        assert_array_equal(one, other)


def test_extreme_numbers_come_back(tmp_path):
    X, y = data(Regressor)
    forest = Regressor(n_estimators=3, random_state=0).fit(X * 1e300, y * 1e300)
    assert_array_equal(roundtrip(forest, tmp_path).predict(X * 1e300), forest.predict(X * 1e300))


def test_file_is_small_and_reproducible(tmp_path):
    forest = fitted(n_estimators=100)
    save(forest, tmp_path / "one")
    save(load(tmp_path / "one"), str(tmp_path / "two"))
    one, two = ((tmp_path / name).read_bytes() for name in ("one", "two"))
    assert one == two
    assert len(one) < 40 * forest.trees_.node_count
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_failure_keeps_the_old_file(tmp_path, monkeypatch):
    save(fitted(), tmp_path / "file")
    before = (tmp_path / "file").read_bytes()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        save(fitted(random_state=1), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_saved(tmp_path):
    X, y = data(Classifier)
    path = tmp_path / "file"
    with pytest.raises(NotFittedError):
        save(Classifier(), path)
    with pytest.raises(TypeError, match=r"estimator must be a fitted .*; got RandomForest"):
        save(RandomForestClassifier(), path)
    with pytest.raises(ValueError, match=r"random_state=.* cannot be saved"):
        save(fitted(random_state=np.random.RandomState(0)), path)
    with pytest.raises(ValueError, match=r"oob_score=.* cannot be saved.*set_params"):
        save(fitted(oob_score=lambda a, b: 0.0, n_estimators=40), path)
    dates = np.array(["2020", "2021", "2022"], dtype="M8[D]")
    with pytest.raises(ValueError, match="classes of dtype datetime64"):
        save(Classifier(n_estimators=2).fit(X, dates[y]), path)
    objects = pd.Series(y).map({0: "a", 1: "b", 2: "c"})
    save(Classifier(n_estimators=2).fit(X, objects), path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        save(fitted(), tmp_path / "no" / "such" / "folder")


# --- Bad files ------------------------------------------------------------------------------------


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in content.items():
            archive.writestr(name, value)


def seal(content):
    """Let the header list the arrays, and the checksum fit: what a careful forger would do."""
    content.pop("checksum.txt")
    header = json.loads(content["header.json"])
    header["arrays"] = {name[:-4]: listing(content[name]) for name in content if ".npy" in name}
    content["header.json"] = json.dumps(header).encode()
    content["checksum.txt"] = checksum(content)


def checksum(content):
    digest = blake2b(digest_size=16)
    for name, part in content.items():
        digest.update(name.encode() + b"\0" + str(len(part)).encode() + b"\0" + part)
    return digest.hexdigest()


def listing(content):
    buffer = io.BytesIO(content)
    np.lib.format.read_magic(buffer)
    shape, _, dtype = np.lib.format.read_array_header_1_0(buffer)
    return {"dtype": dtype.str, "shape": list(shape)}


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.fixture
def path(tmp_path):
    save(fitted(), tmp_path / "forest.inforest")
    return tmp_path / "forest.inforest"


def assert_refused(path, message):
    with pytest.raises(ValueError, match=rf"forest.inforest' cannot be loaded: .*{message}"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06" + bytes(18), b"\x80\x04K\x01."])
def test_foreign_files(path, content):
    path.write_bytes(content)
    assert_refused(path, "not a file of inforest")


def test_the_missing_folder_is_the_one_the_user_named(tmp_path):
    path = tmp_path / "nowhere" / "forest.inforest"
    with pytest.raises(FileNotFoundError, match=re.escape(f"cannot write {str(path)!r}: ")):
        save(fitted(), path)


def test_other_archives(path):
    pack(path, {"a.npy": npy(np.zeros(3))})
    assert_refused(path, "not a file of inforest")
    pack(path, {"header.json": '{"format": "other"}'})
    assert_refused(path, "not a file of inforest")


def test_truncated_files(path):
    whole = path.read_bytes()
    for size in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:size])
        assert_refused(path, "")


def test_a_flipped_bit_is_explained(path):
    with zipfile.ZipFile(path) as whole:
        largest = max(whole.infolist(), key=lambda part: part.compress_size)
    broken = bytearray(path.read_bytes())
    # Inside its data: a bit of a header of the archive may mean nothing, such as the date.
    broken[largest.header_offset + 30 + len(largest.filename) + largest.compress_size // 2] ^= 1
    path.write_bytes(bytes(broken))
    assert_refused(path, "")


def header(**changes):
    def change(content):
        content["header.json"] = json.dumps(json.loads(content["header.json"]) | changes)

    return change


def forest_header(**changes):
    def change(content):
        everything = json.loads(content["header.json"])
        everything["forest"] |= changes
        content["header.json"] = json.dumps(everything)

    return change


def array(name, change):
    def apply(content):
        old = np.load(io.BytesIO(content[f"{name}.npy"]))
        content[f"{name}.npy"] = npy(change(old))

    return apply


def first_split(value):
    """Set the entry of the first root, which is a split."""

    def change(old):
        new = old.astype(np.int64) if old.dtype.kind in "iu" else old.copy()
        new[0] = value
        return new

    return change


def last(value):
    """Set the last entry."""

    def change(old):
        new = old.astype(np.int64)
        new[-1] = value
        return new

    return change


def same_child(old):
    """Give a node whose left child is a split the left child's left child as its right one."""
    new = old.astype(np.int64)
    new[np.argmax(new > 2)] = 2
    return new


TAMPERED = {
    "newer": (header(version=3, inforest="9.9"), "version 3, written by inforest 9.9"),
    "levels": (header(levels=[["a", "b"]]), "levels are not a table"),
    "levels of nothing": (header(levels={"99": {}}), "levels of no feature"),
    "kind": (header(levels={"0": {"kind": "odd"}}), "a feature is of the kind 'odd'"),
    "same levels": (
        header(levels={"0": {"kind": "category", "levels": ["a", "a"], "places": [0, 1]}}),
        "levels are not different words",
    ),
    "places": (
        header(levels={"0": {"kind": "category", "levels": ["a", "b"], "places": [0, 7]}}),
        "a level is out of place",
    ),
    "missing": (header(missing=[True], inforest="9.9"), "missing are of inforest 9.9"),
    "class": (header(**{"class": "os.system"}), "'os.system' is none of"),
    "other class": (header(**{"class": "ConditionalInferenceTreeClassifier"}), "parameters"),
    "parameter": (header(parameters={"a": 1}), "no parameters"),
    "value": (header(parameters={"n_estimators": "x"}), "n_estimators"),
    "features": (header(n_features=3), "root_statistic has the shape"),
    "names": (header(feature_names=["a"]), "feature_names"),
    "entropy": (header(entropy="a"), "entropy"),
    "no classes": (header(classes=None), "classes are None"),
    "other classes": (header(classes={"dtype": "<i8", "values": [1, 2]}), "value has the shape"),
    "labels": (header(classes={"dtype": "<i8", "values": ["a", "b", "c"]}), "invalid literal"),
    "wrong labels": (header(classes={"dtype": "|b1", "values": [0, 1, 5]}), "not of dtype bool"),
    "dates": (header(classes={"dtype": "M8[D]", "values": [0, 1, 2]}), "dtype datetime"),
    "tree": (header(forest=None), "not 5"),
    "rows": (forest_header(n_samples=-1), "n_samples"),
    "many rows": (forest_header(n_samples=10**9), "strata has the shape"),
    "nothing": (lambda content: content.pop("threshold.npy"), "threshold is missing"),
    "feature": (array("feature", first_split(99)), "a feature does not exist"),
    "negative feature": (array("feature", first_split(-2)), "a feature does not exist"),
    "far child": (array("right", first_split(10**6)), "child"),
    "own child": (array("right", first_split(0)), "child"),
    "same child": (array("right", same_child), "child of one node"),
    "offset": (array("offset", lambda old: old[::-1].copy()), "offset"),
    "many nodes": (array("offset", last(2**40)), "feature has the shape"),  # and not: no memory
    "short": (array("value", lambda old: old[:-1]), "value has the shape"),
    "effect": (array("unseen_effect", first_split(1.5)), "not between -1 and 1"),
    "nan": (array("value", first_split(np.nan)), "not finite"),
    "threshold": (array("threshold", first_split(np.nan)), "no threshold"),
    "impurity": (array("impurity", first_split(np.inf)), "an impurity is not finite"),
    "no rows": (array("n_samples", first_split(0)), "a node has no rows"),
    "p-value": (array("p_value_feature", first_split(1.5)), "not between 0 and 1"),
    "type": (array("right", lambda old: old / 2), "wrong type"),
    "reason": (array("stop_reason", first_split(77)), "stop_reason"),
    "stratum": (array("strata", first_split(50)), "stratum"),
    "quota": (array("quota", first_split(2**40)), "quota"),
    "large": (array("feature", lambda old: old + np.int64(2**32)), "feature is too large"),
    "objects": (array("quota", lambda old: old.astype(object)), "Object arrays cannot be loaded"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_tampered_files(path, case):
    change, message = TAMPERED[case]
    content = members(path)
    change(content)
    seal(content)
    pack(path, content)
    assert_refused(path, message)


def test_changes_are_noticed(path):
    """Without the seal, whatever was changed, lost or added."""
    content = members(path)
    changed = npy(np.load(io.BytesIO(content["threshold.npy"])) + 1.0)
    pack(path, content | {"threshold.npy": changed})
    assert_refused(path, "its checksum does not fit")
    pack(path, content | {"header.json": content["header.json"].replace(b" ", b"  ")})
    assert_refused(path, "its checksum does not fit")
    pack(path, content | {"oob.npy": npy(np.zeros(3))})
    assert_refused(path, "it has more parts: oob.npy")
    pack(path, {name: content[name] for name in content if name != "strata.npy"})
    assert_refused(path, "strata.npy is missing")
    pack(path, {name: content[name] for name in content if name != "checksum.txt"})
    assert_refused(path, "checksum.txt is missing")
    listed = json.loads(content["header.json"])
    listed["arrays"]["impurity"]["dtype"] = "<f2"
    content["header.json"] = json.dumps(listed).encode()
    del content["checksum.txt"]
    content["checksum.txt"] = checksum(content)
    pack(path, content)
    assert_refused(path, "impurity is not what its header says")


def test_a_header_lists_the_arrays_and_has_room(path):
    """For the names of categories, and for where missing values go."""
    content = members(path)
    header = json.loads(content["header.json"])
    assert header["version"] == archive.VERSION == 2
    assert header["levels"] is header["missing"] is None
    names = [f"{name}.npy" for name in header["arrays"]]
    assert list(content) == ["header.json", *names, "checksum.txt"]
    assert all(header["arrays"][name[:-4]] == listing(content[name]) for name in names)


# --- Older files ----------------------------------------------------------------------------------

OLD = Path(__file__).parents[1] / "data" / "version-1"
EXPECTED = json.loads((OLD / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_version_1_load(name, tmp_path):
    """What they predict was written down by the library that wrote them.

    It took importances as sums over splits, where "effect" is now taken per offer.
    """
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = load_iris().target_names[y]
    if "regressor" in name:
        X, y = (a[:150] for a in load_diabetes(return_X_y=True))
    old = load(OLD / f"{name}.inforest")
    save(old, tmp_path / "file")
    for estimator in (old, load(tmp_path / "file")):
        found = {
            "predict": estimator.predict(X)[::5],
            "apply": estimator.apply(X)[::5],
            "feature_importances": importances(
                estimator._trees, estimator.n_features_in_, estimator._importance_type
            ),
            "ranking": estimator.ranking_,
            "candidate_counts": estimator.candidate_counts_,
        }
        if "classifier" in name:
            found["predict_proba"] = estimator.predict_proba(X)[::5]
            assert_array_equal(estimator.feature_names_in_, X.columns)
        if "forest" in name:
            found["oob_score"] = estimator.oob_score_
            found["permutation_importance"] = estimator.permutation_importance(
                X, y, random_state=0, n_repeats=1
            ).importances_mean
        assert set(found) == set(EXPECTED[name])
        for what, values in found.items():
            assert_array_equal(values, EXPECTED[name][what], err_msg=what)


def test_files_of_version_1_are_what_they_say():
    for name in EXPECTED:
        header = json.loads(members(OLD / f"{name}.inforest")["header.json"])
        assert header["version"] == 1
        assert "arrays" not in header


def test_sizes_are_checked_before_anything_is_unpacked(path):
    """30 KB that would take 30 MB; and a part that says it had more numbers than it has."""
    content = members(path)
    pack(path, content | {"quota.npy": npy(np.zeros(30_000_000, np.int8))})
    assert path.stat().st_size < 100_000
    assert_refused(path, "bytes cannot come from a file of")
    lie = npy(np.zeros(10, np.int8)).replace(b"(10,), }          ", b"(10000000000,), } ")
    content["quota.npy"] = lie
    pack(path, content)
    assert_refused(path, "quota is not as long as it says")


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_pack_are_refused(path, way):
    content = members(path)
    with zipfile.ZipFile(path, "w", way) as archive_file:
        for name, part in content.items():
            archive_file.writestr(name, part)
    assert_refused(path, "packed in an unknown way")


def test_a_part_that_is_there_twice_is_refused(path):
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive_file:
        archive_file.writestr("value.npy", members(path)["value.npy"])
    assert_refused(path, "a part is there twice")


def test_what_shrinks_too_well_is_not_packed(tmp_path):
    zeros = np.zeros(20_000_000, dtype=np.int8)
    archive.write(tmp_path / "file", {}, {"zeros": zeros})
    assert (tmp_path / "file").stat().st_size > zeros.nbytes
    with (tmp_path / "file").open("rb") as file:
        _, arrays = archive.read(file)
    assert_array_equal(arrays["zeros"], zeros)


def test_a_number_of_rows_that_no_array_holds_takes_no_memory(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    settings = {"replace": False, "max_samples": 1.0, "keep_leaves": False}
    forest = Regressor(n_estimators=3, random_state=0, **settings).fit(X, y)
    save(forest, tmp_path / "forest.inforest")
    content = members(tmp_path / "forest.inforest")
    forest_header(n_samples=2**31 - 1)(content)
    seal(content)
    pack(tmp_path / "forest.inforest", content)
    tracemalloc.start()
    loaded = load(tmp_path / "forest.inforest")
    with pytest.raises(ValueError, match="fitted on: 2147483647 rows; got 442"):
        loaded.permutation_importance(X, y)
    assert tracemalloc.get_traced_memory()[1] < 2**26
    tracemalloc.stop()


def test_nothing_in_a_file_is_executed(path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(path) + ".trap",)

    content = members(path)
    buffer = io.BytesIO()
    np.save(buffer, np.array([Trap()], dtype=object), allow_pickle=True)
    content["quota.npy"] = buffer.getvalue()
    seal(content)
    pack(path, content)
    assert_refused(path, "Object arrays cannot be loaded")
    assert not Path(str(path) + ".trap").exists()
