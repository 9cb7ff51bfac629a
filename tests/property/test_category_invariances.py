"""What may not change anything: names, order and number of levels, the order of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    load,
    rank_features,
    save,
)

pd = pytest.importorskip("pandas")
LETTERS = np.array(list("abcdefgh"))
FORESTS = {
    "classes": ConditionalInferenceForestClassifier,
    "number": ConditionalInferenceForestRegressor,
}


def table(seed=0, n=120):
    rng = np.random.default_rng(seed)
    codes = rng.integers(8, size=n)
    colour = pd.Categorical(LETTERS[codes], categories=list(LETTERS))
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "colour": colour,
            "many": pd.Categorical([f"level {k}" for k in rng.integers(30, size=n)]),
        }
    )
    score = 1.2 * (codes % 3) + 0.5 * frame["number"] + rng.normal(size=n)
    return frame, score.to_numpy()


def response(kind, score):
    return score if kind == "number" else np.digitize(score, [0.5, 1.5])


CHANGES = {
    "renamed": lambda c: c.rename_categories(dict(zip(LETTERS, "qwertyui", strict=True))),
    "reordered": lambda c: c.reorder_categories(list(LETTERS[::-1])),
    "with unused levels": lambda c: c.add_categories(["A", "z"]),
}


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("change", CHANGES)
def test_levels_are_their_rows(change, kind):
    X, score = table()
    y = response(kind, score)
    changed = X.assign(colour=CHANGES[change](X["colour"].cat))
    one, other = (FORESTS[kind](20, random_state=0).fit(frame, y) for frame in (X, changed))
    assert_array_equal(one.trees_.feature, other.trees_.feature)
    assert_array_equal(one.trees_.value, other.trees_.value)
    assert_array_equal(one.predict(X), other.predict(changed))
    assert_array_equal(one.ranking_, other.ranking_)


@pytest.mark.parametrize("kind", FORESTS)
def test_the_order_of_columns(kind):
    X, score = table()
    y, order = response(kind, score), ["many", "number", "colour"]
    one = FORESTS[kind](20, random_state=0).fit(X, y)
    other = FORESTS[kind](20, random_state=0).fit(X[order], y)
    assert_array_equal(one.predict(X), other.predict(X[order]))
    assert_allclose(one.feature_importances_, other.feature_importances_[[1, 2, 0]], rtol=1e-12)


def test_an_ordered_category_is_a_number():
    X, y = table()
    rounded = X[["number"]].round(0)
    ordered = rounded.assign(number=pd.Categorical(rounded["number"], ordered=True))
    one, other = (
        ConditionalInferenceTreeRegressor(random_state=0).fit(frame, y)
        for frame in (rounded, ordered)
    )
    assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    assert_array_equal(one.predict(rounded), other.predict(ordered))


@pytest.mark.parametrize("kind", FORESTS)
def test_files_keep_levels(kind, tmp_path):
    X, score = table()
    forest = FORESTS[kind](10, random_state=0).fit(X, response(kind, score))
    save(forest, tmp_path / "file")
    again = load(tmp_path / "file")
    assert_array_equal(again.predict(X), forest.predict(X))
    assert_array_equal(again.ranking_, forest.ranking_)
    assert_array_equal(again.trees_.level_pool, forest.trees_.level_pool)
    part = forest.estimators_[3]
    save(part, tmp_path / "tree")
    assert_array_equal(load(tmp_path / "tree").predict(X), part.predict(X))


@pytest.mark.parametrize("kind", FORESTS)
def test_mixed_tables_everywhere(kind):
    """Out-of-bag scores, importances of all types, paths, `.paper()`, filters and rankings."""
    X, score = table()
    y = response(kind, score)
    forest = FORESTS[kind](20, random_state=0, oob_score=True).fit(X, y)
    assert forest.oob_score_ > 0.1
    for importance in ("split", "count", "weighted", "validated", "effect"):
        assert forest.importances(importance)[1] > forest.importances(importance)[2]
    for conditional in (False, True):
        result = forest.permutation_importance(X, y, conditional=conditional, random_state=0)
        assert result.importances_mean.argmax() == 1
    leaves, (paths, _) = forest.apply(X), forest.decision_path(X)
    assert_array_equal(paths.sum(axis=1) >= leaves.shape[1], True)
    for settings in ({"honesty": True}, {"selector": "rdc"}, {"splitter_test": "max"}):
        FORESTS[kind](3, random_state=0, **settings).fit(X, y).predict(X)
    FORESTS[kind].paper(n_estimators=3, random_state=0).fit(X, y).predict(X)
    assert rank_features(X, y, n_estimators=20, random_state=0).order[0] == 1
