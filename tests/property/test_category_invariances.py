"""What may not change anything: names, order and number of levels, the order of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    PermutationFilter,
    independence_test,
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
    tests = [independence_test(frame, y, random_state=0) for frame in (X, changed)]
    assert_array_equal(tests[0].p_value, tests[1].p_value)


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
    for importance in ("split", "count", "weighted", "validated", "effect", "unseen_effect"):
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
    assert PermutationFilter(random_state=0).fit(X, y).get_support()[1]


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("method", ["permutation", "asymptotic"])
def test_independence_of_categories(method, kind):
    X, score = table()
    result = independence_test(X, response(kind, score), method=method, random_state=0)
    assert result.p_value[1] < 0.01
    assert result.p_value[2] > 0.01
    assert result.ranking[0] == 1
    adjusted = independence_test(X, response(kind, score), adjust="westfall-young", random_state=0)
    assert adjusted.adjusted_p_value[1] < 0.01


def test_is_it_the_level_or_its_absence():
    """Where only the absence matters, the observed levels say nothing."""
    X, _ = table(n=200)
    rng = np.random.default_rng(0)
    absent = rng.random(200) < 0.4
    X["colour"] = X["colour"].where(~absent)
    y = 2 * absent + rng.normal(size=200)
    result = independence_test(X[["colour", "number"]], y, random_state=0)
    assert result.p_value[0] == result.p_joint[0] < 0.01
    assert result.p_missing[0] < 0.01 < result.p_observed[0]


@pytest.mark.parametrize("kind", FORESTS)
def test_many_levels_win_no_ties(kind, tmp_path):
    """Of features that no tree uses, the number that matters comes before 30 levels of noise."""
    X, score = table()
    X = X[["many", "number"]]
    y = response(kind, score - 0.15 * X["number"].to_numpy())  # weak, but there
    forest = FORESTS[kind](3, min_samples_split=1000, random_state=0).fit(X, y)
    assert_array_equal(forest.feature_importances_, 0)
    assert forest.root_statistic_[0] > forest.root_statistic_[1]
    assert_array_equal(forest.ranking_, [1, 0])
    save(forest, tmp_path / "forest")
    assert_array_equal(load(tmp_path / "forest").ranking_, forest.ranking_)
    result = independence_test(X, y, random_state=0)
    assert result.tail[0] < result.tail[1]
    assert independence_test(X[["number"]], y, random_state=0).tail is None
