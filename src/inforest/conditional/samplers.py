"""Samplers: some features of a row drawn anew, given all the others."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from inforest._engine.arrays import Floats
from inforest.conditional.basis import Basis
from inforest.conditional.block_ridge import Regressions, Task
from inforest.conditional.normal_scores import NormalScores, on_one_scale

#: Distinct values up to which a number is drawn value by value.
_MOST_VALUES = 10
#: By how much a varying spread must improve the forecast of rows it has not seen to be believed.
_IMPROVES = 0.995
_QUANTILES = 32
#: Values drawn for each row to judge a sampler by.
_JUDGED = 8
#: Least probability of a value that occurs.
_LEAST = 1e-3
#: Rows that are most alike a row in what the others predict; one of them is copied.
_NEIGHBOURS = 10

Rows = NDArray[np.intp]
Unit = NDArray[np.intp]


class Sampler(Protocol):
    """Draws values of some features given the others.

    What the others say of a row is learned from the other rows, and from features only: y has no
    part in it, so that any row may be drawn anew.
    """

    def draw(self, rows: Rows, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return ``n_draws`` values for each of these rows: [row, draw, feature].

        They are stratified: each of them has the conditional distribution, and together they cover
        it evenly, so that few of them give its means precisely.
        """


@dataclass(frozen=True, eq=False)
class LocationScale:
    """A location that the others predict, plus a residual of any row, maybe scaled."""

    scores: NormalScores
    residual: Floats  # ascending
    location: Floats
    spread: Floats | None

    def draw(self, rows: Rows, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each of these rows."""
        n = len(self.residual)
        drawn = self.residual[(_strata(len(rows), n_draws, rng) * n).astype(np.intp)]
        if self.spread is not None:
            drawn = drawn * self.spread[rows, None]
        return self.scores.back(drawn + self.location[rows, None])[:, :, None]


@dataclass(frozen=True, eq=False)
class Shares:
    """Values, or levels, with probabilities that the others predict; nan may be one of them."""

    values: Floats
    up_to: Floats  # (n_rows, n_values - 1): cumulated

    def draw(self, rows: Rows, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each of these rows."""
        strata = _strata(len(rows), n_draws, rng)
        place = (strata[:, :, None] > self.up_to[rows, None, :]).sum(axis=2)
        return self.values[place][:, :, None]


@dataclass(frozen=True, eq=False)
class Matched:
    """The values of another row for which the others predict about the same.

    Whole rows are copied: what is missing, and how several features go together, stays as it was.
    """

    values: Floats  # (n_samples, n_features)
    near: NDArray[np.intp]  # (n_samples, n_neighbours)

    def draw(self, rows: Rows, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each of these rows."""
        near = rng.permuted(self.near[rows], axis=1)
        pick = (_strata(len(rows), n_draws, rng) * near.shape[1]).astype(np.intp)
        return self.values[np.take_along_axis(near, pick, axis=1)]


@dataclass(frozen=True, eq=False)
class Table:
    """All rows, and how their features explain each other."""

    X: Floats
    is_category: NDArray[np.bool_]
    basis: Basis
    regressions: Regressions
    groups: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls, X: Floats, is_category: NDArray[np.bool_], groups: NDArray[np.intp] | None = None
    ) -> "Table":
        """Learn from these rows."""
        basis = Basis(X, is_category)
        return cls(X, is_category, basis, Regressions(basis, groups), groups)

    @cached_property
    def scores(self) -> Floats:
        """The features' normal scores, nan where a value is missing."""
        return on_one_scale(self.X)

    def fit_sampler(self, unit: Unit, rng: np.random.Generator) -> tuple[Sampler, float]:
        """Return a sampler of some features given all others, and how far these explain them."""
        if len(unit) > 1:
            return self._fit_matched(unit, rng)
        x = self.X[:, unit[0]]
        few = self.is_category[unit[0]] or len(np.unique(x)) <= _MOST_VALUES
        if few:
            return self._fit_shares(x, unit)
        matched, explained = self._fit_matched(unit, rng)
        if np.isnan(x).any():
            return matched, explained
        scores = self.basis.scores[unit[0]]
        tried: list[Sampler] = [self._fit_smooth(x, unit), matched]
        return min(tried, key=lambda sampler: _score(sampler, scores, x, rng)), explained

    def _fit_shares(self, x: Floats, unit: Unit) -> tuple[Shares, float]:
        values = np.unique(x)  # nan once, at the end
        is_value = (x[:, None] == values) | (np.isnan(x)[:, None] & np.isnan(values))
        indicator = is_value.astype(np.float64)
        residual = self.regressions.residuals(Task(indicator, unit))
        shares = np.maximum(indicator - residual, _LEAST)
        up_to = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        explained = _explained(np.square(residual).sum(), len(x) * indicator.var(axis=0).sum())
        return Shares(values, up_to), explained

    def _fit_matched(self, unit: Unit, rng: np.random.Generator) -> tuple[Matched, float]:
        z = np.column_stack([self.basis.scores[j](self.X[:, j]) for j in unit])
        residual = self.regressions.residuals(Task(z, unit))
        # A row's prediction without itself knows the row: where the others say nothing it is the
        # mean of all but one. Blurred by about what it is uncertain by, it does not.
        uncertain = residual.std(axis=0) * np.sqrt(_NEIGHBOURS / len(z))
        blur = rng.normal(size=z.shape) * uncertain
        near = _neighbours(z - residual + blur, self.groups)
        # Of several features, the one that is explained worst can still tell something.
        errors = np.square(residual).mean(axis=0)
        shares = [_explained(e, v) for e, v in zip(errors, z.var(axis=0), strict=True)]
        return Matched(self.X[:, unit], near), min(shares)

    def _fit_smooth(self, x: Floats, unit: Unit) -> LocationScale:
        scores = self.basis.scores[unit[0]]
        z = scores(x)
        residual = self.regressions.residuals(Task(z[:, None], unit))[:, 0]
        location = z - residual
        size = np.abs(residual)
        least = float(np.quantile(size, 0.1)) + 1e-12
        # What the others say about a row's spread without having seen the row.
        left = self.regressions.residuals(Task(size[:, None], unit))[:, 0]
        spread: Floats = np.maximum(size - left, least)
        varies = _crps(residual, spread) < _IMPROVES * _crps(residual, np.ones_like(residual))
        pool = np.sort(residual / spread if varies else residual)
        return LocationScale(scores, pool, location, spread if varies else None)


def _neighbours(place: Floats, groups: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Return the rows nearest to each row, not the row itself nor others of its group."""
    n = len(place)
    groups = np.arange(n) if groups is None else groups
    most = int(np.bincount(groups).max())
    k = max(1, min(_NEIGHBOURS, n - most))
    found = KDTree(place).query(place, k=min(n, k + most))[1].reshape(n, -1)
    is_other = groups[found] != groups[:, None]
    # The nearest others first, in their order; there are at least k of them.
    order = np.argsort(~is_other, axis=1, kind="stable")[:, :k]
    near: NDArray[np.intp] = np.take_along_axis(found, order, axis=1)
    return near


def _explained(error: float, variance: float) -> float:
    return float(max(0.0, 1 - error / variance)) if variance > 0 else 0.0


def _score(sampler: Sampler, scores: NormalScores, x: Floats, rng: np.random.Generator) -> float:
    """Return how well draws forecast the rows' own values (continuous ranked probability score)."""
    rows = np.arange(len(x))
    drawn = scores(sampler.draw(rows, _JUDGED, rng)[:, :, 0])
    apart = np.abs(drawn[:, :, None] - drawn[:, None, :]).mean() / 2
    return float(np.abs(drawn - scores(x)[:, None]).mean() - apart)


def _crps(residual: Floats, spread: Floats) -> float:
    """Return the mean continuous ranked probability score of forecasts with these spreads."""
    quantiles = np.quantile(residual / spread, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    apart = np.abs(quantiles[:, None] - quantiles).mean() / 2
    distance = np.abs(residual[:, None] - spread[:, None] * quantiles).mean(axis=1)
    return float((distance - spread * apart).mean())


def _strata(n_rows: int, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return numbers in [0, 1): in each row one per stratum, all with the same random shift."""
    return (np.arange(n_draws) + rng.random((n_rows, 1))) / n_draws
