"""`plot_tree` draws every node once and nothing on top of another."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

from inforest import ConditionalInferenceForestRegressor as Forest
from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from inforest import load, plot_tree, save

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


CASES = {
    "two classes": (Classifier, load_breast_cancer),
    "ten classes": (Classifier, load_digits),
    "regression": (Regressor, load_diabetes),
}


@pytest.fixture(params=CASES, scope="module")
def model(request):
    cls, load = CASES[request.param]
    return cls(max_depth=4, random_state=0).fit(*load(return_X_y=True))


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def extents(artists):
    return [artist.get_window_extent() for artist in artists]


@pytest.mark.parametrize("size", [None, (8, 5)])
def test_four_levels_are_readable(model, size):
    ax = None if size is None else plt.figure(figsize=size).subplots()
    ax = plot_tree(model, max_depth=None, ax=ax)
    ax.figure.canvas.draw()
    assert len(boxes(ax)) == model.tree_.node_count
    for one, other in itertools.combinations(extents(boxes(ax)), 2):
        assert not one.overlaps(other)
    for one, other in itertools.combinations(extents(ax.texts), 2):
        assert not one.overlaps(other)
    nodes = [text for text in ax.texts if "n = " in text.get_text()]
    assert len(nodes) == model.tree_.node_count
    for box, text in zip(extents(boxes(ax)), extents(nodes), strict=True):
        assert box.x0 <= text.x0
        assert text.x1 <= box.x1
        assert box.y0 <= text.y0
        assert text.y1 <= box.y1
    edges = [text for text in ax.texts if text not in nodes and text.get_text()[0] in "≤>"]
    assert edges[0].get_fontsize() >= nodes[0].get_fontsize() / 1.21
    if size is None:
        assert all(text.get_fontsize() >= 6 for text in ax.texts)


def test_nodes_show_their_p_values(model):
    texts = [text.get_text() for text in plot_tree(model, max_depth=None).texts]
    n_splits = int((~model.tree_.is_leaf).sum())
    assert sum("\np ≤ " in text or "\np = " in text for text in texts) == n_splits
    assert sum(text.startswith("≤ ") for text in texts) == n_splits
    assert sum(text.startswith("> ") for text in texts) == n_splits


def test_depth_can_be_cut(model):
    ax = plot_tree(model, max_depth=1)
    root, *cut = boxes(ax)
    assert len(cut) == 2
    assert (root.get_linestyle(), cut[0].get_linestyle()) == ("-", "--")
    hidden = [text.get_text().split("+ ")[1] for text in ax.texts if "+ " in text.get_text()]
    assert sum(int(words.removesuffix(" nodes")) for words in hidden) == model.tree_.node_count - 3
    assert len(boxes(plot_tree(model, max_depth=0))) == 1
    assert len(boxes(plot_tree(model))) == (model.tree_.depth() <= 3).sum()
    with pytest.raises(ValueError, match="max_depth must be"):
        plot_tree(model, max_depth=-1)


def test_names_and_font_size():
    X, y = load_breast_cancer(return_X_y=True)
    model = Classifier(max_depth=1, random_state=0).fit(X, y)
    names = [f"a very long name of the feature number {j}" for j in range(30)]
    ax = plot_tree(model, feature_names=names, class_names=["bad", "good"], fontsize=5)
    texts = [text.get_text() for text in ax.texts]
    assert any(text.startswith("a very long name") and "…" in text for text in texts)
    assert any(text.startswith("good\n") for text in texts)
    assert {text.get_fontsize() for text in ax.texts if "\n" in text.get_text()} == {5}


def test_a_single_leaf_and_extreme_means():
    X = np.array([[0.0], [1.0]] * 20)
    for scale in (1.0, 1.7e308, 1e-308):
        for y in (np.zeros(40), np.tile([-1.0, 1.0], 20)):
            ax = plot_tree(Regressor(random_state=0).fit(X, y * scale))
            ax.figure.canvas.draw()


@pytest.mark.parametrize("cls", [Classifier, Regressor])
def test_a_tree_that_is_only_a_root_says_why(cls):
    X = np.random.default_rng(0).normal(size=(40, 2))
    ax = plot_tree(cls(random_state=0).fit(X, np.arange(40) % 2))
    (text,) = (text for text in ax.texts if "n = " in text.get_text())
    assert "no feature significant: smallest p ~ " in text.get_text().replace("\n", " ")
    assert "level 0.025" in text.get_text()
    box, words = extents([*boxes(ax), text])
    assert box.x0 <= words.x0
    assert words.x1 <= box.x1
    ax = plot_tree(cls(adjust_alpha_selector="maxt", random_state=0).fit(X, np.arange(40) % 2))
    assert any("level 0.05" in text.get_text() for text in ax.texts)  # one test of both features


def test_the_legend_is_filled_by_row():
    X, y = load_digits(return_X_y=True)
    model = Classifier(max_depth=1, random_state=0).fit(X, y)
    names = [f"digit number {k}" for k in range(10)]
    legend = plot_tree(model, class_names=names).get_legend()
    legend.figure.canvas.draw()
    place = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
    read = sorted(names, key=lambda name: (-round(place[name].y0), place[name].x0))
    assert len({round(extent.y0) for extent in place.values()}) > 1
    assert read == names


def test_honest_nodes_count_the_rows_that_grew_them():
    X, y = load_breast_cancer(return_X_y=True)
    ax = plot_tree(Classifier(honesty=True, random_state=0).fit(X, y))
    assert all("grown on n = " in text.get_text() for text in ax.texts if "n = " in text.get_text())


def test_nothing_is_shown_and_the_given_axes_are_used(model, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("plot_tree must not show"))
    _, ax = plt.subplots()
    assert plot_tree(model, ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_without_axes_the_current_ones_are_used_and_cleared(model):
    _, (first, second) = plt.subplots(1, 2)
    second.plot([0, 1], [0, 1])
    plt.sca(second)
    assert plot_tree(model, max_depth=1) is second
    assert plot_tree(model, max_depth=1) is second
    assert len(boxes(second)) == 3
    assert not first.patches


def test_bars_are_the_shares_of_the_classes():
    X, y = load_iris(return_X_y=True)
    tree = Classifier.ctree().fit(X, y)
    ax = plot_tree(tree, max_depth=None)
    bars = [one for one in ax.patches if type(one) is Rectangle]
    leaves = np.flatnonzero(tree.tree_.is_leaf)
    shares = np.array([bar.get_height() for bar in bars]).reshape(len(leaves), 3)
    assert_allclose(shares / shares[0, 0], tree.tree_.value[leaves], atol=1e-12)
    assert {bar.get_y() for bar in bars} == {bars[0].get_y()}  # all leaves in one row


def test_box_plots_are_those_of_the_leaves_rows():
    X, y = load_diabetes(return_X_y=True)
    tree = Regressor.ctree().fit(X, y)
    ax = plot_tree(tree, max_depth=None)
    drawn = [one for one in ax.patches if type(one) is Rectangle]
    leaf = tree.apply(X)
    labels = [text for text in ax.texts if text.get_text() in ("25", "346")]
    (low, high) = sorted(text.get_position()[1] for text in labels)
    assert (y.min(), y.max()) == (25, 346)
    to_y = (high - low) / (y.max() - y.min())
    for box, one in zip(drawn, np.unique(leaf), strict=True):
        quartiles = np.quantile(y[leaf == one], [0.25, 0.75], method="averaged_inverted_cdf")
        ends = box.get_y(), box.get_y() + box.get_height()
        assert_allclose(ends, low + (quartiles - y.min()) * to_y, rtol=1e-9)


def test_a_tree_of_a_forest_shows_means():
    X, y = load_diabetes(return_X_y=True)
    forest = Forest(n_estimators=1, random_state=0).fit(X, y)
    ax = plot_tree(forest.estimators_[0])
    assert not [one for one in ax.patches if type(one) is Rectangle]


def test_p_values_are_adjusted_as_the_tree_was_told_to():
    X, y = load_iris(return_X_y=True)
    for adjust, factor in (("sidak", 4), (True, 4), (False, 1)):
        tree = Classifier.ctree(adjust_alpha_selector=adjust, max_depth=2).fit(X, y)
        last = np.flatnonzero(~tree.tree_.is_leaf)[-1]
        p = tree.tree_.p_value_feature[last] * factor  # so small that all adjustments multiply
        texts = [text.get_text() for text in plot_tree(tree).texts]
        assert sum(f"p = {p:.0e}\n" in text for text in texts) == 1


def test_boxes_are_saved(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    several = np.column_stack([y, X[:, 0]])
    for response in (y, several):
        tree = Regressor(random_state=0).fit(X, response)
        save(tree, tmp_path / "tree")
        assert_array_equal(load(tmp_path / "tree")._boxes, tree._boxes)


@pytest.mark.parametrize("honesty", [False, True])
def test_weights_count_as_repeated_rows_in_boxes(honesty):
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    tree = Regressor(honesty=honesty, random_state=0).fit(X, y, sample_weight=weight)
    leaf = tree.apply(X)
    for one in np.unique(leaf[weight > 0]):
        rows = np.repeat(np.flatnonzero(leaf == one), weight[leaf == one])
        values, found = y[rows], tree._boxes[one, 0]
        if honesty:  # of a part of them
            assert values.min() <= found[5] <= found[3] <= found[6] <= values.max()
            continue
        quartiles = np.quantile(values, [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
        reach = 1.5 * (quartiles[2] - quartiles[0])
        near = values[(values >= quartiles[0] - reach) & (values <= quartiles[2] + reach)]
        expected = [near.min(), *quartiles, near.max(), values.min(), values.max()]
        assert_allclose(found, expected, rtol=1e-12)


def test_names_are_drawn_as_they_are():
    X, y = load_iris(return_X_y=True)
    tree = Classifier(random_state=0).fit(X, y)
    names = ["cost $ per $^", "$x^$", r"$\foo$", "$a_ $"]
    ax = plot_tree(tree, feature_names=names, class_names=["$^a$", "$b_$", r"$\c$"])
    ax.figure.canvas.draw()  # here matplotlib would read a formula


@pytest.mark.parametrize("k", [3, 300])
def test_levels_and_gaps_are_readable(k):
    rng = np.random.default_rng(0)
    level, x = rng.integers(k, size=2000), rng.normal(size=2000)
    y = 2.0 * (level % 3 == 0) + x + rng.normal(size=2000)
    words = np.array([f"shop no. {j:03d} at $5" for j in range(k)])[level]
    X = pd.DataFrame({"shop": pd.Categorical(words), "x": np.where(level % 5 == 1, np.nan, x)})
    tree = Regressor(max_depth=3, random_state=0).fit(X, y)
    ax = plot_tree(tree)
    ax.figure.canvas.draw()
    assert all(text.get_fontsize() >= 6 for text in ax.texts)
    for one, other in itertools.combinations(extents(ax.texts), 2):
        assert not one.overlaps(other)
    said = [text.get_text() for text in ax.texts]
    assert any("shop no. 0" in words for words in said)
    assert any(words.endswith("\nor missing") for words in said)
    assert any(" more" in words for words in said) == (k > 3)
