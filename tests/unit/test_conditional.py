"""`conditional_test` and its parts, against naive versions and by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import FeatureUnion, make_pipeline

from bands import assert_count_at_most
from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalSelector,
    conditional_test,
)
from inforest._engine.responses import find_response_type
from inforest._engine.training_set import make_training_set
from inforest.conditional.basis import Basis
from inforest.conditional.block_ridge import PENALTIES, BlockRidge, Regressions, Task
from inforest.conditional.normal_scores import NormalScores, on_one_scale
from inforest.conditional.probe import _copy
from inforest.conditional.samplers import Table
from inforest.conditional.trial import Trial

NAMES = ["cause", "proxy", "a", "b", "c"]


def proxies(n=400, seed=0):
    """A cause, a proxy of it that says nothing more, three features of noise; y."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=n)
    X = np.column_stack([cause, cause + rng.normal(size=n), rng.normal(size=(n, 3))])
    return X, np.sin(2 * cause) + 0.5 * rng.normal(size=n)


def naive_ridge(A, y, penalty):
    """Residuals without the row itself."""
    A = A - A.mean(axis=0)
    hat = A @ np.linalg.inv(A.T @ A + penalty * np.eye(A.shape[1])) @ A.T
    centred = y - y.mean()
    return (centred - hat @ centred) / (1 - np.minimum(np.diag(hat) + 1 / len(A), 0.98))


@pytest.mark.parametrize(("n", "m"), [(80, 30), (30, 60)])
def test_ridge_without_a_block_is_the_ridge_on_the_other_columns(n, m):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, m))
    ridge = BlockRidge(A)
    targets = rng.normal(size=(n, 3)) + A[:, [4]]
    for block in [np.arange(3), np.arange(3, 6), np.array([7, 20, 21])]:
        kept = np.setdiff1d(np.arange(m), block)
        residuals = ridge.residuals(Task(targets, block))
        expected = np.empty_like(residuals)
        best = np.full(3, np.inf)
        for penalty in PENALTIES:
            tried = [naive_ridge(A[:, kept], y, penalty * n) for y in targets.T]
            errors = np.array([np.mean(left**2) for left in tried])
            better = errors < best
            if not better.any():
                break
            best[better] = errors[better]
            for t in np.flatnonzero(better):
                expected[:, t] = tried[t]
        np.testing.assert_allclose(residuals, expected, atol=1e-8)


def test_rows_of_a_group_are_predicted_without_each_other():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 8))
    target = A[:, 1] + rng.normal(size=60)
    groups = np.arange(60) // 3
    members = np.split(np.arange(60), 20)
    ridge = BlockRidge(A, members)
    centred = (target - target.mean())[:, None]
    V_b = ridge._V[np.array([0])]
    left = ridge._residuals(centred, ridge._U.T @ centred, V_b, 0.1)[:, 0]
    A = np.delete(A - A.mean(axis=0), 0, axis=1)
    for rows in members:
        others = np.setdiff1d(np.arange(60), rows)
        # The intercept as a column of its own, which is not penalised.
        B = np.column_stack([np.ones(57), A[others]])
        penalty = np.diag(np.r_[0.0, np.full(7, 0.1 * 60)])
        slopes = np.linalg.solve(B.T @ B + penalty, B.T @ centred[others, 0])
        expected = centred[rows, 0] - np.column_stack([np.ones(3), A[rows]]) @ slopes
        np.testing.assert_allclose(left[rows], expected, atol=1e-8)
    table = Table.of(np.repeat(rng.normal(size=(20, 3)), 3, axis=0), np.zeros(3, bool), groups)
    blind = Table.of(table.X, table.is_category)
    assert table.fit_sampler(np.array([0]), rng)[1] == 0
    assert blind.fit_sampler(np.array([0]), rng)[1] > 0.1  # what its copies say


def test_curves_are_taken_where_lines_do_not_do():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    basis = Basis(X, np.zeros(4, dtype=bool))
    columns = basis.columns
    assert columns.shape[1] == 20
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-12)
    targets = np.column_stack([np.abs(X[:, 1]), X[:, 1]]) + 0.1 * rng.normal(size=(300, 2))
    residuals = Regressions(basis).residuals(Task(targets, np.array([0])))
    explained = 1 - np.square(residuals).mean(axis=0) / targets.var(axis=0)
    assert explained[0] > 0.8
    assert explained[1] > 0.95


def test_normal_scores_go_there_and_back():
    x = np.array([3.0, 1.0, 1.0, np.nan, 50.0])
    scores = NormalScores(x)
    z = scores(x)
    assert z[3] == 0
    assert z[1] == z[2] < z[0] < z[4]
    np.testing.assert_array_equal(scores.back(z[[0, 1, 4]]), [3.0, 1.0, 50.0])


def test_samplers_draw_what_the_others_leave_open():
    rng = np.random.default_rng(2)
    n = 2000
    x = rng.normal(size=n)
    X = np.column_stack(
        [
            x,
            x + 0.5 * rng.normal(size=n),  # a location
            np.exp(x / 2) * rng.normal(size=n),  # a spread
            rng.random(n) < 1 / (1 + np.exp(-2 * x)),  # two values
            np.where(rng.random(n) < 0.3, np.nan, x + rng.normal(size=n)),  # holes
        ]
    )
    table = Table.of(X, np.zeros(5, dtype=bool))
    samplers, explained = zip(
        *(table.fit_sampler(np.array([j]), rng) for j in range(5)), strict=True
    )
    drawn = [sampler.draw(np.arange(n), 8, rng)[:, :, 0] for sampler in samplers]
    assert explained[1] > 0.7
    assert explained[2] < 0.1
    high, low = x > 1, x < -1
    assert drawn[1][high].mean() == pytest.approx(X[high, 1].mean(), abs=0.15)
    assert drawn[2][high].std() == pytest.approx(X[high, 2].std(), rel=0.25)
    assert drawn[2][low].std() == pytest.approx(X[low, 2].std(), rel=0.25)
    assert set(np.unique(drawn[3])) == {0.0, 1.0}
    assert drawn[3][high].mean() == pytest.approx(X[high, 3].mean(), abs=0.1)
    assert np.isnan(drawn[4]).mean() == pytest.approx(0.3, abs=0.05)


def test_shift_of_redrawn_rows_is_that_of_their_predictions():
    X, y = proxies(150)
    forest = ConditionalInferenceForestRegressor(20, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(150, 3, 2))
    shift = forest.trees_.redraw_shift(np.asfortranarray(X), np.array([0, 3]), drawn)
    total = np.zeros(150)
    for b in range(3):
        other = X.copy()
        other[:, [0, 3]] = drawn[:, b]
        total += forest.predict(other)
    np.testing.assert_allclose(shift[:, 0], total / 3 - forest.predict(X), atol=1e-12)


def test_a_proxy_is_not_selected_and_its_cause_is():
    X, y = proxies()
    result = conditional_test(X, y, feature_names=NAMES, random_state=0)
    assert result.feature_names[result.selected].tolist() == ["cause"]
    assert result.explained[1] == pytest.approx(0.5, abs=0.1)
    assert "cause" in result.conclusion
    assert result.to_frame().loc["cause", "verdict"] == "selected"


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads():
    X, y = proxies(200)
    one, two = (conditional_test(X, y > 0, random_state=3, n_jobs=k) for k in (1, 2))
    np.testing.assert_array_equal(one.p_value, two.p_value)


def test_copies_are_not_testable_alone_and_are_together():
    X, y = proxies()
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 2]])
    alone = conditional_test(X, y, random_state=0)
    assert alone.verdict[0] == alone.verdict[5] == "not testable"
    assert alone.p_value[0] == 1
    assert "not testable" not in alone.conclusion
    assert "explain nearly all" in alone.conclusion
    together = conditional_test(X, y, feature_groups={"copies": [0, 5]}, random_state=0)
    assert together.feature_names[together.selected].tolist() == ["copies"]


def test_conditioning_on_some_features_only():
    X, y = proxies()
    result = conditional_test(X, y, features=[1], given=[2, 3], random_state=0)
    assert result.selected.tolist() == [True]  # nothing that is known explains the proxy
    result = conditional_test(X, y, features=["proxy"], given=["cause"], feature_names=NAMES,
                              alpha=0.01, random_state=0)  # fmt: skip
    assert result.selected.tolist() == [False]


def test_categories():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    n = 500
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "level": pd.Categorical(rng.choice(list("uvwxyz"), n)),
        }
    )
    y = frame["level"].isin(["u", "v"]) + 0.7 * rng.normal(size=n)
    result = conditional_test(frame, y, alpha=0.01, random_state=0)
    assert result.feature_names[result.selected].tolist() == ["level"]


def test_an_absence_that_matters():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    X[rng.random(400) < 0.3, 1] = np.nan
    y = np.isnan(X[:, 1]) + 0.5 * rng.normal(size=400)
    result = conditional_test(X, y, random_state=0)
    assert result.selected.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alpha": 0}, "alpha must be between 0 and 1; got 0"),
        ({"alpha": "0.1"}, "alpha must be between 0 and 1; got '0.1'"),
        ({"adjust": "westfall-young"}, "adjust must be one of"),
        ({"adjust": ["holm"]}, "adjust must be one of"),
        ({"task": "ranking"}, "task must be one of .*; got 'ranking'"),
        ({"n_folds": 1}, "n_folds must be a whole number, at least 2; got 1"),
        ({"n_copies": -1}, "n_copies must be a whole number, at least 0; got -1"),
        ({"features": ["z"]}, "features names 'z', which is no column of X"),
        ({"features": [9]}, "features has 9, but X has 5 columns"),
        ({"features": [0], "feature_groups": {"g": [0, 1]}}, "test it once"),
        ({"feature_groups": {"g": [0, 1], "h": [1]}}, "must not share features"),
    ],
)
def test_bad_parameters(change, words):
    X, y = proxies(80)
    with pytest.raises(ValueError, match=words):
        conditional_test(X, y, random_state=0, **change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": [1.5]}, "features must hold column numbers or names; got 1.5"),
        ({"features": [None]}, "features must hold column numbers or names; got None"),
        ({"given": [True, False]}, "given must hold column numbers or names; got True"),
        ({"feature_groups": [[0, 1]]}, "feature_groups must be a mapping"),
    ],
)
def test_columns_are_numbers_or_names(change, words):
    X, y = proxies(80)
    with pytest.raises(TypeError, match=words):
        conditional_test(X, y, random_state=0, **change)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_units_beyond_single_precision_change_no_verdict(unit):
    X, y = proxies(200)
    plain, scaled = (
        conditional_test(table, y, alpha=0.01, n_estimators=20, n_repeats=1, random_state=0)
        for table in (X, X * unit)
    )
    assert plain.selected.any()
    assert scaled.verdict.tolist() == plain.verdict.tolist()


def test_second_look_sees_features_far_from_zero():
    rng = np.random.default_rng(0)
    others = 1e9 + rng.normal(size=(300, 2))
    others[7, 0] = np.nan
    seen = on_one_scale(others).astype(np.float32)
    assert np.isnan(seen[7, 0])
    for x, score in zip(others.T, seen.T, strict=True):
        assert np.argsort(x).tolist() == np.argsort(score).tolist()
        assert len(np.unique(score)) == 300


def test_too_few_rows_and_too_small_classes_are_refused():
    X, y = proxies(60)
    with pytest.raises(ValueError, match="at least 50 rows"):
        conditional_test(X[:40], y[:40])
    with pytest.raises(ValueError, match="each class needs at least 4 rows"):
        conditional_test(X, np.r_[np.zeros(57), np.ones(3)].astype(int))


def test_rows_of_a_group_count_once():
    X, y = proxies(150, seed=4)
    once = conditional_test(X, y, random_state=0)
    twice = conditional_test(
        np.repeat(X, 4, axis=0), np.repeat(y, 4), groups=np.repeat(np.arange(150), 4),
        random_state=0,
    )  # fmt: skip
    blind = conditional_test(np.repeat(X, 4, axis=0), np.repeat(y, 4), random_state=0)
    assert twice.statistic[0] < 1.5 * once.statistic[0]
    assert blind.statistic[0] > 1.5 * once.statistic[0]


def test_plot_shows_the_best_features():
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = proxies(200)
    ax = conditional_test(X, y, feature_names=NAMES, random_state=0).plot(top=3)
    assert len(ax.get_yticklabels()) == 3
    plt.close(ax.figure)


def test_selector_keeps_what_is_selected():
    X, y = proxies()
    model = make_pipeline(ConditionalSelector(random_state=0), LinearRegression())
    model = clone(model).fit(X, y)
    selector = model[0]
    assert selector.get_support(indices=True).tolist() == [0]
    assert selector.transform(X).shape == (400, 1)
    assert selector.p_values_[0] < 1e-6
    np.testing.assert_array_equal(selector.get_feature_names_out(), ["x0"])


def test_draws_of_copied_rows_do_not_know_the_row():
    """Where the others say nothing, neighbours are any rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 3))
    X[rng.random(1000) < 0.2, 0] = np.nan
    table = Table.of(X, np.zeros(3, dtype=bool))
    sampler, _ = table.fit_sampler(np.array([0]), rng)
    drawn = sampler.draw(np.arange(1000), 8, rng)[:, :, 0]
    seen = ~np.isnan(X[:, 0])
    assert abs(np.corrcoef(X[seen, 0], np.nanmean(drawn[seen], axis=1))[0, 1]) < 0.15
    assert np.nanstd(drawn) == pytest.approx(np.nanstd(X[:, 0]), rel=0.1)


def test_where_both_models_fail_there_is_no_verdict():
    """x0 depends on the sign of a product of three, and so does y: no model here sees that."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    hidden = np.sign(X[:, 1] * X[:, 2])
    X[:, 0] = hidden + 0.7 * X[:, 0]
    y = hidden + 0.5 * rng.normal(size=3000)
    result = conditional_test(X, y, n_repeats=1, n_estimators=50, random_state=0)
    assert result.verdict[0] == "models fail"
    assert result.p_value[0] == 1
    assert "neither model holds" in result.conclusion


def test_copies_that_say_nothing_are_tested_beside_the_features():
    X, y = proxies(300)
    options = {"n_repeats": 1, "n_estimators": 50, "random_state": 0, "feature_names": NAMES}
    plain = conditional_test(X, y, **options)
    probed = conditional_test(X, y, **options, n_copies=8)
    np.testing.assert_array_equal(plain.p_value, probed.p_value)
    assert plain.copies is None
    assert probed.copies.shape == (8,)
    assert_count_at_most(np.sum(probed.copies <= 0.05), 8, 0.05)
    assert "Of 8 copies of features that say nothing by construction," in probed.conclusion


def test_a_copy_keeps_what_its_feature_has_to_do_with_the_others():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    X = np.column_stack([x, np.abs(x) + 0.1 * rng.normal(size=2000)])
    copy = _copy(X, 0, np.random.default_rng(1))
    assert np.isin(copy, x).all()
    assert np.corrcoef(np.abs(copy), X[:, 1])[0, 1] > 0.6  # the others tell its size
    assert abs(np.corrcoef(copy, x)[0, 1]) < 0.3  # but not its sign
    assert np.isnan(_copy(np.array([[np.nan], [1.0]] * 20), 0, rng)).sum() == 20


@pytest.mark.slow
def test_on_noise_a_selection_is_as_rare_as_it_says():
    """At level 0.2, of 60 tables without any effect; an exact band would need exact p-values."""
    n_selections, null = 0, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 6))
        X[:, 1] = np.abs(X[:, 0]) + 0.5 * X[:, 1]
        result = conditional_test(X, rng.normal(size=150), alpha=0.2, n_repeats=1,
                                  n_estimators=30, random_state=seed)  # fmt: skip
        n_selections += result.selected.any()
        null.extend(result.p_value)
    assert_count_at_most(n_selections, 60, 0.2)
    assert_count_at_most(np.sum(np.array(null) <= 0.05), len(null), 0.05)


def test_the_second_look_knows_rows_of_a_group_by_other_groups():
    """An effect of the group on y is no sign that models of the features fail."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(100), 6)
    X = np.repeat(rng.normal(size=(100, 4)), 6, axis=0) + 0.3 * rng.normal(size=(600, 4))
    y = X[:, 0] + np.repeat(rng.normal(size=100), 6) + 0.5 * rng.normal(size=600)
    result = conditional_test(X, y, groups=groups, random_state=0)
    assert result.verdict[0] == "selected"


def test_a_class_of_few_groups_is_named():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(300, 3)), np.arange(300) // 3
    y = np.where(groups == 0, 2, np.arange(300) % 2)
    with pytest.raises(ValueError, match=r"at least 4 groups of rows .* the smallest has 1"):
        conditional_test(X, y, groups=groups, random_state=0)


def test_the_statistic_of_one_split_is_that_of_dependent_folds():
    """Two splits that show the same count as one; one alone counts less."""
    trial = _trial(*proxies(100))
    products = np.random.default_rng(0).normal(0.3, size=(1, 100))
    one, two = trial.statistic(products), trial.statistic(np.repeat(products, 2, axis=0))
    expected = products[0].mean() / products[0].std(ddof=1) * 10
    assert two == pytest.approx(expected)
    assert one == pytest.approx(expected / np.sqrt(2))


def test_all_that_alpha_lets_through_is_looked_at_twice():
    X, y = proxies(200, seed=1)
    result = conditional_test(X, y, alpha=0.4, adjust=None, random_state=0)
    assert np.isnan(result.guard[result.p_value > 0.999]).all()
    assert not np.isnan(result.guard[result.p_value <= 0.4]).any()


@pytest.mark.filterwarnings("ignore:No features were selected")
def test_a_selection_within_folds_knows_nothing_of_the_others():
    """On noise a classifier behind the selector is right half of the time, not more.

    Behind one that had seen all rows it is right more often than the band allows.
    """
    right = total = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 100)), np.arange(120) % 2
        selector = ConditionalSelector(0.5, None, n_estimators=30, random_state=seed)
        model = make_pipeline(FeatureUnion([("all_same", _Constant()), ("chosen", selector)]),
                              LogisticRegression())  # fmt: skip
        right += (cross_val_predict(model, X, y, cv=3) == y).sum()
        total += len(y)
    assert_count_at_most(right, total, 0.5)


class _Constant(TransformerMixin, BaseEstimator):
    """One column that says nothing, for folds in which nothing is selected."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.ones((len(X), 1))


def _trial(X, y):
    kind = find_response_type("auto", None, y)
    data = make_training_set(BaseEstimator(), X, y, None, kind, called="conditional_test")
    return Trial(data, 20, 2, 2, 16, 1)


def test_hopeless_tables_get_words():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    wide = conditional_test(X, X[:, 0], n_estimators=20, random_state=0)
    assert "60 rows are few for 80 features" in wide.conclusion
    constant = conditional_test(np.ones((60, 3)), X[:, 0], n_estimators=20, random_state=0)
    assert constant.verdict.tolist() == ["not used"] * 3
    assert constant.p_value.tolist() == [1.0] * 3
    with pytest.raises(ValueError, match="at least two classes"):
        conditional_test(X, np.zeros(60))


@pytest.mark.parametrize("adjust", ["holm", "fdr_by"])
def test_selector_keeps_names_and_frames(adjust):
    pd = pytest.importorskip("pandas")
    X, y = proxies()
    frame = pd.DataFrame(X, columns=NAMES)
    selector = ConditionalSelector(0.05, adjust, random_state=0).fit(frame, y)
    assert selector.transform(frame).columns.tolist() == ["cause"]
    assert selector.get_feature_names_out().tolist() == ["cause"]
    assert selector.set_output(transform="pandas").transform(frame).shape == (400, 1)
    assert selector.adjusted_p_values_[0] >= selector.p_values_[0]
