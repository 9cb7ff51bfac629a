"""`export_text` says what the tree holds."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from inforest import ConditionalInferenceForestClassifier as Forest
from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from inforest import export_text
from inforest._engine.words import short_p
from inforest.inspection.export import p_words


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return Classifier(random_state=0).fit(X, y)


def test_every_split_with_its_p_values_and_every_leaf_with_its_reason(iris):
    tree, text = iris.tree_, export_text(iris)
    lines = text.splitlines()
    assert len(lines) == 2 * (tree.n_leaves - 1) + tree.n_leaves
    assert lines[0].startswith(f"|--- {iris.feature_names_in_[tree.feature[0]]} <= ")
    assert f"feature p <= {short_p(tree.p_value_feature[0])}" in lines[0]
    assert "threshold p" not in text
    assert "n = 150" in lines[0]
    leaves = [line for line in lines if "class: " in line]
    assert len(leaves) == tree.n_leaves
    assert any("y is constant" in line for line in leaves)
    assert text.endswith("\n")


def test_a_tested_threshold_shows_its_p_value():
    X, y = load_iris(return_X_y=True)
    model = Classifier(splitter_test="max", max_depth=1, random_state=0).fit(X, y)
    p_feature, p_threshold = model.tree_.p_value_feature[0], model.tree_.p_value_threshold[0]
    words = f"feature p <= {short_p(p_feature)}, threshold p <= {short_p(p_threshold)}"
    assert words in export_text(model).splitlines()[0]


def test_leaves_come_in_the_order_of_the_tree(iris):
    lines = [line for line in export_text(iris).splitlines() if "class: " in line]
    ids = np.flatnonzero(iris.tree_.is_leaf)
    for line, i in zip(lines, ids, strict=True):
        assert f"n = {iris.tree_.n_samples[i]};" in line


def test_p_values_at_the_floor_of_their_test_are_marked():
    assert p_words(1 / 52, 51) == "p <= 0.019"
    assert p_words(2 / 52, 51) == "p = 0.038"
    assert p_words(1 / 5162, 0) == "p <= 0.00019"  # certified


@pytest.mark.parametrize(
    ("adjust", "level"),
    [(True, "0.017"), ("bonferroni", "0.017"), (False, "0.05"), ("maxt", "0.05")],
)
def test_a_leaf_that_no_feature_could_split_shows_its_estimate_and_its_level(adjust, level):
    rng = np.random.default_rng(0)
    model = Regressor(adjust_alpha_selector=adjust, random_state=0)
    model.fit(rng.normal(size=(50, 3)), rng.normal(size=50))
    p_value = short_p(model.tree_.node(0).p_value_feature)
    text = export_text(model)
    assert text.startswith("|--- value: ")
    assert f"no feature significant: smallest p ~ {p_value}, level {level}]" in text


@pytest.mark.parametrize(("test", "adjust"), [("max", True), ("threshold", True), ("max", False)])
def test_a_leaf_that_no_threshold_could_split_shows_its_level(test, adjust):
    rng = np.random.default_rng(0)
    model = Regressor(
        alpha_selector=1.0, splitter_test=test, adjust_alpha_splitter=adjust, random_state=0
    )
    model.fit(rng.normal(size=(50, 1)), rng.normal(size=50))
    root = model.tree_.node(0)
    assert root.stop_reason == "no threshold significant"
    assert (root.n_tests_threshold == 1) == (test == "max")
    level = short_p(0.05 / root.n_tests_threshold)
    p_value = short_p(root.p_value_threshold)
    reason = f"no threshold significant: smallest p ~ {p_value}, level {level}]"
    assert reason in export_text(model)


def test_honest_trees_say_that_values_come_from_other_rows(iris):
    X, y = load_iris(return_X_y=True)
    text = export_text(Classifier(honesty=True, random_state=0).fit(X, y))
    first, *lines = text.splitlines()
    assert first.startswith("honest tree: ")
    assert "[grown on n = 75; feature p " in lines[0]
    assert "honest" not in export_text(iris)
    assert "grown" not in export_text(iris)


def test_names_digits_and_depth(iris):
    text = export_text(
        iris, feature_names=["a", "b", "c", "d"], class_names=["x", "y", "z"], decimals=1
    )
    assert "class: x (1.00)" in text
    assert any(f"|--- {name} <= " in text for name in "cd")
    short = export_text(iris, max_depth=0)
    assert short == f"|--- branch of depth {iris.get_depth()} cut off  [n = 150]\n"
    X, y = load_diabetes(return_X_y=True)
    text = export_text(Regressor(max_depth=3, random_state=0).fit(X, y), max_depth=1)
    assert "feature_2 <= " in text
    assert "branch of depth 2 cut off" in text


def test_untested_splits_say_so():
    X, y = load_iris(return_X_y=True)
    model = Classifier(n_resamples_selector=None, n_resamples_splitter=None, max_depth=1)
    assert "not tested" in export_text(model.fit(X, y))


def test_deep_trees_do_not_exhaust_the_stack():
    n = 3000
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = Classifier(
        n_resamples_selector=None, splitter_test=None, threshold_method="exact", random_state=0
    ).fit(X, y)
    assert len(export_text(model, max_depth=None).splitlines()) == 3 * model.get_n_leaves() - 2


def test_wrong_use(iris):
    with pytest.raises(ValueError, match="feature_names must have 4 names"):
        export_text(iris, feature_names=["a"])
    with pytest.raises(ValueError, match="class_names must have 3 names"):
        export_text(iris, class_names=["a"])
    for depth in (-1, 1.5):
        with pytest.raises(ValueError, match=f"max_depth must be .* at least 0; got {depth}"):
            export_text(iris, max_depth=depth)
    with pytest.raises(NotFittedError):
        export_text(Classifier())
    forest = Forest(n_estimators=2, random_state=0).fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    with pytest.raises(TypeError, match=r"use forest.estimators_\[i\]"):
        export_text(forest)
    assert "class: " in export_text(forest.estimators_[1])
    with pytest.raises(TypeError, match="got DecisionTreeClassifier"):
        export_text(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))


def test_p_values_are_short():
    assert [short_p(p) for p in (0.04, 0.0123, 1 / 5141, 1.5e-7, 1.0)] == [
        "0.04", "0.012", "0.00019", "1e-7", "1",
    ]  # fmt: skip


@pytest.mark.slow
def test_demo_prints_a_table(capsys):
    from inforest.demo import main

    main()
    lines = capsys.readouterr().out.splitlines()
    first = next(line for line in lines if line.startswith("   1  "))
    assert any(name in first for name in load_breast_cancer().feature_names)
    assert max(map(len, lines)) <= 110


def test_as_partykit_prints():
    """What R 4.2 with partykit 1.2-16 prints of ctree(Species ~ ., iris), but for the formula."""
    X, y = load_iris(return_X_y=True)
    names = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"]
    tree = Classifier.ctree().fit(X, load_iris().target_names[y])
    assert (
        export_text(tree, names, style="partykit")
        == """\
Fitted party:
[1] root
|   [2] Petal.Length <= 1.9: setosa (n = 50, err = 0.0%)
|   [3] Petal.Length > 1.9
|   |   [4] Petal.Width <= 1.7
|   |   |   [5] Petal.Length <= 4.8: versicolor (n = 46, err = 2.2%)
|   |   |   [6] Petal.Length > 4.8: versicolor (n = 8, err = 50.0%)
|   |   [7] Petal.Width > 1.7: virginica (n = 46, err = 2.2%)

Number of inner nodes:    3
Number of terminal nodes: 4
"""
    )
    numbers = Regressor.ctree(max_depth=1).fit(X[:, 1:], X[:, 0])
    left = X[X[:, 2] <= numbers.tree_.threshold[0], 0]
    error = ((left - left.mean()) ** 2).sum()
    line = f": {left.mean():.3f} (n = {len(left)}, err = {error:.1f})"
    assert line in export_text(numbers, style="partykit")
    several = Regressor.ctree(max_depth=1).fit(X[:, 2:], X[:, :2])
    here = X[:, 2] <= several.tree_.threshold[0]
    first, second = X[here, :2].mean(axis=0)
    line = f": {first:.3f}, {second:.3f} (n = {here.sum()})\n"
    assert line in export_text(several, style="partykit")
    with pytest.raises(ValueError, match="style must be 'inforest' or 'partykit'; got 'R'"):
        export_text(tree, style="R")


def test_levels_are_those_that_come_to_the_node():
    rng = np.random.default_rng(0)
    code = rng.integers(6, size=600)
    y = code**2 + rng.normal(size=600)
    tree = Regressor(categorical_features=[0], max_depth=3, random_state=0).fit(code[:, None], y)
    for style in ("inforest", "partykit"):
        lines = [line for line in export_text(tree, ["c"], style=style).splitlines() if "{" in line]
        found = [set(re.search(r"\{(.*)\}", line)[1].split(", ")) for line in lines]
        depth = [line.count("|   ") for line in lines]
        above = [set("012345")]  # what comes to the node, on the way to it
        waiting = []
        for levels, d in zip(found, depth, strict=True):
            del above[d - depth[0] + 1 :]
            comes = above[-1]
            assert levels < comes
            left = next((other for at, node, other in waiting if at == d and node is comes), None)
            if left is not None:  # the other side of the same split
                assert levels == comes - left
            waiting.append((d, comes, levels))
            above.append(levels)
        assert len(found) >= 6
