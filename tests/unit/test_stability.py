"""Stability: indices by hand, bounds by formula, and what varies across seeds and subsamples."""

import doctest
import importlib
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris, make_regression
from sklearn.ensemble import RandomForestClassifier

from bands import BAND, assert_count, assert_count_at_least
from forests import Classifier, Regressor
from inforest.diagnostics import (
    expected_false_selections,
    jaccard,
    kuncheva,
    nogueira,
    stability,
)
from inforest.inspection.diagnostics.complementary_pairs import draw_disjoint

mpl.use("Agg")

SETS = [{0, 1, 2}, {0, 1, 3}, {0, 4, 5}]


def indicator(sets, n_features):
    return np.array([[j in chosen for j in range(n_features)] for chosen in sets])


def random_sets(seed, n_sets=6, n_features=9, k=4):
    rng = np.random.default_rng(seed)
    return [set(rng.permutation(n_features)[:k].tolist()) for _ in range(n_sets)]


class FirstColumns(BaseEstimator):
    """Ranks the columns by how much they vary on the rows it is given; a seed changes nothing."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.feature_importances_ = X.var(axis=0)
        return self


class BySeed(FirstColumns):
    """Ranks the columns at random."""

    def fit(self, X, y):
        self.feature_importances_ = np.random.default_rng(self.random_state).random(X.shape[1])
        return self


class ByCorrelation(FirstColumns):
    """Ranks the columns by their absolute correlation with y."""

    def fit(self, X, y):
        self.feature_importances_ = np.abs(np.corrcoef(X.T, y)[-1, :-1])
        return self


# Indices ------------------------------------------------------------------------------------------


def test_jaccard_by_hand():
    # {0,1} of {0,1,2,3}; {0} of {0,1,2,4,5}; {0} of {0,1,3,4,5}
    assert_allclose(jaccard(SETS), (2 / 4 + 1 / 5 + 1 / 5) / 3)
    assert jaccard([["a", "b"], ("b", "a")]) == 1
    assert jaccard([{0}, {1}]) == 0
    assert jaccard([set(), set()]) == 1


def test_kuncheva_by_hand():
    # In common 2, 1, 1 of k = 3; by chance 9 / 6 = 1.5.
    assert_allclose(kuncheva(SETS, 6), ((2 - 1.5) + (1 - 1.5) + (1 - 1.5)) / 3 / (3 - 1.5))
    assert kuncheva([{1, 2}, {2, 1}], 10) == 1
    assert_allclose(kuncheva([{0, 1}, {2, 3}], 4), -1)


def test_nogueira_by_hand():
    """Three sets of different sizes of four features: every term written out."""
    Z = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 1]]
    # Frequencies 1, 1/3, 1/3, 1/3; variances times 3/2: 0, 1/3, 1/3, 1/3; mean 1/4.
    # Mean size 2 of 4: random sets have variance 1/2 * 1/2 = 1/4.
    index = nogueira(Z)
    assert_allclose(index.value, 1 - (1 / 4) / (1 / 4), atol=1e-15)
    # With value 0 a set's part is 4 * (mean of z * frequency - size * 2 / 16).
    part = 4 * np.array([(4 / 3) / 4 - 2 * 2 / 16, 1 / 4 - 1 * 2 / 16, (5 / 3) / 4 - 3 * 2 / 16])
    error = np.sqrt(4 / 9 * ((part - part.mean()) ** 2).sum())
    assert_allclose(index.standard_error, error)
    assert_allclose(index.low, -1.959963984540054 * error)
    assert_allclose(index.high, 1.959963984540054 * error)


def test_nogueira_of_equal_sets_is_one():
    assert nogueira([[1, 0, 1], [1, 0, 1]]) == (1, 0, 1, 1)


@pytest.mark.parametrize("seed", range(5))
def test_nogueira_is_kuncheva_for_sets_of_one_size(seed):
    sets = random_sets(seed)
    assert_allclose(nogueira(indicator(sets, 9)).value, kuncheva(sets, 9))


def test_nogueira_interval_covers():
    """Independent sets drawn from a known procedure, whose stability is known, too."""
    rng = np.random.default_rng(0)
    p = np.array([0.9, 0.8, 0.5, 0.3, 0.1, 0.1])
    truth = 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))
    n = 4000
    covered = 0
    for _ in range(n):
        # The interval is asymptotic: of 100 sets its coverage is 0.938, of 1,000 it is 0.948.
        index = nogueira(rng.random((1000, 6)) < p)
        covered += index.low <= truth <= index.high
    assert_count(covered, n, 0.95)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: jaccard([{1}]), "at least two sets"),
        (lambda: kuncheva([{1}, {1, 2}], 5), "one size .* sizes from 1 to 2"),
        (lambda: kuncheva([{0, 1}, {0, 1}], 2), "less than all of n_features=2"),
        (lambda: kuncheva([set(), set()], 2), "sets of 0"),
        (lambda: nogueira([[1, 0]]), r"at least two, .* got shape \(1, 2\)"),
        (lambda: nogueira([[1, 2], [0, 1]]), "only 0 and 1"),
        (lambda: nogueira([[1, 1], [1, 1]]), "must not select all features"),
        (lambda: nogueira([[0, 1], [1, 0]], confidence=95), "between 0 and 1; got 95"),
    ],
)
def test_indices_refuse_what_has_no_index(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# Bounds -------------------------------------------------------------------------------------------


def test_bound_without_assumption_is_that_of_meinshausen_and_buhlmann():
    assert_allclose(expected_false_selections(10, 1000, 0.9, 50), 10**2 / ((2 * 0.9 - 1) * 1000))
    # Of 4 fits, 0.6 needs 3: the threshold in effect is 0.75.
    assert_allclose(expected_false_selections(2, 10, 0.6, 2), 2**2 / ((2 * 0.75 - 1) * 10))


def test_unimodal_bound_is_theorem_2():
    theta_q = 0.01 * 10
    low = expected_false_selections(10, 1000, 0.7, 50, "unimodal")
    assert_allclose(low, theta_q / (2 * (2 * 0.7 - 1 - 1 / 100)))
    high = expected_false_selections(10, 1000, 0.9, 50, "unimodal")
    assert_allclose(high, theta_q * 4 * (1 - 0.9 + 1 / 100) / (1 + 1 / 50))
    # Beyond theta = 1 / sqrt(3) the theorem says nothing.
    args = (60, 100, 0.9, 50)
    assert expected_false_selections(*args, "unimodal") == expected_false_selections(*args)


@pytest.mark.parametrize(
    ("theta", "n_pairs", "tails"),
    # min(D(theta^2, 2 tau - 1, B, -1/2), D(theta, tau, 2 B, -1/4)) at tau = 0.6, 0.75, 0.9, 1 by
    # the R code that accompanies the paper, with its optimiser's tolerance set to 1e-14.
    [
        (0.01, 10, [2.0567993e-04, 4.3664114e-05, 1.3163379e-05, 3.4685137e-06]),
        (0.01, 50, [6.9933624e-05, 2.3861196e-05, 6.2654947e-06, 4.5460883e-07]),
    ],
)
def test_r_concave_bound_is_that_of_the_papers_code(theta, n_pairs, tails):
    for tau, tail in zip([0.6, 0.75, 0.9, 1.0], tails, strict=True):
        bound = expected_false_selections(1000 * theta, 1000, tau, n_pairs, "r-concave")
        assert_allclose(bound, 1000 * tail, rtol=1e-4)


@pytest.mark.parametrize("n_features", [5, 30, 1000, 20_000])
@pytest.mark.parametrize("threshold", [0.51, 0.6, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("n_pairs", [1, 2, 10, 50])
def test_more_assumed_never_bounds_less(n_features, threshold, n_pairs):
    k = min(10, n_features - 1)
    bounds = [
        expected_false_selections(k, n_features, threshold, n_pairs, assumption)
        for assumption in ("none", "unimodal", "r-concave")
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > 0


def test_bound_holds_on_noise():
    """No feature is better than guessing, so every feature that is kept is a false one."""
    rng = np.random.default_rng(0)
    n, p, k, n_pairs, n_data = 40, 40, 8, 5, 2000
    n_kept = np.zeros(n_data)
    for i in range(n_data):
        X, y = rng.normal(size=(n, p)), rng.normal(size=n)
        often = np.zeros(p)
        for _ in range(n_pairs):
            for rows in draw_disjoint(rng, n, n // 2, 2, None):
                often[np.argsort(-np.abs(y[rows] @ X[rows]))[:k]] += 1
        n_kept[i] = (often >= 0.6 * 2 * n_pairs).sum()
    bound = expected_false_selections(k, p, 0.6, n_pairs)
    assert_allclose(bound, 8)
    sharp = expected_false_selections(k, p, 0.6, n_pairs, "r-concave")
    # The mean of so many numbers from 0 to 13 is normal.
    band = norm.isf(BAND) * n_kept.std() / np.sqrt(n_data)
    assert bound / 20 < n_kept.mean() - band
    assert n_kept.mean() + band <= sharp < bound


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"assumption": "normal"}, "'none', 'unimodal', 'r-concave'; got 'normal'"),
        ({"threshold": 0.5}, r"threshold must be a frequency in \(0.5, 1\]; got 0.5"),
        ({"n_selected": 11}, "n_selected must lie between 0 and n_features=10; got 11"),
        ({"n_pairs": 0}, "n_pairs must be at least 1; got 0"),
    ],
)
def test_bounds_refuse(change, words):
    args = {"n_selected": 2, "n_features": 10, "threshold": 0.9, "n_pairs": 5}
    with pytest.raises(ValueError, match=words):
        expected_false_selections(**{**args, **change})


# Subsamples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 10, 25])
def test_pairs_are_disjoint_and_keep_the_classes_shares(size):
    strata = np.repeat([0, 1, 2], [10, 20, 20])
    for seed in range(50):
        one, other = draw_disjoint(np.random.default_rng(seed), 50, size, 2, strata)
        assert len(one) == len(other) == size
        assert len({*one.tolist(), *other.tolist()}) == 2 * size
        for rows in (one, other):
            counts = np.bincount(strata[rows], minlength=3)
            assert (np.abs(counts - size * np.array([0.2, 0.4, 0.4])) < 1.01).all()


def test_every_row_is_equally_likely_in_a_subsample():
    strata = np.repeat([0, 1], [1, 29])
    n = 3000
    drawn = np.zeros(30)
    for seed in range(n):
        drawn[draw_disjoint(np.random.default_rng(seed), 30, 10, 2, strata)[0]] += 1
    for count in drawn:
        assert_count(count, n, 1 / 3)


# The diagnostic -----------------------------------------------------------------------------------


def test_a_ranking_that_does_not_change_is_stable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) * [1, 10, 100, 1e3, 1e4, 1e5]
    result = stability(X, X[:, 0], k=2, estimator=FirstColumns(), n_repeats=4, random_state=0)
    for overlap in (result.seed, result.subsample):
        assert overlap.jaccard == overlap.kuncheva == overlap.nogueira.value == 1
        assert_array_equal(overlap.frequency, [0, 0, 0, 0, 1, 1])
    assert_array_equal(np.sort(result.kept), [4, 5])
    assert result.conclusion.startswith("The top 2 is stable: on another half of the rows, 2.0")
    assert_allclose(result.false_selections["none"], 2**2 / 6)


def test_only_seeds_or_only_subsamples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30)) * np.arange(1, 31) ** 2
    seeds = stability(
        X, X[:, 0], k=3, estimator=BySeed(), vary="seed", n_repeats=5, threshold=0.6, random_state=0
    )
    assert seeds.subsample is None
    assert seeds.n_pairs == 0
    assert seeds.false_selections == {}
    assert abs(seeds.seed.nogueira.value) < 0.4
    assert "is not stable: with another seed" in seeds.conclusion
    assert list(seeds.to_frame()) == ["seed", "kept"]
    rows = stability(
        X, X[:, 0], k=3, estimator=BySeed(), vary="subsample", subsample=0.8, n_repeats=5,
        random_state=0,
    )  # fmt: skip
    assert rows.seed is None
    assert rows.n_pairs == 0  # two such subsamples have rows in common
    assert "on another 80% of the rows" in rows.conclusion


def test_numbers_are_those_of_the_top_sets():
    X, y = load_iris(return_X_y=True, as_frame=True)
    result = stability(X, y, k=1, estimator=Classifier(5), n_repeats=6, random_state=0)
    sets = [{int(j)} for j in result.subsample.top[:, 0]]
    assert_allclose(result.subsample.jaccard, jaccard(sets))
    common = [len(a & b) for a, b in combinations(sets, 2)]
    assert_allclose(result.subsample.common, np.mean(common))
    frame = result.to_frame()
    assert frame.index.name == "feature"
    assert_allclose(frame["subsample"].sum(), 1)
    assert_allclose(frame.loc[X.columns, "seed"], result.seed.frequency)
    assert frame["subsample"].is_monotonic_decreasing
    assert_array_equal(frame.index[frame["kept"]], X.columns[result.kept])


def test_jobs_do_not_change_it_but_seeds_do():
    X, y = make_regression(60, 40, n_informative=5, noise=50.0, random_state=0)
    runs = [
        stability(X, y, k=5, n_repeats=2, random_state=seed, n_jobs=n_jobs)
        for seed, n_jobs in [(0, 1), (0, 2), (1, 1)]
    ]
    tops = [np.concatenate([run.seed.top, run.subsample.top]) for run in runs]
    assert_array_equal(tops[0], tops[1])
    assert (tops[0] != tops[2]).any()


def test_more_repeats_go_on_where_fewer_ended():
    X, y = make_regression(40, 12, noise=50.0, random_state=0)
    forest = Regressor(5)
    few, many = (stability(X, y, estimator=forest, n_repeats=n, random_state=0) for n in (2, 4))
    assert_array_equal(many.seed.top[:2], few.seed.top)
    assert_array_equal(many.subsample.top[:2], few.subsample.top)


def test_other_estimators_and_labels():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    result = stability(
        X, labels, k=2, estimator=RandomForestClassifier(5), n_repeats=2, random_state=0
    )
    assert result.names[0] == "feature_0"
    assert result.subsample.top.shape == (2, 2)


def test_default_k_fits_the_number_of_features():
    X, y = make_regression(30, 7, random_state=0)
    assert stability(X, y, estimator=FirstColumns(), n_repeats=2).k == 3
    X, y = make_regression(30, 70, random_state=0)
    assert stability(X, y, estimator=FirstColumns(), n_repeats=2).k == 10


def test_results_cannot_be_changed_and_are_readable():
    X, y = load_iris(return_X_y=True, as_frame=True)
    result = stability(X, y, k=2, estimator=Classifier(5), n_repeats=4, random_state=0)
    with pytest.raises(ValueError, match="read-only"):
        result.names[0] = "other"
    with pytest.raises(AttributeError):
        result.k = 3
    text = repr(result)
    assert "Stability of the top 2 of 4 features" in text
    assert "petal width (cm)" in text
    assert text.endswith(result.conclusion)
    assert result.conclusion.count(". ") == 0


@pytest.mark.parametrize("n_features", [5, 20_000])
def test_plot(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, n_features))
    result = stability(X, X[:, 0], estimator=BySeed(), n_repeats=4, random_state=0)
    ax = result.plot()
    assert len(ax.get_yticks()) <= 25
    other = ax.figure.add_axes((0, 0, 1, 1))
    assert result.plot(other) is other
    mpl.pyplot.close("all")


def test_names_with_dollars_and_long_names_can_be_drawn():
    X = np.random.default_rng(0).normal(size=(20, 4))
    names = ["price in $", "$x_1$ and $", "a" * 200, "b"]
    result = stability(
        X, X[:, 0], k=2, estimator=BySeed(), n_repeats=4, feature_names=names, random_state=0
    )
    result.plot().figure.canvas.draw()
    mpl.pyplot.close("all")


def test_long_names_are_cut_in_print():
    X = np.random.default_rng(0).normal(size=(20, 3))
    result = stability(
        X, X[:, 0], k=2, estimator=BySeed(), n_repeats=4, feature_names=["a" * 500, "b", "c"],
        random_state=0,
    )  # fmt: skip
    table = repr(result).splitlines()[:-1]  # the conclusion is a sentence
    assert max(map(len, table)) < 120


def test_classes_that_cannot_be_halved_are_named():
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = np.array(["a"] * 19 + ["rare"])
    with pytest.raises(ValueError, match=r"at least two classes of two rows.*'rare' has one row"):
        stability(X, y, k=1, estimator=Classifier(2), n_repeats=2)
    assert stability(X, y, k=1, estimator=Classifier(2), n_repeats=2, vary="seed").k == 1


class Seedless(BaseEstimator):
    """Has nothing that a seed could change."""

    def fit(self, X, y):
        self.feature_importances_ = X.var(axis=0)
        return self


def test_a_seed_that_is_not_there_cannot_be_varied():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(UserWarning, match="Seedless has no random_state"):
        stability(X, X[:, 0], k=1, estimator=Seedless(), vary="seed", n_repeats=2)
    stability(X, X[:, 0], k=1, estimator=Seedless(), vary="subsample", n_repeats=2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 4}, "less than the number of features, 4, .* got 4"),
        ({"k": 0}, "k must be an int of at least 1"),
        ({"k": 1.5}, "got 1.5"),
        ({"n_repeats": 3}, "n_repeats must be even"),
        ({"n_repeats": 1}, "'n_repeats' parameter of stability"),
        ({"vary": "rows"}, "'vary' parameter of stability"),
        ({"subsample": 1.0}, "'subsample' parameter of stability"),
        ({"subsample": 0.01}, "at least two of the 150 rows; got 0.01"),
        ({"threshold": 0.5}, "'threshold' parameter of stability"),
        ({"feature_names": ["a"]}, "feature_names must have 4 names"),
    ],
)
def test_what_it_refuses(change, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        stability(X, y, **{"estimator": Classifier(2), "n_repeats": 2, **change})


def test_progress_is_shown(capsys, monkeypatch):
    monkeypatch.setattr("inforest._engine.patience._DELAY", 0.0)
    X, y = load_iris(return_X_y=True)
    stability(X, y, estimator=Classifier(2), n_repeats=4, random_state=0, verbose=1)
    assert "fits" in capsys.readouterr().err
    stability(X, y, estimator=Classifier(2), n_repeats=4, random_state=0)
    assert capsys.readouterr().err == ""


def test_ctrl_c_ends_it():
    class Interrupted(FirstColumns):
        def fit(self, X, y):
            raise KeyboardInterrupt

    X, y = load_iris(return_X_y=True)
    with pytest.raises(KeyboardInterrupt):
        stability(X, y, estimator=Interrupted(), n_repeats=2, verbose=1)


@pytest.mark.parametrize("name", ["stability", "stability_indices", "complementary_pairs"])
def test_examples_run(name):
    module = importlib.import_module(f"inforest.inspection.diagnostics.{name}")
    assert doctest.testmod(module).failed == 0


def test_ties_are_not_stable_they_are_ties():
    """One feature that varies and nine constant ones: there is no top 5 to come back."""
    rng = np.random.default_rng(0)
    X = np.zeros((60, 10))
    X[:, 3] = rng.normal(size=60)
    y = (X[:, 3] > 0).astype(int)
    forest = Classifier(5)
    found = stability(X, y, k=5, n_repeats=4, estimator=forest, random_state=0)
    assert found.main.n_clear == 1
    assert found.conclusion.startswith("There is no top 5: in the median fit only 1 of")
    assert stability(
        X, y, k=1, n_repeats=4, estimator=forest, random_state=0
    ).conclusion.startswith("The top 1 is stable")


@pytest.mark.slow
def test_on_noise_halves_of_one_table_agree_more_than_chance_and_tables_do_not():
    """They share rows: what goes along with y by chance in the table comes back."""
    n_tables, halves, apart = 40, [], []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 50)), rng.normal(size=200)
        result = stability(
            X, y, k=10, estimator=ByCorrelation(), vary="subsample", random_state=seed
        )
        halves.append(result.subsample.nogueira.value)
        tops = [np.argsort(-ByCorrelation().fit(X[rows], y[rows]).feature_importances_)[:10]
                for rows in (slice(100), slice(100, 200))]  # fmt: skip
        apart.append(kuncheva([set(top.tolist()) for top in tops], 50))
    assert 0.1 < np.mean(halves) < 0.2
    assert_count_at_least(sum(value > 0 for value in halves), n_tables, 0.9)
    # One pair: (common - 2) / 8, and common is hypergeometric with variance 10 * 0.2 * 0.8 * 40/49.
    deviation = np.sqrt(10 * 0.2 * 0.8 * 40 / 49 / n_tables) / 8
    assert abs(np.mean(apart)) < norm.isf(BAND / 2) * deviation


@pytest.mark.parametrize("n", [7, 9, 11, 13, 17, 21, 23])
def test_a_class_of_two_rows_is_in_both_halves(n):
    """Also where a row is left out, because their number is odd."""
    X = np.random.default_rng(n).normal(size=(n, 3))
    y = np.array(["rare"] * 2 + ["common"] * (n - 2))
    for vary in ("both", "subsample"):
        found = stability(X, y, n_repeats=6, vary=vary, k=2, random_state=0)
        assert len(found.frequency) == 3
