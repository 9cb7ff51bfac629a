"""Our Cox regression against its likelihood, written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from inforest._engine.cox import PartialLikelihood, RidgeCox
from inforest._engine.responses.censored import DTYPE


def data(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    time, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, size=n)
    y = np.empty(n, dtype=DTYPE)
    y["event"], y["time"] = time <= end, np.round(np.minimum(time, end), 1)
    return X, y


def naive(coef, X, y, weight, alpha):
    """Return Breslow's partial log-likelihood, row by row."""
    eta, total = X @ coef, 0.0
    for i in np.flatnonzero(y["event"]):
        at_risk = y["time"] >= y["time"][i]
        total += weight[i] * (eta[i] - np.log(weight[at_risk] @ np.exp(eta[at_risk])))
    return total - alpha / 2 * coef @ coef


@pytest.mark.parametrize("weighted", [False, True])
def test_likelihood_and_derivatives(weighted):
    X, y = data(40, 3)
    rng = np.random.default_rng(1)
    weight = rng.uniform(size=40) if weighted else np.ones(40)
    objective = PartialLikelihood(X, y, weight, 0.7)
    coef = rng.normal(size=3)
    assert_allclose(objective.value(coef), naive(coef, X, y, weight, 0.7), rtol=1e-12)
    gradient, curvature = objective.derivatives(coef)
    for j, step in enumerate(1e-5 * np.eye(3)):
        up, down = objective.value(coef + step), objective.value(coef - step)
        assert_allclose(gradient[j], (up - down) / 2e-5, rtol=1e-6)
        up, down = objective.derivatives(coef + step)[0], objective.derivatives(coef - step)[0]
        assert_allclose(-curvature[j], (up - down) / 2e-5, rtol=1e-5)


@pytest.mark.parametrize(("n", "p"), [(80, 5), (20, 30)])
def test_coefficients_are_the_best(n, p):
    X, y = data(n, p)
    model = RidgeCox(2.0).fit(X, y)
    best = minimize(lambda coef: -naive(coef, X, y, np.ones(n), 2.0), np.zeros(p))
    assert_allclose(model.coef_, best.x, atol=1e-4)
    assert model.coef_.argmax() == 0
    assert model.score(X, y) > 0.6


def test_rows_of_whole_weight_are_repeated_rows():
    X, y = data(40, 3)
    weight = np.arange(40) % 3
    model = RidgeCox().fit(X, y, sample_weight=weight)
    again = RidgeCox().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(model.coef_, again.coef_, atol=1e-8)
