"""Forests: made of trees, honest about the rows they have seen, and able to grow on."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

from forests import BOTH, Classifier, Regressor, assert_same_forest, assert_same_trees, data
from inforest import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    ForestRanker,
    rank_features,
)
from inforest._engine.arrays import Trees
from inforest._engine.order import rank
from inforest.estimators.importance import IMPORTANCE_TYPES
from inforest.ranking.ranker import default_ranker

EACH = pytest.mark.parametrize("cls", BOTH)
TREES = {
    Classifier: ConditionalInferenceTreeClassifier,
    Regressor: ConditionalInferenceTreeRegressor,
}


# --- Trees ----------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("honesty", [False, True])
def test_one_tree_without_sampling_is_the_tree(cls, honesty):
    X, y = data(cls)
    params = dict(alpha_selector=0.5, max_features="sqrt", honesty=honesty, random_state=3)
    params |= dict(selector="quad", n_resamples_selector="minimum", splitter_test="max")
    forest = cls(n_estimators=1, importance_type="split", bootstrap=False, **params).fit(X, y)
    tree = TREES[cls](**params).fit(X, y)
    assert_same_trees(forest.trees_.tree(0), tree.tree_)
    assert_array_equal(forest.predict(X), tree.predict(X))
    assert_array_equal(forest.ranking_, tree.ranking_)


@EACH
def test_forests_of_neighbouring_seeds_share_no_tree(cls):
    X, y = data(cls)
    forests = [cls(n_estimators=30, random_state=seed).fit(X, y) for seed in (0, 1, 2)]
    trees = [forest.trees_.tree(i) for forest in forests for i in range(30)]
    assert len({tree.threshold.tobytes() + tree.value.tobytes() for tree in trees}) == 90
    samples = [rows.tobytes() for forest in forests for rows in forest.estimators_samples_]
    assert len(set(samples)) == 90


@EACH
@pytest.mark.parametrize("max_features", [3, None])
def test_candidate_counts_add_up_over_nodes_and_trees(cls, max_features):
    X, y = data(cls)
    X = np.column_stack([X, np.ones(len(X))])  # a constant is no candidate
    params = dict(alpha_selector=0.05, max_features=max_features, random_state=0)
    params |= dict(selector="quad", n_resamples_selector="auto", splitter_test="max")
    forest = cls(n_estimators=4, bootstrap=False, **params).fit(X, y)
    counts = forest.candidate_counts_
    assert counts.dtype == np.int64
    assert counts.shape == (X.shape[1],)
    assert counts.sum() == forest.trees_.n_tests_feature.sum()
    assert counts[-1] == 0
    assert counts.max() <= (forest.trees_.n_tests_feature > 0).sum()
    if max_features is None:  # the roots offer all that vary
        assert counts[:-1].min() >= 4
    one, tree = cls(1, bootstrap=False, **params), TREES[cls](**params)
    assert_array_equal(one.fit(X, y).candidate_counts_, tree.fit(X, y).candidate_counts_)


@EACH
@pytest.mark.parametrize(
    ("max_features", "n_candidates"),
    [((0.5, 100), 5), ((0.5, 3), 3), ((1 / 3, 500), 4), ((1, 1), 1)],
)
def test_max_features_as_a_share_with_a_cap(cls, max_features, n_candidates):
    X, y = data(cls)
    forest = cls(n_estimators=3, max_features=max_features, random_state=0).fit(X[:, :10], y)
    assert forest.trees_.n_tests_feature[0] == n_candidates
    assert cls(**forest.get_params()).max_features == max_features


@EACH
@pytest.mark.parametrize(("n_features", "n_candidates"), [(1, 1), (2, 2), (3, 3), (5, 3), (9, 3)])
def test_a_share_of_few_features_is_at_least_three(cls, n_features, n_candidates):
    X, y = data(cls)
    forest = cls(n_estimators=20, random_state=0).fit(X[:, :n_features], y)
    assert forest.trees_.n_tests_feature[0] == n_candidates


@EACH
def test_estimators_are_views_that_add_up_to_the_forest(cls):
    X, y = data(cls)
    forest = cls(n_estimators=7, random_state=0).fit(X, y)
    trees = forest.estimators_
    assert len(trees) == 7
    assert all(type(tree) is TREES[cls] for tree in trees)
    assert np.shares_memory(trees[3].tree_.threshold, forest.trees_.threshold)
    assert trees[0].get_params()["max_features"] == (1 / 3, 500)
    method = "predict" if cls is Regressor else "predict_proba"
    mean = np.mean([getattr(tree, method)(X) for tree in trees], axis=0)
    assert_allclose(getattr(forest, method)(X), mean, rtol=1e-12)
    assert_array_equal(forest.apply(X), np.column_stack([tree.apply(X) for tree in trees]))
    assert "feature_" in trees[0].export_text(max_depth=1)
    indicator, n_nodes_ptr = forest.decision_path(X)
    assert n_nodes_ptr[-1] == indicator.shape[1] == forest.trees_.node_count
    for i, tree in enumerate(trees):
        part = indicator[:, n_nodes_ptr[i] : n_nodes_ptr[i + 1]]
        assert_array_equal(part.toarray(), tree.decision_path(X).toarray())


def test_tree_methods_show_the_tree():
    X, y = data(Classifier)
    tree = ConditionalInferenceTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    assert "colour" in tree.export_text(feature_names=["colour"] * 13)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert tree.plot_tree().texts
    pyplot.close("all")


@EACH
def test_concatenated_parts_are_the_whole(cls):
    X, y = data(cls)
    trees = cls(n_estimators=9, random_state=0).fit(X, y).trees_
    assert_same_trees(Trees.concatenate([trees.part(0, 2), trees.part(2, 9)]), trees)
    assert_same_trees(Trees.concatenate([trees.tree(i) for i in range(9)]), trees)


@EACH
def test_forest_of_the_default_ranker_is_the_default_forest(cls):
    task = "classification" if cls is Classifier else "regression"
    forest = default_ranker(task).forest
    assert forest.importance_type == "unseen_effect"  # what "auto" means where rows are left out
    assert forest.set_params(n_estimators=100, importance_type="auto").get_params() == (
        cls().get_params()
    )


@EACH
def test_importance_auto_is_unseen_effect_where_rows_are_left_out(cls):
    X, y = data(cls)
    weight = np.ones(len(y), dtype=int)
    weight[0] = 0
    heavy = np.arange(1, len(y) + 1)
    for params, sample_weight, kind in [
        ({}, None, "unseen_effect"),
        ({}, weight, "unseen_effect"),
        ({}, heavy, "unseen_effect"),
        ({"bootstrap": False}, None, "weighted"),
        ({"max_samples": len(y) - 1}, None, "weighted"),
    ]:
        forest = cls(5, random_state=0, **params).fit(X, y, sample_weight)
        assert_array_equal(forest.feature_importances_, forest.importances(kind))
        assert_array_equal(forest.importances(), forest.importances(kind))
        assert_array_equal(forest.tree_importances(), forest.tree_importances(kind))
        ranker = ForestRanker(clone(forest).set_params(importance_type="auto"), redundancy=0)
        ranker.fit(X, y, sample_weight)
        assert_allclose(ranker.feature_importances_, forest.feature_importances_, rtol=1e-12)


@EACH
@pytest.mark.parametrize("is_forest", [False, True])
def test_the_paper_orders_unused_features_by_column_ours_by_association(cls, is_forest):
    """One strong feature takes the only split; the weak last one is next, or last."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    score = 5 * X[:, 3] + X[:, 5]
    y = score > 0 if cls is Classifier else score
    kind, options = (
        (cls, {"max_features": None, "n_estimators": 5}) if is_forest else (TREES[cls], {})
    )
    options |= {"max_depth": 1, "random_state": 0}
    papers = kind.paper(**options).fit(X, y)
    assert np.flatnonzero(papers.feature_importances_).tolist() == [3]
    assert papers.ranking_.tolist() == [3, 0, 1, 2, 4, 5]
    ours = kind.paper(**options, ranking_ties="association").fit(X, y)
    assert ours.ranking_.tolist() == rank(ours.feature_importances_, ours.root_statistic_).tolist()
    assert ours.ranking_[:2].tolist() == [3, 5]
    assert kind().ranking_ties == "association"
    # Whoever reads the ranking breaks ties in the same way.
    assert rank_features(X, y, estimator=papers).tie_breaker is None
    assert rank_features(X, y, estimator=papers, redundancy=1).order.tolist() == [3, 0, 1, 2, 4, 5]
    assert rank_features(X, y, estimator=ours).order[1] == 5


@EACH
def test_paper_presets(cls):
    forest = cls.paper(random_state=0)
    assert (forest.alpha_selector, forest.importance_type) == (0.05, "split")
    assert (forest.n_estimators, forest.max_features, forest.max_samples) == (100, "sqrt", None)
    assert forest.bootstrap
    assert forest.replace
    assert (forest.threshold_method, forest.max_thresholds) == ("histogram", 256)
    assert (forest.n_resamples_selector, forest.splitter_test) == ("minimum", "threshold")
    assert forest.honesty is (cls is Regressor)  # the paper's selection
    assert (forest.selector, forest.splitter) == (
        ("mc", "gini") if cls is Classifier else ("pc", "mse")
    )
    assert cls.paper(honesty=False, max_features=None).max_features is None
    if cls is Classifier:
        assert forest.sampling_method == "stratified"
    forest.set_params(n_estimators=5).fit(*data(cls))
    assert_array_equal([len(rows) for rows in forest.estimators_samples_], len(data(cls)[1]))


@EACH
def test_importances(cls):
    X, y = data(cls)
    forest = cls(n_estimators=20, random_state=0).fit(X, y)
    for kind in IMPORTANCE_TYPES:
        per_tree = forest.tree_importances(kind)
        assert per_tree.shape == (20, X.shape[1])
        assert_allclose(forest.importances(kind), per_tree.sum(axis=0) / per_tree.sum())
        forest.set_params(importance_type=kind)
        assert_array_equal(forest.feature_importances_, forest.importances(kind))
        order = forest.feature_importances_[forest.ranking_]
        assert (np.diff(order) <= 0).all()


@EACH
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("replace", [False, True])
def test_validated_importances_by_hand(cls, weighted, replace):
    """Splits count if their children predict the out-of-bag rows better than the node does."""
    X, y = data(cls)
    weight = np.random.default_rng(0).integers(0, 3, size=len(y)) if weighted else None
    forest = cls(n_estimators=8, alpha_selector=1.0, replace=replace, random_state=0)
    forest.fit(X, y, sample_weight=weight)
    times = np.ones(len(y)) if weight is None else weight
    expected, effects, unseen_effects = np.zeros((3, 8, X.shape[1]))
    for t, sample in enumerate(forest.estimators_samples_):
        tree = forest.trees_.tree(t)
        unseen = np.setdiff1d(np.flatnonzero(times), sample)
        reached = tree.decision_path(X[unseen]).toarray().astype(bool)
        n = tree.weight

        def loss(node, at, tree=tree, unseen=unseen):
            value, rows = tree.value[node], unseen[at]
            truth = y[rows][:, None] if cls is Regressor else y[rows][:, None] == forest.classes_
            return (times[rows][:, None] * (truth - value) ** 2).sum()

        def effect_on(sides, contrast, unseen=unseen):
            Y = y[:, None] if cls is Regressor else y[:, None] == forest.classes_
            if min(times[rows].sum() for rows in sides) == 0 or not contrast.any():
                return 0.0
            means = [np.average(Y[rows], axis=0, weights=times[rows]) for rows in sides]
            n_left, n_right = (times[rows].sum() for rows in sides)
            center = np.average(Y[unseen], axis=0, weights=times[unseen])
            deviations = (times[unseen][:, None] * (Y[unseen] - center) ** 2).sum()
            gap = (means[0] - means[1]) @ contrast / np.linalg.norm(contrast)
            return np.sqrt(n_left * n_right / (n_left + n_right) / deviations) * gap

        for i in np.flatnonzero(~tree.is_leaf):
            left, right = tree.left[i], tree.right[i]
            after = loss(left, reached[:, left]) + loss(right, reached[:, right])
            holds = loss(i, reached[:, i]) - after > 1e-9
            assert tree.validated[i] == holds
            assert tree.node(int(i)).validated is bool(holds)
            children = (n[left] * tree.impurity[left] + n[right] * tree.impurity[right]) / n[i]
            decrease = (tree.impurity[i] - children) * n[i] / n[0]
            expected[t, tree.feature[i]] += holds * decrease
            effects[t, tree.feature[i]] += holds * np.sqrt(max(decrease, 0) / tree.impurity[0])
            sides = unseen[reached[:, left]], unseen[reached[:, right]]
            effect = effect_on(sides, tree.value[left] - tree.value[right], unseen)
            assert_allclose(tree.unseen_effect[i], effect, rtol=1e-9, atol=1e-12)
            unseen_effects[t, tree.feature[i]] += max(effect, 0)
    assert 0 < forest.trees_.validated.sum() < (~forest.trees_.is_leaf).sum()
    offers = forest.candidate_counts_
    assert (forest.trees_.unseen_effect < 0).any()
    effects /= (offers + 0.25 * offers[offers > 0].mean()) / 8
    unseen_effects /= (offers + 0.25 * offers[offers > 0].mean()) / 8
    by_type = {"validated": expected, "effect": effects, "unseen_effect": unseen_effects}
    for importance_type, amounts in by_type.items():
        assert_allclose(forest.tree_importances(importance_type), amounts, atol=1e-7)
        total = amounts.sum(axis=0) / amounts.sum()
        assert_allclose(forest.importances(importance_type), total, atol=1e-7)


@EACH
@pytest.mark.parametrize("importance_type", ["validated", "effect", "unseen_effect"])
@pytest.mark.parametrize("params", [{"bootstrap": False}, {"max_samples": 1.0}], ids=str)
def test_validated_importances_need_rows_left_out(cls, params, importance_type):
    X, y = data(cls)
    forest = cls(n_estimators=3, **params).fit(X, y)
    assert not forest.trees_.validated.any()
    for use in (forest.importances, forest.tree_importances):
        with pytest.raises(ValueError, match=rf"importance_type='{importance_type}' needs rows"):
            use(importance_type)
    name = next(iter(params))
    with pytest.raises(ValueError, match=rf"importance_type='{importance_type}' and {name}="):
        forest.set_params(importance_type=importance_type).fit(X, y)


@EACH
def test_unfitted(cls):
    X, y = data(cls)
    for use in (
        lambda m: m.predict(X),
        lambda m: m.estimators_,
        lambda m: m.estimators_samples_,
        lambda m: m.importances(),
        lambda m: m.tree_importances(),
        lambda m: m.feature_importances_,
        lambda m: m.ranking_,
        lambda m: m.permutation_importance(X, y),
    ):
        with pytest.raises(NotFittedError):
            use(cls())
    assert not hasattr(cls(), "estimators_")


@pytest.mark.parametrize("size", [1.7e308, 1e-200])
def test_extreme_y(size):
    X, y = data(Regressor)
    y = (y - y.mean()) / np.abs(y - y.mean()).max()
    exponent = int(np.log2(size))
    params = dict(n_estimators=20, random_state=0, oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # too few trees
        expected = Regressor(**params).fit(X, y)
        model = Regressor(**params).fit(X, np.ldexp(y, exponent))
    assert_array_equal(model.predict(X), np.ldexp(expected.predict(X), exponent))
    assert_allclose(model.oob_score_, expected.oob_score_)


@EACH
def test_pickle_is_small(cls):
    X, y = data(cls)
    forest = cls(n_estimators=500, random_state=0).fit(X, y)
    content = pickle.dumps(forest)
    # 117 bytes per node, 8 per value; a row costs 12 bytes, and one in each tree for its leaf; the
    # rest is a few arrays' names.
    nodes = forest.trees_.node_count * (117 + 8 * forest.trees_.value.shape[1])
    assert len(content) < nodes + (12 + 500) * len(y) + 500 * 32 + 6000
    copy = pickle.loads(content)
    assert_same_forest(copy, forest)
    assert_array_equal(copy.predict(X), forest.predict(X))


# --- Out of bag -----------------------------------------------------------------------------------

SAMPLES = {
    "subsample": {},
    "bootstrap": {"replace": True},
    "honest": {"replace": True, "honesty": True},
    "few": {"max_samples": 20, "replace": True},
}


@EACH
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", SAMPLES)
def test_out_of_bag_predictions_are_those_of_the_trees_that_have_not_seen_the_row(
    cls, sample, weighted
):
    X, y = data(cls)
    weight = np.arange(len(y)) % 3 if weighted else None
    forest = cls(n_estimators=80, oob_score=True, random_state=0, **SAMPLES[sample])
    forest.fit(X, y, sample_weight=weight)
    method = "predict_proba" if cls is Classifier else "predict"
    total, votes = 0.0, np.zeros(len(y))
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = ~np.isin(np.arange(len(y)), rows)
        prediction = getattr(tree, method)(X).reshape(len(y), -1)
        total = total + prediction * out[:, None]
        votes += out
    mean = total / votes[:, None]
    times = np.ones(len(y), dtype=int) if weight is None else weight
    if cls is Classifier:
        assert_allclose(forest.oob_decision_function_, mean, rtol=1e-12)
        right = forest.classes_[mean.argmax(axis=1)] == y
        assert_allclose(forest.oob_score_, np.average(right, weights=times))
    else:
        assert_allclose(forest.oob_prediction_, mean[:, 0], rtol=1e-12)
        assert_allclose(forest.oob_score_, r2_score(y, mean[:, 0], sample_weight=times))


@EACH
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_tree_does_not_depend_on_its_out_of_bag_rows(cls, sample, weighted):
    """Whatever y they have, the tree is the same: it cannot have seen them.

    Only its validation is made of them.
    """
    X, y = data(cls)
    rng = np.random.default_rng(0)
    weight = np.arange(len(y)) % 3 if weighted else None
    params = dict(n_estimators=4, random_state=1, **SAMPLES[sample])
    if cls is Classifier:
        params["sampling_method"] = "plain"  # strata depend on y, of course
    forest = cls(**params).fit(X, y, sample_weight=weight)
    for i, rows in enumerate(forest.estimators_samples_):
        out = ~np.isin(np.arange(len(y)), rows)
        assert out.any()
        changed = np.where(out, rng.permutation(y), y)
        assert not np.array_equal(changed, y)
        other = cls(**params).fit(X, changed, sample_weight=weight)
        assert_same_trees(
            other.trees_.tree(i), forest.trees_.tree(i), but=["validated", "unseen_effect"]
        )


@EACH
def test_samples_are_what_the_trees_were_grown_from(cls):
    X, y = data(cls)
    forest = cls(n_estimators=5, replace=True, random_state=0).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert tree.tree_.n_samples[0] == len(rows)
        expected = (
            np.bincount(y[rows]) / len(rows) if cls is Classifier else np.array([y[rows].mean()])
        )
        assert_allclose(tree.tree_.value[0], expected)


def test_callable_score():
    X, y = data(Classifier)
    labels = np.array(["a", "b", "c"])[y]
    forest = Classifier(n_estimators=40, oob_score=balanced_accuracy_score, random_state=0)
    forest.fit(X, labels)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == balanced_accuracy_score(labels, predicted)


@EACH
def test_too_few_trees_leave_rows_without_a_vote(cls):
    X, y = data(cls)
    forest = cls(n_estimators=1, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match=r"rows .* have no out-of-bag prediction.*n_estimators"):
        forest.fit(X, y)
    oob = forest.oob_decision_function_ if cls is Classifier else forest.oob_prediction_
    seen = np.isin(np.arange(len(y)), forest.estimators_samples_[0])
    assert_array_equal(np.isnan(oob).reshape(len(y), -1).any(axis=1), seen)
    assert np.isfinite(forest.oob_score_)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_out_of_bag_accuracy_is_that_of_new_rows(load):
    X, y = load(return_X_y=True)
    forest = Classifier(n_estimators=60, oob_score=True, random_state=0, n_jobs=2)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held_out = cross_val_score(forest, X, y, cv=folds).mean()
    forest.fit(X, y)
    assert abs(forest.oob_score_ - held_out) < 0.02
    assert held_out > 0.9


# --- Warm start -----------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("random_state", [0, None, "RandomState"])
def test_warm_start_is_one_fit(cls, random_state):
    X, y = data(cls)
    if random_state == "RandomState":
        random_state = np.random.RandomState(5)
    params = dict(replace=True, warm_start=True, random_state=random_state)
    forest = cls(n_estimators=3, **params).fit(X, y)
    first = forest.trees_
    forest.set_params(n_estimators=9).fit(X, y)
    forest.set_params(n_estimators=30, oob_score=True).fit(X, y)
    assert_same_trees(forest.trees_.part(0, 3), first)
    samples = {rows.tobytes() for rows in forest.estimators_samples_}
    assert len(samples) == 30  # no tree was grown twice
    if random_state is not None:
        again = 0 if random_state == 0 else np.random.RandomState(5)
        whole = cls(n_estimators=30, oob_score=True, replace=True, random_state=again)
        assert_same_forest(whole.fit(X, y), forest)


@EACH
def test_warm_start_refuses_what_makes_no_sense(cls):
    X, y = data(cls)
    forest = cls(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    before = vars(forest).copy()
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting"):
        forest.fit(X[:, :5], y)
    with pytest.raises(ValueError, match="same X, y and sample_weight"):
        forest.fit(X[::-1], y[::-1])
    with pytest.raises(ValueError, match="same X, y and sample_weight"):
        forest.fit(X, y, sample_weight=np.arange(1, len(y) + 1))
    assert vars(forest) == before
    if cls is Classifier:
        with pytest.raises(ValueError, match=r"classes \[0, 1, 2\]; got \[0, 1\]"):
            forest.fit(X, np.minimum(y, 1))
    forest.set_params(replace=True, n_estimators=5)
    with pytest.raises(ValueError, match="replace and max_samples must stay"):
        forest.fit(X, y)
    forest.set_params(replace=False, n_estimators=3)
    with pytest.raises(ValueError, match=r"n_estimators=3 must not be less than the 4 trees"):
        forest.fit(X, y)
    forest.set_params(n_estimators=4)
    with pytest.warns(UserWarning, match="no tree was added"):
        forest.fit(X, y)
    assert_same_trees(forest.trees_, before["trees_"])


@EACH
def test_failed_refit_keeps_the_first_fit(cls):
    X, y = data(cls)
    forest = cls(n_estimators=3, random_state=0).fit(X, y)
    before = vars(forest).copy()
    with pytest.raises(ValueError, match="infinity"):
        forest.fit(np.where(X > 0, np.inf, X), y)
    assert vars(forest) == before
