"""Categories: their statistic, their cuts, and where their rows go, against naive forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle_categories as oracle
from engine import NO_TESTS, fortran, grow, permutation_test, tree
from inforest import _core
from inforest._engine.arrays import Trees


def category(rng, n, n_levels, missing=0.0):
    x = rng.integers(n_levels, size=n).astype(float)
    x[rng.random(n) < missing] = np.nan
    return x


def response(rng, n, n_classes, effect=None):
    y = rng.normal(size=n) + (0 if effect is None else effect)
    return y if n_classes == 0 else np.digitize(y, np.linspace(-0.7, 0.7, n_classes - 1)) * 1.0


def n_levels(*counts):
    return np.array(counts, dtype=np.int32)


CASES = [(k, j) for k in (2, 5, 40) for j in (0, 2, 3, 7)]


@pytest.mark.parametrize(("k", "n_classes"), CASES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_statistic(k, n_classes, missing):
    rng = np.random.default_rng(k + n_classes)
    x, y = category(rng, 120, k, missing), response(rng, 120, n_classes)
    for name in _core.selector_names("labels" if n_classes else "scores"):
        found = _core.statistics(fortran(x[:, None]), y, n_classes, [name], 0, n_levels=n_levels(k))
        n_rows = len(np.unique(x)) if not missing else len(np.unique(oracle.levels_of(x)))
        most = 1 if n_classes == 0 else min(n_rows, len(np.unique(y))) - 1
        assert_allclose(found[0] ** 2 * most, oracle.association(x, y, n_classes), rtol=1e-12)


@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_weighted_statistic(n_classes):
    rng = np.random.default_rng(n_classes)
    x, y = category(rng, 90, 6), response(rng, 90, n_classes)
    weight = rng.exponential(size=90)
    name = "quad"
    found = _core.statistics(
        fortran(x[:, None]), y, n_classes, [name], 0, weights=weight, n_levels=n_levels(6)
    )
    most = 1 if n_classes == 0 else min(6, len(np.unique(y))) - 1
    expected = oracle.weighted_association(x, y, n_classes, weight)
    assert_allclose(found[0] ** 2 * most, expected, rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("k", "n_classes"), [(2, 0), (4, 2), (5, 3), (7, 0)])
def test_moments_are_those_of_all_permutations(k, n_classes, weighted):
    """E = df / (n - 1) exactly, and the variance: over all 5,040 orders of 7 rows."""
    from itertools import permutations

    x = np.arange(7.0) % k
    y = np.array([0.0, 1, 2, 3, 1, 0, 7]) if n_classes == 0 else np.arange(7.0) % n_classes
    weight = np.array([1.0, 2, 0.5, 1, 3, 1, 1]) if weighted else None
    _, mean, variance = _core.tail_scores(
        fortran(x[:, None]), y, n_classes, ["quad"], 0, weights=weight, n_levels=n_levels(k)
    )
    form = oracle.association
    if weighted:
        form = lambda x, y, c: oracle.weighted_association(x, y, c, weight)  # noqa: E731
    values = [form(x, y[list(order)], n_classes) for order in permutations(range(7))]
    assert_allclose(mean[0], (k - 1) * max(n_classes - 1, 1) / 6, rtol=1e-12)
    assert_allclose([mean[0], variance[0]], [np.mean(values), np.var(values)], rtol=1e-9)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("blocks", [False, True])
def test_draws_are_the_statistic_of_permuted_responses(n_classes, weighted, blocks):
    """A test by draws agrees with the share of all arrangements."""
    rng = np.random.default_rng(5)
    x = np.array([0.0, 0, 1, 1, 2, 2, 0, 3])
    y = np.array([1.0, 2, 4, 3, 9, 7, 1, 3]) if n_classes == 0 else np.arange(8.0) % n_classes
    options = {
        "weights": rng.exponential(size=8) if weighted else None,
        "blocks": np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32) if blocks else None,
        "n_levels": n_levels(4),
    }
    stop, features = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    X = fortran(x[:, None])
    hits = _core.count_arrangements(stop, X, y, n_classes, ["quad"], features, 0, **options)
    from inforest.independence.exact import n_arrangements

    total = n_arrangements(y, options["blocks"])
    exact = hits[0] / total
    test = permutation_test(x, y, n_classes, ["quad"], n_resamples=20_000, **options)
    assert abs(test["n_exceedances"] / 20_000 - exact) < 5 * np.sqrt(0.25 / 20_000)
    assert 0 < exact <= 1


@pytest.mark.parametrize("n_classes", [0, 2])
def test_certificates_bound_the_p_value(n_classes):
    """With and without certificates a strong feature is rejected; a weak one has draws."""
    rng = np.random.default_rng(1)
    x = category(rng, 400, 5)
    for strength, certified in [(6.0, True), (0.0, False)]:
        y = response(rng, 400, n_classes, strength * (x - 2))
        test = permutation_test(
            x, y, n_classes, ["quad"], n_resamples=999, certify=True, n_levels=n_levels(5)
        )
        assert (test["n_draws"] == 0) == certified
        assert test["rejected"] == certified


SPLITTERS = [("mse", 0), ("gini", 2), ("entropy", 2)]


@pytest.mark.parametrize(("splitter", "n_classes"), SPLITTERS)
@pytest.mark.parametrize("k", [2, 3, 7, 10])
@pytest.mark.parametrize("seed", range(4))
def test_sorted_search_is_the_exhaustive_one(splitter, n_classes, k, seed):
    rng = np.random.default_rng(seed)
    x = category(rng, 60, k, missing=0.1 if seed % 2 else 0.0)
    y = response(rng, 60, n_classes, rng.normal(size=k + 1)[oracle.levels_of(x)])
    grown = grow(
        x[:, None], y, n_classes, splitter=splitter, max_depth=1, n_levels=n_levels(k), **NO_TESTS
    )
    root = tree(grown)
    children = np.average(root["impurity"][1:], weights=root["n_samples"][1:])
    assert len(root["impurity"]) == 3
    assert_allclose(children, oracle.best_partition(x, y, splitter), atol=1e-12)


@pytest.mark.parametrize("splitter", ["gini", "entropy", "chi2"])
def test_several_classes_are_near_the_best_partition(splitter):
    rng = np.random.default_rng(0)
    lost = []
    for _ in range(20):
        x = category(rng, 200, 6)
        y = rng.integers(4, size=200) * 1.0
        y = np.where(rng.random(200) < 0.5, (x * 2.6) // 4, y)
        grown = grow(
            x[:, None], y, 4, splitter=splitter, max_depth=1, n_levels=n_levels(6), **NO_TESTS
        )
        root = tree(grown)
        if splitter == "chi2":
            assert len(root["impurity"]) == 3
            continue
        children = np.average(root["impurity"][1:], weights=root["n_samples"][1:])
        best = oracle.best_partition(x, y, splitter)
        lost.append((children - best) / (root["impurity"][0] - best))
    assert splitter == "chi2" or np.mean(lost) < 0.05


@pytest.mark.parametrize("options", [{}, {"honesty": True}, {"splitter_test": "max"}])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_rows_go_where_their_levels_go(options, n_classes):
    """Growing, walking and the set of levels agree; unseen levels go with missing values."""
    rng = np.random.default_rng(3)
    n, k = 300, 70
    x = category(rng, n, k, missing=0.05)
    effect = rng.normal(size=k + 1)[oracle.levels_of(x)]
    y = response(rng, n, n_classes, 2 * effect)
    X = np.column_stack([x, rng.normal(size=n)])
    levels = n_levels(k + 5, 0)  # some levels without any row
    arrays = grow(X, y, n_classes, n_levels=levels, **options)
    arrays.pop("candidate_counts")
    one = Trees(**arrays).tree(0)
    found = one.apply(fortran(X))[:, 0]
    if not options.get("honesty"):
        assert_array_equal(
            np.bincount(found, minlength=one.node_count)[one.is_leaf], one.n_samples[one.is_leaf]
        )
    split = np.flatnonzero(one.level_set >= 0)
    assert len(split)
    assert np.isnan(one.threshold[split]).all()
    unseen = np.arange(k, k + 5.0)
    for index in split:
        left = one.levels_left(index)
        assert left.shape == (k + 5,)
        assert (left[k:] == bool(one.missing_left[index])).all()
    # A walk by hand.
    for row in [*X[:40], *np.column_stack([unseen, np.zeros(5)]), [np.nan, 0.0], [999.0, 0.0]]:
        node = 0
        while one.feature[node] >= 0:
            left = one.levels_left(node)
            value = row[one.feature[node]]
            if left is None:
                goes_left = value <= one.threshold[node]
            elif np.isnan(value) or value >= len(left):
                goes_left = bool(one.missing_left[node])
            else:
                goes_left = left[int(value)]
            node = one.left[node] if goes_left else one.right[node]
        assert one.apply(fortran(np.array([row])))[0, 0] == node


@pytest.mark.parametrize("test", [None, "max", "threshold"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_min_samples_leaf_and_weights(n_classes, weighted, test):
    rng = np.random.default_rng(0)
    x = category(rng, 200, 12)
    y = response(rng, 200, n_classes, x / 4)
    weight = rng.exponential(size=200) if weighted else None
    grown = grow(
        x[:, None],
        y,
        n_classes,
        min_samples_leaf=20,
        splitter_test=test,
        weights=weight,
        n_levels=n_levels(12),
    )
    leaves_of = grown["feature"] < 0
    assert (grown["n_samples"][leaves_of] >= 20).all()
    assert len(leaves_of) > 1


def test_level_sets_that_do_not_fit_are_refused():
    rng = np.random.default_rng(0)
    x = category(rng, 100, 5)
    grown = grow(x[:, None], x % 2, n_levels=n_levels(5))
    names = ("offset", "feature", "threshold", "missing_left", "right")
    arrays = {name: grown[name] for name in names}
    levels = grown["level_set"], grown["level_pool"], grown["pool_offset"]
    assert_array_equal(_core.apply(fortran(x[:, None]), **arrays, levels=levels).shape, (100, 1))
    pool = levels[1].copy()
    pool[0] = 1000
    for wrong in [
        (levels[0] + 50, *levels[1:]),
        (levels[0], levels[1][:1], levels[2]),
        (levels[0], pool, levels[2]),
        (levels[0][:1], *levels[1:]),
        (*levels[:2], levels[2] + 1),
    ]:
        with pytest.raises(ValueError, match=r"does not fit"):
            _core.apply(fortran(x[:, None]), **arrays, levels=wrong)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_exact_p_values_of_two_classes(k):
    """Level by level is what all arrangements give."""
    from inforest.independence.exact import two_class_level_p_value

    rng = np.random.default_rng(k)
    x = category(rng, 11, k)
    first = rng.permutation(11) < 4
    X, stop = fortran(x[:, None]), np.zeros(1, dtype=np.uint8)
    features = np.zeros(1, dtype=np.int64)
    y = np.where(first, 0.0, 1.0)
    hits = _core.count_arrangements(stop, X, y, 2, ["mc"], features, 0, n_levels=n_levels(k))
    assert_allclose(two_class_level_p_value(x, first), hits[0] / 330, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_ignored_holes_are_left_out(n_classes):
    """The statistic of the observed rows; that of the absence alone is a table of two levels."""
    rng = np.random.default_rng(n_classes)
    x, y = category(rng, 100, 6, missing=0.3), response(rng, 100, n_classes)
    there = ~np.isnan(x)
    options = {"n_levels": n_levels(6), "selectors": ["quad"], "seed": 0, "n_classes": n_classes}

    def found(x, y, missing):
        return _core.statistics(fortran(x[:, None]), y, missing=missing, **options)[0]

    assert_allclose(found(x, y, "ignore"), found(x[there], y[there], "incorporate"), rtol=1e-12)
    absence = np.where(there, 0.0, 1.0)
    assert_allclose(found(x, y, "alone"), found(absence, y, "incorporate"), rtol=1e-12)
