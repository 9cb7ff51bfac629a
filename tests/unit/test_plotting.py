"""`plot_tree` draws every node once and nothing on top of another."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import FancyBboxPatch
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from inforest import plot_tree

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
    ax = plot_tree(model, ax=None if size is None else plt.figure(figsize=size).subplots())
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
    if size is None:
        assert all(text.get_fontsize() >= 6 for text in ax.texts)


def test_nodes_show_their_p_values(model):
    texts = [text.get_text() for text in plot_tree(model).texts]
    n_splits = int((~model.tree_.is_leaf).sum())
    assert sum("p = " in text for text in texts) == n_splits
    assert sum(text.startswith("≤ ") for text in texts) == n_splits
    assert sum(text.startswith("> ") for text in texts) == n_splits


def test_depth_can_be_cut(model):
    ax = plot_tree(model, max_depth=1)
    assert len(boxes(ax)) == 3
    assert len(boxes(plot_tree(model, max_depth=0))) == 1


def test_names_and_font_size():
    X, y = load_breast_cancer(return_X_y=True)
    model = Classifier(max_depth=1, random_state=0).fit(X, y)
    names = [f"a very long name of the feature number {j}" for j in range(30)]
    ax = plot_tree(model, feature_names=names, class_names=["bad", "good"], fontsize=5)
    texts = [text.get_text() for text in ax.texts]
    assert any(text.startswith("a very long name") and "…" in text for text in texts)
    assert any(text.startswith("good\n") for text in texts)
    assert {text.get_fontsize() for text in ax.texts} == {5}


def test_a_single_leaf_and_extreme_means():
    X = np.array([[0.0], [1.0]] * 20)
    for scale in (1.0, 1.7e308, 1e-308):
        for y in (np.zeros(40), np.tile([-1.0, 1.0], 20)):
            ax = plot_tree(Regressor(random_state=0).fit(X, y * scale))
            ax.figure.canvas.draw()


def test_nothing_is_shown_and_the_given_axes_are_used(model, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("plot_tree must not show"))
    _, ax = plt.subplots()
    assert plot_tree(model, ax=ax) is ax
    assert len(plt.get_fignums()) == 1
