"""The protocol: folds, k, learners and scores are the study's."""

import gc

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from inforest_study import datasets, protocol
from inforest_study.dataset import Dataset
from inforest_study.protocol import (
    LEARNERS,
    MAIN_METRIC,
    Score,
    judge_classes,
    judge_numbers,
    k_schedule,
    method_seed,
    score_ranking,
    splits,
)

# As the study specifies them, written out a second time.
SPECIFIED = {
    "LR": lambda seed: LogisticRegression(
        max_iter=1000, class_weight="balanced", random_state=seed
    ),
    "SVM": lambda seed: SVC(class_weight="balanced", random_state=seed),
    "KNN classification": lambda seed: KNeighborsClassifier(n_neighbors=5, weights="distance"),
    "Ridge": lambda seed: Ridge(alpha=1.0),
    "SVR": lambda seed: SVR(),
    "KNN regression": lambda seed: KNeighborsRegressor(n_neighbors=5, weights="distance"),
}


@pytest.fixture(scope="module")
def wine():
    return datasets.load("wine")


@pytest.fixture(scope="module")
def diabetes():
    return datasets.load("diabetes")


def rows(dataset, seed=0, fold=0):
    return splits(dataset.info.task, dataset.y, seed)[fold]


@pytest.mark.parametrize(
    ("p", "ks"),
    [
        (3, [3]),
        (5, [5]),
        (13, [5, 10, 13]),
        (80, [5, 10, 25, 50, 80]),
        (100, [5, 10, 25, 50, 100]),
        (107, [5, 10, 25, 50, 100, 107]),
        (166, [5, 10, 25, 50, 100, 125, 150, 166]),
        (1200, [5, 10, 25, 50, 100, 150, 200, 300, 500, 600, 750, 900, 1000, 1200]),
    ],
)
def test_k_schedule(p, ks):
    assert k_schedule(p) == ks
    standard = {5, 10, 25, 50, 100, p}
    assert k_schedule(p, high_p=False) == [k for k in ks if k in standard]


def test_k_schedule_of_the_largest():
    assert k_schedule(20000)[-4:] == [5000, 10000, 15000, 20000]


def test_method_seeds_differ_between_folds_and_seeds():
    assert method_seed(3, 4) == 3004
    assert len({method_seed(seed, fold) for seed in range(5) for fold in range(5)}) == 25


def test_classes_are_split_by_class(wine):
    expected = StratifiedKFold(5, shuffle=True, random_state=3).split(wine.X, wine.y)
    for ours, theirs in zip(splits("classification", wine.y, 3), expected, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_numbers_are_split_at_random(diabetes):
    expected = KFold(3, shuffle=True, random_state=3).split(diabetes.X)
    for ours, theirs in zip(splits("regression", diabetes.y, 3, 3), expected, strict=True):
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("name", ["wine", "diabetes"])
@pytest.mark.parametrize("k", [1, 5, "p"])
def test_scores_are_those_of_the_specified_learners(name, k):
    dataset = datasets.load(name)
    task, p = dataset.info.task, dataset.info.n_features
    k = p if k == "p" else k
    order = np.random.default_rng(0).permutation(p)
    train, test = rows(dataset)
    scores = score_ranking(dataset, order, train, test, 7, [k])
    scaler = StandardScaler().fit(dataset.X[train][:, order[:k]])
    metric = balanced_accuracy_score if task == "classification" else r2_score
    for learner in LEARNERS[task]:
        key = f"KNN {task}" if learner == "KNN" else learner
        model = SPECIFIED[key](7)
        model.fit(scaler.transform(dataset.X[train][:, order[:k]]), dataset.y[train])
        predicted = model.predict(scaler.transform(dataset.X[test][:, order[:k]]))
        (ours,) = [
            score.value
            for score in scores
            if score.learner == learner and score.metric == MAIN_METRIC[task]
        ]
        assert ours == pytest.approx(metric(dataset.y[test], predicted), rel=1e-6)


def test_prefixes_do_not_know_of_each_other(wine):
    order = np.arange(13)[::-1]
    together = score_ranking(wine, order, *rows(wine), 0, [10, 5, 13, 5])
    fresh = Dataset(wine.info, wine.X, wine.y)  # nothing is known of it yet
    apart = [s for k in (5, 10, 13) for s in score_ranking(fresh, order, *rows(wine), 0, [k])]
    assert [(s.k, s.learner, s.metric) for s in together] == [
        (s.k, s.learner, s.metric) for s in apart
    ]
    np.testing.assert_allclose(
        [s.value for s in together], [s.value for s in apart], rtol=0, atol=1e-12
    )


def test_scores_depend_on_training_rows_for_scaling_only(wine):
    """Test rows far away do not move the scaling of the others."""
    train, test = rows(wine)
    X = wine.X.copy()
    X[test[0]] *= 1e6
    moved = Dataset(wine.info, X, wine.y)
    order = np.arange(13)
    ours = score_ranking(wine, order, train, test[1:], 0, [5])
    theirs = score_ranking(moved, order, train, test[1:], 0, [5])
    assert ours == theirs


def test_a_set_of_features_is_scored_once_for_all_rankings(wine, monkeypatch):
    fits = []
    for name, make in LEARNERS["classification"].items():

        def counted(seed, name=name, make=make):
            fits.append(name)
            return make(seed)

        monkeypatch.setitem(LEARNERS["classification"], name, counted)
    wine = Dataset(wine.info, wine.X, wine.y)
    train, test = rows(wine)
    first = score_ranking(wine, np.arange(13), train, test, 0, [13])
    again = score_ranking(wine, np.arange(13)[::-1], train, test, 0, [13])
    assert first == again
    assert fits == ["LR", "SVM", "KNN"]
    score_ranking(wine, np.arange(13), *rows(wine, fold=1), 1, [13])
    assert len(fits) == 6
    five = score_ranking(wine, np.arange(13), train, test, 0, [5])
    assert len(fits) == 9
    assert score_ranking(wine, np.r_[4, 3, 2, 1, 0, 5:13], train, test, 0, [5]) == five
    assert len(fits) == 9
    score_ranking(wine, np.r_[4, 3, 2, 1, 5, 0, 6:13], train, test, 0, [5])
    assert len(fits) == 12


def test_known_scores_go_with_the_data_set(wine):
    known = Dataset(wine.info, wine.X, wine.y)
    score_ranking(known, np.arange(13), *rows(wine), 0, [13])
    before = len(protocol._KNOWN)
    del known
    gc.collect()
    assert len(protocol._KNOWN) < before


def test_without_scaling(wine):
    train, test = rows(wine)
    X = StandardScaler().fit(wine.X[train]).transform(wine.X)
    scaled = Dataset(wine.info, X, wine.y)
    ours = score_ranking(scaled, np.arange(13), train, test, 0, [5], scale=False)
    assert ours == score_ranking(wine, np.arange(13), train, test, 0, [5])
    assert ours != score_ranking(wine, np.arange(13), train, test, 0, [5], scale=False)


def test_slow_convergence_is_part_of_the_protocol(wine, monkeypatch):
    """LR stops after its steps without a word."""
    hasty = LogisticRegression(max_iter=1)
    monkeypatch.setitem(LEARNERS["classification"], "LR", lambda _: hasty)
    assert score_ranking(wine, np.arange(13), *rows(wine), 0, [5], ["LR"])
    with pytest.warns(ConvergenceWarning):
        hasty.fit(wine.X, wine.y)


def test_chosen_learners(wine):
    scores = score_ranking(wine, np.arange(13), *rows(wine), 0, [5], ["KNN", "LR"])
    assert [s.learner for s in scores if s.metric == "accuracy"] == ["KNN", "LR"]
    assert isinstance(scores[0], Score)


@pytest.mark.parametrize(
    ("order", "ks", "learners", "words"),
    [
        (range(13), [5], ["SVR"], "learners must be of .*'SVM'.*got 'SVR'"),
        (range(13), [0, 5], None, "ks must be from 1 to 13"),
        (range(13), [14], None, "ks must be from 1 to 13"),
        (range(6), [7], None, "ks must be from 1 to 6"),
        ([0, 1, 1], [2], None, "none of them twice"),
        ([0, 13], [2], None, "features 0 to 12"),
        ([0, -1], [2], None, "features 0 to 12"),
    ],
)
def test_bad_rankings_are_named(order, ks, learners, words, wine):
    with pytest.raises(ValueError, match=words):
        score_ranking(wine, np.array(order), *rows(wine), 0, ks, learners)


def test_a_short_ranking_may_be_scored_as_far_as_it_goes(wine):
    assert score_ranking(wine, np.array([6, 9]), *rows(wine), 0, [2], ["KNN"])[0].k == 2


@pytest.mark.parametrize("seed", range(5))
def test_metrics_of_classes_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    ours = judge_classes(y, predicted)
    assert ours == pytest.approx(
        {
            "balanced_accuracy": balanced_accuracy_score(y, predicted),
            "accuracy": accuracy_score(y, predicted),
            "f1_weighted": f1_score(y, predicted, average="weighted"),
            "f1_macro": f1_score(y, predicted, average="macro"),
        },
        rel=1e-12,
    )


def test_metrics_of_classes_that_are_missing_somewhere():
    y, predicted = np.array([0, 0, 3]), np.array([0, 5, 5])
    ours = judge_classes(y, predicted)
    assert ours["balanced_accuracy"] == pytest.approx((0.5 + 0.0) / 2)
    theirs = f1_score(y, predicted, average="macro", zero_division=0.0)
    assert ours["f1_macro"] == pytest.approx(theirs)


def test_metrics_of_numbers():
    judged = judge_numbers(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 1.0]))
    assert judged["mse"] == pytest.approx(3.0)
    assert judged["rmse"] == pytest.approx(3.0**0.5)
    assert judged["mae"] == pytest.approx(1.0)
    assert judged["r2"] == pytest.approx(1 - 9 / (14 / 3))
