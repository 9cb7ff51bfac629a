"""The scale on which features are compared: exact permutation moments and the tail they imply."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import gamma, norm

from engine import fortran
from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor, _core

CASES = [(["pc"], 0), (["quad"], 0), (["mc"], 2), (["mc"], 3), (["quad"], 2), (["quad"], 3)]


def columns(rng, n):
    rare = np.zeros(n)
    rare[0] = 1.0
    return np.column_stack(
        [rng.normal(size=n), np.arange(n) % 2, rng.integers(0, 3, n), rare, rng.lognormal(size=n)]
    )


def response(rng, n, n_classes):
    if n_classes == 0:
        return rng.normal(size=n)
    return rng.permutation(np.r_[np.arange(n_classes), np.zeros(n - n_classes)]).astype(float)


def tail_scores(X, y, n_classes, selectors):
    return _core.tail_scores(fortran(X), y, n_classes, selectors, 1)


@pytest.mark.parametrize("n", [4, 5, 7])
@pytest.mark.parametrize(("selectors", "n_classes"), CASES)
def test_moments_are_those_of_all_permutations(selectors, n_classes, n):
    rng = np.random.default_rng([n, n_classes])
    X, y = columns(rng, n), response(rng, n, n_classes)
    values = np.array(
        [
            _core.statistics(fortran(X), y[list(order)], n_classes, selectors, 1) ** 2
            for order in permutations(range(n))
        ]
    )
    _, mean, variance = tail_scores(X, y, n_classes, selectors)
    np.testing.assert_allclose(mean, values.mean(axis=0), rtol=1e-11)
    np.testing.assert_allclose(variance, values.var(axis=0), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_moments_do_not_depend_on_scale(scale):
    rng = np.random.default_rng(0)
    X, y = columns(rng, 40), rng.normal(size=40)
    for plain, scaled in zip(
        tail_scores(X, y, 0, ["quad"]), tail_scores(X * scale, y, 0, ["quad"]), strict=True
    ):
        np.testing.assert_allclose(scaled, plain, rtol=1e-9)


@pytest.mark.parametrize(("selectors", "n_classes"), CASES)
def test_scores_are_normal_quantiles_of_gamma_tails(selectors, n_classes):
    rng = np.random.default_rng(n_classes)
    n = 60
    X = columns(rng, n)
    y = np.arange(n) % n_classes if n_classes else rng.normal(size=n)
    for strength in (0.0, 0.5, 3.0, 30.0):
        shifted = X + strength * (y - y.mean())[:, None] * X.std(axis=0)
        score, mean, variance = tail_scores(shifted, y.astype(float), n_classes, selectors)
        value = _core.statistics(fortran(shifted), y.astype(float), n_classes, selectors, 1) ** 2
        shape = mean**2 / variance
        expected = norm.isf(gamma.sf(value / mean * shape, shape))
        checked = np.isfinite(expected) & (value > 0.05 * mean)
        assert checked.any()
        np.testing.assert_allclose(score[checked], expected[checked], atol=0.05)


def test_constant_features_come_last():
    score, *_ = tail_scores(np.c_[np.ones(9), np.arange(9)], np.arange(9.0), 0, ["pc"])
    assert score[0] == -np.inf
    assert np.isfinite(score[1])


@pytest.mark.parametrize("selector", ["dc", "rdc"])
def test_unknown_moments_are_estimated(selector):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    _, mean, variance = tail_scores(X, y, 0, [selector])
    values = np.array(
        [_core.statistics(fortran(X), rng.permutation(y), 0, [selector], 1) for _ in range(3000)]
    )
    values = values**2 if selector == "rdc" else values
    values = values if selector == "rdc" else values * values
    assert mean == pytest.approx(values.mean(axis=0), rel=0.3)
    assert (variance > 0).all()


def test_true_scans_by_tail_and_statistic_by_value():
    """One large y: the rare column that holds it has more r^2, the marker the smaller tail."""
    rng = np.random.default_rng(0)
    marker = rng.normal(size=200)
    y = 0.5 * marker + rng.normal(size=200)
    y[0] = 12.0
    rare = (np.arange(200) == 0) * 1.0
    X = np.column_stack([marker, rare])
    statistic = _core.statistics(fortran(X), y, 0, ["pc"], 0)
    assert statistic[1] > statistic[0]
    chosen = {}
    for scanning in (True, "statistic"):
        tree = ConditionalInferenceTreeRegressor(
            n_resamples_selector=None, splitter_test=None, feature_scanning=scanning, max_depth=1
        )
        chosen[scanning] = tree.fit(X, y).tree_.feature[0]
    assert chosen == {True: 0, "statistic": 1}


def test_wrong_scanning_is_named():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(ValueError, match=r"feature_scanning.*'statistic'.*Got 'tail'"):
        ConditionalInferenceTreeClassifier(feature_scanning="tail").fit(X, y)


def test_oracle_agrees_on_the_level_rule():
    """p <= tau where a test may come out at its level, p < tau where it may not."""
    assert _core.budget("minimum", 0.05, 1, False, False) == 19
    assert _core.budget("minimum", 0.05, 10, True, False) == 199
    assert _core.budget("stable", 0.05, 1, False, False) == 399
    assert _core.budget("minimum", 0.05, 1, False, True) == 20
    assert _core.budget("minimum", 0.3, 7, True, False) == 23  # 24 tau = 1.03
    for name in ("minimum", "auto", "maximum", "stable"):
        for m in (1, 3, 7, 60):
            n_draws, tau = _core.budget(name, 0.05, m, True, False), 0.05 / m
            spent = np.floor((n_draws + 1) * tau * (1 + 1e-9)) / (n_draws + 1)
            assert 0.97 * tau < spent <= tau * (1 + 1e-9)
