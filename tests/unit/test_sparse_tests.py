"""Sparse and large tables, read where they are: the same tests as of the dense table in double."""

import numpy as np
import pytest
from scipy import sparse

from inforest import PermutationFilter, _core, independence_test
from inforest._engine import storage
from inforest.independence import permutation

ARRAYS = "statistic", "p_value", "adjusted_p_value", "n_draws", "standard_error"


def _data(n=120, p=37, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.1)
    X[:, 5] = rng.random(n) < 0.2
    X[:, 7] = 0.0
    y = rng.integers(n_classes, size=n) if n_classes else rng.normal(size=n)
    X[:, 3] = np.where(rng.random(n) < 0.3, y, 0.0)
    return X, y


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(permutation, "_BLOCK_BYTES", 4 * 199 * 5)


def _assert_same(dense, found):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(dense, name), getattr(found, name), err_msg=name)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
@pytest.mark.parametrize("adjust", ["westfall-young", "holm", None])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_sparse_is_dense(kind, adjust, n_classes):
    X, y = _data(n_classes=n_classes)
    options = {"adjust": adjust, "n_resamples": 199, "random_state": 1}
    _assert_same(independence_test(X, y, **options), independence_test(kind(X), y, **options))


@pytest.mark.parametrize(
    "options",
    [
        {"selector": "quad", "adjust": "westfall-young"},
        {"selector": "mi"},
        {"early_stopping": "curtailed", "adjust": "bonferroni"},
        {"method": "asymptotic", "adjust": "fdr_bh"},
        {"sample_weight": np.arange(120.0)},
        {"blocks": np.arange(120) % 4, "adjust": "westfall-young"},
        {"groups": np.arange(120) // 2},
        {"n_jobs": 2, "adjust": "westfall-young"},
    ],
)
def test_options(options):
    X, y = _data()
    if "groups" in options:
        y = np.repeat(y[::2], 2)
    options = {"n_resamples": 99, "random_state": 2, **options}
    _assert_same(
        independence_test(X, y, **options), independence_test(sparse.csr_matrix(X), y, **options)
    )


def test_draws_in_pieces(monkeypatch):
    X, y = _data(n_classes=2)
    whole = independence_test(
        sparse.csc_matrix(X), y, n_resamples=199, adjust="westfall-young", random_state=0
    )
    monkeypatch.setattr(permutation, "_SPARSE_RESPONSE_BYTES", 4 * 120 * 50)
    pieces = independence_test(
        sparse.csc_matrix(X), y, n_resamples=199, adjust="westfall-young", random_state=0
    )
    _assert_same(whole, pieces)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_stored_columns_far_from_zero(n_classes):
    """What is stored everywhere, far from 0 or of any size, is centred in all but name."""
    X, y = _data(n_classes=n_classes)
    rng = np.random.default_rng(7)
    X[:, 10] = 3.0 + rng.normal(size=120)
    X[:, 11] = 1e4 + rng.normal(size=120)
    X[:, 12] = 1e9 + rng.integers(2, size=120)
    X[:, 13] = 5.0  # constant, and stored
    X[:, 14] *= 1e300
    X[:, 15] *= 1e-300
    options = {"adjust": "westfall-young", "n_resamples": 199, "random_state": 4}
    _assert_same(
        independence_test(X, y, **options), independence_test(sparse.csc_array(X), y, **options)
    )


def test_entries_err_less_than_the_slack():
    """The bound that decides what is looked at again; entries are not centred, so it grows."""
    rng = np.random.default_rng(0)
    for n in (50, 3000, 20_000):
        X = (rng.exponential(size=(n, 8)) ** 3) * (rng.random((n, 8)) < [0.01, 0.1, 0.5, 1] * 2)
        X[:, 4:] += 20 * (X[:, 4:] != 0)
        X[0, :] = 1.0
        columns = sparse.csc_array(X)
        y = (rng.random((70, n)) < 0.3).astype(float)
        y = (y - y.mean(axis=1, keepdims=True)) / (y.std(axis=1, keepdims=True) * np.sqrt(n))
        exact = (X - X.mean(axis=0)).T / np.linalg.norm(X - X.mean(axis=0), axis=0)[:, None]
        features = np.arange(8, dtype=np.int64)
        found, growth = _core.sparse_products(storage.for_core(columns), features, y.astype("f4"))
        largest = np.linalg.norm(X, axis=0) / np.linalg.norm(X - X.mean(axis=0), axis=0)
        np.testing.assert_allclose(growth, largest, rtol=1e-9)
        share = (X != 0).mean(axis=0)
        assert (growth[share < 1] <= 1.001 / np.sqrt(1 - share[share < 1])).all()
        error = np.abs(found - exact @ y.T)
        slack = growth[:, None] * permutation.single_precision_slack(n, 1)
        assert (error < slack / 4).all()


def test_long_sums():
    """More entries than one sum in single precision has."""
    rng = np.random.default_rng(0)
    X = sparse.random(20_000, 5, density=0.5, format="csc", random_state=0)
    y = rng.integers(2, size=20_000)
    options = {"n_resamples": 69, "random_state": 4}
    _assert_same(independence_test(X.toarray(), y, **options), independence_test(X, y, **options))


def test_exact():
    X, y = _data(n_classes=2)
    X = (X != 0).astype(float)
    options = {"method": "exact", "random_state": 0}
    _assert_same(
        independence_test(X, y, **options), independence_test(sparse.csr_matrix(X), y, **options)
    )


def test_filter():
    X, y = _data(n_classes=2)
    dense = PermutationFilter(k=4, random_state=0).fit(X, y)
    found = PermutationFilter(k=4, random_state=0).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.ranking_, found.ranking_)
    kept = found.transform(sparse.csr_matrix(X))
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), X[:, dense.get_support()])


def test_missing_values_are_refused():
    X, y = _data()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        independence_test(sparse.csr_matrix(X), y)


def test_response_of_wrong_length():
    X, _ = _data()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        independence_test(sparse.csr_matrix(X), np.zeros(119, dtype=int))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float32, np.int8, np.bool_])
@pytest.mark.parametrize(
    "options",
    [
        {"adjust": "westfall-young"},
        {"selector": "quad"},
        {"groups": np.arange(120) // 2},
        {"sample_weight": np.arange(120) % 3},
        {"method": "exact", "n_resamples": 1},
    ],
)
def test_large_tables_are_read_in_place(monkeypatch, order, kind, options):
    monkeypatch.setattr(storage, "_SMALL_BYTES", 0)
    X, y = _data(n_classes=2)
    if "groups" in options:
        y = np.repeat(y[::2], 2)
    if "method" in options:
        X = X[:, 5:6]
    X = np.asarray(4 * X, dtype=kind, order=order)
    assert storage.stays(X)
    options = {"n_resamples": 99, "random_state": 3, **options}
    _assert_same(
        independence_test(X.astype(np.float64), y, **options), independence_test(X, y, **options)
    )
