"""`GaussianCopula`: features as the ranks of a joint normal distribution, and copies from it."""

from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.special import ndtri
from scipy.stats import norm

from inforest._engine.arrays import Floats
from inforest.conditional.normal_scores import NormalScores

#: Weight of independence in the correlations: keeps their inverse in bounds.
_SHRINKAGE = 0.02
#: The distances are found when none of them changes by more than this in a round.
_STILL = 1e-3
_MOST_ROUNDS = 20
#: Nodes of the integral over one normal variable.
_NODES = 24


class GaussianCopula:
    """The joint distribution of numbers by their ranks: any units and tails, normal dependence.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers without gaps, none of the features constant.
    rng : Generator
        Puts equal values in an order.

    Attributes
    ----------
    z : ndarray of shape (n_samples, n_features)
        The normal quantiles of the ranks, equal values in random order.
    correlation : ndarray of shape (n_features, n_features)
        Of `z`, shrunk a little.

    """

    def __init__(self, X: Floats, rng: np.random.Generator) -> None:
        self._scores = [NormalScores(x) for x in X.T]
        order = [np.lexsort((rng.random(len(x)), x)) for x in X.T]
        place = np.argsort(np.column_stack(order), axis=0)
        self.z: Floats = ndtri((place + 0.5) / len(X))
        found = np.atleast_2d(np.corrcoef(self.z.T))
        self.correlation: Floats = (1 - _SHRINKAGE) * found + _SHRINKAGE * np.eye(len(found))

    @cached_property
    def distances(self) -> Floats:
        """How far each feature's copy is from it: the variance of their difference, halved.

        Those that make the features best known apart from the copies: the least trace of the
        inverse of the joint covariance ("minimum variance-based reconstructability", Spector and
        Janson 2022), which is that of ``2 R - S`` plus that of ``S``, R the correlation and S the
        diagonal matrix of distances. Given the others, one distance has its best value in closed
        form: by the Sherman-Morrison formula, with B the inverse of ``2 R - S``, a change by d
        adds ``d |B_j|^2 / (1 - d B_jj)`` to the one and makes the other ``1 / (s_j + d)``: least at
        `best`.
        """
        R = self.correlation
        s = np.full(len(R), min(1.0, float(eigvalsh(R, subset_by_index=[0, 0])[0])))
        for _ in range(_MOST_ROUNDS):
            before = s.copy()
            B = np.linalg.inv(2 * R - np.diag(s))
            for j in range(len(s)):
                column = B[j].copy()
                size = np.sqrt(column @ column)
                best = (1 + s[j] * column[j]) / (column[j] + size)
                change = best - s[j]
                B += np.outer(change / (1 - change * column[j]) * column, column)
                s[j] = best
            if np.abs(s - before).max() <= _STILL:
                break
        return s

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """What takes scores to their copies' means, and the root of the copies' covariance."""
        S = np.diag(self.distances)
        shift: Floats = np.asarray(np.linalg.solve(self.correlation, S), dtype=np.float64)
        covariance = 2 * S - S @ shift
        covariance = (covariance + covariance.T) / 2
        try:
            root: Floats = cholesky(covariance, lower=True)
        except LinAlgError:  # by rounding
            values, vectors = np.linalg.eigh(covariance)
            root = vectors * np.sqrt(np.maximum(values, 0))
        return shift, root

    def knockoffs(self, rng: np.random.Generator) -> Floats:
        """Return a copy of X: each feature's own values, drawn from the others and itself.

        Seen together with X, any features may change places with their copies and the joint
        distribution stays what it is, if it is that of a Gaussian copula (Candes, Fan, Janson, Lv
        2018). y has no part in it.
        """
        shift, root = self._moments
        copies = self.z - self.z @ shift + rng.standard_normal(self.z.shape) @ root.T
        return np.column_stack(
            [scores.back(z) for scores, z in zip(self._scores, copies.T, strict=True)]
        )

    def departures(self) -> Floats:
        """Return a p-value for each feature: how well a Gaussian copula fits its pairs.

        Straight and bent functions of the ranks, u and b, are compared: where two features are
        jointly normal, b of one has nothing to do with u of the other, and their two b go together
        as much as their correlation says. Small if any of the feature's pairs departs, adjusted
        for the number of pairs of all features (Bonferroni). Dependence of three or more features
        that no pair shows is not seen.
        """
        n, p = self.z.shape
        if p == 1:
            return np.ones(1)
        place = norm.cdf(self.z)
        straight, bent = _straight(place), _bent(place)
        crossed = _z(bent.T @ straight, np.square(bent).T @ np.square(straight), n)
        both = bent.T @ bent
        expected = n * _bent_together(np.atleast_2d(np.corrcoef(self.z.T)))
        squares = np.square(bent).T @ np.square(bent)
        curved = _z(both - expected, squares - np.square(both) / n, n)
        largest = np.maximum(np.maximum(np.abs(crossed), np.abs(crossed.T)), np.abs(curved))
        np.fill_diagonal(largest, 0)
        n_tests = 3 * p * (p - 1) / 2
        p_values: Floats = np.minimum(1.0, 2 * norm.sf(largest.max(axis=0)) * n_tests)
        return p_values


def _straight(place: Floats) -> Floats:
    return np.sqrt(3) * (2 * place - 1)


def _bent(place: Floats) -> Floats:
    return np.sqrt(5) * (6 * place * (place - 1) + 1)


def _z(total: Floats, squares: Floats, n: int) -> Floats:
    """Return sums over their standard errors."""
    return total / np.sqrt(np.maximum(squares, 1e-3 * n))


def _bent_together(r: Floats) -> Floats:
    """Return the mean product of the two bent functions of normal variables so correlated."""
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight = weight / weight.sum()
    grid = np.linspace(-1, 1, 201)
    other = grid[:, None, None] * node[:, None] + np.sqrt(1 - grid**2)[:, None, None] * node
    mean = np.einsum("i,j,gij->g", weight * _bent(norm.cdf(node)), weight, _bent(norm.cdf(other)))
    found: Floats = np.interp(np.abs(r), grid[100:], mean[100:])
    return found
