"""Split usage: counts by hand, controls, candidates, forests of both packages."""

import doctest
import importlib

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from forests import BOTH, Classifier, Regressor, data
from inforest import ConditionalInferenceTreeClassifier, TableWarning
from inforest.diagnostics import split_usage
from inforest.ranking.rank_features import rank_features

mpl.use("Agg")


class Stub(BaseEstimator):
    """A forest of two trees: features 2, 0, 2 and 2, 1 of five; feature 3 best by importance."""

    class Tree:
        def __init__(self, feature):
            self.tree_ = self
            self.feature = np.array(feature)

    n_features_in_ = 5
    feature_names_in_ = np.array(["a", "b", "c", "d", "e"], dtype=object)
    feature_importances_ = np.array([0.1, 0.2, 0.3, 0.4, 0.0])
    candidate_counts_ = np.array([4, 2, 6, 0, 1])

    def __init__(self):
        self.estimators_ = [self.Tree([2, 0, -2, 2, -2, -2, -2]), self.Tree([2, -2, 1, -2, -2])]

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True


def test_counts_by_hand():
    usage = split_usage(Stub(), k=2, positive=["c", 4], null=["a", "e"])
    assert_array_equal(usage.splits, [1, 1, 3, 0, 0])
    assert_array_equal(usage.order, [3, 2, 1, 0, 4])
    assert_array_equal(usage.top, [3, 2])
    assert usage.n_trees == 2
    assert usage.n_splits == 5
    assert usage.top_share == 3 / 5
    assert usage.positive_share == 3 / 5
    assert usage.n_positive_used == 1
    assert usage.null_share == 1 / 5
    assert usage.n_null_used == 1
    assert usage.n_low_used == 2
    assert usage.n_decisions is None
    assert usage.top_offered is None
    assert usage.conclusion == (
        "60% of the 5 splits use the top 2, 60% positive controls (1 of 2), 20% features known not"
        " to matter (1 of 2); 2 lower-ranked features got splits."
    )
    frame = usage.to_frame()
    assert frame.index.tolist() == ["d", "c", "b", "a", "e"]
    assert frame["splits"].tolist() == [0, 3, 1, 1, 0]
    assert frame["offered"].tolist() == [0, 6, 2, 4, 1]
    assert_allclose(frame["used_when_offered"], [0, 0.5, 0.5, 0.25, 0])
    assert_allclose(frame["share"], [0, 0.6, 0.2, 0.2, 0])


@pytest.mark.parametrize("cls", BOTH)
def test_our_forests(cls):
    X, y = data(cls)
    forest = cls(20, random_state=0).fit(X, y)
    usage = split_usage(forest, k=3)
    count = forest.tree_importances("count").sum(axis=0)
    assert_array_equal(usage.splits, count)
    assert_array_equal(usage.order, forest.ranking_)
    assert_allclose(usage.top_share, count[forest.ranking_[:3]].sum() / count.sum())
    assert usage.n_trees == 20


def test_offers_are_those_the_forest_counted():
    X, y = load_breast_cancer(return_X_y=True)
    some = split_usage(Classifier(20, max_features=3, random_state=0).fit(X, y))
    assert (some.splits <= some.offered).all()
    assert some.offered.sum() <= 3 * some.n_decisions
    assert some.offered.sum() > 2.5 * some.n_decisions
    assert 0.02 < some.top_offered < 0.3  # 3 of 30, more or less, as muting changes the pool
    assert "each feature of the top was offered at" in some.conclusion
    assert "of the nodes on average" in some.conclusion
    everything = split_usage(
        Classifier(20, max_features=None, feature_muting=False, random_state=0).fit(X, y)
    )
    assert everything.top_offered > 0.9  # constant ones are never offered
    assert "offered" in everything.to_frame()


@pytest.mark.parametrize(
    ("max_features", "offers_all"),
    [(None, True), (1.0, True), (3, True), ((1.0, 10), True)]
    + [(1, False), (0.4, False), ((1.0, 2), False), ("sqrt", False)],
)
def test_a_larger_max_features_is_advised_only_where_there_is_one(max_features, offers_all):
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(300, 3)).astype(float)  # below a split on one it is never offered
    y = X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=300) > 1
    forest = Classifier(5, max_features=max_features, random_state=0).fit(X, y)
    usage = split_usage(forest, k=1)
    assert usage.top_offered < 0.9
    assert usage.top_share < 0.5
    assert usage.offers_all == offers_all
    assert ("larger max_features" in usage.conclusion) == (not offers_all)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, random_state=0),
        ExtraTreesRegressor(5, random_state=0),
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        DecisionTreeClassifier(random_state=0),
        ConditionalInferenceTreeClassifier(random_state=0),
    ],
)
def test_other_models_with_trees(model):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    usage = split_usage(model.fit(X, y))
    trees = np.ravel(getattr(model, "estimators_", [model]))
    assert usage.n_splits == sum((tree.tree_.children_left >= 0).sum() for tree in trees)
    assert usage.names[0] == "mean radius"
    if not isinstance(model, ConditionalInferenceTreeClassifier):
        assert usage.offered is None
        assert "offered" not in usage.to_frame()
        assert "offered" not in repr(usage)


def test_a_ranking_knows_the_names():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    with pytest.warns(TableWarning, match="'mean perimeter' is nearly 'mean radius'"):
        ranking = rank_features(X, y, n_estimators=5, random_state=0)
    usage = split_usage(ranking)
    assert_array_equal(usage.names, X.columns)
    assert_array_equal(usage.order, ranking.order)
    assert_array_equal(split_usage(ranking, feature_names=[*"x" * 30]).names, "x")


def test_without_any_split_it_says_so():
    rng = np.random.default_rng(0)
    forest = Regressor(5, alpha_selector=1e-6, random_state=0)
    usage = split_usage(forest.fit(rng.normal(size=(30, 4)), rng.normal(size=30)))
    assert usage.n_splits == 0
    assert np.isnan(usage.top_share)
    assert usage.conclusion.startswith("There is no split")
    assert (usage.to_frame()["share"] == 0).all()
    usage.plot()
    mpl.pyplot.close("all")


def test_it_warns_of_forests_that_hardly_split():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2000))
    forest = Classifier(50, random_state=0).fit(X, X[:, 0] > 0)
    usage = split_usage(forest)
    assert 0 < usage.n_splits < 50
    assert "so most found nothing to split on" in usage.conclusion


def test_it_warns_when_most_splits_go_elsewhere():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 200))
    forest = RandomForestClassifier(20, random_state=0).fit(X, X[:, 0] > 0)
    usage = split_usage(forest, k=2)
    assert usage.top_share < 0.5
    assert usage.n_low_used > 20
    assert "most splits go elsewhere" in usage.conclusion


@pytest.mark.parametrize("n_features", [5, 20_000])
def test_plot(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, n_features))
    forest = RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)
    usage = split_usage(forest, positive=[0], null=[1, 2])
    ax = usage.plot()
    assert len(ax.get_yticks()) == min(26, n_features)
    assert sum(bar.get_width() for bar in ax.patches) == usage.n_splits
    assert usage.plot(ax) is ax
    mpl.pyplot.close("all")


def test_odd_names_in_figure_and_print():
    X, y = load_iris(return_X_y=True)
    names = ["a" * 500, "cost $ per $^", r"$\foo$", "b"]
    usage = split_usage(Classifier(5, random_state=0).fit(X, y), feature_names=names)
    usage.plot().figure.canvas.draw()
    mpl.pyplot.close("all")
    assert max(map(len, repr(usage).splitlines()[:-1])) < 100


def test_repr_shows_the_best():
    text = repr(split_usage(Stub(), k=2))
    assert "SplitUsage of 5 splits" in text
    assert "c             3        6" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"positive": ["z"]}, "positive must hold names of features .* from 0 to 4; got 'z'"),
        ({"null": [5]}, "null must hold names of features or column numbers .* got 5"),
        ({"null": [-1]}, "got -1"),
        ({"k": 5}, "less than the number of features, 5"),
        ({"feature_names": ["a", "b"]}, "feature_names must have 5 names"),
    ],
)
def test_what_it_refuses(change, words):
    with pytest.raises(ValueError, match=words):
        split_usage(Stub(), **change)


def test_it_refuses_what_has_no_trees():
    X, y = data(Classifier)
    with pytest.raises(TypeError, match=r"forest or tree .* got LogisticRegression"):
        split_usage(LogisticRegression(max_iter=10_000).fit(X / X.std(axis=0), y))
    with pytest.raises(NotFittedError):
        split_usage(Classifier())


def test_a_single_name_is_a_name_not_letters():
    assert_array_equal(split_usage(Stub(), positive="c").positive, [2])


def test_examples_run():
    module = importlib.import_module("inforest.inspection.diagnostics.split_usage")
    assert doctest.testmod(module).failed == 0
