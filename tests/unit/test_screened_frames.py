"""Columns of a data frame that look like no features: named by rankings, left out of reports."""

import warnings

import numpy as np
import pytest

from inforest import FeatureSelector, TableWarning, make_report, rank_features

pd = pytest.importorskip("pandas")
N = 60


def frame(seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=N)
    X = pd.DataFrame({"id": rng.permutation(10**6)[:N], "row": np.arange(N), "a": a, "one": 1.0})
    X["again"] = a
    return X, a + rng.normal(size=N) > 0


SMALL = {"n_estimators": 10, "random_state": 0}


def test_a_ranking_names_them_and_keeps_them():
    X, y = frame()
    with pytest.warns(TableWarning) as caught:
        ranking = rank_features(X, y, **SMALL)
    said = str(caught[0].message)
    assert "column 'id' looks like no feature" in said
    assert "column 'row' looks like no feature, because it counts the rows" in said
    assert "the same value in every row, which comes last: 'one'" in said
    assert "'again' is a copy of 'a'" in said
    assert len(ranking) == 5


def test_near_copies_are_named_in_rankings_and_reports():
    rng = np.random.default_rng(1)
    word = rng.choice(["p", "q", "r"], size=N)
    X = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N), "word": word})
    X["log"] = np.exp(X["a"])
    X["code"] = X["word"].map({"p": 5, "q": 9, "r": 2})
    y = X["a"] + rng.normal(size=N) > 0
    said = "'log' has the order of 'a'; 'code' is 'word' by other names: both are kept, and share"
    with pytest.warns(TableWarning, match=said):
        assert len(rank_features(X, y, **SMALL)) == 5
    content = make_report(X, y, k=None, checks=False, **SMALL).content
    assert said in content.question.notices[-1]


def test_a_selector_names_those_that_cannot_be_of_use():
    X, y = frame()
    with pytest.warns(TableWarning, match="'id' looks like no feature") as caught:
        FeatureSelector(k=1, random_state=0).fit(X, y)
    assert "copy" not in str(caught[0].message)


def test_arrays_and_plain_frames_are_taken_as_they_are():
    X, y = frame()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank_features(X.to_numpy(), y, **SMALL)
        rank_features(X[["a"]].assign(b=np.random.default_rng(1).normal(size=N)), y, **SMALL)


def test_a_report_leaves_them_out_and_says_so():
    X, y = frame()
    content = make_report(X, y, k=None, checks=False, **SMALL).content
    assert {feature.name for feature in content.features} == {"a", "one", "again"}
    row, copies = content.question.notices[1], content.question.notices[-1]
    assert row == "left out: column 'row', because it counts the rows; keep=['row'] keeps it"
    assert "'again' is a copy of 'a'" in copies
    assert any("'one'" in notice for notice in content.question.notices)


def test_a_report_keeps_what_it_is_told_to():
    X, y = frame()
    report = make_report(X, y, k=None, checks=False, keep=["row"], **SMALL)
    assert {feature.name for feature in report.content.features} == {"row", "a", "one", "again"}
    assert "keep=['row']" in report.content.provenance.command
    with pytest.raises(ValueError, match="keep names 'rows', which is no column of X; it has 'id'"):
        make_report(X, y, keep=["rows"], **SMALL)
