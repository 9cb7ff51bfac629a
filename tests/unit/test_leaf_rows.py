"""The training rows behind the leaves, drawn again from the seeds."""

import numpy as np
import pytest

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor
from inforest._engine.leaf_rows import TrainingLeaves, training_leaves

SETTINGS = {
    "subsample": {},
    "bootstrap": {"replace": True},
    "all rows": {"bootstrap": False},
    "honest": {"honesty": True},
    "honest bootstrap": {"honesty": True, "honesty_fraction": 0.2, "replace": True},
}


def a_forest(settings, *, weight=None, groups=None, n=120, cls=ConditionalInferenceForestRegressor):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, 4)).round(1)
    y = X[:, 0] + rng.normal(size=n)
    y = y if cls is ConditionalInferenceForestRegressor else (y > 0).astype(int)
    forest = cls(n_estimators=12, random_state=3, **settings)
    return forest.fit(X, y, weight, groups=groups), X, y


def training_of(forest, X, weight=None):
    return TrainingLeaves(
        forest.trees_,
        training_leaves(forest.trees_, X),
        forest._sampling.of_trees(forest._seeds),
        forest.honesty_fraction if forest.honesty else 0.0,
        weight,
    )


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("is_weighted", [False, True], ids=["", "weighted"])
def test_mean_of_the_rows_is_the_value(settings, is_weighted):
    weight = np.random.default_rng(1).integers(0, 4, 120) / 2 if is_weighted else None
    forest, X, y = a_forest(settings, weight=weight)
    rows = training_of(forest, X, weight).rows()
    for node in np.flatnonzero(forest.trees_.is_leaf):
        here = slice(rows.begin[node], rows.end[node])
        assert rows.total[node] == pytest.approx(rows.weight[here].sum(), rel=1e-12)
        mean = np.average(y[rows.row[here]], weights=rows.weight[here])
        assert mean == pytest.approx(forest.trees_.value[node, 0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("settings", [SETTINGS["subsample"], SETTINGS["bootstrap"]])
def test_rows_are_the_sample(settings):
    groups = np.arange(120) // 3
    forest, X, _ = a_forest(settings, groups=groups)
    training = training_of(forest, X)
    inside, outside = training.rows(), training.rows(out_of_bag=True)
    leaf = forest.apply(X)
    for tree, sample in enumerate(forest.estimators_samples_):
        first = forest.trees_.offset[tree]
        count = np.bincount(sample, minlength=120)
        for node in np.unique(leaf[:, tree]):
            here = leaf[:, tree] == node
            at = slice(inside.begin[first + node], inside.end[first + node])
            assert inside.row[at].tolist() == np.flatnonzero(here & (count > 0)).tolist()
            assert inside.weight[at].tolist() == count[inside.row[at]].tolist()
            at = slice(outside.begin[first + node], outside.end[first + node])
            assert outside.row[at].tolist() == np.flatnonzero(here & (count == 0)).tolist()


def test_honest_rows_are_the_part_that_grew_nothing():
    forest, X, _ = a_forest(SETTINGS["honest"])
    rows = training_of(forest, X).rows()
    for tree, sample in enumerate(forest.estimators_samples_):
        root = forest.trees_.offset[tree]
        below = rows.row[rows.begin[root] : rows.end[root]]
        assert set(below) < set(sample)
        assert len(below) + forest.trees_.n_samples[root] == len(sample)


def test_pieces_make_no_difference(monkeypatch):
    forest, X, _ = a_forest({"honesty": True})
    one = training_of(forest, X).rows(1)
    monkeypatch.setattr("inforest._engine.leaf_rows._PIECE", 100)
    many = training_of(forest, X).rows(2)
    for name in one.core_arguments:
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


def test_leaves_of_training_rows_are_small():
    forest, X, _ = a_forest({}, cls=ConditionalInferenceForestClassifier)
    leaf = training_leaves(forest.trees_, X)
    assert leaf.dtype == np.uint8
    np.testing.assert_array_equal(leaf.T, forest.apply(X))


def test_the_core_refuses_what_does_not_fit():
    forest, X, _ = a_forest({})
    training = training_of(forest, X)
    training.leaf[0, 0] = 0  # the root
    with pytest.raises(ValueError, match="no leaf"):
        training.rows()
