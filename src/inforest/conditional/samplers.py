"""Samplers: some features of a row drawn anew, given all the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from inforest._engine.arrays import Floats
from inforest.conditional.basis import Basis
from inforest.conditional.block_ridge import Regressions
from inforest.conditional.normal_scores import NormalScores

#: Distinct values up to which a number is drawn value by value.
_MOST_VALUES = 10
#: By how much a varying spread must improve the forecast of rows it has not seen to be believed.
_IMPROVES = 0.995
_QUANTILES = 32
#: Least probability of a value that occurs.
_LEAST = 1e-3
#: Training rows that are most alike a row in what the others predict; one of them is copied.
_NEIGHBOURS = 10

Unit = NDArray[np.intp]


class Sampler(Protocol):
    """Draws values of some features given the others."""

    def draw(self, columns: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return ``n_draws`` values for each row of basis columns: [row, draw, feature].

        They are stratified: each of them has the conditional distribution, and together they cover
        it evenly, so that few of them give its means precisely.
        """


@dataclass(frozen=True, eq=False)
class LocationScale:
    """A location that the others predict, plus a residual of the training rows, maybe scaled."""

    scores: NormalScores
    residual: Floats  # ascending
    coefficient: Floats
    mean: float
    spread: tuple[Floats, float, float] | None  # coefficient, mean, least

    def draw(self, columns: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each row of basis columns."""
        n = len(self.residual)
        drawn = self.residual[(_strata(len(columns), n_draws, rng) * n).astype(np.intp)]
        if self.spread is not None:
            coefficient, mean, least = self.spread
            drawn = drawn * np.maximum(columns @ coefficient + mean, least)[:, None]
        location = columns @ self.coefficient + self.mean
        return self.scores.back(drawn + location[:, None])[:, :, None]


@dataclass(frozen=True, eq=False)
class Shares:
    """Values, or levels, with probabilities that the others predict; nan may be one of them."""

    values: Floats
    coefficient: Floats  # (n_columns, n_values)
    mean: Floats

    def draw(self, columns: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each row of basis columns."""
        shares = np.maximum(columns @ self.coefficient + self.mean, _LEAST)
        up_to = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        strata = _strata(len(columns), n_draws, rng)
        return self.values[(strata[:, :, None] > up_to[:, None, :]).sum(axis=2)][:, :, None]


@dataclass(frozen=True, eq=False)
class Matched:
    """The values of a training row for which the others predict about the same.

    Whole rows are copied: what is missing, and how several features go together, stays as it was.
    """

    values: Floats  # (n_samples, n_features)
    location: KDTree
    coefficient: Floats
    mean: Floats

    def draw(self, columns: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return values for each row of basis columns."""
        k = min(_NEIGHBOURS, len(self.values))
        near = self.location.query(columns @ self.coefficient + self.mean, k=k)[1]
        near = near.reshape(len(columns), k)
        pick = (_strata(len(columns), n_draws, rng) * k).astype(np.intp)
        shuffled = rng.permuted(near, axis=1)
        return self.values[np.take_along_axis(shuffled, pick, axis=1)]


def fit_samplers(
    X: Floats,
    is_category: NDArray[np.bool_],
    basis: Basis,
    regressions: Regressions,
    units: Sequence[Unit],
) -> tuple[list[Sampler], Floats]:
    """Fit a sampler of each unit given all other features.

    Return them, and which share of each unit's variance the others explain.
    """
    samplers: list[Sampler | None] = [None] * len(units)
    explained = np.zeros(len(units))
    smooth: list[int] = []
    for i, unit in enumerate(units):
        if len(unit) == 1 and _is_smooth(X[:, unit[0]], bool(is_category[unit[0]])):
            smooth.append(i)
        elif len(unit) == 1 and (is_category[unit[0]] or _n_values(X[:, unit[0]]) <= _MOST_VALUES):
            samplers[i], explained[i] = _fit_shares(X[:, unit[0]], regressions, unit)
        else:
            samplers[i], explained[i] = _fit_matched(X, basis, regressions, unit)
    if smooth:
        found = _fit_smooth(X, basis, regressions, [units[i] for i in smooth])
        for i, (sampler, share) in zip(smooth, found, strict=True):
            samplers[i], explained[i] = sampler, share
    return samplers, explained  # type: ignore[return-value]


def _n_values(x: Floats) -> int:
    return len(np.unique(x))


def _is_smooth(x: Floats, is_category: bool) -> bool:
    return not is_category and not np.isnan(x).any() and _n_values(x) > _MOST_VALUES


def _fit_shares(x: Floats, regressions: Regressions, unit: Unit) -> tuple[Shares, float]:
    values = np.unique(x)  # nan once, at the end
    indicator = (x[:, None] == values) | (np.isnan(x)[:, None] & np.isnan(values))
    fits = regressions.fit(indicator.astype(np.float64), [unit] * len(values))
    explained = _explained(fits.error.sum(), indicator.var(axis=0).sum())
    return Shares(values, fits.coefficient, fits.mean), explained


def _fit_matched(
    X: Floats, basis: Basis, regressions: Regressions, unit: Unit
) -> tuple[Matched, float]:
    z = np.column_stack([basis.scores[j](X[:, j]) for j in unit])
    fits = regressions.fit(z, [unit] * len(unit))
    sampler = Matched(X[:, unit], KDTree(z - fits.residual), fits.coefficient, fits.mean)
    # Of several features, the one that is explained worst can still tell something.
    shares = [_explained(e, v) for e, v in zip(fits.error, z.var(axis=0), strict=True)]
    return sampler, min(shares)


def _fit_smooth(
    X: Floats, basis: Basis, regressions: Regressions, units: list[Unit]
) -> list[tuple[LocationScale, float]]:
    features = [unit[0] for unit in units]
    z = np.column_stack([basis.scores[j](X[:, j]) for j in features])
    location = regressions.fit(z, units)
    size = np.abs(location.residual)
    spread = regressions.fit(size, units)
    found = []
    for t, j in enumerate(features):
        residual, scale = location.residual[:, t], None
        least = float(np.quantile(size[:, t], 0.1)) + 1e-12
        # What the others say about a row's spread without having seen the row.
        expected = np.maximum(size[:, t] - spread.residual[:, t], least)
        if _crps(residual, expected) < _IMPROVES * _crps(residual, np.ones_like(residual)):
            residual = residual / expected
            scale = spread.coefficient[:, t], float(spread.mean[t]), least
        sampler = LocationScale(
            scores=basis.scores[j],
            residual=np.sort(residual),
            coefficient=location.coefficient[:, t],
            mean=float(location.mean[t]),
            spread=scale,
        )
        found.append((sampler, _explained(location.error[t], z[:, t].var())))
    return found


def _explained(error: float, variance: float) -> float:
    return float(max(0.0, 1 - error / variance)) if variance > 0 else 0.0


def _crps(residual: Floats, spread: Floats) -> float:
    """Return the mean continuous ranked probability score of forecasts with these spreads."""
    quantiles = np.quantile(residual / spread, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    apart = np.abs(quantiles[:, None] - quantiles).mean() / 2
    distance = np.abs(residual[:, None] - spread[:, None] * quantiles).mean(axis=1)
    return float((distance - spread * apart).mean())


def _strata(n_rows: int, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return numbers in [0, 1): in each row one per stratum, all with the same random shift."""
    return (np.arange(n_draws) + rng.random((n_rows, 1))) / n_draws
