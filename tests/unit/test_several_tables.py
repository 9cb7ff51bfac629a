"""Several numbers as one response, with features that are categories or have gaps."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2
from sklearn.metrics import r2_score

import oracle_missing
from engine import fortran
from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    _core,
    independence_test,
    load,
    rank_features,
    save,
)

NAN = np.nan
PARTS = tuple(oracle_missing.RULES)


# --- Naive forms ----------------------------------------------------------------------------------


def trace(G, H):
    """Pillai's trace of two sets of columns, and the ranks of both."""
    bases = []
    for table in (G, H):
        table = table - table.mean(axis=0)
        left, size, _ = np.linalg.svd(table, full_matrices=False)
        bases.append(left[:, size > 1e-7 * max(size.max(), 1e-12)])
    return np.square(bases[0].T @ bases[1]).sum(), bases[0].shape[1], bases[1].shape[1]


def columns_of(x, selector):
    return x[:, None] if selector == "pc" else np.column_stack([x, (x - x.mean()) ** 2])


def with_holes(x, Y, selector, part):
    """(n - 1) times the sum of both parts, and the degrees of freedom."""
    there = ~np.isnan(x)
    value, *ranks = trace(columns_of(x[there], selector), Y[there])
    statistic, degrees = (there.sum() - 1) * value, ranks[0] * ranks[1]
    if part == "absence":
        statistic, degrees = 0.0, 0
    if part != "value":
        absence, *ranks = trace(there[:, None].astype(float), Y)
        statistic += (len(x) - 1) * absence
        degrees += ranks[0] * ranks[1]
    return statistic, degrees


def of_levels(x, Y):
    level = np.unique(x, return_inverse=True)[1]  # missing values are one more
    value, *ranks = trace((level[:, None] == np.arange(level.max() + 1)).astype(float), Y)
    return (len(x) - 1) * value, ranks[0] * ranks[1]


def responses(rng, n, q=3, signal=0.0):
    return rng.normal(size=(n, q)) @ rng.normal(size=(q, q)) + np.outer(signal, np.ones(q))


def holed(rng, n, share):
    x = rng.normal(size=n).round(2)
    x[rng.permutation(n)[: round(share * n)]] = NAN
    return x


# --- Statistics -----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("selector", ["pc", "quad"])
@pytest.mark.parametrize(("n", "share"), [(20, 0.3), (60, 0.8), (150, 0.1)])
def test_statistic_of_a_number_with_holes(n, share, selector, part):
    rng = np.random.default_rng(n)
    x = holed(rng, n, share)
    Y = responses(rng, n, signal=np.isnan(x) + np.where(np.isnan(x), 0, x))
    given = fortran(x[:, None]), fortran(Y), 0, [selector], 0
    found = _core.statistics(*given, missing=oracle_missing.RULES[part])[0]
    rows = (~np.isnan(x)).sum() if part == "value" else n
    expected, degrees = with_holes(x, Y, selector, part)
    most = 1 if selector == "pc" else 2
    assert_allclose((rows - 1) * most * found**2, expected, rtol=1e-9)
    statistic, df = _core.chi_squares(*given, missing=oracle_missing.RULES[part])
    assert_allclose([statistic[0], df[0]], [expected, degrees], rtol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("k", [2, 5, 30])
def test_statistic_of_a_category(k, missing):
    rng = np.random.default_rng(k)
    x = rng.integers(k, size=120).astype(float)
    x[rng.random(120) < missing] = NAN
    Y = responses(rng, 120)
    given = fortran(x[:, None]), fortran(Y), 0, ["pc"], 0
    levels = np.array([k], dtype=np.int32)
    expected, degrees = of_levels(x, Y)
    statistic, df = _core.chi_squares(*given, n_levels=levels)
    assert_allclose([statistic[0], df[0]], [expected, degrees], rtol=1e-9)
    n_levels = len(np.unique(x))
    found = _core.statistics(*given, n_levels=levels)[0]
    assert_allclose(119 * min(n_levels - 1, 3) * found**2, expected, rtol=1e-9)


def test_columns_that_depend_on_others_among_the_observed_rows():
    """The third score is a sum of the others where x is there, and only there."""
    rng = np.random.default_rng(1)
    x = holed(rng, 60, 0.4)
    Y = responses(rng, 60)
    Y[~np.isnan(x), 2] = Y[~np.isnan(x), :2].sum(axis=1)
    given = fortran(x[:, None]), fortran(Y), 0, ["quad"], 0
    for part in PARTS:
        statistic, df = _core.chi_squares(*given, missing=oracle_missing.RULES[part])
        expected, degrees = with_holes(x, Y, "quad", part)
        assert degrees == {"value": 4, "absence": 3, "joint": 7}[part]
        assert_allclose([statistic[0], df[0]], [expected, degrees], rtol=1e-7)


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize("kind", ["category", "holes"])
def test_one_column_twice_is_the_column(kind, weighs, blocks):
    """A copy adds nothing, so the statistics of one score must come out, weights and all."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=80)
    x = holed(rng, 80, 0.3) if kind == "holes" else rng.integers(4, size=80).astype(float)
    options = {
        "weights": rng.exponential(size=80) if weighs else None,
        "blocks": (np.arange(80) % 3).astype(np.int32) if blocks else None,
        "n_levels": np.array([4 * (kind == "category")], dtype=np.int32),
    }
    for part in PARTS:
        rule = oracle_missing.RULES[part]
        one, two = (
            _core.statistics(fortran(x[:, None]), given, 0, ["pc"], 0, missing=rule, **options)[0]
            for given in (y, fortran(np.column_stack([y, -3 * y])))
        )
        assert_allclose(two, one, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", ["category", "holes"])
def test_draws_are_the_statistic_of_permuted_responses(kind, part):
    """All orders of eight rows, each from the beginning."""
    rng = np.random.default_rng(4)
    x = np.array([0.0, 0, 1, 1, 2, 2, NAN, NAN]) if kind == "category" else np.arange(8.0) ** 2
    Y = rng.normal(size=(8, 2))
    rows = np.arange(8)
    if kind == "holes":
        x = np.concatenate([x, [NAN] * 5])[np.argsort(rng.random(13))]
        Y, rows = np.vstack([Y, np.zeros((5, 2))]), np.arange(13)
    options = {
        "n_levels": np.array([3 * (kind == "category")], dtype=np.int32),
        "missing": oracle_missing.RULES[part],
    }
    observed = statistic_of(x, Y, kind, part)
    if kind == "category":
        values = [statistic_of(x, Y[list(order)], kind, part) for order in permutations(rows)]
    else:
        draws = np.random.default_rng(5)
        values = [statistic_of(x, Y[draws.permutation(rows)], kind, part) for _ in range(8000)]
    share = np.mean(np.array(values) >= observed * (1 - 1e-9))
    hits, n_draws = _core.test_features(
        np.zeros(1, np.uint8), fortran(x[:, None]), fortran(Y), 0, ["pc"], np.zeros(1, np.int64), 0,
        n_resamples=8000, tau=0.05, early_stopping=None, confidence=0.95, weights=None, blocks=None,
        **options,
    )  # fmt: skip
    assert abs(hits[0] / n_draws[0] - share) < 5 * np.sqrt(0.5 / 8000)
    assert 0 < share < 1


def statistic_of(x, Y, kind, part):
    if kind == "holes":
        return with_holes(x, Y, "pc", part)[0]
    if part == "absence":
        return of_levels(np.isnan(x).astype(float), Y)[0]
    there = ~np.isnan(x)
    return of_levels(x, Y)[0] if part == "joint" else of_levels(x[there], Y[there])[0]


def test_moments_of_a_category_are_those_of_all_permutations():
    x, rng = np.array([0.0, 0, 1, 1, 2, 2, 0]), np.random.default_rng(6)
    Y = rng.normal(size=(7, 2))
    levels = np.array([3], dtype=np.int32)
    _, mean, variance = _core.tail_scores(
        fortran(x[:, None]), fortran(Y), 0, ["pc"], 0, n_levels=levels
    )
    values = [of_levels(x, Y[list(order)])[0] / 6 for order in permutations(range(7))]
    assert_allclose([mean[0], variance[0]], [np.mean(values), np.var(values)], rtol=1e-9)


# --- Trees ----------------------------------------------------------------------------------------


def table(seed=0, n=300):
    """Return a table of all kinds, of which `place`, `dose` and the absence of `gap` matter."""
    rng = np.random.default_rng(seed)
    place = rng.choice(["north", "south", "east", "west"], size=n)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "place": pd.Categorical(place),
            "dose": rng.normal(size=n),
            "gap": np.where(rng.random(n) < 0.3, NAN, rng.normal(size=n)),
            "word": pd.Categorical(rng.choice(list("abcdefgh"), size=n)),
        }
    )
    frame.loc[rng.random(n) < 0.1, "dose"] = NAN
    dose = frame["dose"].fillna(0).to_numpy()
    signal = np.column_stack([np.isin(place, ["north", "east"]) * 2 + dose, frame["gap"].isna()])
    return frame, signal * [1, 2] + rng.normal(size=(n, 2))


def test_forests_rankings_and_files_take_such_tables(tmp_path):
    X, Y = table()
    forest = ConditionalInferenceForestRegressor(60, random_state=0, oob_score=True).fit(X, Y)
    assert set(forest.feature_names_in_[forest.ranking_[:3]]) == {"place", "dose", "gap"}
    assert forest.oob_score_ > 0.3
    new, truth = table(1)
    assert r2_score(truth, forest.predict(new)) > 0.3
    assert_allclose(forest.weights(new) @ Y, forest.predict(new), rtol=1e-9)
    save(forest, tmp_path / "forest")
    assert_array_equal(load(tmp_path / "forest").predict(new), forest.predict(new))
    assert set(rank_features(X, Y, random_state=0).top(3)) == {"place", "dose", "gap"}
    selector = FeatureSelector(forest, k=3).fit(X, Y)
    assert set(selector.get_feature_names_out()) == {"place", "dose", "gap"}


def test_p_values_of_all_kinds():
    X, Y = table()
    exact = independence_test(X, Y, selector="pc", method="asymptotic", adjust=None)
    drawn = independence_test(X, Y, selector="pc", n_resamples=999, random_state=0, adjust=None)
    assert_allclose(drawn.p_value, exact.p_value, atol=0.06)
    statistic, degrees = with_holes(X["gap"].to_numpy(), Y, "pc", "joint")
    assert_allclose(exact.p_value[3], chi2.sf(statistic, degrees), rtol=1e-8)
    codes = X["word"].cat.codes.to_numpy().astype(float)
    assert_allclose(exact.p_value[4], chi2.sf(*of_levels(codes, Y)), rtol=1e-8)


@pytest.mark.parametrize("splitter_test", [None, "max", "threshold"])
@pytest.mark.parametrize("weighs", [False, True])
def test_sides_of_a_category_are_those_of_the_best_partition(splitter_test, weighs):
    """Three levels whose means lie nearly on a line: of three partitions the best is taken."""
    rng = np.random.default_rng(7)
    level = rng.integers(3, size=200)
    Y = np.array([[0, 0], [3, 2.8], [4, 4.2]])[level] + rng.normal(size=(200, 2))
    X = pd.DataFrame({"level": pd.Categorical(np.array(["a", "b", "c"])[level])})
    weight = rng.exponential(size=200) if weighs else None
    tree = ConditionalInferenceTreeRegressor(
        max_depth=1, splitter_test=splitter_test, random_state=0
    ).fit(X, Y, weight)
    leaf = tree.apply(X)
    assert tree.tree_.feature[0] == 0
    assert (
        len({tuple(np.unique(level[leaf == one])) for one in np.unique(leaf)} & {(0,), (1, 2)}) == 2
    )


def test_ctree_and_honest_trees_grow_on_such_tables():
    X, Y = table()
    tree = ConditionalInferenceTreeRegressor.ctree().fit(X, Y)
    assert tree.tree_.node_count > 3
    assert set(tree.tree_.feature[tree.tree_.feature >= 0]) <= {1, 2, 3}
    honest = ConditionalInferenceForestRegressor(20, honesty=True, random_state=0).fit(X, Y)
    assert np.isfinite(honest.predict(X)).all()
