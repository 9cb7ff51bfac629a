"""`rank_features` and `Ranking`: order, scores, names, ties, p-values, text and figures."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    PermutationFilter,
    Ranking,
    independence_test,
    rank_features,
)
from inforest.ranking.ranker import seeded
from inforest.redundancy import rerank

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def names(n):
    return np.array([f"f{j}" for j in range(n)], dtype=object)


def many(n=20_000):
    """A ranking of so many features whose scores fall quickly to zero."""
    scores = np.random.default_rng(0).permutation(np.maximum(0.0, 1 - np.arange(n) / 50))
    return Ranking(np.argsort(-scores, kind="stable"), scores, names(n))


class Announced(BaseEstimator):
    """Says after fit what it is told to say."""

    def __init__(self, attribute="feature_importances_", values=None):
        self.attribute = attribute
        self.values = values

    def fit(self, X, y):
        setattr(self, self.attribute, np.asarray(self.values))
        return self


X3, Y3 = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2


def announced(attribute, values):
    return rank_features(X3, Y3, estimator=Announced(attribute, values))


@pytest.mark.parametrize(
    ("load", "forest"),
    [
        (load_breast_cancer, ConditionalInferenceForestClassifier),
        (load_diabetes, ConditionalInferenceForestRegressor),
    ],
)
def test_default_is_the_forest_of_the_task(load, forest):
    X, y = load(return_X_y=True)
    ranking = rank_features(X, y, n_estimators=20, random_state=3)
    ranker = ranking.estimator
    assert type(ranker.forest) is forest
    fitted = clone(ranker).fit(X, y)
    assert_array_equal(ranking.order, fitted.ranking_)
    assert_array_equal(ranking.scores, fitted.scores_)
    assert_array_equal(ranking.tie_breaker, fitted.root_statistic_)
    assert ranking.p_values is None
    assert ranking.adjusted_p_values is None


def test_default_has_500_trees():
    X, y = load_iris(return_X_y=True)
    assert rank_features(X, y, random_state=0).estimator.forest.n_estimators == 500


def test_task_can_be_given():
    X, y = load_iris(return_X_y=True)
    ranking = rank_features(X, y, task="regression", n_estimators=5, random_state=0)
    assert isinstance(ranking.estimator.forest, ConditionalInferenceForestRegressor)


def test_result_does_not_depend_on_n_jobs():
    X, y = load_breast_cancer(return_X_y=True)
    one, two = (
        rank_features(X, y, p_values="holm", n_estimators=20, random_state=0, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    assert_array_equal(one.order, two.order)
    assert_array_equal(one.adjusted_p_values, two.adjusted_p_values)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_come_from_the_columns(library):
    module = pytest.importorskip(library)
    data = load_iris()
    X = module.DataFrame({name: data.data[:, j] for j, name in enumerate("abcd")})
    ranking = rank_features(X, data.target, n_estimators=20, random_state=0)
    assert ranking.names.tolist() == list("abcd")
    assert set(ranking.top(2)) == {"c", "d"}
    given = rank_features(X, data.target, feature_names=list("wxyz"), n_estimators=5)
    assert given.names.tolist() == list("wxyz")


def test_p_values_are_those_of_the_independence_test():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    for p_values, adjust in [("westfall-young", "westfall-young"), ("none", None)]:
        ranking = rank_features(X, y, p_values=p_values, n_estimators=5, random_state=0)
        tests = independence_test(X, y, adjust=adjust, random_state=0)
        assert_array_equal(ranking.p_values, tests.p_value)
        assert_array_equal(ranking.adjusted_p_values, tests.adjusted_p_value)
        assert ranking.adjust == adjust


def test_small_p_values_need_many_permutations():
    X, y = load_iris(return_X_y=True)
    ranking = rank_features(
        X, y, p_values="westfall-young", n_estimators=1, n_resamples=1999, random_state=0
    )
    assert ranking.p_values.min() == 1 / 2000


def test_p_values_test_what_the_estimator_looks_for():
    X, y = load_iris(return_X_y=True)
    tree = ConditionalInferenceTreeClassifier(selector="rdc")
    ranking = rank_features(X, y, estimator=tree, p_values="none", random_state=0)
    tests = independence_test(X, y, selector="rdc", random_state=0)
    assert_array_equal(ranking.p_values, tests.p_value)


def test_order_of_columns_and_constant_columns_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    y = X[:, 0] - X[:, 1] + rng.normal(size=120) > 0
    shuffle = rng.permutation(40)
    ranking = rank_features(X, y, n_estimators=50, random_state=0)
    shuffled = rank_features(X[:, shuffle], y, n_estimators=50, random_state=0)
    with_constant = rank_features(
        np.column_stack([np.full(120, 7.0), X]), y, n_estimators=50, random_state=0
    )
    assert not ranking.ties
    assert_array_equal(shuffle[shuffled.order], ranking.order)
    assert_array_equal(with_constant.order[:-1] - 1, ranking.order)
    assert with_constant.order[-1] == 0


def test_rankings_by_index_are_told_from_places():
    by_index = announced("ranking_", [2, 0, 1])
    assert by_index.order.tolist() == [2, 0, 1]
    assert by_index.scores.tolist() == [1, 0, 2]
    by_place = announced("ranking_", [2, 3, 1])
    assert by_place.order.tolist() == [2, 0, 1]
    assert by_place.scores.tolist() == [1, 0, 2]
    tied = announced("ranking_", [1, 2, 1])
    assert tied.order.tolist() == [0, 2, 1]
    assert [group.tolist() for group in tied.ties] == [[0, 2]]


def test_rfe_ranks_by_place():
    X, y = load_breast_cancer(return_X_y=True)
    rfe = RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=1)
    ranking = rank_features(X, y, estimator=rfe)
    assert_array_equal(ranking.estimator.ranking_[ranking.order], np.arange(1, 31))


def test_a_filter_ranks_by_index():
    X, y = load_iris(return_X_y=True)
    ranking = rank_features(X, y, estimator=PermutationFilter(), random_state=0)
    assert_array_equal(ranking.order, ranking.estimator.ranking_)


def test_importances_and_coefficients():
    assert announced("feature_importances_", [0.1, 0.7, 0.2]).order.tolist() == [1, 2, 0]
    ranking = announced("coef_", [[1.0, -3.0, 0.0], [1.0, 2.0, -4.0]])
    assert ranking.scores.tolist() == [2, 5, 4]
    assert ranking.order.tolist() == [1, 2, 0]
    X, y = load_diabetes(return_X_y=True)
    assert rank_features(X, y, estimator=Ridge()).score_name == "|coefficient|"


def test_data_that_only_the_estimator_takes():
    X, y = load_iris(return_X_y=True)
    sparse = rank_features(csr_array(X), y, estimator=RandomForestClassifier(10), random_state=0)
    dense = rank_features(X, y, estimator=RandomForestClassifier(10), random_state=0)
    assert_array_equal(sparse.order, dense.order)
    X[0, 0] = np.nan
    assert len(rank_features(X, y, estimator=RandomForestClassifier(10), random_state=0)) == 4
    with pytest.raises(ValueError, match="Input X contains NaN"):
        rank_features(X, y, missing="error")


class Hiding(BaseEstimator):
    """Lists only the parameters that were given, as CatBoost does."""

    def __init__(self, random_state=None, random_seed=None):
        self.random_state, self.random_seed = random_state, random_seed

    def get_params(self, deep=True):
        params = {"random_state": self.random_state, "random_seed": self.random_seed}
        return {name: value for name, value in params.items() if value is not None}

    def set_params(self, **params):
        vars(self).update(params)
        return self


def test_seeds_that_are_not_listed_are_found():
    assert seeded(Hiding(), 3).random_state == 3
    assert seeded(Hiding(random_state=1), 3).random_state == 3
    other = seeded(Hiding(random_seed=1), 3)  # CatBoost refuses both
    assert (other.random_state, other.random_seed) == (None, 3)


def test_random_state_reaches_the_estimator():
    X, y = load_breast_cancer(return_X_y=True)
    rfe = RFE(RandomForestClassifier(5, random_state=1), step=10)
    assert rank_features(X, y, estimator=rfe, random_state=7).estimator.estimator.random_state == 7
    assert rank_features(X, y, estimator=rfe).estimator.estimator.random_state == 1
    assert rfe.estimator.random_state == 1


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (KNeighborsClassifier(), ValueError, "after fit; KNeighborsClassifier has none of them"),
        ("forest", TypeError, "estimator must be None or an estimator.*got 'forest'"),
        (LogisticRegression, TypeError, "estimator must be None or an estimator"),
        (Announced(values=[1.0, 2.0]), ValueError, r"one number per feature, 3; got .* \(2,\)"),
        (Announced(values=[1.0, np.nan, 0]), ValueError, "must hold finite numbers"),
        (Announced("ranking_", [0, 0, 1]), ValueError, "must hold the indices 0 to 2"),
    ],
)
def test_unfit_estimators(estimator, error, message):
    with pytest.raises(error, match=message):
        rank_features(X3, Y3, estimator=estimator)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"task": "ranking"}, "'task' parameter of rank_features"),
        ({"p_values": "tukey"}, "'p_values' parameter of rank_features"),
        ({"n_estimators": 0}, "'n_estimators' parameter of rank_features"),
        ({"feature_names": ["a"]}, "feature_names must have 3 names"),
        (
            {"estimator": Ridge(), "n_estimators": 5},
            "n_estimators=5 is for the default forest.*set it on the estimator, Ridge",
        ),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        rank_features(X3, Y3, **params)


def test_a_ranking_leaves_the_estimator_alone():
    ranking = announced("feature_importances_", [0.1, 0.7, 0.2])
    assert ranking.estimator.feature_importances_.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        ranking.order[0] = 0


def test_ties_are_what_nothing_separates():
    scores = np.array([0.0, 0.5, 0.0, 0.5, 0.0])
    order = np.array([1, 3, 2, 0, 4])
    ranking = Ranking(order, scores, names(5))
    assert [group.tolist() for group in ranking.ties] == [[1, 3], [2, 0, 4]]
    association = np.array([0.1, 0.9, 0.2, 0.8, 0.1])
    ranking = Ranking(order, scores, names(5), tie_breaker=association)
    assert [group.tolist() for group in ranking.ties] == [[0, 4]]
    assert Ranking(np.array([0]), np.array([1.0]), names(1)).ties == []


def test_top():
    ranking = Ranking(np.array([2, 0, 1]), np.array([0.3, 0.1, 0.6]), names(3))
    assert ranking.top(2).tolist() == ["f2", "f0"]
    assert ranking.top(2, indices=True).tolist() == [2, 0]
    assert ranking.top().tolist() == ["f2", "f0", "f1"]
    for k in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match=f"k must be a whole number of at least 1; got {k!r}"):
            ranking.top(k)


def test_tables():
    p = np.array([0.2, 0.9, 0.001])
    ranking = Ranking(
        np.array([2, 0, 1]), np.array([0.3, 0.1, 0.6]), names(3), p_values=p,
        adjusted_p_values=3 * p, adjust="bonferroni",
    )  # fmt: skip
    frame = ranking.to_frame()
    assert frame.index.tolist() == ["f2", "f0", "f1"]
    assert frame.columns.tolist() == ["rank", "score", "p_value", "adjusted_p_value"]
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["p_value"].tolist() == [0.001, 0.2, 0.9]
    rows = ranking.to_rows()
    assert rows[0] == {
        "rank": 1, "feature": "f2", "score": 0.6, "p_value": 0.001, "adjusted_p_value": 0.003,
    }  # fmt: skip
    assert [row["feature"] for row in rows] == frame.index.tolist()
    plain = Ranking(np.array([1, 0]), np.array([0.1, 0.6]), names(2))
    assert plain.to_frame().columns.tolist() == ["rank", "score"]
    assert list(plain.to_rows()[0]) == ["rank", "feature", "score"]


def test_text():
    ranking = Ranking(
        np.array([0, 1, 2]), np.array([0.8, 0.4, 0.0]), np.array(["a", "b" * 60, "c"]),
        score_name="importance", p_values=np.array([1e-6, 0.04, 1.0]),
        adjusted_p_values=np.array([3e-6, 0.12, 1.0]), adjust="bonferroni",
    )  # fmt: skip
    title, head, first, second, third = repr(ranking).splitlines()
    assert title == "Ranking of 3 features"
    assert head.split() == ["rank", "feature", "importance", "p", "bonferroni"]
    assert first.split() == ["1", "a", "0.8", "█" * 20, "1e-6", "3e-6"]
    assert second.split() == ["2", "b" * 39 + "…", "0.4", "█" * 10, "0.04", "0.12"]
    assert third.split() == ["3", "c", "0", "1", "1"]
    assert len({len(line) for line in (head, first, second, third)}) == 1


def test_text_of_many_features_stays_short():
    lines = repr(many()).splitlines()
    assert lines[0] == "Ranking of 20,000 features"
    assert len(lines) == 14
    assert lines[12] == "... and 19,990 more"
    assert lines[13].startswith("19,950 features are tied")


@pytest.mark.parametrize("scores", [[0.0, 0.0], [-1.0, -2.0], [1.0, -2.0]])
def test_scores_without_a_bar(scores):
    ranking = Ranking(np.array([0, 1]), np.array(scores), names(2))
    assert "█" not in repr(ranking).splitlines()[3]
    ranking.plot().figure.canvas.draw()


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_plot_of_few_features():
    ranking = Ranking(np.array([2, 0, 1]), np.array([0.3, 0.1, 0.6]), names(3))
    ax = ranking.plot()
    ax.figure.canvas.draw()
    assert labels(ax) == ["f2", "f0", "f1"]
    assert [bar.get_width() for bar in ax.patches] == [0.6, 0.3, 0.1]
    assert ax.yaxis_inverted()
    assert ax.get_title() == "3 features"
    assert not ax.child_axes


@pytest.mark.parametrize("name", ["cost $ per $^", "$x^$", r"$\foo$", "a" * 200])
def test_names_are_drawn_as_they_are(name):
    ranking = Ranking(np.array([0, 1]), np.array([0.5, 0.3]), np.array([name, "b"], dtype=object))
    ax = ranking.plot()
    ax.figure.canvas.draw()  # here matplotlib would read a formula
    assert labels(ax)[0] == (name.replace("$", r"\$") if len(name) < 40 else "a" * 31 + "…")


def test_the_callers_arrays_stay_writable():
    scores = np.array([0.5, 0.3])
    ranking = Ranking(np.array([0, 1]), scores, names(2))
    scores[0] = 0
    assert ranking.scores[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        ranking.scores[0] = 1


def test_a_ranking_of_nothing_has_no_ties():
    assert Ranking(np.array([], dtype=int), np.array([]), names(0)).ties == []


def test_plot_of_many_features():
    ranking = many()
    ax = ranking.plot()
    ax.figure.canvas.draw()
    assert labels(ax) == ranking.top(30).tolist()
    assert ax.get_title() == "30 best of 20,000 features"
    texts = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(texts))
    assert not ax.child_axes, "nothing may lie on bars that hardly fall"


def test_all_scores_are_drawn_where_there_is_room():
    scores = 0.5 ** np.arange(100)
    ax = Ranking(np.arange(100), scores, names(100)).plot(top=20)
    (inset,) = ax.child_axes
    assert inset.get_xscale() == "log"
    assert len(inset.lines[0].get_xdata()) == 100
    box = inset.get_window_extent()
    assert not any(box.overlaps(bar.get_window_extent()) for bar in ax.patches)


def test_plot_uses_the_given_axes_and_shows_nothing(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("plot must not show"))
    _, ax = plt.subplots()
    assert many(50).plot(ax=ax, top=5) is ax
    assert len(plt.get_fignums()) == 1


def test_redundancy_moves_copies_down():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X[:, :10], X[:, 7]])  # the last is a copy of a strong one
    plain, default = (
        rank_features(X, y, redundancy=redundancy, n_estimators=50, random_state=0)
        for redundancy in (0, None)
    )
    assert (plain.score_name, default.score_name) == ("importance", "added importance")
    assert set(plain.order[:2]) == {7, 10}
    assert default.order[0] in {7, 10}
    assert default.order[-1] in {7, 10}
    assert (np.diff(default.scores[default.order]) <= 0).all()


def test_redundancy_discounts_the_importances_of_any_estimator():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(20)
    plain, discounted = (
        rank_features(X, y, estimator=forest, redundancy=redundancy, random_state=0)
        for redundancy in (None, 1.0)
    )
    assert_array_equal(plain.scores, plain.estimator.feature_importances_)
    assert_array_equal(discounted.order, rerank(plain.scores, X))
    assert (discounted.scores <= plain.scores).all()
    with pytest.raises(ValueError, match="redundancy"):
        rank_features(X, y, redundancy=-1)
