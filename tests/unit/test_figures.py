"""Figures of rankings, tests and importances say what they should, and nothing over another."""

from inspect import signature

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    Ranking,
    independence_test,
    make_report,
    plot_tree,
    rank_features,
    write_report,
)

pyplot = pytest.importorskip("matplotlib.pyplot")
to_rgb = pytest.importorskip("matplotlib.colors").to_rgb


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


def drawn_names(ax):
    return [text.get_text() for text in ax.texts]


def test_features_at_the_smallest_p_value_are_told_apart():
    """Ten of them share it: the best six are named, on steps that go up to the left."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    strength = np.linspace(0.5, 3, 10)
    X = np.column_stack([y * s + rng.normal(size=200) for s in strength])
    result = independence_test(X, y, adjust="westfall-young", random_state=0)
    assert (result.adjusted_p_value == 0.001).all()
    ax = result.plot()
    assert drawn_names(ax) == [f"feature_{result.ranking[i]}" for i in range(6)]
    places = np.array([text.xy for text in ax.texts])
    assert (np.diff(places[:, 0]) < 0).all()
    assert np.diff(places[:, 1]).min() > 0.04 * np.diff(ax.get_ylim())
    assert places[0, 1] > 3
    assert max(ax.get_yticks()) <= 3


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_figures_can_be_read_on_light_and_dark_paper(style):
    def lightness(colour):
        return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))

    X, y = load_diabetes(return_X_y=True)
    tree = ConditionalInferenceTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    ranking = rank_features(X, y, n_estimators=20, p_values="holm", random_state=0)
    with pyplot.style.context(style):
        drawn, bars = plot_tree(tree), ranking.plot()
        paper = to_rgb(pyplot.rcParams["figure.facecolor"])
        boxes = [lightness(patch.get_facecolor()[:3]) for patch in drawn.patches]
    for text in drawn.texts:
        assert abs(lightness(text.get_color()) - lightness(paper)) > 0.5
    assert all(abs(box - lightness(paper)) < 0.4 for box in boxes)
    for thing in bars.texts:
        assert abs(lightness(thing.get_color()) - lightness(paper)) > 0.5


def test_rankings_show_p_values_and_no_bar_flattens_the_others():
    names = np.array(["a", "b", "c", "d"], dtype=object)
    scores, p = np.array([0.9, 0.05, 0.03, 0.02]), np.array([0.001, 0.02, 0.4, 1.0])
    tall = Ranking(np.arange(4), scores, names, p_values=p, adjusted_p_values=p, adjust="holm")
    ax = tall.plot()
    assert drawn_names(ax)[:4] == ["0.001", "0.02", "0.4", "1"]
    assert drawn_names(ax)[4] == "p (holm)"
    assert ax.get_xscale() == "function"
    even = Ranking(np.arange(4), np.array([0.4, 0.3, 0.2, 0.1]), names)
    assert even.plot().get_xscale() == "linear"


def test_permutation_importances_have_a_figure():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = ConditionalInferenceForestRegressor(40, random_state=0).fit(X, y)
    found = forest.permutation_importance(X, y, random_state=0)
    ax = found.plot(top=5)
    assert ax.get_title() == "5 most important of 10 features"
    labels = [label.get_text() for label in ax.get_yticklabels()]
    best = np.argsort(-found.importances_mean)[:5]
    assert labels == X.columns[best].tolist()
    low, high = found.interval()
    drawn = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    np.testing.assert_allclose(drawn, np.column_stack([low, high])[best])


def test_editors_see_the_options_of_write_report():
    mine, its = signature(write_report).parameters, signature(make_report).parameters
    assert list(mine) == ["path", *its]
    assert mine["n_estimators"].default == its["n_estimators"].default
