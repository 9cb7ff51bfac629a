"""X is read where it is, whatever its type and order, and results are those of a copy."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_regression

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    FeatureSelector,
    _core,
    independence_test,
    rank_features,
)
from inforest._engine import storage
from inforest.ranking.ranker import default_ranker


@pytest.fixture
def in_place(monkeypatch):
    """Take small tables for large ones, which are not copied."""
    monkeypatch.setattr(storage, "_SMALL_BYTES", 0)


def whole_numbers(kind, n=240, p=9):
    """Features of few values that every type holds, and classes that follow two of them."""
    rng = np.random.default_rng(0)
    top = 2 if kind == np.bool_ else 7
    X = rng.integers(0, top, size=(n, p)).astype(kind)
    noisy = X[:, 0].astype(float) + X[:, 1] + rng.normal(size=n)
    return X, np.digitize(noisy, np.quantile(noisy, [1 / 3, 2 / 3]))


def same_trees(a, b):
    for name in (
        "feature",
        "threshold",
        "value",
        "p_value_feature",
        "n_draws_feature",
        "validated",
    ):
        np.testing.assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name), name)
    np.testing.assert_array_equal(a.root_statistic_, b.root_statistic_)
    np.testing.assert_array_equal(a.ranking_, b.ranking_)


def fitted(X, y, **params):
    kind = (
        ConditionalInferenceForestRegressor
        if y.dtype.kind == "f"
        else ConditionalInferenceForestClassifier
    )
    return kind(n_estimators=20, random_state=0, oob_score=True, **params).fit(X, y)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", storage.TYPES)
def test_every_type_and_order_gives_the_trees_of_a_copy(in_place, kind, order):
    X, y = whole_numbers(kind)
    stored = np.asarray(X, order=order)
    double = np.asfortranarray(X, dtype=np.float64)
    own, copied = fitted(stored, y), fitted(double, y)
    same_trees(own, copied)
    assert own.oob_score_ == copied.oob_score_
    np.testing.assert_array_equal(own.predict_proba(stored), copied.predict_proba(double))
    np.testing.assert_array_equal(own.apply(stored), copied.apply(double))


@pytest.mark.parametrize("selector", ["quad", "mc", "rdc", ["mc", "rdc"]])
def test_every_selector_reads_single_precision(in_place, selector):
    X, y = make_classification(200, 8, random_state=1)
    X = X.astype(np.float32)
    same_trees(fitted(X, y, selector=selector), fitted(X.astype(float), y, selector=selector))


def test_large_arrays_are_not_copied(in_place):
    X, y = whole_numbers(np.float32)
    for stored in (X, np.asfortranarray(X), X[::2, ::-1]):
        assert storage.stays(stored)
    assert not storage.stays(X.astype(np.float64))
    assert not storage.stays(X.astype(np.float16))
    assert not storage.stays(X.astype(">f4"))
    same_trees(fitted(X[::2, ::-1], y[::2]), fitted(X[::2, ::-1].astype(float), y[::2]))


def test_memory_maps_are_read_where_they_are(in_place, tmp_path):
    X, y = make_regression(300, 6, noise=20.0, random_state=0)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert storage.stays(mapped)
    same_trees(fitted(mapped, y), fitted(X, y))


@pytest.mark.parametrize("options", [{}, {"honesty": True}, {"replace": True}])
@pytest.mark.parametrize("missing", [False, True])
def test_trees_that_fetch_their_rows_are_the_same(in_place, options, missing):
    """X by rows, and few of them per tree: a block of its own for each."""
    X, y = make_regression(400, 6, noise=20.0, random_state=0)
    X = X.astype(np.float32)
    if missing:
        X[::7, 2] = np.nan
    options = {"max_samples": 60, **options}
    same_trees(fitted(X, y, **options), fitted(X.astype(float), y, **options))
    weight = np.random.default_rng(0).uniform(1, 2, size=len(y))
    mapped = fitted(X, y, max_samples=60)
    double = fitted(X.astype(float), y, max_samples=60)
    same_trees(mapped.fit(X, y, weight), double.fit(X.astype(float), y, weight))


def test_infinity_and_missing_values_are_found(in_place):
    X, y = whole_numbers(np.float32)
    X[3, 4] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*column 4"):
        fitted(X, y)
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN: column 4"):
        fitted(X, y, missing="error")
    same_trees(fitted(X, y), fitted(X.astype(float), y))


def sparse_data(seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random(300, 40, density=0.15, format="csr", random_state=seed)
    y = (X[:, [3]].toarray().ravel() + 0.2 * rng.normal(size=300) > 0.1).astype(int)
    return X, y


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16])
def test_sparse_features_give_the_trees_of_the_dense_ones(form, kind):
    X, y = sparse_data()
    X = (10 * X).astype(kind)
    stored, double = form(X), X.toarray().astype(float)
    own, dense = fitted(stored, y), fitted(double, y)
    same_trees(own, dense)
    assert own.oob_score_ == dense.oob_score_
    np.testing.assert_array_equal(own.predict_proba(stored), dense.predict_proba(double))
    np.testing.assert_array_equal(own.apply(stored), dense.apply(double))
    np.testing.assert_array_equal(
        own.decision_path(stored)[0].toarray(), dense.decision_path(double)[0].toarray()
    )


@pytest.mark.parametrize("selector", ["quad", "mc", "rdc", "mi"])
def test_every_selector_reads_sparse_features(selector):
    X, y = sparse_data()
    same_trees(fitted(X, y, selector=selector), fitted(X.toarray(), y, selector=selector))


def test_sparse_entries_in_any_order_and_twice(in_place):
    X = sparse.coo_array(
        (np.array([1.0, 2.0, 3.0, 0.0, 5.0]), ([4, 4, 1, 2, 0], [0, 0, 0, 1, 1])), shape=(6, 2)
    )
    y = np.array([0, 0, 1, 1, 0, 1])
    tree = ConditionalInferenceTreeClassifier(random_state=0)
    np.testing.assert_array_equal(
        tree.fit(X, y).root_statistic_, tree.fit(X.toarray(), y).root_statistic_
    )
    assert X.nnz == 5  # nobody has touched it


def test_sparse_nan_is_an_error():
    X, y = sparse_data()
    X.data[5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fitted(X, y)


def test_weights_and_groups_with_sparse_features():
    X, y = sparse_data()
    rng = np.random.default_rng(1)
    weight, groups = rng.uniform(size=300) * (rng.uniform(size=300) > 0.2), np.arange(300) // 3
    forest = ConditionalInferenceForestClassifier(n_estimators=6, random_state=0)
    dense = ConditionalInferenceForestClassifier(n_estimators=6, random_state=0)
    same_trees(
        forest.fit(X, y, weight, groups=groups), dense.fit(X.toarray(), y, weight, groups=groups)
    )
    permuted = forest.permutation_importance(X, y, random_state=0).importances_mean
    expected = dense.permutation_importance(X.toarray(), y, random_state=0).importances_mean
    np.testing.assert_array_equal(permuted, expected)


@pytest.mark.parametrize("p_values", [None, "holm"])
def test_rankings_of_sparse_features_are_those_of_the_dense_ones(p_values):
    X, y = sparse_data()
    options = dict(n_estimators=20, random_state=0, p_values=p_values, n_resamples=99)
    own, dense = rank_features(X, y, **options), rank_features(X.toarray(), y, **options)
    np.testing.assert_array_equal(own.order, dense.order)
    np.testing.assert_allclose(own.scores, dense.scores, rtol=1e-6)
    if p_values:
        np.testing.assert_array_equal(own.p_values, dense.p_values)


def test_the_default_selector_takes_sparse_features():
    X, y = sparse_data()
    options = dict(k="auto", cv=3, random_state=0)
    ranker = default_ranker("classification", n_estimators=20)
    own = FeatureSelector(ranker, **options).fit(X, y)
    dense = FeatureSelector(ranker, **options).fit(X.toarray(), y)
    np.testing.assert_array_equal(own.ranking_, dense.ranking_)
    assert sparse.issparse(own.transform(X))


def test_rankings_of_single_precision(in_place):
    X, y = make_regression(200, 8, noise=20.0, random_state=0)
    X = X.astype(np.float32)
    options = dict(n_estimators=20, random_state=0)
    own, copied = rank_features(X, y, **options), rank_features(X.astype(float), y, **options)
    np.testing.assert_array_equal(own.order, copied.order)
    np.testing.assert_array_equal(own.scores, copied.scores)


@pytest.mark.parametrize(
    ("rows", "begin"), [([0, 0], [0, 2]), ([3, 1], [0, 2]), ([0, 9], [0, 2]), ([0, 1], [0, 3])]
)
def test_the_core_refuses_entries_out_of_place(rows, begin):
    table = np.ones(2), np.array(rows, dtype=np.int32), np.array(begin, dtype=np.int64), 5
    with pytest.raises(ValueError, match="entries of a sparse X"):
        _core.feature_keys(table)


def _lead(where, value):
    def damage(X):
        array = getattr(X, where).copy()
        array[2] = value
        setattr(X, where, array)

    return damage


def _lose(where):
    return lambda X: setattr(X, where, getattr(X, where)[:-3])


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize(
    "damage",
    [
        *(_lead("indices", 10**6), _lead("indices", -1)),
        *(_lead("indptr", 10**6), _lead("indptr", 0), _lead("indptr", -1)),
        *(_lose("data"), _lose("indices"), _lose("indptr")),
    ],
)
def test_damaged_sparse_features_are_refused(kind, damage):
    """SciPy walks wherever the indices lead, and the process ends."""
    whole, y = sparse.random_array((60, 20), density=0.3, format=kind, rng=0), np.arange(60) % 2
    forest = ConditionalInferenceForestClassifier(3, random_state=0).fit(whole, y)
    broken = whole.copy()
    damage(broken)
    tree = ConditionalInferenceTreeClassifier()
    for call in (forest.predict, partial(tree.fit, y=y), partial(independence_test, y=y)):
        with pytest.raises(ValueError, match="a sparse matrix with damaged indices"):
            call(broken)


@pytest.mark.parametrize("axis", [0, 1])
def test_damaged_coordinates_are_refused(axis):
    broken = sparse.random_array((60, 20), density=0.3, format="coo", rng=0)
    coords = [places.copy() for places in broken.coords]
    coords[axis][0] = 10**6
    broken.coords = tuple(coords)
    with pytest.raises(ValueError, match="a sparse matrix with damaged indices"):
        independence_test(broken, np.arange(60) % 2)
