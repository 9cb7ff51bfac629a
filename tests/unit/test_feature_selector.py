"""`FeatureSelector`: which k it tries, how it scores them, which one it takes, what it draws."""

from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.datasets import make_friedman1
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    FeatureSelector,
    rank_features,
)
from inforest._engine.responses import NUMBER
from inforest.selection.choice_of_k import choose_k, default_grid, tabulate

#: What a number of folds means.
SHUFFLED = partial(StratifiedKFold, shuffle=True, random_state=0)

mpl.use("Agg")
FOREST = ConditionalInferenceForestClassifier(20)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def data(p=20, n=100, seed=0):
    """Return p features, of which the first three matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=n) > 0).astype(int)


class ByColumn(BaseEstimator):
    """Ranks the columns as they come."""

    def fit(self, X, y):
        self.ranking_ = np.arange(X.shape[1])
        return self


#: What `Recorder` and `recorded_score` saw (what, row numbers, number of columns), or `Seeded`.
SEEN = []


class Recorder(ByColumn):
    """Keeps the row numbers it was fitted to; column 0 holds them."""

    def fit(self, X, y):
        SEEN.append(("rank", X[:, 0].astype(int), X.shape[1]))
        return super().fit(X, y)


def recorded_score(model, X, y):
    SEEN.append(("score", X[:, 0].astype(int), X.shape[1]))
    return 0.0


def test_rows_that_are_scored_have_no_part_in_the_ranking():
    X = np.column_stack([np.arange(30), np.random.default_rng(0).normal(size=(30, 3))])
    y = np.arange(30) % 2
    SEEN.clear()
    selector = FeatureSelector(
        Recorder(), k_grid=[1, 3], cv=3, scoring=recorded_score, downstream=DummyClassifier()
    )
    selector.fit(X, y)
    assert [what for what, *_ in SEEN] == ["rank", "score", "score"] * 3 + ["rank"]
    assert [n_columns for *_, n_columns in SEEN] == [4, 1, 3] * 3 + [4]
    for i, (train, test) in enumerate(SHUFFLED(3).split(X, y)):
        ranked, *scored = (rows for _, rows, _ in SEEN[3 * i : 3 * i + 3])
        assert_array_equal(ranked, train)
        for rows in scored:
            assert_array_equal(rows, test)
    assert_array_equal(SEEN[-1][1], np.arange(30))


def test_scores_are_those_of_scikit_learn():
    X, y = data()
    selector = FeatureSelector(ByColumn(), k_grid=[2, 7, 20]).fit(X, y)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    for i, k in enumerate([2, 7, 20]):
        expected = cross_val_score(model, X[:, :k], y, cv=SHUFFLED(5), scoring="balanced_accuracy")
        got = [selector.cv_results_[f"split{j}_score"][i] for j in range(5)]
        assert_allclose(got, expected)
        assert_allclose(selector.cv_results_["mean_score"][i], expected.mean())
        error = expected.std(ddof=1) / np.sqrt(5)
        assert_allclose(selector.cv_results_["std_error"][i], error)
    assert selector.cv_results_["n_splits"].tolist() == [5, 5, 5]


def test_regression_scores_r2_of_ridge():
    X, y = data()
    y = y + X[:, 0]
    selector = FeatureSelector(ByColumn(), k_grid=[3], cv=KFold(4)).fit(X, y)
    model = make_pipeline(StandardScaler(), Ridge())
    expected = cross_val_score(model, X[:, :3], y, cv=KFold(4), scoring="r2")
    assert_allclose(selector.cv_results_["mean_score"], [expected.mean()])


@pytest.mark.parametrize(
    ("n_features", "grid"),
    [
        (1, [1]),
        (2, [1, 2]),
        (10, [1, 2, 3, 5, 7, 10]),
        (30, [1, 2, 3, 5, 7, 10, 15, 20, 25, 30]),
        (200, [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 50, 70, 100, 150, 200]),
        (201, [1, 2, 5, 10, 25, 50, 100, 201]),
        (20_000, [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 20000]),
    ],
)
def test_default_grid_ends_with_the_full_set(n_features, grid):
    assert default_grid(n_features).tolist() == grid


def test_grid_is_sorted_and_has_no_doubles():
    X, y = data()
    selector = FeatureSelector(ByColumn(), k_grid=np.array([20, 2, 2, 5]), cv=3).fit(X, y)
    assert selector.cv_results_["k"].tolist() == [2, 5, 20]


@pytest.mark.parametrize(
    ("k_grid", "message"),
    [
        ([], "k_grid must be a list of ints, at least one"),
        ([0, 5], "k_grid must hold ints from 1 to n_features=20; got 0"),
        ([5, 21], "k_grid must hold ints from 1 to n_features=20; got 21"),
        ([0.5, 1.0], "k_grid must be a list of ints"),
        ([[1, 2]], "k_grid must be a list of ints"),
        (5, "'k_grid' parameter of FeatureSelector"),
    ],
)
def test_bad_grids(k_grid, message):
    X, y = data()
    selector = FeatureSelector(ByColumn(), k_grid=k_grid)
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
    assert not hasattr(selector, "n_features_in_")


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"k": 21}, ValueError, "k must be at most n_features=20; got 21"),
        ({"k": True}, ValueError, "k must be 'auto', a whole number or a share; got True"),
        ({"k": 0}, ValueError, "'k' parameter of FeatureSelector"),
        ({"k": 1.5}, ValueError, "'k' parameter of FeatureSelector"),
        ({"k": "all"}, ValueError, "'k' parameter of FeatureSelector"),
        ({"rule": "two_se"}, ValueError, "'rule' parameter of FeatureSelector"),
        ({"estimator": "forest"}, TypeError, "estimator must be None or an estimator"),
        (
            {"estimator": KNeighborsClassifier(), "k": 1},
            ValueError,
            "KNeighborsClassifier has none",
        ),
        ({"estimator": KNeighborsClassifier()}, ValueError, "KNeighborsClassifier has none"),
        (
            {"cv": ShuffleSplit(1, random_state=0), "rule": "one_se"},
            ValueError,
            "rule='one_se' needs at least two splits",
        ),
        ({"scoring": lambda *_: np.nan}, ValueError, "scoring must return finite numbers; got nan"),
    ],
)
def test_bad_parameters(params, error, message):
    X, y = data()
    with pytest.raises(error, match=message):
        FeatureSelector(**{"estimator": ByColumn(), **params}).fit(X, y)


def test_one_standard_error_by_hand():
    """Means 0.60, 0.70, 0.74, 0.75; the best has a standard error of 0.02 / sqrt(4) = 0.01."""
    around = np.array([-1, 1, -1, 1]) * 0.02 * np.sqrt(3) / 2
    scores = np.array([0.60, 0.70, 0.74, 0.75]) + around[:, None]
    results = tabulate(np.array([1, 5, 10, 20]), scores)
    assert_allclose(results["std_error"], 0.01)
    assert choose_k(results, "best") == 20
    assert choose_k(results, "one_se") == 10
    narrow = tabulate(results["k"], np.array([0.60, 0.70, 0.74, 0.75]) + 0.9 * around[:, None])
    assert choose_k(narrow, "one_se") == 20


def test_equal_means_prefer_fewer_features():
    shuffled = [[0.1, 0.3, 0.6], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]]  # sums that differ in a bit
    results = tabulate(np.array([1, 2, 3]), np.array(shuffled))
    assert choose_k(results, "best") == 1


def test_rules_agree_with_their_results():
    X, y = data()
    for rule in ("best", "one_se"):
        selector = FeatureSelector(FOREST, rule=rule, random_state=0).fit(X, y)
        assert selector.k_ == choose_k(selector.cv_results_, rule)
        assert selector.get_support().sum() == selector.k_
        assert set(np.flatnonzero(selector.support_)) == set(selector.ranking_[: selector.k_])


def test_finds_what_matters():
    X, y = data(n=300)
    selector = FeatureSelector(rule="one_se", k_grid=range(1, 8), random_state=0).fit(X, y)
    assert selector.k_ == 3
    assert np.flatnonzero(selector.support_).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("k", "kept"), [(4, 4), (0.5, 10), (0.001, 1), (1.0, 20), (np.int64(2), 2)]
)
def test_k_as_a_number_or_a_share(k, kept):
    X, y = data()
    selector = FeatureSelector(FOREST, k=k, random_state=0).fit(X, y)
    assert selector.k_ == kept
    assert selector.transform(X).shape == (100, kept)
    assert not hasattr(selector, "cv_results_")


def test_final_ranking_is_that_of_rank_features():
    X, y = data()
    selector = FeatureSelector(k=3, random_state=5).fit(X, y)
    ranking = rank_features(X, y, random_state=5)
    assert_array_equal(selector.ranking_, ranking.order)
    assert_array_equal(selector.result_.scores, ranking.scores)
    assert selector.estimator_.forest.n_estimators == 500


def test_task_is_that_of_the_models_then_of_y():
    X, y = data()
    by_y = FeatureSelector(k=1, random_state=0).fit(X, y)
    assert isinstance(by_y.estimator_.forest, ConditionalInferenceForestClassifier)
    by_downstream = FeatureSelector(k=1, downstream=Ridge(), random_state=0).fit(X, y)
    assert isinstance(by_downstream.estimator_.forest, ConditionalInferenceForestRegressor)
    assert "r2" in repr(by_downstream._score_name(NUMBER))


def blas_threads(model, X, y):
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_blas_has_one_thread_in_every_split(backend):
    X, y = data()
    selector = FeatureSelector(
        ByColumn(), downstream=DummyClassifier(), scoring=blas_threads, k_grid=[1], cv=2
    )
    inner = {"inner_max_num_threads": 2} if backend == "loky" else {}
    with parallel_config(backend=backend, n_jobs=2, **inner):
        assert selector.fit(X, y).cv_results_["mean_score"].tolist() == [1]


def test_no_splits_are_refused():
    X, y = data()
    with pytest.raises(ValueError, match="cv must give at least one split"):
        FeatureSelector(ByColumn(), cv=[]).fit(X, y)


def assert_same_choice(one, other):
    assert one.k_ == other.k_
    assert_array_equal(one.ranking_, other.ranking_)
    for name in one.cv_results_:
        assert_array_equal(one.cv_results_[name], other.cv_results_[name], err_msg=name)


@pytest.mark.slow
def test_result_does_not_depend_on_n_jobs_and_backend():
    X, y = data()
    params = {"cv": 3, "k_grid": [2, 20], "random_state": 0}
    params["downstream"] = RandomForestClassifier(3)
    one = FeatureSelector(FOREST, **params).fit(X, y)
    assert_same_choice(one, FeatureSelector(FOREST, n_jobs=2, **params).fit(X, y))
    with parallel_config(backend="loky", n_jobs=2):
        assert_same_choice(one, FeatureSelector(FOREST, **params).fit(X, y))
    generator = np.random.RandomState(3)
    twice = [FeatureSelector(FOREST, **{**params, "random_state": generator}) for _ in range(2)]
    first, second = (selector.fit(X, y) for selector in twice)
    assert not np.array_equal(first.ranking_, second.ranking_)


class Seeded(ByColumn):
    """Keeps the seeds it was fitted with."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        SEEN.append(self.random_state)
        return super().fit(X, y)


def test_splits_have_seeds_of_their_own():
    X, y = data()
    SEEN.clear()
    for random_state in (0, 0, 1):
        FeatureSelector(Seeded(), cv=3, random_state=random_state).fit(X, y)
    first, again, other = SEEN[:4], SEEN[4:8], SEEN[8:]
    assert first == again
    assert first[-1] == 0, "the ranking on all rows has the seed that was given"
    assert len({*first, *other}) == 8
    SEEN.clear()
    FeatureSelector(Seeded(random_state=9), cv=3).fit(X, y)
    assert SEEN == [9, 9, 9, 9]


def test_order_of_columns_and_constant_columns_do_not_matter():
    X, y = data(p=40)
    shuffle = np.random.default_rng(1).permutation(40)
    constant = np.full((100, 2), 3.0)
    for k in ("auto", 0.3, 7):
        params = {"k": k, "random_state": 0}
        kept = FeatureSelector(FOREST, **params).fit(X, y)
        shuffled = FeatureSelector(FOREST, **params).fit(X[:, shuffle], y)
        padded = FeatureSelector(FOREST, **params).fit(np.hstack([constant, X]), y)
        assert not kept.result_.ties
        assert set(shuffle[shuffled.get_support(indices=True)]) == set(
            np.flatnonzero(kept.support_)
        )
        assert_array_equal(padded.support_, [False, False, *kept.support_])
        if k == "auto":
            for other in (shuffled, padded):
                assert_array_equal(other.cv_results_["k"], kept.cv_results_["k"])
                assert_allclose(other.cv_results_["mean_score"], kept.cv_results_["mean_score"])


def test_a_failed_fit_leaves_what_was_there():
    X, y = data()
    selector = FeatureSelector(ByColumn(), cv=3).fit(X, y)
    results = selector.cv_results_
    with pytest.raises(ValueError, match="NaN"):
        selector.fit(np.full_like(X, np.nan), y)
    assert selector.cv_results_ is results
    selector.set_params(k=2).fit(X, y)
    assert not hasattr(selector, "cv_results_")


def test_given_estimators_stay_as_they_are():
    X, y = data()
    forest, model = RandomForestClassifier(5, random_state=3), LogisticRegression()
    selector = FeatureSelector(forest, downstream=model, cv=3, random_state=0).fit(X, y)
    assert forest.random_state == 3
    assert not hasattr(forest, "estimators_")
    assert not hasattr(model, "coef_")
    assert selector.estimator_.random_state == 0
    assert FeatureSelector(forest, k=2).fit(X, y).estimator_.random_state == 3


def test_progress_goes_to_stderr(capsys, monkeypatch):
    monkeypatch.setattr("inforest._engine.patience._DELAY", -1.0)
    X, y = data()
    FeatureSelector(ByColumn(), cv=3, verbose=1).fit(X, y)
    captured = capsys.readouterr()
    assert "splits" in captured.err
    assert not captured.out


@pytest.fixture(scope="module")
def fitted():
    X, y = data(p=60)
    return FeatureSelector(ByColumn(), rule="one_se").fit(X, y)


def test_plot_marks_the_choice_and_the_full_set(fitted):
    ax = fitted.plot_k()
    ax.figure.canvas.draw()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"chosen, k = {fitted.k_}" in labels
    assert "all 60 features" in labels
    assert "best less one standard error" in labels
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel() == "cross-validated balanced accuracy"
    (chosen,) = (line for line in ax.lines if line.get_label().startswith("chosen"))
    at = fitted.cv_results_["k"].tolist().index(fitted.k_)
    assert chosen.get_xydata().tolist() == [[fitted.k_, fitted.cv_results_["mean_score"][at]]]


def test_plot_of_a_small_grid_without_the_full_set():
    X, y = data(p=5)
    selector = FeatureSelector(
        ByColumn(), k_grid=[1, 3], cv=ShuffleSplit(1, random_state=0), scoring=lambda *_: 0.5
    )
    ax = selector.fit(X, y).plot_k()
    ax.figure.canvas.draw()
    assert ax.get_xscale() == "linear"
    assert all(tick == int(tick) for tick in ax.get_xticks())
    assert not any("all" in text.get_text() for text in ax.get_legend().get_texts())
    assert ax.get_ylabel() == "cross-validated score"


def test_plot_uses_the_given_axes_and_shows_nothing(fitted, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("plot_k must not show"))
    _, ax = plt.subplots()
    assert fitted.plot_k(ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_plot_needs_several_k():
    X, y = data()
    with pytest.raises(ValueError, match=r"plot_k needs k='auto'.*got k=2"):
        FeatureSelector(ByColumn(), k=2).fit(X, y).plot_k()


def test_folds_are_shuffled():
    X, y = make_friedman1(200, n_features=8, random_state=0)
    order = np.argsort(y)  # folds of neighbouring rows would each hold responses never seen
    scores = [
        FeatureSelector(k="auto", k_grid=[8], random_state=0)
        .fit(X[rows], y[rows])
        .cv_results_["mean_score"][0]
        for rows in (order, np.random.default_rng(0).permutation(200))
    ]
    assert min(scores) > 0.5
    assert abs(scores[0] - scores[1]) < 0.1
