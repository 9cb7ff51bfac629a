"""`KnockoffSelector` and its parts: exact symmetry, the filter by hand, what is refused."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from bands import assert_count_at_most
from inforest import ConditionalInferenceForestRegressor, KnockoffSelector
from inforest.conditional.gaussian_copula import GaussianCopula, _bent, _bent_together
from inforest.conditional.knockoff_filter import e_bh, e_values, gains, threshold


def table(n=300, p=12, seed=0):
    """Neighbours that are correlated by 0.6."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = 0.6 * X[:, j - 1] + 0.8 * X[:, j]
    return X


def forest_importances(y):
    forest = ConditionalInferenceForestRegressor(10, random_state=0)
    return lambda pairs: forest.fit(pairs, y).importances("unseen_effect")


@pytest.mark.parametrize("swapped", [[0], [1, 4, 5], range(12)])
def test_gains_of_features_that_change_places_with_copies_change_sign(swapped):
    """Bit for bit, with a real forest; also where values are equal in many rows."""
    X = table()
    X[:, 3:6] = np.round(X[:, 3:6])
    copies = GaussianCopula(X, np.random.default_rng(1)).knockoffs(np.random.default_rng(2))
    y = X[:, 0] + X[:, 4] + np.random.default_rng(3).normal(size=len(X))
    plain = gains(X, copies, forest_importances(y))
    one, other = X.copy(), copies.copy()
    swapped = list(swapped)
    one[:, swapped], other[:, swapped] = copies[:, swapped], X[:, swapped]
    sign = np.ones(12)
    sign[swapped] = -1
    np.testing.assert_array_equal(gains(one, other, forest_importances(y)), sign * plain)
    assert (plain != 0).sum() > 3


def test_a_copy_that_is_the_feature_itself_says_nothing():
    X = table(60, 3)
    copies = np.column_stack([X[:, 0], X[::-1, 1:]])
    assert gains(X, copies, lambda pairs: np.arange(6.0))[0] == 0


def test_copies_may_change_places_with_their_features():
    """Correlations of features and copies: the same but within pairs."""
    X = np.sinh(table(20_000, 5))
    copula = GaussianCopula(X, np.random.default_rng(0))
    copies = copula.knockoffs(np.random.default_rng(1))
    both = GaussianCopula(np.hstack([X, copies]), np.random.default_rng(2))
    found = np.corrcoef(both.z.T)
    features, crossed, among = found[:5, :5], found[:5, 5:], found[5:, 5:]
    np.testing.assert_allclose(among, features, atol=0.04)
    apart = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(crossed[apart], features[apart], atol=0.04)
    np.testing.assert_allclose(np.diag(crossed), 1 - copula.distances, atol=0.04)
    assert np.isin(copies[:, 0], X[:, 0]).all()


def test_no_distances_are_better():
    """By the sum that they are to make least, against changes in every direction."""
    copula = GaussianCopula(table(400, 6), np.random.default_rng(0))

    def total(s):
        return np.trace(np.linalg.inv(2 * copula.correlation - np.diag(s))) + np.sum(1 / s)

    s = copula.distances
    assert np.linalg.eigvalsh(2 * copula.correlation - np.diag(s))[0] > 0
    for change in np.vstack([np.eye(6), -np.eye(6), np.random.default_rng(0).normal(size=(20, 6))]):
        assert total(s) < total(s + 0.03 * change)


def test_the_mean_of_bent_functions_is_that_of_normal_pairs():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400_000))
    for r in (0.0, 0.4, -0.8):
        other = r * x + np.sqrt(1 - r * r) * y
        drawn = np.mean(_bent(norm.cdf(x)) * _bent(norm.cdf(other)))
        assert _bent_together(np.array([r]))[0] == pytest.approx(drawn, abs=0.01)


def test_the_check_of_the_copula_sees_what_is_bent_and_nothing_else():
    refused = 0
    for seed in range(40):
        X = np.exp(table(200, 8, seed))
        refused += (GaussianCopula(X, np.random.default_rng(0)).departures() <= 0.01).any()
    assert_count_at_most(refused, 40, 0.01)
    X[:, 6] = np.abs(np.log(X[:, 7])) + 0.3 * X[:, 6]
    found = GaussianCopula(X, np.random.default_rng(0)).departures() <= 0.01
    assert found[6]
    assert found[7]
    assert not found[:4].any()


def naive_threshold(gain, alpha):
    for t in sorted(abs(gain[gain != 0])):
        n_plus, n_minus = (gain >= t).sum(), (gain <= -t).sum()
        ratio = (1 + n_minus) / max(1, n_plus)
        if ratio <= alpha / 2 or (n_plus < 2 / alpha and ratio <= alpha):
            return t
    return np.inf


def test_threshold_is_the_first_size_at_which_few_enough_are_wrong():
    rng = np.random.default_rng(0)
    found = []
    for n_true in (0, 5, 12, 30) * 10:
        gain = np.round(rng.normal(size=60), 1)
        gain[:n_true] += 3
        found.append(threshold(gain, 0.1))
        assert found[-1] == naive_threshold(gain, 0.1)
    assert 5 < np.isfinite(found).sum() < 35


def test_e_values_and_selection_by_hand():
    gain = np.r_[np.arange(2.0, 14.0), -1.0, 0.5, -0.5]
    np.testing.assert_array_equal(e_values(gain, 0.1), np.r_[np.full(12, 15.0), np.zeros(3)])
    assert e_bh(np.r_[np.full(12, 15.0), np.zeros(3)], 0.1).tolist() == [True] * 12 + [False] * 3
    assert not e_bh(np.r_[np.full(9, 15.0), np.zeros(6)], 0.1).any()
    assert e_bh(np.array([20.0, 1.0]), 0.1).tolist() == [True, False]


def test_evidence_for_features_that_say_nothing_adds_up_to_their_number_at_most():
    """On average, of all features; of gains with signs at random. One-sided band at 1e-6."""
    rng = np.random.default_rng(0)
    share = []
    for _ in range(4000):
        gain = np.abs(rng.normal(size=40)) * rng.choice([-1, 1], 40)
        gain[:20] = np.abs(gain[:20]) + 1  # these say something
        share.append(e_values(gain, 0.2)[20:].sum() / 40)
    error = np.std(share) / np.sqrt(len(share))
    assert error < 0.05
    assert np.mean(share) <= 1 + 4.76 * error


def many_true(seed=0):
    X = np.random.default_rng(seed).normal(size=(600, 30))
    return X, X[:, :15].sum(axis=1) + np.random.default_rng(seed + 1).normal(size=600)


def test_a_selection_of_many():
    X, y = many_true()
    selector = KnockoffSelector(0.2, n_knockoffs=5, n_estimators=50, random_state=0)
    model = make_pipeline(selector, LinearRegression())
    model = clone(model).set_output(transform="default").fit(X, y)
    kept = model[0].get_support()
    assert kept[:15].sum() >= 8
    assert kept[15:].sum() <= 4
    result = model[0].result_
    assert f"{kept.sum()} of 30 features say something" in result.conclusion
    np.testing.assert_array_equal(result.e_value, model[0].e_values_)
    again = clone(selector).set_params(n_jobs=2).fit(X, y).result_
    np.testing.assert_array_equal(again.gain, result.gain)
    np.testing.assert_array_equal(again.e_value, result.e_value)


def test_names_and_frames():
    pd = pytest.importorskip("pandas")
    X, y = many_true()
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(30)])
    selector = KnockoffSelector(0.2, n_knockoffs=3, n_estimators=50, random_state=0).fit(frame, y)
    kept = selector.set_output(transform="pandas").transform(frame)
    assert kept.columns.tolist() == selector.get_feature_names_out().tolist()
    assert selector.result_.to_frame().index.tolist() == frame.columns.tolist()


def test_no_verdict_is_said_to_be_none():
    rng = np.random.default_rng(0)
    X = np.column_stack([table(300, 4), np.ones(300)])
    X = np.column_stack([X, np.abs(X[:, 0]) + 0.1 * rng.normal(size=300)])
    X = np.column_stack([X, X[:, 3] + 1e-4 * rng.normal(size=300)])
    y = X[:, 0] + rng.normal(size=300)
    result = KnockoffSelector(n_knockoffs=2, n_estimators=20, random_state=0).fit(X, y).result_
    assert result.verdict[[0, 3, 4, 5, 6]].tolist() == [
        *("copula fails", "not testable", "constant", "copula fails", "not testable")
    ]
    assert "Knockoffs select 10 features or more" in result.conclusion
    for words in ("are not that of a Gaussian", "explain nearly all", "have one value"):
        assert words.removeprefix("are ") in result.conclusion
    assert "constant" in repr(result)


@pytest.mark.parametrize(
    ("n", "change", "words"),
    [
        (300, {2: np.nan}, "'x2' has missing values"),
        (40, {}, "at least 50 rows .* got 40 rows and 12 features"),
        (60, dict.fromkeys(range(12, 70), 0.0), "got 60 rows and 70 features"),
    ],
)
def test_bad_tables_are_refused(n, change, words):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(table(n), columns=[f"x{j}" for j in range(12)])
    for j, value in change.items():
        X.loc[::5, f"x{j}"] = value
    X = X.fillna(0.0) if len(change) > 1 else X
    with pytest.raises(ValueError, match=words):
        KnockoffSelector().fit(X, np.arange(n) / n)


def test_categories_are_refused():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"a": np.arange(60.0), "level": pd.Categorical(list("uvw") * 20)})
    with pytest.raises(ValueError, match=r"'level' has categories.* takes any table"):
        KnockoffSelector().fit(X, np.arange(60) % 2)
