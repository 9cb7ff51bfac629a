"""`export_text` says what the tree holds."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from inforest import export_text
from inforest.export import short_p


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return Classifier(random_state=0).fit(X, y)


def test_every_split_with_its_p_values_and_every_leaf_with_its_reason(iris):
    tree, text = iris.tree_, export_text(iris)
    lines = text.splitlines()
    assert len(lines) == 2 * (tree.n_leaves - 1) + tree.n_leaves
    assert lines[0].startswith(f"|--- {iris.feature_names_in_[tree.feature[0]]} <= ")
    assert f"p = {short_p(tree.p_value_feature[0])}" in lines[0]
    assert "p threshold = " in lines[0]
    assert "n = 150" in lines[0]
    leaves = [line for line in lines if "class: " in line]
    assert len(leaves) == tree.n_leaves
    assert any("y is constant" in line for line in leaves)
    assert text.endswith("\n")


def test_leaves_come_in_the_order_of_the_tree(iris):
    lines = [line for line in export_text(iris).splitlines() if "class: " in line]
    ids = np.flatnonzero(iris.tree_.is_leaf)
    for line, i in zip(lines, ids, strict=True):
        assert f"n = {iris.tree_.n_samples[i]};" in line


def test_a_leaf_that_no_feature_could_split_shows_its_estimate():
    rng = np.random.default_rng(0)
    text = export_text(Regressor(random_state=0).fit(rng.normal(size=(50, 1)), rng.normal(size=50)))
    assert text.startswith("|--- value: ")
    assert "no feature rejected, p ~ " in text


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
    with pytest.raises(NotFittedError):
        export_text(Classifier())
    with pytest.raises(TypeError, match="got DecisionTreeClassifier"):
        export_text(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))


def test_p_values_are_short():
    assert [short_p(p) for p in (0.04, 0.0123, 1 / 5141, 1.5e-7, 1.0)] == [
        "0.04", "0.012", "0.00019", "1e-7", "1",
    ]  # fmt: skip


def test_demo_prints_a_table(capsys):
    from inforest.demo import main

    main()
    lines = capsys.readouterr().out.splitlines()
    first = next(line for line in lines if line.startswith("   1  "))
    assert any(name in first for name in load_breast_cancer().feature_names)
    assert max(map(len, lines)) <= 100
