"""Rules of a tree: each row has one, and tables, SQL and Python say what the tree says."""

import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris

from inforest import ConditionalInferenceSurvivalTree, export_text
from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from survival_data import data


def iris(**options):
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, Classifier.ctree(**options).fit(X, load_iris().target_names[y])


def diabetes(**options):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X, Regressor.ctree(**options).fit(X, y)


EACH = pytest.mark.parametrize("make", [iris, diabetes])


@EACH
def test_one_rule_per_leaf_in_their_order(make):
    X, tree = make(alpha_selector=0.5)
    rules = tree.rules()
    assert_array_equal([rule.leaf for rule in rules], np.flatnonzero(tree.tree_.is_leaf))
    assert_array_equal([rule.n_samples for rule in rules], tree.tree_.n_samples[tree.tree_.is_leaf])
    assert sum(rule.n_samples for rule in rules) == len(X)
    assert len(rules) == tree.tree_.n_leaves > 3


@EACH
def test_words_of_a_rule_hold_for_its_rows_only(make):
    X, tree = make(alpha_selector=0.5)
    frame = X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)
    leaf = tree.apply(X)
    for rule in tree.rules(feature_names=list(frame)):
        assert_array_equal(frame.eval(str(rule)), leaf == rule.leaf)


@EACH
def test_sql_predicts_what_the_tree_predicts(make):
    X, tree = make()
    with sqlite3.connect(":memory:") as base:
        X.to_sql("samples", base, index=False)
        rows = base.execute(f"SELECT {tree.rules().to_sql()} FROM samples").fetchall()
    expected = tree.predict(X)
    found = [row[0] for row in rows]
    if make is iris:
        assert found == expected.tolist()
        assert "  -- n = 50, p <= 1.39e-30" in tree.rules().to_sql()
    else:
        assert_allclose(found, expected, rtol=1e-14)


@EACH
def test_python_predicts_what_the_tree_predicts(make):
    X, tree = make()
    namespace = {}
    exec(tree.rules().to_python("guess"), namespace)  # noqa: S102
    found = [namespace["guess"](row) for row in X.to_dict("records")]
    assert_array_equal(found, tree.predict(X))
    with pytest.raises(ValueError, match="name must be"):
        tree.rules().to_python("a b")


def test_missing_values_go_their_way():
    X, tree = diabetes()
    nodes = tree.tree_
    tree.tree_ = replace(nodes, missing_left=(np.arange(nodes.node_count) % 2).astype(np.uint8))
    holed = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    expected = tree.tree_.predict(holed.to_numpy())[:, 0]
    assert (expected != tree.predict(X)).any()
    namespace = {}
    exec(tree.rules().to_python(), namespace)  # noqa: S102
    found = [namespace["predict"](row) for row in holed.to_dict("records")]
    assert_array_equal(found, expected)
    with sqlite3.connect(":memory:") as base:
        holed.to_sql("samples", base, index=False)
        query = f"SELECT {tree.rules().to_sql(missing=True)} FROM samples"
        assert_allclose([row[0] for row in base.execute(query)], expected, rtol=1e-14)


def test_rules_of_categories_name_their_levels():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(list("abcd"), 300), "x": rng.normal(size=300)})
    X["size"] = pd.Categorical(rng.choice(["s", "m", "l"], 300), ["s", "m", "l"], ordered=True)
    y = 2.0 * X["kind"].isin(["b", "d"]) + X["x"] + (X["size"] == "l") + rng.normal(size=300)
    X["kind"] = X["kind"].astype("category")
    tree = Regressor.ctree().fit(X, y)
    rules = tree.rules()
    assert {one.feature for rule in rules for one in rule.conditions} == {"kind", "x", "size"}
    assert any("kind in ['b', 'd']" in str(rule) for rule in rules)
    namespace = {}
    exec(rules.to_python(), namespace)  # noqa: S102
    found = [namespace["predict"](row) for row in X.to_dict("records")]
    assert_array_equal(found, tree.predict(X))
    with sqlite3.connect(":memory:") as base:
        X.astype({"kind": str, "size": str}).to_sql("samples", base, index=False)
        rows = base.execute(f"SELECT {rules.to_sql()} FROM samples").fetchall()
    assert_allclose([row[0] for row in rows], tree.predict(X), rtol=1e-14)


def test_ordered_levels_without_rows_have_a_side():
    levels = ["none", "low", "never", "mid", "high"]
    size = np.random.default_rng(0).choice(["low", "mid", "high"], 300)
    X = pd.DataFrame({"size": pd.Categorical(size, levels, ordered=True)})
    all_levels = pd.DataFrame({"size": pd.Categorical(levels, levels, ordered=True)})
    for above in (["mid", "high"], ["high"]):
        for tree in (Regressor.ctree(), Regressor(random_state=0)):
            tree.fit(X, np.isin(size, above) * 1.0)
            namespace = {}
            exec(tree.rules().to_python(), namespace)  # noqa: S102
            found = [namespace["predict"]({"size": level}) for level in levels]
            assert_array_equal(found, tree.predict(all_levels))
            last = max(i for i, value in enumerate(found) if value == 0)
            text = export_text(tree)
            assert f"size <= {levels[last]}  [" in text
            assert f"size >  {levels[last]}\n" in text


def test_dates_are_days():
    day = np.random.default_rng(0).integers(18_000, 19_000, 300)
    X = pd.DataFrame({"day": pd.to_datetime(day, unit="D")})
    with pytest.warns(match="dates became numbers"):
        tree = Regressor.ctree().fit(X, (day > 18_500) * 1.0)
    namespace = {}
    exec(tree.rules().to_python(), namespace)  # noqa: S102
    assert [namespace["predict"]({"day": one}) for one in day] == ((day > 18_500) * 1.0).tolist()


def test_p_values_are_adjusted_and_the_largest_on_the_way():
    _, tree = iris()
    rules = tree.rules()
    first, second = rules[0], rules[-1]
    assert first.p_value == pytest.approx(1.393270806532632e-30)
    assert second.p_value == pytest.approx(6.900972470535714e-16)
    X, y = load_iris(return_X_y=True)
    for how, factor in ((True, 4), (False, 1)):
        other = Classifier.ctree(adjust_alpha_selector=how).fit(X, y)
        expected = factor * other.tree_.p_value_feature[0]
        assert other.rules()[0].p_value == pytest.approx(expected)


def test_table_and_records():
    _, tree = iris()
    rules = tree.rules()
    frame = rules.to_frame()
    assert list(frame.columns[:5]) == ["leaf", "rule", "prediction", "n_samples", "p_value"]
    assert frame["prediction"].tolist() == ["setosa", "versicolor", "versicolor", "virginica"]
    assert frame["share of virginica"].iloc[-1] == pytest.approx(45 / 46)
    head, *lines = repr(rules).splitlines()
    assert head.split() == ["leaf", "n", "p", "prediction", "rule"]
    assert lines[0] == "1     50  1.4e-30  setosa      petal length (cm) <= 1.9"
    assert "1.9 < petal length (cm) <= 4.8" in lines[1]


def test_a_tree_that_is_only_a_root_is_one_rule():
    X, y = np.zeros((20, 2)), np.arange(20.0)
    rules = Regressor().fit(X, y).rules()
    assert str(rules[0]) == "always"
    assert np.isnan(rules[0].p_value)
    assert rules.to_sql() == "CASE\n  WHEN 1 = 1 THEN 9.5  -- n = 20\nEND"


def test_rules_of_a_survival_tree_predict_its_risks():
    X, y = data(300)
    X = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    tree = ConditionalInferenceSurvivalTree.ctree(alpha_selector=0.5).fit(X, y)
    rules, leaf, risk = tree.rules(), tree.apply(X), tree.predict(X)
    assert len(rules) > 2
    for rule in rules:
        assert_allclose(risk[leaf == rule.leaf], rule.prediction, rtol=1e-12)


def test_survival_trees_print_medians_as_partykit_does():
    X = pd.DataFrame({"x": [0] * 4 + [1] * 5})
    y = {"event": [1, 1, 1, 1, 1, 0, 0, 0, 0], "time": [2, 3, 4, 5, 6, 7, 8, 9, 9]}
    tree = ConditionalInferenceSurvivalTree.ctree(
        alpha_selector=1.0, min_samples_split=2, min_samples_leaf=1, max_depth=1
    ).fit(X, y)
    text = export_text(tree, style="partykit")
    assert "x <= 0: 3.500 (n = 4)" in text  # half of them live between 3 and 4
    assert "x > 0: Inf (n = 5)" in text
    assert "median 3.5 " in export_text(tree)


@pytest.mark.parametrize(
    ("time", "event", "median"),
    [
        ([1, 2, 3, 4], [1, 1, 1, 1], "2.5"),
        ([1, 2, 3, 4], [1, 1, 0, 0], "2"),
        (range(1, 21), [1] * 10 + [0] * 10, "10"),
        (range(1, 21), [1] * 10 + [0, 0, 1] + [0] * 7, "11.5"),
        (range(1, 51), [1] * 50, "25.5"),  # rounding puts the curve below a half at 25
        (range(1, 25), [1] * 24, "12.5"),  # and above it at 12
        ([1, 2, 3, 4, 5], [1, 1, 1, 1, 1], "3"),
        ([1, 2, 3, 4, 5], [1, 1, 0, 0, 0], "not reached"),
    ],
)
def test_medians_are_those_of_survfit(time, event, median):
    # R: summary(survfit(Surv(time, event) ~ 1))$table["median"]
    y = {"event": event, "time": list(time)}
    tree = ConditionalInferenceSurvivalTree().fit(np.zeros((len(event), 1)), y)
    assert f"median {median} " in export_text(tree)


def test_words_say_where_missing_values_went():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    late = (x > 0).astype(int)
    X = pd.DataFrame({"x": np.where(rng.random(200) < 0.2, np.nan, x)})
    said = [str(rule) for rule in Classifier(max_depth=1, random_state=0).fit(X, late).rules()]
    assert sum("or missing" in words for words in said) == 1
    gone = X["x"].isna().astype(int)
    said = [str(rule) for rule in Classifier(max_depth=1, random_state=0).fit(X, gone).rules()]
    assert said == ["x is there", "x is missing"]


def test_a_category_that_is_only_missing_on_one_side():
    kind = pd.Series((["a", "b"] * 50) + [None] * 30, dtype="category")
    X = pd.DataFrame({"kind": kind})
    tree = Classifier(max_depth=1, random_state=0).fit(X, kind.isna())
    assert {str(rule) for rule in tree.rules()} == {"kind is missing", "kind in ['a', 'b']"}
    text = export_text(tree)
    assert "kind is missing" in text
    assert "kind is there" in text
