"""Damaged and forged files: refused with words, or exactly what was saved; never a crash."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import inforest
import survival_data
from forests import Classifier, data
from inforest import load, save
from inforest.io import archive
from rounds import damaged, flips, pick, rounds

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a saved forest, and what it predicts."""
    path = tmp_path_factory.mktemp("whole") / "file"
    X, y = data(Classifier)
    forest = Classifier(n_estimators=3, oob_score=True, random_state=0).fit(X, y)
    save(forest, path)
    return path.read_bytes(), forest.predict_proba(X)


def test_damaged_files(whole, tmp_path):
    content, expected = whole
    X, _ = data(Classifier)
    path = tmp_path / "file"
    n_refused = 0
    for seed, rng in rounds(20):
        path.write_bytes(damaged(rng, content))
        try:
            found = load(path)
        except ValueError as error:
            n_refused += 1
            assert "cannot be loaded: " in str(error), seed  # noqa: PT017
            continue
        np.testing.assert_array_equal(found.predict_proba(X), expected, err_msg=str(seed))
    assert n_refused


SMALL = {
    "tree": (inforest.ConditionalInferenceTreeClassifier(max_depth=1, random_state=0)),
    "tree of numbers": (inforest.ConditionalInferenceTreeRegressor(max_depth=1, random_state=0)),
    "forest": Classifier(n_estimators=2, max_depth=1, oob_score=True, random_state=0),
    "survival forest": inforest.ConditionalInferenceSurvivalForest(2, max_depth=1, random_state=0),
    "ranker": inforest.ForestRanker(Classifier(2, max_depth=1, random_state=0), n_rounds=1),
    "selector": inforest.FeatureSelector(Classifier(2, max_depth=1, random_state=0), k=1),
}


@pytest.mark.parametrize("kind", SMALL)
def test_every_flipped_bit(kind, tmp_path):
    """The file is refused, or exactly what was saved is read. Of results: study/test_store.py."""
    X, y = survival_data.data(60) if "survival" in kind else data(Classifier)
    y = y.astype(float) if "numbers" in kind else y
    save(clone(SMALL[kind]).fit(X[:60, :4], y[:60]), tmp_path / "file")
    content = (tmp_path / "file").read_bytes()
    header, arrays = archive.read(io.BytesIO(content))
    n_flipped, n_refused = 0, 0
    for broken in flips(content):
        n_flipped += 1
        try:
            found_header, found = archive.read(io.BytesIO(broken))
        except Exception:  # `load` says in words what this is
            n_refused += 1
            continue
        assert found_header == header
        assert list(found) == list(arrays)
        assert all(found[name].tobytes() == arrays[name].tobytes() for name in arrays)
        assert all(found[name].dtype == arrays[name].dtype for name in arrays)
    assert n_refused > 0.6 * n_flipped


def fitted_of_all_kinds():
    """Yield estimators with all that a file can hold: level sets, curves, leaves, parts."""
    X, y = data(Classifier)
    towns = (
        pd.DataFrame(X).add_prefix("c").assign(town=pd.Categorical(np.array(["a", "b", "c"])[y]))
    )
    forest = Classifier(n_estimators=3, oob_score=True, random_state=0)
    yield "forest", forest.fit(X, y), X
    yield "levels", Classifier(3, random_state=0).fit(towns, y % 2), towns
    X, y = survival_data.data(60)
    yield "curves", inforest.ConditionalInferenceSurvivalForest(3, random_state=0).fit(X, y), X
    y = y["time"]
    kept = inforest.ConditionalInferenceForestRegressor(3, keep_leaves=True, random_state=0)
    yield "leaves", kept.fit(X, y), X
    yield "ranker", inforest.ForestRanker(kept, n_rounds=1).fit(X, y), X
    yield "selector", inforest.FeatureSelector(kept, k=2).fit(X, y), X
    yield "filter", inforest.PermutationFilter(n_resamples=99, random_state=0).fit(X, y), X


def test_forged_arrays(tmp_path):
    """A forger makes the checksum fit: what loads can be walked, and answers with numbers."""
    path = tmp_path / "file"
    n_refused = 0
    for kind, estimator, X in fitted_of_all_kinds():
        save(estimator, path)
        with zipfile.ZipFile(path) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        names = sorted(name for name in parts if name.endswith(".npy"))
        for seed, rng in rounds(10 if kind == "forest" else 1):
            forged = dict(parts)
            for name in rng.choice(names, rng.integers(1, 3), replace=False):
                forged[name] = _npy(_forged(rng, np.load(io.BytesIO(parts[name]))))
            _seal(forged)
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
                for name, part in forged.items():
                    file.writestr(name, part)
            try:
                found = load(path)
            except ValueError:
                n_refused += 1
                continue
            for answer in answers(found, X):
                assert np.isfinite(answer).all(), (kind, seed)
    assert n_refused


def answers(found, X):
    """Return what there is to be asked, as numbers."""
    if hasattr(found, "transform"):
        repr(found.result_)
        return [found.transform(X)]
    if hasattr(found, "forests_"):
        return [*(forest.predict(X) for forest in found.forests_), found.feature_importances_]
    found.decision_path(X)
    asked = [found.predict(X), found.apply(X), found.feature_importances_]
    if hasattr(found, "predict_proba"):
        asked.append(found.predict_proba(X))
    if hasattr(found, "predict_survival_function"):
        asked.append(found.predict_survival_function(X, return_array=True))
    if hasattr(found, "weights"):
        asked.append(found.weights(X).data)
    return asked


def _forged(rng, array):
    array = array.copy()
    values = [0, 1, -1, 2, 100, -100, 2**31 - 1, -(2**31), 255, 1e308, np.nan, np.inf, -np.inf]
    match pick(rng, ["value", "value", "value", "longer", "shorter", "type", "shape", "reverse"]):
        case "value" if array.size:
            wide = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
            value = pick(rng, values)
            if wide.dtype.kind == "f" or (np.isfinite(value) and abs(value) < 2**60):
                wide.flat[rng.integers(wide.size)] = value
            return wide
        case "longer":
            return np.concatenate([array, array])
        case "shorter":
            return array[:-1]
        case "type":
            with np.errstate(all="ignore"):
                return array.astype(pick(rng, [np.float64, np.int64, bool, np.complex128, "S4"]))
        case "shape":
            return array.reshape(-1, 1)
        case "reverse":
            return array[::-1].copy()
    return array


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _seal(parts):
    parts.pop("checksum.txt")
    header = json.loads(parts["header.json"])
    for name in header["arrays"]:
        array = np.load(io.BytesIO(parts[f"{name}.npy"]))
        header["arrays"][name] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    parts["header.json"] = json.dumps(header).encode()
    checksum = archive.Checksum()
    for name, part in parts.items():
        checksum.add(name, part)
    parts["checksum.txt"] = checksum.text()
