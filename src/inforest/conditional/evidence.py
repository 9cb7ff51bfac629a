"""What held-out rows say about each feature beyond the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from inforest._engine.arrays import Floats, Trees
from inforest.conditional.basis import Basis
from inforest.conditional.block_ridge import Regressions
from inforest.conditional.samplers import Unit, fit_samplers

#: The forest of the second look.
_SECOND = {"n_estimators": 60, "min_samples_leaf": 5, "max_features": 1 / 3, "oob_score": True}
#: Rows that each of its trees sees at most.
_SECOND_ROWS = 5_000
#: Share of a feature's distinct values that must differ in single precision, too.
_KEPT_BY_SINGLE = 0.9


@dataclass(frozen=True, eq=False)
class Evidence:
    """What rows that the forest has not seen say about features that it uses.

    Attributes
    ----------
    rows : ndarray
        The held-out rows.
    X : ndarray
        Their features.
    units : list of int
        The units that the forest uses; the others have no evidence here.
    direction : ndarray of shape (n_rows, n_units, n_outputs)
        How much more the forest predicts than it does on average over the unit's values given the
        others; what the others still explain of that is taken off.
    outcome : ndarray of the same shape
        How much larger y is than that average, treated alike.
    explained : ndarray of shape (n_units,)
        Share of each unit's variance that the others explain.

    """

    rows: NDArray[np.intp]
    X: Floats
    units: list[int]
    direction: Floats
    outcome: Floats
    explained: Floats

    @property
    def products(self) -> Floats:
        """The product of both, of each row and unit."""
        products: Floats = (self.direction * self.outcome).sum(axis=2)
        return products


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and rows to test on.

    `y` are numbers, one column per output of the forest.
    """

    X: Floats
    y: Floats
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    is_category: NDArray[np.bool_]

    def evidence(
        self,
        trees: Trees,
        units: Sequence[Unit],
        n_draws: int,
        rng: np.random.Generator,
        n_jobs: int | None,
    ) -> Evidence:
        """Collect what the held-out rows say about the units that the trees use."""
        X, held_out = self.X[self.train], np.asfortranarray(self.X[self.test])
        used = [i for i, unit in enumerate(units) if np.isin(unit, trees.feature).any()]
        chosen = [units[i] for i in used]
        n_outputs = self.y.shape[1]
        shape = (len(held_out), len(used), n_outputs)
        if not used:
            empty = np.zeros(shape)
            return Evidence(self.test, held_out, used, empty, empty, np.zeros(0))
        basis = Basis(X, self.is_category)
        regressions = Regressions(basis, basis(X))
        samplers, explained = fit_samplers(X, self.is_category, basis, regressions, chosen)
        columns = basis(held_out)
        predicted = trees.predict(held_out, n_jobs)[:, -n_outputs:]
        direction, outcome = np.empty(shape), np.empty(shape)
        for k, (unit, sampler) in enumerate(zip(chosen, samplers, strict=True)):
            # Draws of their own for each factor: the error of one mean in both would not cancel.
            first, second = (
                trees.redraw_shift(held_out, unit, sampler.draw(columns, n_draws // 2, rng), n_jobs)
                for _ in range(2)
            )
            direction[:, k] = -first[:, -n_outputs:]
            outcome[:, k] = self.y[self.test] - predicted - second[:, -n_outputs:]
        direction, outcome = _without_others(basis, columns, chosen, direction, outcome)
        return Evidence(self.test, held_out, used, direction, outcome, explained)


def _without_others(
    basis: Basis, columns: Floats, units: Sequence[Unit], *parts: Floats
) -> tuple[Floats, ...]:
    """Take off what the other features explain, each row predicted without itself."""
    regressions = Regressions(basis, columns)
    n_rows, n_units, n_outputs = parts[0].shape
    left_out = [unit for unit in units for _ in range(n_outputs)]
    targets = np.hstack([part.reshape(n_rows, -1) for part in parts])
    residual = regressions.fit(targets, left_out * len(parts)).residual
    return tuple(
        np.ascontiguousarray(part).reshape(n_rows, n_units, n_outputs)
        for part in np.split(residual, len(parts), axis=1)
    )


def second_look(
    evidence: Evidence, unit: Unit, index: int, seed: int, n_jobs: int | None
) -> Floats:
    """Return the products of one unit after a random forest took off what the others explain.

    The forest sees what sums of curves cannot: how the others act together. Each row is predicted
    by trees that have not seen it.
    """
    k = evidence.units.index(index)
    others = _in_single_precision(np.delete(evidence.X, unit, axis=1))
    parts = np.hstack([evidence.direction[:, k], evidence.outcome[:, k]])
    parts = parts / np.maximum(parts.std(axis=0), np.finfo(float).tiny)
    if not others.shape[1]:
        residual = parts
    else:
        settings: dict[str, Any] = {**_SECOND, "max_samples": min(1.0, _SECOND_ROWS / len(parts))}
        forest = RandomForestRegressor(**settings, random_state=seed, n_jobs=n_jobs)
        predicted = forest.fit(others, parts).oob_prediction_
        residual = parts - np.nan_to_num(predicted).reshape(parts.shape)
    direction, outcome = np.split(residual, 2, axis=1)
    scale = evidence.direction[:, k].std(axis=0) * evidence.outcome[:, k].std(axis=0)
    return (direction * outcome * scale).sum(axis=1)


def _in_single_precision(X: Floats) -> Floats:
    """Return X, with ranks in place of values that float32, which the forest reads, cannot hold."""
    X = X.copy()
    for x in X.T:
        distinct, rank = np.unique(x, return_inverse=True)
        with np.errstate(over="ignore"):
            single = np.unique(x.astype(np.float32))
        if np.isinf(single).any() or len(single) < _KEPT_BY_SINGLE * len(distinct):
            x[:] = np.where(np.isnan(x), np.nan, rank)
    return X
