"""Cox's proportional hazards with a ridge penalty: what predicts survival from chosen features."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from inforest._engine.arrays import Floats
from inforest._engine.responses.censored import read_censored
from inforest._engine.responses.survival import concordance
from inforest._engine.sklearn_private import check_sample_weight

#: Newton's method ends when no step promises more than this of the objective.
_SMALL = 1e-9
_MOST_STEPS = 100


class RidgeCox(BaseEstimator):
    """Cox regression, with Breslow's handling of ties and a penalty on the squared coefficients.

    Parameters
    ----------
    alpha : float, default=1.0
        What the sum of squared coefficients, halved, costs in units of the log-likelihood.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Log hazard ratios.

    """

    coef_: Floats
    n_features_in_: int

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise the penalised partial likelihood.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, on a common scale.
        y : structured array, data frame or pair
            Events and times.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row weighs.

        Returns
        -------
        self : object
            The fitted model.

        """
        times = read_censored(y)
        Z: Floats = validate_data(self, X, dtype=np.float64)
        weight = check_sample_weight(sample_weight, Z, dtype=np.float64)
        there = weight > 0
        Z, times, weight = Z[there], times[there], weight[there]
        rotation = None
        if Z.shape[1] > Z.shape[0]:  # the solution lies in the space of the rows
            rotation = np.linalg.svd(Z, full_matrices=False)[2].T
            Z = Z @ rotation
        coef = _maximised(PartialLikelihood(Z, times, weight, float(self.alpha)))
        self.coef_ = coef if rotation is None else rotation @ coef
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Predict log hazard ratios: who has a higher one is expected to have the event earlier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        risk : ndarray of shape (n_samples,)
            One number per sample.

        """
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_

    def score(self, X: ArrayLike, y: Any, sample_weight: Floats | None = None) -> float:
        """Return Harrell's concordance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : structured array, data frame or pair
            Events and times.
        sample_weight : ndarray of shape (n_samples,), default=None
            What each row weighs.

        Returns
        -------
        concordance : float
            Between 0 and 1; 0.5 is a guess.

        """
        return concordance(read_censored(y), self.predict(X), sample_weight)


class PartialLikelihood:
    """Cox's partial log-likelihood, less the penalty, with its derivatives."""

    def __init__(self, X: Floats, times: NDArray[Any], weight: Floats, alpha: float) -> None:
        order = np.argsort(-times["time"], kind="stable")  # risk sets grow from the last time on
        self.X, self.weight, self.alpha = X[order], weight[order], alpha
        time, event = times["time"][order], times["event"][order]
        # The last row with each time, where its risk set is complete.
        ends = np.flatnonzero(np.append(np.diff(time) != 0, True))
        group = np.searchsorted(ends, np.arange(len(time)))
        self._at = ends[group]
        self._begin = np.append(0, ends[:-1] + 1)[group]
        self._events = self.weight * event
        self.n_features = X.shape[1]

    def value(self, coef: Floats) -> float:
        """Return the objective."""
        eta = self.X @ coef
        top = eta.max(initial=0.0)
        log_sum = top + np.log(np.cumsum(self.weight * np.exp(eta - top)))[self._at]
        events = self._events > 0
        return float(self._events[events] @ (eta - log_sum)[events] - self.alpha / 2 * coef @ coef)

    def derivatives(self, coef: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the negative second derivatives."""
        eta = self.X @ coef
        hazard = self.weight * np.exp(eta - eta.max(initial=0.0))
        at_risk = np.cumsum(hazard)[self._at]
        mean = np.cumsum(hazard[:, None] * self.X, axis=0)[self._at] / at_risk[:, None]
        step = self._events / at_risk
        # A row is in the risk sets of all events at its time and before: those after it here.
        expected = hazard * np.cumsum(step[::-1])[::-1][self._begin]
        gradient = (self._events - expected) @ self.X - self.alpha * coef
        curvature = self.X.T @ (expected[:, None] * self.X)
        curvature -= mean.T @ (self._events[:, None] * mean)
        return gradient, curvature + self.alpha * np.eye(self.n_features)


def _maximised(objective: PartialLikelihood) -> Floats:
    """Return where the objective, which is concave, is largest."""
    coef = np.zeros(objective.n_features)
    value = objective.value(coef)
    for _ in range(_MOST_STEPS):
        gradient, curvature = objective.derivatives(coef)
        step = np.linalg.solve(curvature, gradient)
        if gradient @ step < _SMALL:
            break
        length = 1.0
        while (new := objective.value(coef + length * step)) < value and length > 1e-6:
            length /= 2
        if new < value:
            break
        coef, value = coef + length * step, new
    return coef
