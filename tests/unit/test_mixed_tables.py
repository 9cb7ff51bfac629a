"""A table of words, ordered levels, dates and numbers goes everywhere; a feature is one row."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    PermutationFilter,
    TableWarning,
    independence_test,
    load,
    make_report,
    rank_features,
    save,
)
from inforest.diagnostics import null_check, split_usage, stability

pd = pytest.importorskip("pandas")
FOREST = ConditionalInferenceForestRegressor(8, random_state=0)
NAMES = ["word", "number", "truth", "order"]


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    levels = ["low", "middle", "high"]
    X = pd.DataFrame(
        {
            "word": rng.choice(list("abcdef"), n),
            "number": rng.normal(size=n),
            "truth": rng.random(n) < 0.5,
            "order": pd.Categorical(rng.choice(levels, n), levels, ordered=True),
        }
    )
    return X, X["word"].isin(["a", "d"]) * 3.0 + rng.normal(size=n)


def test_one_feature_is_one_row():
    X, y = table()
    ranking = rank_features(X, y, n_estimators=20, p_values="holm", random_state=0)
    assert sorted(ranking.names.tolist()) == sorted(NAMES)
    assert ranking.top(1).tolist() == ["word"]
    tests = independence_test(X, y, random_state=0)
    assert tests.feature_names.tolist() == NAMES
    assert tests.p_value[0] == 0.001


def test_selectors_keep_the_word():
    X, y = table()
    assert list(PermutationFilter(random_state=0).fit(X, y).transform(X)) == ["word"]
    selector = FeatureSelector(FOREST, cv=3, k_grid=[1, 4], random_state=0).fit(X, y)
    assert selector.ranking_[0] == 0
    assert selector.transform(X).dtypes.equals(X.dtypes[selector.get_support()])
    # The word alone tells most, to a linear model by a column per level.
    assert selector.cv_results_["mean_score"][0] > 0.3


def test_diagnostics():
    X, y = table()
    found = stability(X, y, estimator=FOREST, k=1, n_repeats=4, random_state=0)
    assert found.names.tolist() == NAMES
    assert found.frequency[0] == 1
    null = null_check(X, y, estimator=FOREST, n_repeats=19, random_state=0)
    assert null.selected.tolist() == [0]
    usage = split_usage(FOREST.fit(X, y))
    assert len(usage.splits) == 4


def test_the_choice_of_categories_reaches_all():
    X, y = table()
    X = X[["number"]].assign(code=X["word"].map(dict(zip("abcdef", range(6), strict=True))))
    y = X["code"].isin([1, 4]) * 3.0  # not monotone
    for choice, p in ((None, 0.05), (["code"], 0.001)):
        found = independence_test(X, y, categorical_features=choice, random_state=0)
        assert (found.p_value[1] <= 0.001) == (p == 0.001)
        ranking = rank_features(X, y, categorical_features=choice, n_estimators=5, random_state=0)
        levels = ranking.estimator._features.levels(1)
        assert levels == (None if choice is None else (0, 1, 2, 3, 4, 5))
        selector = FeatureSelector(k=1, categorical_features=choice, random_state=0).fit(X, y)
        assert selector._features.levels(1) == levels
        kept = PermutationFilter(k=1, categorical_features=choice, random_state=0).fit(X, y)
        assert kept.pvalues_[1] == found.p_value[1]


@pytest.mark.parametrize(
    "tree", [ConditionalInferenceTreeRegressor, ConditionalInferenceTreeClassifier]
)
def test_a_number_and_the_ordered_category_of_its_values_give_the_same_tree(tree):
    rng = np.random.default_rng(1)
    values = rng.choice([1.0, 2.5, 4.0, 10.0], 120)
    y = (values > 3) + (rng.random(120) < 0.2)
    y = y > 0 if tree is ConditionalInferenceTreeClassifier else y.astype(float)
    number = pd.DataFrame({"x": values, "z": rng.normal(size=120)})
    ordered = number.assign(x=pd.Categorical(values, [1.0, 2.5, 4.0, 10.0], ordered=True))
    one, other = (tree(random_state=0).fit(X, y).tree_ for X in (number, ordered))
    assert_array_equal(one.feature, other.feature)
    assert_array_equal(one.threshold, other.threshold)
    assert len(one.feature) > 1


def test_levels_that_were_not_there_are_no_error(tmp_path):
    X, y = table()
    forest = ConditionalInferenceForestRegressor(8, random_state=0).fit(X, y)
    strange = X.assign(word="never seen")
    predicted = forest.predict(strange)
    assert np.isfinite(predicted).all()
    save(forest, tmp_path / "f.inforest")
    again = load(tmp_path / "f.inforest")
    assert_array_equal(again.predict(strange), predicted)
    assert_array_equal(again.predict(X), forest.predict(X))
    assert again._features.levels(0) == tuple("abcdef")


def test_report_says_what_the_columns_hold():
    X, y = table(100)
    X = X.assign(
        text=[f"a sentence about the row number {i} and nothing else" for i in range(100)],
        when=pd.date_range("2020-01-01", periods=100),
    )
    with pytest.raises(ValueError, match="column 'text' holds 100 different words"):
        rank_features(X, y)
    with pytest.warns(TableWarning, match="column 'when': dates became numbers"):
        independence_test(X.drop(columns="text"), y, random_state=0)
    report = make_report(X, y, n_estimators=8, k=None, checks=False, random_state=0)
    notices = report.content.question.notices
    assert any("left out: column 'text' holds 100 different words" in said for said in notices)
    assert any("'when': dates became numbers" in said for said in notices)
    columns = {column.name: column for column in report.content.columns}
    assert columns["word"].kind == "category, 6 levels"
    assert columns["order"].kind == "ordered category"
    assert columns["when"].kind == "date"
    assert {level.level for level in columns["word"].levels[-2:]} == {"a", "d"}
    assert sum(level.n_rows for level in columns["word"].levels) == 100
    page = report.to_html()
    assert "What the columns hold" in page
    assert "category, 6 levels" in page
