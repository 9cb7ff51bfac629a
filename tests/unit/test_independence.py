"""`independence_test`: the same counts by every road, exact and asymptotic p-values, bad input."""

import numpy as np
import pytest
from scipy import stats

import inforest.independence.permutation as permutation
import oracle
import parts
from bands import BAND, assert_count
from engine import COLUMNS, SELECTORS, column, fortran, node, selector_id, target
from inforest import _core, independence_test
from inforest._engine.seeds import Purpose, seeds
from inforest.independence.exact import n_arrangements, two_class_p_value

STOP = np.zeros(1, dtype=np.uint8)


def seed_of(random_state):
    return int(seeds(random_state, Purpose.STATISTIC, 1)[0])


def problem(seed, n, p, n_classes, kind, strength=0.3):
    rng = np.random.default_rng(seed)
    X = np.column_stack([column(rng, n, kind) for _ in range(p)])
    X[:, p // 2] = 1.5  # a constant feature
    return X, target(rng, n, n_classes, strength * (X[:, 0] - X[:, 0].mean()) / X[:, 0].std())


def task_of(n_classes):
    return "classification" if n_classes else "regression"


def plain_counts(X, y, n_classes, selectors, n_draws, seed):
    """The order of the features, exceedances and step-down ones by the core's double precision."""
    data = fortran(X), y, n_classes, selectors
    score, mean, variance = _core.tail_scores(*data, seed)
    order = np.argsort(score, kind="stable").astype(np.int64)
    maxima = np.full(n_draws, -np.inf), mean[order], variance[order]
    raw, stepped = _core.tally_draws(STOP, *data, order, seed, maxima, 0, n_draws)
    exceedances, step_down = np.empty_like(raw), np.empty_like(raw)
    exceedances[order], step_down[order] = raw, stepped
    return order, exceedances, step_down


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_a_feature_has_the_p_value_of_its_own_test(case, kind):
    """Company changes nothing: the p-values are those of the engine's test of one feature."""
    selectors, n_classes = case
    X, y = problem(1, 40, 6, n_classes, kind)
    result = independence_test(
        X, y, selector=selectors, task=task_of(n_classes), n_resamples=99, random_state=3
    )
    for j, x in enumerate(X.T):
        alone = parts.core.permutation_test(
            np.ascontiguousarray(x), y, n_classes, selectors, n_resamples=99, tau=0.05,
            early_stopping=None, confidence=0.95, certify=False, seed=seed_of(3),
        )  # fmt: skip
        assert result.p_value[j] == alone["p_value"]
        assert result.statistic[j] == pytest.approx(alone["statistic"], rel=1e-12)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n_classes", [0, 2, 3, 5])
@pytest.mark.parametrize("n", [9, 60, 5000])
def test_single_precision_counts_are_those_of_double_precision(n, n_classes, kind):
    """Ties of discrete data included, for the raw counts and for step-down maxT."""
    X, y = problem(n, n, 8, n_classes, kind, strength=0.02)
    X[:, 7] = X[:, 1]  # the same column twice: its values tie with the running maximum
    selector = "mc" if n_classes else "pc"
    result = independence_test(
        X, y, selector=selector, task=task_of(n_classes), n_resamples=150,
        adjust="westfall-young", random_state=5,
    )  # fmt: skip
    order, exceedances, step_down = plain_counts(X, y, n_classes, [selector], 150, seed_of(5))
    np.testing.assert_array_equal(result.p_value, (1 + exceedances) / 151)
    expected = np.maximum.accumulate((1 + step_down[order[::-1]]) / 151)
    np.testing.assert_array_equal(result.adjusted_p_value[order[::-1]], expected)


def test_single_precision_errs_less_than_the_slack():
    """The bound that decides what is looked at again, on sums with large partial sums."""
    rng = np.random.default_rng(0)
    for n in (50, 3000, 20_000):
        for X in (rng.normal(size=(n, 6)), np.sort(rng.exponential(size=(n, 6)) ** 3, axis=0)):
            units = _core.unit_columns(fortran(X), np.arange(6, dtype=np.int64))
            y = (rng.random((4, n)) < 0.3).astype(float)
            y = (y - y.mean(axis=1, keepdims=True)) / (y.std(axis=1, keepdims=True) * np.sqrt(n))
            exact = (X - X.mean(axis=0)).T / np.linalg.norm(X - X.mean(axis=0), axis=0)[:, None]
            error = np.abs(permutation._product(units, y.astype(np.float32)) - exact @ y.T)
            assert error.max() < permutation.single_precision_slack(n, 1) / 4


@pytest.mark.parametrize("case", [(["mc"], 2), (["mc"], 4), (["pc"], 0), (["dc"], 0), (["mi"], 2)])
def test_neither_jobs_nor_blocks_change_the_result(case, monkeypatch):
    selectors, n_classes = case
    X, y = problem(4, 50, 30, n_classes, "continuous")
    options = dict(
        selector=selectors, task=task_of(n_classes), n_resamples=200, adjust="westfall-young",
        random_state=0,
    )  # fmt: skip
    first = independence_test(X, y, **options)
    for name, value in [("_RESPONSE_BYTES", 4000), ("_BLOCK_BYTES", 900), ("_COLUMN_BYTES", 0)]:
        monkeypatch.setattr(permutation, name, value)
    for n_jobs in (1, 2, 3):
        again = independence_test(X, y, n_jobs=n_jobs, **options)
        np.testing.assert_array_equal(first.p_value, again.p_value)
        np.testing.assert_array_equal(first.adjusted_p_value, again.adjusted_p_value)


@pytest.mark.parametrize("stopping", ["curtailed", "adaptive"])
def test_stopped_tests_do_not_depend_on_jobs(stopping):
    X, y = problem(4, 50, 30, 2, "continuous")
    options = dict(selector="mc", early_stopping=stopping, n_resamples=500, random_state=0)
    one, two = (independence_test(X, y, n_jobs=n, **options) for n in (1, 2))
    np.testing.assert_array_equal(one.p_value, two.p_value)
    np.testing.assert_array_equal(one.n_draws, two.n_draws)


@pytest.mark.parametrize("adjust", [None, "bonferroni", "sidak"])
def test_curtailed_tests_decide_as_the_full_ones(adjust):
    X, y = problem(6, 80, 40, 2, "continuous", strength=1.0)
    options = dict(selector="mc", adjust=adjust, n_resamples=2000, random_state=0)
    full = independence_test(X, y, **options)
    curtailed = independence_test(X, y, early_stopping="curtailed", **options)
    np.testing.assert_array_equal(full.rejected, curtailed.rejected)
    assert full.rejected.any()
    assert curtailed.n_draws.sum() < full.n_draws.sum() / 3


@pytest.mark.parametrize("adjust", [None, "holm", "westfall-young"])
@pytest.mark.parametrize("method", ["permutation", "asymptotic", "exact"])
@pytest.mark.parametrize("y", [[0, 1] * 4, [0.5, 1, 2, 3, 1, 2, 0, 4]])
def test_a_constant_feature_has_p_value_one(method, y, adjust):
    if method != "permutation" and adjust == "westfall-young":
        return
    X = np.column_stack([np.full(8, 0.1), np.arange(8.0)])
    result = independence_test(X, y, method=method, adjust=adjust, random_state=0)
    assert result.statistic[0] == 0
    assert result.p_value[0] == result.adjusted_p_value[0] == 1
    assert np.isfinite([result.p_value, result.adjusted_p_value, result.standard_error]).all()


def test_a_constant_response_has_p_value_one():
    X = np.random.default_rng(0).normal(size=(10, 3))
    for options in ({}, {"adjust": "westfall-young"}, {"method": "asymptotic"}):
        result = independence_test(X, np.full(10, 2.5), selector="pc", **options)
        assert (result.p_value == 1).all()
        assert (result.statistic == 0).all()


# --- Exact p-values -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_enumeration_agrees_with_the_oracle(case, kind):
    selectors, n_classes = case
    rng = np.random.default_rng(8)
    n = 6
    x, y = node(rng, n, n_classes, kind, 1.0)
    result = independence_test(
        x[:, None], y, selector=selectors, task=task_of(n_classes), method="exact", random_state=2
    )
    weights = parts.core.rdc_weights(seed_of(2)) if "rdc" in selectors else None
    expected = oracle.exact_p_value(x, y, n_classes, selectors, weights)
    assert result.p_value[0] == pytest.approx(expected, rel=1e-12)
    assert result.n_draws[0] == 0
    assert result.standard_error[0] == 0


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("n_first", [1, 3, 6])
def test_dynamic_programme_agrees_with_enumeration(n_first, kind):
    rng = np.random.default_rng(n_first)
    for _ in range(5):
        x = column(rng, 12, kind)
        y = np.ones(12)
        y[rng.choice(12, n_first, replace=False)] = 0
        features = np.zeros(1, dtype=np.int64)
        hits = _core.count_arrangements(STOP, fortran(x[:, None]), y, 2, ["mc"], features, 0)
        expected = hits[0] / n_arrangements(y)
        assert two_class_p_value(x, y == 0) == pytest.approx(expected, rel=1e-9)


def test_two_valued_feature_has_the_p_value_of_fisher():
    """Two classes, two values, equal sizes: the exact test of the 2 x 2 table."""
    rng = np.random.default_rng(3)
    x = np.repeat([0.0, 1.0], 500)
    y = rng.permutation(np.where(rng.random(1000) < 0.5 + 0.05 * (x - 0.5), "a", "b"))
    table = [[((x == v) & (y == c)).sum() for v in (0, 1)] for c in ("a", "b")]
    result = independence_test(x[:, None], y, selector="mc", method="exact")
    assert result.p_value[0] == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)


def n_exceeding(p_value, n_draws):
    """The number of draws that exceeded, from p = (1 + exceedances) / (1 + draws)."""
    return round(p_value * (1 + n_draws)) - 1


def test_exact_is_what_monte_carlo_tends_to():
    rng = np.random.default_rng(5)
    x = rng.integers(3, size=200).astype(float)
    y = (x + 8 * rng.normal(size=200) > 1).astype(int)
    exact = independence_test(x[:, None], y, method="exact").p_value[0]
    n_draws = 100_000
    drawn = independence_test(x[:, None], y, n_resamples=n_draws, random_state=0)
    assert_count(n_exceeding(drawn.p_value[0], n_draws), n_draws, exact)


def test_too_large_for_exact_says_what_is_accepted():
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(
        ValueError, match=r"method='exact' accepts at most 1,000,000 distinct arran"
    ):
        independence_test(X, np.arange(60) % 2, method="exact")
    with pytest.raises(ValueError, match=r"feature 'feature_0' has 60"):
        independence_test(X, np.arange(60) % 2, method="exact")
    with pytest.raises(ValueError, match=r"n_samples=60 with about 10\^81"):
        independence_test(X, X[:, 0], method="exact")


# --- SciPy ----------------------------------------------------------------------------------------


def absolute_correlation(y):
    """|r| with y, of all rows at once as SciPy asks for it."""
    y = (y - y.mean()) / y.std()

    def statistic(x, axis):
        return np.abs(((x - x.mean(axis=axis, keepdims=True)) * y).mean(axis) / x.std(axis=axis))

    return statistic


@pytest.mark.parametrize("seed", range(4))
def test_pc_agrees_with_scipy(seed):
    """Both count the exceedances of as many draws of their own."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=25)
    y = rng.normal(size=25) + 0.3 * x
    n_draws = 40_000
    ours = independence_test(x[:, None], y, selector="pc", n_resamples=n_draws, random_state=seed)
    theirs = stats.permutation_test(
        (x,), absolute_correlation(y), permutation_type="pairings", alternative="greater",
        n_resamples=n_draws, vectorized=True, rng=rng,
    )  # fmt: skip
    counts = [n_exceeding(p, n_draws) for p in (ours.p_value[0], theirs.pvalue)]
    assert stats.fisher_exact([[count, n_draws - count] for count in counts]).pvalue > BAND
    assert ours.statistic[0] == pytest.approx(theirs.statistic, rel=1e-12)


def test_exact_pc_agrees_with_scipy():
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 7))
    theirs = stats.permutation_test(
        (x,), absolute_correlation(y), permutation_type="pairings", alternative="greater",
        n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    ours = independence_test(x[:, None], y, method="exact")
    assert ours.p_value[0] == pytest.approx(theirs.pvalue, rel=1e-12)


# --- The result, the task, bad input --------------------------------------------------------------


def test_result_is_a_table_with_names():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"noise": [1.0, 2, 1, 2, 1, 2, 1, 2], "signal": [0.0, 0, 0, 0, 1, 1, 1, 1.5]})
    result = independence_test(X, list("aaaabbbb"), adjust="holm", random_state=0)
    frame = result.to_frame()
    assert list(frame.index) == ["noise", "signal"]
    assert list(frame.columns) == [
        "statistic", "p_value", "adjusted_p_value", "n_draws", "standard_error",
    ]  # fmt: skip
    text = repr(result)
    assert "permutation test of mc, adjusted by holm" in text
    assert text.index("signal") < text.index("noise")
    assert [row["feature"] for row in result.to_rows()] == ["signal", "noise"]
    assert len(result) == 2
    renamed = independence_test(X, list("aaaabbbb"), feature_names=["a", "b"], n_resamples=19)
    assert list(renamed.feature_names) == ["a", "b"]
    with pytest.raises(ValueError, match="feature_names must hold one name per feature, 2; got 1"):
        independence_test(X, list("aaaabbbb"), feature_names=["a"], n_resamples=19)
    with pytest.raises(ValueError, match="read-only"):
        result.p_value[0] = 0
    with pytest.raises(AttributeError):
        result.p_value = None


def test_result_plots_every_feature():
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    X, y = problem(0, 60, 20, 2, "continuous", strength=2.0)
    result = independence_test(X, y, adjust="fdr_bh", random_state=0)
    ax = result.plot()
    assert sum(len(points.get_offsets()) for points in ax.collections) == 20
    assert result.plot(ax=ax) is ax
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("y", "selector", "expected"),
    [
        ([0, 1] * 15, None, "mc"),
        (["a", "b"] * 15, None, "mc"),
        ([True, False] * 15, None, "mc"),
        (np.arange(30), None, "pc"),
        (np.arange(30) / 2, None, "pc"),
        (np.arange(30) % 2, "pc", "pc"),
        (np.arange(30) % 2, ["dc", "rdc"], ("dc", "rdc")),
    ],
)
def test_task_follows_from_selector_and_target(y, selector, expected):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert independence_test(X, y, selector=selector, n_resamples=19).selector == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selector": "nope"}, "selector must be one of 'mc', 'mi', 'rdc'"),
        ({"selector": "pc", "task": "classification"}, "selector must be one of 'mc'"),
        ({"method": "guess"}, "'method' parameter"),
        ({"n_resamples": 0}, "'n_resamples' parameter"),
        ({"adjust": "hope"}, "'adjust' parameter"),
        ({"alpha": 0.0}, "'alpha' parameter"),
        ({"selector": "mi", "method": "asymptotic"}, "method='asymptotic' and selector='mi'"),
        (
            {"adjust": "westfall-young", "early_stopping": "curtailed"},
            "early_stopping='curtailed' and adjust='westfall-young' contradict",
        ),
        ({"adjust": "holm", "early_stopping": "adaptive"}, "and adjust='holm' contradict"),
        (
            {"adjust": "westfall-young", "method": "exact"},
            "adjust='westfall-young' and method='exact' contradict",
        ),
        ({"method": "exact", "early_stopping": "curtailed"}, "and method='exact' contradict"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        independence_test(np.arange(20.0).reshape(10, 2), [0, 1] * 5, **options)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], [0, 0], "at least two classes"),
        ([[1.0], [2.0]], [0, 1, 1], "inconsistent"),
        ([1.0, 2.0], [0, 1], "2D"),
        ([["a"], ["b"]], [0, 1], "X must hold numbers only"),
        ([[1.0], [2.0]], [0.5, np.inf], "infinity"),
    ],
)
def test_bad_data_raise_as_in_the_estimators(X, y, message):
    with pytest.raises(ValueError, match=message):
        independence_test(X, y)


def test_automatic_budget_follows_the_level():
    X, y = problem(0, 20, 10, 2, "continuous")
    assert (independence_test(X, y, random_state=0).n_draws == 999).all()
    expected = oracle.budget("auto", 0.01, 10, True)
    holm = independence_test(X, y, alpha=0.01, adjust="holm", random_state=0)
    assert (holm.n_draws == expected).all()


def test_extreme_magnitudes_change_nothing():
    X, y = problem(2, 40, 5, 0, "continuous", strength=1.0)
    plain = independence_test(X, y, selector="pc", n_resamples=199, random_state=0)
    large = independence_test(X * 2.0**600, y, selector="pc", n_resamples=199, random_state=0)
    small = independence_test(X, y * 2.0**-700, selector="pc", n_resamples=199, random_state=0)
    np.testing.assert_array_equal(plain.p_value, large.p_value)
    np.testing.assert_array_equal(plain.p_value, small.p_value)


@pytest.mark.parametrize("adjust", [None, "holm", "westfall-young"])
def test_p_values_at_their_floor_are_said_to_be_bounds(adjust):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    result = independence_test(X, X[:, 0], adjust=adjust, n_resamples=99, random_state=0)
    assert result.at_floor.tolist() == [True, False, False]
    assert result.p_words(0)[0] == "≤ 0.01"
    assert result.p_words(0)[1] == ("≤ 0.03" if adjust == "holm" else "≤ 0.01")
    assert not any("≤" in words for words in result.p_words(1))
    assert repr(result).count("≤") == 2
    asymptotic = independence_test(X, X[:, 0], method="asymptotic")
    assert not asymptotic.at_floor.any()
