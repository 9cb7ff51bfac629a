"""Sparse features: the same tests as of the dense table, some columns at a time."""

import numpy as np
import pytest
from scipy import sparse

from inforest import PermutationFilter, independence_test
from inforest.independence import sparse as module

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
    monkeypatch.setattr(module, "_BLOCK_BYTES", 8 * 120 * 5)


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
    ],
)
def test_options(options):
    X, y = _data()
    options = {"n_resamples": 99, "random_state": 2, **options}
    _assert_same(
        independence_test(X, y, **options), independence_test(sparse.csr_matrix(X), y, **options)
    )


def test_draws_in_pieces(monkeypatch):
    X, y = _data(n_classes=2)
    whole = independence_test(
        sparse.csc_matrix(X), y, n_resamples=199, adjust="westfall-young", random_state=0
    )
    monkeypatch.setattr(module, "_RESPONSE_BYTES", 4 * 120 * 50)
    pieces = independence_test(
        sparse.csc_matrix(X), y, n_resamples=199, adjust="westfall-young", random_state=0
    )
    _assert_same(whole, pieces)


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
@pytest.mark.parametrize("options", [{"adjust": "westfall-young"}, {"selector": "quad"}])
def test_large_single_precision_is_double(monkeypatch, order, options):
    monkeypatch.setattr(module, "_LARGE_BYTES", 0)
    X, y = _data()
    X = np.asarray(X, dtype=np.float32, order=order)
    assert module.is_blocked(X, "from_dtype")
    options = {"n_resamples": 99, "random_state": 3, **options}
    _assert_same(
        independence_test(X.astype(np.float64), y, **options), independence_test(X, y, **options)
    )
