"""The published definitions of conditional importance, each against a plain recomputation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, chi2_contingency, norm

from bands import BAND
from forests import BOTH, Classifier
from naive_importance import cells, losses, naive, small

EACH = pytest.mark.parametrize("cls", BOTH)
N_REPEATS = 500


def fitted(cls):
    X, y = small(cls)
    return X, y, cls(n_estimators=3, max_features=None, random_state=0).fit(X, y)


def out_of_bag(forest, n):
    return [np.setdiff1d(np.arange(n), rows) for rows in forest.estimators_samples_]


def associated(X, threshold=0.2):
    """Of each feature, those others whose test of independence has 1 - p above the threshold."""
    p_value = chi2.sf((len(X) - 1) * np.corrcoef(X, rowvar=False) ** 2, 1)
    each = range(X.shape[1])
    return [[k for k in each if k != j and 1 - p_value[j, k] > threshold] for j in each]


@EACH
def test_party_conditions_on_what_a_test_calls_associated(cls):
    X, y, forest = fitted(cls)
    others = associated(X)
    assert sum(map(len, others)) > 4  # more than the correlation of 0.2 finds
    result = forest.permutation_importance(
        X, y, conditional="party", n_repeats=N_REPEATS, random_state=0
    )
    mean, variance = naive(forest, X, y, others)
    band = norm.isf(BAND / 2) * np.sqrt(variance / N_REPEATS)
    assert (np.abs(result.importances_per_tree - mean) <= band + 1e-12).all()


@EACH
def test_permimp_conditions_in_every_tree_on_its_own_intervals(cls):
    X, y, forest = fitted(cls)
    result = forest.permutation_importance(
        X, y, conditional="permimp", n_repeats=N_REPEATS, random_state=0
    )
    n_conditions = 0
    for t, (tree, out) in enumerate(
        zip(forest.estimators_, out_of_bag(forest, len(y)), strict=True)
    ):
        used = np.unique(tree.tree_.feature[tree.tree_.feature >= 0])
        others = [[] for _ in range(X.shape[1])]
        for j in used:
            for k in used[used != j]:
                codes = [cells(tree, X[out], [one]) for one in (j, k)]
                table = np.zeros([code.max() + 1 for code in codes])
                np.add.at(table, tuple(codes), 1)
                if min(table.shape) > 1 and chi2_contingency(table, correction=False)[1] < 0.05:
                    others[j].append(k)
        n_conditions += sum(map(len, others))
        mean, variance = naive(forest, X, y, others)
        band = norm.isf(BAND / 2) * np.sqrt(variance[t] / N_REPEATS)
        assert (np.abs(result.importances_per_tree[t] - mean[t]) <= band + 1e-12).all()
    assert n_conditions >= 2


def error_with_moved_children(tree, X, y, out, j, cell, rng):
    """Send all rows down; at splits on j, shuffle the sides inside the cells of those there."""
    nodes, leaf = tree.tree_, np.zeros(len(X), dtype=int)
    for node in range(nodes.node_count):
        here = np.flatnonzero(leaf == node)
        if nodes.feature[node] < 0 or not len(here):
            continue
        left = X[here, nodes.feature[node]] <= nodes.threshold[node]
        if nodes.feature[node] == j:
            for one in np.unique(cell[here]):
                inside = np.flatnonzero(cell[here] == one)
                left[inside] = rng.permutation(left[inside])
        leaf[here] = np.where(left, nodes.left[node], nodes.right[node])
    value = nodes.value[leaf[out]]
    if isinstance(tree.predict(X[:1])[0], float):
        return ((value[:, 0] - y[out]) ** 2).mean()
    return (tree.classes_[value.argmax(axis=1)] != y[out]).mean()


@EACH
def test_partykit_permutes_the_sides_of_all_rows(cls):
    X, y, forest = fitted(cls)
    result = forest.permutation_importance(
        X, y, conditional="partykit", n_repeats=N_REPEATS, random_state=0
    )
    others, rng = associated(X), np.random.default_rng(0)
    for t, (tree, out) in enumerate(
        zip(forest.estimators_, out_of_bag(forest, len(y)), strict=True)
    ):
        before = losses(tree, X[out], y[out]).mean()
        for j in range(X.shape[1]):
            if j not in tree.tree_.feature:
                assert np.isnan(result.importances_per_tree[t, j])
                continue
            cell = cells(tree, X, others[j])
            plain = [
                error_with_moved_children(tree, X, y, out, j, cell, rng) - before
                for _ in range(N_REPEATS)
            ]
            band = norm.isf(BAND / 2) * np.std(plain) * np.sqrt(2 / N_REPEATS)
            assert abs(result.importances_per_tree[t, j] - np.mean(plain)) <= band + 1e-12


def test_a_mean_over_the_trees_that_use_a_feature():
    X, y, forest = fitted(Classifier)
    X = np.column_stack([X, np.zeros(len(X))])
    forest = Classifier(n_estimators=60, max_features=1, random_state=0).fit(X, y)
    result = forest.permutation_importance(X, y, conditional="partykit", random_state=0)
    used = forest.tree_importances("count") > 0
    assert 0 < used[:, 3].sum() < 60
    assert_array_equal(result.n_counted, used.sum(axis=0))
    assert result.importances_mean[4] == 0  # in no tree
    own = result.importances_per_tree[used[:, 3], 3]
    assert result.importances_mean[3] == pytest.approx(own.mean())
    assert result.importances_std[3] == pytest.approx(own.std())
    assert result.importances_se[3] == pytest.approx(own.std(ddof=1) / np.sqrt(len(own)))
    assert np.isnan(result.importances_se[4])


def test_an_interval_says_where_more_trees_lead():
    X, y, _ = fitted(Classifier)
    forest = Classifier(n_estimators=100, random_state=0).fit(X, y)
    result = forest.permutation_importance(X, y, conditional="party", random_state=0)
    lower, upper = result.interval(0.999)
    assert_allclose((lower + upper) / 2, result.importances_mean)
    many = Classifier(n_estimators=1500, random_state=1, n_jobs=2).fit(X, y)
    limit = many.permutation_importance(X, y, conditional="party", random_state=1).importances_mean
    assert ((lower < limit) & (limit < upper)).all()
    few = Classifier(n_estimators=20, random_state=0).fit(X, y)
    assert np.isnan(few.permutation_importance(X, y, random_state=0).interval()[0]).all()
    with pytest.raises(ValueError, match="level must be"):
        result.interval(95)


def test_names_of_definitions():
    X, y, forest = fitted(Classifier)
    with pytest.raises(ValueError, match="conditional must be True, False, 'party'"):
        forest.permutation_importance(X, y, conditional="strobl")
