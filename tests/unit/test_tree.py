"""Fitted trees: reproducible, consistent with their arrays, frugal, and quick to interrupt."""

import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import ctrl_c
from inforest import ConditionalInferenceTreeClassifier as Classifier
from inforest import ConditionalInferenceTreeRegressor as Regressor
from inforest._engine.arrays import STOP_REASONS, Trees
from inforest._engine.order import rank
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest.estimators.importance import IMPORTANCE_TYPES, importances, importances_per_tree

BOTH = pytest.mark.parametrize("cls", [Classifier, Regressor])


def data(cls):
    return (load_breast_cancer if cls is Classifier else load_diabetes)(return_X_y=True)


def arrays(tree):
    return {name: a for name, a in vars(tree).items() if isinstance(a, np.ndarray)}


def same(one, other):
    return all(np.array_equal(a, arrays(other)[k], equal_nan=True) for k, a in arrays(one).items())


def two_trees(one, other):
    """A hand-made `Trees` of two trees with as many classes."""
    parts = [arrays(one), arrays(other)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    joined["offset"] = np.array([0, one.node_count, one.node_count + other.node_count])
    return Trees(**joined)


@BOTH
def test_same_seed_same_tree_and_two_seeds_differ(cls):
    X, y = data(cls)
    first, again, other = (cls(random_state=seed).fit(X, y).tree_ for seed in (7, 7, 8))
    assert same(first, again)
    assert same(first, pickle.loads(pickle.dumps(first)))
    assert not same(first, other)


@BOTH
def test_random_state_instance_moves_on(cls):
    X, y = data(cls)
    rng = np.random.RandomState(0)
    first, second = cls(random_state=rng).fit(X, y).tree_, cls(random_state=rng).fit(X, y).tree_
    assert not same(first, second)
    assert same(first, cls(random_state=np.random.RandomState(0)).fit(X, y).tree_)


def test_seeds_are_streams():
    few, many = (seeds(3, Purpose.GROW, n) for n in (5, 500))
    assert_array_equal(few, many[:5])
    streams = [seeds(entropy, purpose, 500) for entropy in range(20) for purpose in Purpose]
    assert len(np.unique(streams)) == np.size(streams)  # seed s + 1 shares nothing with seed s
    assert root_entropy(np.int64(5)) == 5


@BOTH
def test_input_memory_order_and_type_do_not_matter(cls):
    X, y = data(cls)
    X = X.astype(np.float32)
    expected = cls(random_state=0).fit(X.astype(np.float64), y).tree_
    assert same(cls(random_state=0).fit(X, y).tree_, expected)
    assert same(cls(random_state=0).fit(np.asfortranarray(X), y).tree_, expected)
    read_only = np.asfortranarray(X, dtype=np.float64)
    read_only.flags.writeable = False
    y = np.column_stack([y, y])[:, 1]  # with gaps
    assert same(cls(random_state=0).fit(read_only, y).tree_, expected)


@BOTH
def test_tree_is_consistent(cls):
    X, y = data(cls)
    model = cls(random_state=0).fit(X, y)
    tree = model.tree_
    inner = np.flatnonzero(~tree.is_leaf)
    assert len(inner) > 2
    assert_array_equal(
        tree.n_samples[tree.left[inner]] + tree.n_samples[tree.right[inner]],
        tree.n_samples[inner],
    )
    assert_array_equal(tree.stop_reason == 0, ~tree.is_leaf)
    assert_array_equal(
        np.bincount(model.apply(X), minlength=tree.node_count)[tree.is_leaf],
        tree.n_samples[tree.is_leaf],
    )
    assert (tree.p_value_feature[inner] < 0.05).all()
    assert np.isnan(tree.p_value_threshold).all()
    tested = cls(splitter_test="max", random_state=0).fit(X, y).tree_
    assert (tested.p_value_threshold[~tested.is_leaf] <= 0.05).all()
    assert model.get_n_leaves() == len(inner) + 1 == tree.n_leaves
    for leaf in np.unique(model.apply(X)):
        rows = model.apply(X) == leaf
        expected = (
            np.bincount(y[rows], minlength=2) / rows.sum() if cls is Classifier else y[rows].mean()
        )
        assert_allclose(tree.value[leaf], expected)


@BOTH
def test_decision_path(cls):
    X, y = data(cls)
    model = cls(random_state=0).fit(X, y)
    tree, path = model.tree_, model.decision_path(X)
    assert path.shape == (len(X), tree.node_count)
    assert path.has_sorted_indices
    assert_array_equal(path.sum(axis=0), tree.n_samples)
    assert_array_equal(path.sum(axis=1) - 1, tree.depth()[model.apply(X)])
    assert path.sum(axis=1).max() - 1 == model.get_depth() == tree.max_depth
    for i in range(5):
        node, walk = 0, [0]
        while not tree.is_leaf[node]:
            goes_left = X[i, tree.feature[node]] <= tree.threshold[node]
            node = tree.left[node] if goes_left else tree.right[node]
            walk.append(node)
        assert_array_equal(path[[i]].indices, walk)


def test_probabilities():
    X, y = load_iris(return_X_y=True)
    model = Classifier(max_depth=2, random_state=0).fit(X, y)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    assert_allclose(np.exp(model.predict_log_proba(X)), proba)
    assert model.n_classes_ == 3


@BOTH
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_max_depth(cls, depth):
    model = cls(max_depth=depth, random_state=0).fit(*data(cls))
    assert model.get_depth() == depth
    reasons = {model.tree_.node(i).stop_reason for i in range(model.tree_.node_count)}
    assert "max_depth reached" in reasons


@BOTH
def test_shares_of_samples(cls):
    X, y = data(cls)
    share = cls(min_samples_split=0.3, min_samples_leaf=0.1, random_state=0).fit(X, y).tree_
    split, leaf = int(np.ceil(0.3 * len(y))), int(np.ceil(0.1 * len(y)))
    count = cls(min_samples_split=split, min_samples_leaf=leaf, random_state=0).fit(X, y).tree_
    assert same(share, count)
    assert share.n_samples.min() >= leaf
    assert share.n_samples[~share.is_leaf].min() >= split


@BOTH
def test_rows_weigh_and_are_not_repeated(cls):
    X, y = data(cls)
    weight = np.arange(len(y)) % 3
    model = cls(random_state=0).fit(X, y, sample_weight=weight)
    repeated = cls(random_state=0).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert model.tree_.n_samples[0] == (weight > 0).sum()
    assert_allclose(model.tree_.value[0], repeated.tree_.value[0])
    assert_allclose(model.tree_.impurity[0], repeated.tree_.impurity[0])


def test_a_class_without_weight_is_no_class():
    X, y = load_iris(return_X_y=True)
    model = Classifier(random_state=0).fit(X, y, sample_weight=(y != 1).astype(int))
    assert_array_equal(model.classes_, [0, 2])
    assert model.predict_proba(X).shape == (150, 2)


@BOTH
def test_paper_preset(cls):
    model = cls.paper(random_state=1, honesty=True)
    assert model.n_resamples_selector == model.n_resamples_splitter == "minimum"
    assert model.early_stopping_selector == model.early_stopping_splitter == "adaptive"
    assert model.splitter_test == "threshold"
    assert (model.threshold_method, model.max_thresholds) == ("histogram", 256)
    assert model.honesty is True
    assert model.random_state == 1
    assert model.fit(*data(cls)).get_n_leaves() > 1


@BOTH
def test_importances(cls):
    X, y = data(cls)
    model = cls(random_state=0).fit(X, y)
    tree = model.tree_
    for kind in ("split", "count", "weighted"):
        importance = model.importances(kind)
        assert importance.shape == (X.shape[1],)
        assert_allclose(importance.sum(), 1)
        assert_array_equal(np.flatnonzero(importance), np.unique(tree.feature[~tree.is_leaf]))
    assert_array_equal(model.feature_importances_, model.importances("split"))
    split, weighted = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    n = tree.n_samples
    for i in np.flatnonzero(~tree.is_leaf):
        left, right = tree.left[i], tree.right[i]
        children = (n[left] * tree.impurity[left] + n[right] * tree.impurity[right]) / n[i]
        split[tree.feature[i]] += tree.impurity[i] - children
        weighted[tree.feature[i]] += (tree.impurity[i] - children) * n[i] / n[0]
    assert_allclose(model.importances("split"), split / split.sum())
    assert_allclose(model.importances("weighted"), weighted / weighted.sum())
    with pytest.raises(ValueError, match=r"importance_type='validated' needs rows"):
        model.importances("validated")


def test_a_tree_without_splits_has_no_importances():
    tree = Regressor(random_state=0).fit(np.zeros((9, 2)), np.arange(9.0))
    for kind in IMPORTANCE_TYPES:
        assert_array_equal(importances(tree.tree_, 2, kind), 0)
        assert_array_equal(importances_per_tree(tree.tree_, 2, kind), [[0, 0]])


def test_importances_of_several_trees():
    X, y = load_iris(return_X_y=True)
    one, other = (Classifier(max_depth=d, random_state=d).fit(X, y).tree_ for d in (1, 4))
    both = two_trees(one, other)
    for kind in IMPORTANCE_TYPES:
        rows = importances_per_tree(both, 4, kind)
        assert_allclose(rows[0], importances_per_tree(one, 4, kind)[0])
        assert_allclose(rows[1], importances_per_tree(other, 4, kind)[0])
        assert_allclose(importances(both, 4, kind), rows.sum(axis=0) / (rows.sum() or 1))
    assert_array_equal(
        importances_per_tree(both, 4, "count").sum(axis=1), [one.n_leaves - 1, other.n_leaves - 1]
    )


def test_many_trees_are_read_like_one():
    X, y = load_iris(return_X_y=True)
    one, other = (Classifier(max_depth=d, random_state=d).fit(X, y).tree_ for d in (1, 4))
    both = two_trees(one, other)
    assert both.n_trees == 2
    assert same(both.tree(0), one)
    assert same(both.tree(-1), other)
    assert_array_equal(both.apply(X), np.hstack([one.apply(X), other.apply(X)]))
    assert_allclose(both.predict(X), (one.predict(X) + other.predict(X)) / 2)
    assert_array_equal(both.depth(), np.concatenate([one.depth(), other.depth()]))
    path = both.decision_path(X).toarray()
    parts = [one.decision_path(X).toarray(), other.decision_path(X).toarray()]
    assert_array_equal(path, np.hstack(parts))
    with pytest.raises(IndexError, match="there are 2"):
        both.tree(2)


def test_ranking_breaks_ties_by_statistic_then_index():
    importance = np.array([0.0, 0.5, 0.0, 0.5, 0.0])
    statistic = np.array([0.2, 0.1, 0.9, 0.3, 0.2])
    assert_array_equal(rank(importance, statistic), [3, 1, 2, 0, 4])


def test_ranking_of_a_fitted_tree():
    X, y = load_breast_cancer(return_X_y=True)
    model = Classifier(random_state=0).fit(X, y)
    used = model.feature_importances_ > 0
    assert used[model.ranking_[: used.sum()]].all()
    rest = model.ranking_[used.sum() :]
    assert (np.diff(model.root_statistic_[rest]) <= 0).all()


def test_nodes_and_representations():
    X, y = load_iris(return_X_y=True)
    tree = Classifier(random_state=0).fit(X, y).tree_
    root = tree.node(0)
    assert root.stop_reason == STOP_REASONS[0]
    assert (root.n_samples, root.left, root.is_leaf) == (150, 1, False)
    assert isinstance(root.threshold, float)
    assert repr(tree).startswith(f"Tree(node_count={tree.node_count}, n_leaves={tree.n_leaves}")
    assert repr(two_trees(tree, tree)).startswith("Trees(n_trees=2")
    assert_array_equal(tree.children_left, tree.left)
    with pytest.raises(IndexError, match="node 99 does not exist"):
        tree.node(99)
    with pytest.raises(AttributeError):
        tree.feature = None


def test_verbose_says_one_line(capsys):
    Classifier(verbose=1, random_state=0).fit(*load_iris(return_X_y=True))
    line = r"ConditionalInferenceTreeClassifier: \d+ leaves, depth \d+, \d+ permutations drawn\n"
    assert re.fullmatch(line, capsys.readouterr().err)
    Classifier(random_state=0).fit(*load_iris(return_X_y=True))
    assert capsys.readouterr().err == ""


MEMORY = """
    import resource, sys
    import numpy as np
    from inforest import ConditionalInferenceTree{kind} as Tree
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    rng = np.random.default_rng(0)
    small = rng.normal(size=(200, 100))
    Tree(random_state=0).fit(small, small[:, 0] > 0)  # everything is imported and warm
    X = np.empty((200_000, 100), order="{order}")
    for rows in np.array_split(np.arange(len(X)), 100):
        X[rows] = rng.normal(size=(len(rows), 100))
    y = X[:, 3] + X[:, 7] + rng.normal(size=len(X))
    if "{kind}" == "Classifier":
        y = (y > 0).astype(int)
    before = peak()
    model = Tree(random_state=0, max_depth=2).fit(X, y)
    assert model.get_n_leaves() > 2
    print((peak() - before) / X.nbytes)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has another unit")
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_stays_below_one_and_a_half_inputs(kind, order):
    code = textwrap.dedent(MEMORY).format(kind=kind, order=order)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) <= 1.5


INTERRUPT = """
    import numpy as np
    from inforest import ConditionalInferenceTreeRegressor, _core
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 50)), rng.normal(size=20_000)
    model = ConditionalInferenceTreeRegressor(
        selector="{selector}", n_resamples_selector=1_000_000, early_stopping_selector=None
    )
    grow = _core.grow_trees
    def announced(**options):
        print("growing", flush=True)
        return grow(**options)
    _core.grow_trees = announced
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        assert set(vars(model)) == set(model.get_params())
        print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a subprocess")
@pytest.mark.parametrize("selector", ["pc", "dc", "rdc"])
def test_ctrl_c_ends_a_long_fit_and_leaves_nothing(selector):
    code = textwrap.dedent(INTERRUPT).format(selector=selector)
    process = ctrl_c.start(code)
    try:
        assert process.stdout.readline() == "growing\n"
        time.sleep(0.2)  # into the permutation tests, which would take hours
        process.send_signal(signal.SIGINT)
        # Takes a tenth of a second; the bound is only a guard against hanging.
        output, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    assert output == "interrupted\n"
    assert process.returncode == 0
