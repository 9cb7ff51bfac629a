"""What held-out rows say about each feature beyond the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict

from inforest._engine.arrays import Floats, Trees
from inforest.conditional.block_ridge import Task
from inforest.conditional.samplers import Rows, Sampler, Table, Unit

#: Values drawn to see whether a feature is worth a model.
_GLANCE = 4
#: The forest of the second look.
_SECOND = {"n_estimators": 40, "min_samples_leaf": 5, "max_features": 1 / 3}
#: Rows that each of its trees sees at most.
_SECOND_ROWS = 5_000
#: Parts of the groups, where rows come in groups.
_SECOND_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows that a forest has not seen.

    Attributes
    ----------
    X : ndarray
        The features of all rows.
    y : ndarray of shape (n_samples, n_outputs)
        Numbers, one column per output of the forest.
    rows : ndarray
        The held-out rows.
    trees : Trees
        Grown on the others.

    """

    X: Floats
    y: Floats
    rows: Rows
    trees: Trees
    n_jobs: int | None

    def uses(self, unit: Unit) -> bool:
        """Tell whether the forest ever splits on one of these features."""
        return bool(np.isin(unit, self.trees.feature).any())

    def glance(self, units: Sequence[Unit], rng: np.random.Generator) -> Floats:
        """Return products as those of `Evidence`, with values drawn whatever the others are.

        Such draws make the most of a feature, so that what says nothing even here needs no model.
        """
        products = np.zeros((len(self.rows), len(units)))
        for k, unit in enumerate(units):
            if not self.uses(unit):
                continue
            picked = rng.integers(len(self.rows), size=(len(self.rows), _GLANCE))
            shift = self._shift(unit, self._held_out[:, unit][picked])
            products[:, k] = (-shift * (self._error - shift)).sum(axis=1)
        return products

    def factors(
        self, unit: Unit, sampler: Sampler, n_draws: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return direction and outcome of the held-out rows, nothing taken off yet."""
        # Draws of their own for each factor: the error of one mean in both would not cancel.
        first, second = (
            self._shift(unit, sampler.draw(self.rows, k, rng))
            for k in (n_draws // 2, n_draws - n_draws // 2)
        )
        return -first, self._error - second

    @cached_property
    def _held_out(self) -> Floats:
        return np.asfortranarray(self.X[self.rows])

    @cached_property
    def _error(self) -> Floats:
        """How much larger y is than the forest predicts."""
        predicted = self.trees.predict(self._held_out, self.n_jobs)
        return self.y[self.rows] - predicted[:, -self.y.shape[1] :]

    def _shift(self, unit: Unit, drawn: Floats) -> Floats:
        shift = self.trees.redraw_shift(self._held_out, unit, drawn, self.n_jobs)
        return shift[:, -self.y.shape[1] :]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What all rows say about one unit, each by forests that have not seen it.

    Attributes
    ----------
    unit : ndarray
        The features that are tested.
    table : Table
        All rows.
    direction : ndarray of shape (n_splits, n_rows, n_outputs)
        How much more the row's forest predicts than it does on average over the unit's values given
        the others; what the others still explain of that is taken off. 0 in rows whose forest does
        not use the unit.
    outcome : ndarray of the same shape
        How much larger y is than that average, treated alike.

    """

    unit: Unit
    table: Table
    direction: Floats
    outcome: Floats

    @classmethod
    def collect(
        cls,
        unit: Unit,
        sampler: Sampler,
        table: Table,
        splits: Sequence[Sequence[Fold]],
        n_draws: int,
        rng: np.random.Generator,
    ) -> "Evidence":
        """Put the folds of each split together, and take off what the others explain."""
        shape = (len(splits), len(table.X), splits[0][0].y.shape[1])
        direction, outcome = np.zeros(shape), np.zeros(shape)
        for s, folds in enumerate(splits):
            for fold in folds:
                if fold.uses(unit):
                    found = fold.factors(unit, sampler, n_draws, rng)
                    direction[s, fold.rows], outcome[s, fold.rows] = found
        is_used = (direction != 0).any(axis=2, keepdims=True)
        raw = np.concatenate([*direction, *outcome], axis=1)
        left = table.regressions.residuals(Task(raw, unit)).T
        left = left.reshape(2, shape[0], shape[2], shape[1]).swapaxes(2, 3)
        return cls(unit, table, left[0] * is_used, left[1])

    @property
    def products(self) -> Floats:
        """The product of both: [split, row]."""
        products: Floats = (self.direction * self.outcome).sum(axis=2)
        return products

    def look_again(
        self, partners: NDArray[np.intp], seed: int, n_jobs: int | None
    ) -> tuple["Evidence", Floats, Floats]:
        """Take off what a forest of the other features explains of both factors.

        The forest sees what sums of curves cannot: how the others, of which `partners` are those
        that the forests for y use most, act together. Each row is predicted by trees that have not
        seen it, nor any row of its group. Returned are what is left, and how much was found: the
        products of the direction, and of the outcome, with what was predicted of them, positive on
        average if there was something.
        """
        parts = np.concatenate([*self.direction, *self.outcome], axis=1)
        size = np.maximum(parts.std(axis=0), 1e-300)
        parts = parts / size
        explained = self._explained(parts, self.table.scores[:, partners], seed, n_jobs)
        found = self._by_factor(parts * explained)
        left = self._by_factor((parts - explained) * size)
        is_used = (self.direction != 0).any(axis=2, keepdims=True)
        rest = Evidence(self.unit, self.table, left[0] * is_used, left[1])
        return rest, found[0].sum(axis=2), found[1].sum(axis=2)

    def _explained(self, parts: Floats, others: Floats, seed: int, n_jobs: int | None) -> Floats:
        if not others.shape[1]:
            return np.zeros_like(parts)
        share = min(1.0, _SECOND_ROWS / len(parts))
        forest = ExtraTreesRegressor(
            **_SECOND, bootstrap=True, max_samples=share, random_state=seed, n_jobs=n_jobs
        )
        groups = self.table.groups
        if groups is None:
            forest.set_params(oob_score=True)
            predicted = forest.fit(others, parts).oob_prediction_
        else:  # out of the bag is not enough: others of the group are in it
            folds = GroupKFold(_SECOND_FOLDS)
            predicted = cross_val_predict(forest, others, parts, groups=groups, cv=folds)
        return np.nan_to_num(predicted).reshape(parts.shape)

    def _by_factor(self, columns: Floats) -> Floats:
        """Return columns as [factor, split, row, output]."""
        n_splits, n_rows, n_outputs = self.direction.shape
        return columns.T.reshape(2, n_splits, n_outputs, n_rows).swapaxes(2, 3)
