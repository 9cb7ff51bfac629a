"""Rankers, selectors and filters come back from a file as they were saved."""

import json
import tracemalloc
import zipfile
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier

from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalSelector,
    FeatureSelector,
    ForestRanker,
    PermutationFilter,
    load,
    save,
)

FOREST = ConditionalInferenceForestRegressor(20, random_state=0)
CASES = {
    "ranker": ForestRanker(FOREST, n_rounds=2),
    "selector": FeatureSelector(ForestRanker(FOREST), k="auto", cv=3, random_state=0),
    "number": FeatureSelector(FOREST, k=3),
    "filter": PermutationFilter(["pc", "dc"], n_resamples=99, random_state=0),
    "conditional": ConditionalSelector(
        alpha=0.5, n_estimators=20, n_repeats=1, n_draws=4, random_state=0
    ),
}


@pytest.fixture(scope="module")
def table():
    X, y = load_diabetes(return_X_y=True)
    X = X[:150].copy()
    X[::7, 2] = np.nan  # gaps are kept in mind, too
    return X, y[:150]


def same(one, other):
    """Whether two values, or all that they hold, are equal."""
    if isinstance(one, np.ndarray):
        assert_array_equal(one, other)
        assert one.dtype == other.dtype
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            same(one[name], other[name])
    else:
        assert one == other


@pytest.mark.parametrize("case", CASES)
def test_round_trip(case, table, tmp_path):
    X, y = table
    estimator = CASES[case].fit(X, y)
    save(estimator, tmp_path / "file")
    copy = load(tmp_path / "file")
    assert repr(copy) == repr(estimator)
    if hasattr(estimator, "transform"):
        assert_array_equal(copy.transform(X), estimator.transform(X))
        mine, its = vars(estimator.result_), vars(copy.result_)
        for name in mine.keys() - {"estimator"}:
            same(mine[name], its[name])
    if case in ("ranker", "selector"):
        ranker, its = (getattr(one, "estimator_", one) for one in (estimator, copy))
        for name in ("ranking_", "scores_", "nearest_", "explained_", "root_statistic_"):
            same(getattr(ranker, name), getattr(its, name))
        for forest, back in zip(ranker.forests_, its.forests_, strict=True):
            assert_array_equal(forest.predict(X), back.predict(X))
    if case == "selector":
        same(estimator.cv_results_, copy.cv_results_)
        assert copy.k_ == estimator.k_
        copy.plot_k()
    save(copy, tmp_path / "again")
    assert (tmp_path / "file").read_bytes() == (tmp_path / "again").read_bytes()


def test_names_and_levels_come_back(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"town": pd.Categorical(rng.choice(["a", "b", "c"], 90)), "age": rng.normal(size=90)}
    )
    y = (frame["town"] == "a") + 0.1 * rng.normal(size=90)
    selector = FeatureSelector(k=1, random_state=0).fit(frame, y)
    save(selector, tmp_path / "file")
    copy = load(tmp_path / "file")
    assert copy.transform(frame).columns.tolist() == ["town"]
    assert copy.get_feature_names_out().tolist() == ["town"]


def test_other_estimators_are_refused_with_a_way_out(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    selector = FeatureSelector(RandomForestClassifier(5, random_state=0), k=2).fit(X, y)
    with pytest.raises(ValueError, match=r"only plain values and estimators of inforest can\. Use"):
        save(selector, tmp_path / "file")
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("state", "k"), 99, "k is no number"),
        (("state", "n_parts"), 3, "a part is missing"),
        (("parameters", "rule"), "any", "rule"),
        (("parameters", "estimator"), {"class": "Popen", "parameters": {}}, "its class is"),
        (("n_features",), 3, "a part has other features"),
    ],
)
def test_forged_headers_are_refused(place, value, message, table, tmp_path):
    from inforest.io import archive

    save(FeatureSelector(FOREST, k=3).fit(*table), tmp_path / "file")
    with zipfile.ZipFile(tmp_path / "file") as whole:
        header = json.loads(whole.read("header.json"))
    with (tmp_path / "file").open("rb") as file:
        arrays = archive.read(file)[1]
    entry = header
    for name in place[:-1]:
        entry = entry[name]
    entry[place[-1]] = value
    plain = {k: v for k, v in header.items() if k not in ("format", "version", "arrays")}
    archive.write(tmp_path / "forged", plain, arrays)
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "forged")


def test_files_in_a_file_share_its_room(table, tmp_path, monkeypatch):
    """A part could unpack a hundred times its length, which itself was packed."""
    from inforest.io import archive

    save(FeatureSelector(FOREST, k=3).fit(*table), tmp_path / "file")
    load(tmp_path / "file")
    with (tmp_path / "file").open("rb") as file:
        header, arrays = archive.read(file)
    with monkeypatch.context() as forger:
        forger.setattr(archive, "_MOST_SHRUNK", 10**9)
        forger.setattr(archive, "PART", "ballast")  # is not packed: the trap is long
        trap = BytesIO()
        zeros = {"ballast": np.zeros(10**6, np.int8), "zeros": np.zeros(50_000_000, np.int8)}
        archive.write_into(trap, {"class": "x"}, zeros)
        arrays["part_0"] = np.frombuffer(trap.getvalue(), dtype=np.uint8)
        plain = {k: v for k, v in header.items() if k not in ("format", "version", "arrays")}
        archive.write(tmp_path / "forged", plain, arrays)
    assert (tmp_path / "forged").stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"51,.* bytes cannot come from a file of"):
        load(tmp_path / "forged")
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
