"""What held-out rows say about each feature beyond the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict

from inforest._engine.arrays import Floats, Trees
from inforest.conditional.block_ridge import Regressions, Task
from inforest.conditional.normal_scores import NormalScores
from inforest.conditional.samplers import Rows, Sampler, Table, Unit

#: Values drawn to see whether a feature is worth a model.
_GLANCE = 4
#: The forest of the second look.
_SECOND = {"n_estimators": 40, "min_samples_leaf": 5, "max_features": 1 / 3}
#: Rows that each of its trees sees at most, and features that it sees at all.
_SECOND_ROWS = 5_000
_SECOND_FEATURES = 30
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
    groups : ndarray or None
        Which rows belong together: none is predicted by trees that saw another of its group.

    """

    X: Floats
    y: Floats
    rows: Rows
    trees: Trees
    n_jobs: int | None
    groups: NDArray[np.int32] | None = None

    def uses(self, unit: Unit) -> bool:
        """Tell whether the forest ever splits on one of these features."""
        return bool(np.isin(unit, self.trees.feature).any())

    def glance(self, units: Sequence[Unit], rng: np.random.Generator) -> Floats:
        """Return products as those of `Evidence`, with values drawn whatever the others are.

        Such draws make the most of a feature, so that what says nothing even here needs no model.
        """
        held_out, predicted = self._predicted()
        products = np.zeros((len(held_out), len(units)))
        for k, unit in enumerate(units):
            if not self.uses(unit):
                continue
            picked = rng.integers(len(held_out), size=(len(held_out), _GLANCE))
            shift = self._shift(held_out, unit, held_out[:, unit][picked])
            residual = self.y[self.rows] - predicted - shift
            products[:, k] = (-shift * residual).sum(axis=1)
        return products

    def evidence(
        self,
        units: Sequence[Unit],
        samplers: Sequence[Sampler],
        table: Table,
        n_draws: int,
        rng: np.random.Generator,
    ) -> "Evidence":
        """Collect what the held-out rows say about some features."""
        held_out, predicted = self._predicted()
        used = [i for i, unit in enumerate(units) if self.uses(unit)]
        shape = (len(held_out), len(used), self.y.shape[1])
        direction, outcome = np.empty(shape), np.empty(shape)
        if used:
            groups = None if table.groups is None else table.groups[self.rows]
            others = Regressions(table.basis, table.basis(held_out), groups)
        for k, i in enumerate(used):
            # Draws of their own for each factor: the error of one mean in both would not cancel.
            first, second = (
                self._shift(held_out, units[i], samplers[i].draw(self.rows, n_draws // 2, rng))
                for _ in range(2)
            )
            raw = np.hstack([-first, self.y[self.rows] - predicted - second])
            left = others.residuals(Task(raw, units[i]))
            direction[:, k], outcome[:, k] = np.split(left, 2, axis=1)
        return Evidence(self, held_out, used, direction, outcome)

    def _predicted(self) -> tuple[Floats, Floats]:
        held_out = np.asfortranarray(self.X[self.rows])
        return held_out, self.trees.predict(held_out, self.n_jobs)[:, -self.y.shape[1] :]

    def _shift(self, held_out: Floats, unit: Unit, drawn: Floats) -> Floats:
        shift = self.trees.redraw_shift(held_out, unit, drawn, self.n_jobs)
        return shift[:, -self.y.shape[1] :]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What rows that the forest has not seen say about features that it uses.

    Attributes
    ----------
    fold : Fold
        The rows and the forest.
    X : ndarray
        The rows' features.
    used : list of int
        Which of the units asked for the forest uses; the others have no evidence here.
    direction : ndarray of shape (n_rows, n_used, n_outputs)
        How much more the forest predicts than it does on average over the unit's values given the
        others; what the others still explain of that is taken off.
    outcome : ndarray of the same shape
        How much larger y is than that average, treated alike.

    """

    fold: Fold
    X: Floats
    used: list[int]
    direction: Floats
    outcome: Floats

    @property
    def products(self) -> Floats:
        """The product of both, of each row and unit."""
        products: Floats = (self.direction * self.outcome).sum(axis=2)
        return products

    def second_look(self, unit: Unit, index: int, seed: int) -> Floats:
        """Return what is left of the products after a forest took off what the others explain.

        The forest sees what sums of curves cannot: how the others act together. Each row is
        predicted by trees that have not seen it, nor any row of its group. Features that the forest
        for y hardly uses explain next to nothing of y; they are left out. Two more columns say how
        well it did, the products of the direction, and of the outcome, with what it predicts of
        them: positive on average if the others do explain something yet.
        """
        k = self.used.index(index)
        parts = np.hstack([self.direction[:, k], self.outcome[:, k]])
        size = np.maximum(parts.std(axis=0), np.finfo(float).tiny)
        others = on_one_scale(self.X[:, self._partners(unit)])
        explained = np.zeros_like(parts)
        if others.shape[1]:
            share = min(1.0, _SECOND_ROWS / len(parts))
            forest = ExtraTreesRegressor(
                **_SECOND, bootstrap=True, max_samples=share, random_state=seed,
                n_jobs=self.fold.n_jobs,
            )  # fmt: skip
            groups = self.fold.groups
            if groups is None:
                forest.set_params(oob_score=True)
                predicted = forest.fit(others, parts / size).oob_prediction_
            else:  # out of the bag is not enough: others of the group are in it
                folds = GroupKFold(_SECOND_FOLDS)
                predicted = cross_val_predict(
                    forest, others, parts / size, groups=groups[self.fold.rows], cv=folds
                )
            explained = np.nan_to_num(predicted).reshape(parts.shape) * size
        direction, outcome = np.split(parts - explained, 2, axis=1)
        seen = [half.sum(axis=1) for half in np.split(parts * explained / size**2, 2, axis=1)]
        return np.column_stack([(direction * outcome).sum(axis=1), *seen])

    def _partners(self, unit: Unit) -> NDArray[np.intp]:
        """Return the other features that the forest for y uses most."""
        features = self.fold.trees.feature
        count = np.bincount(features[features >= 0], minlength=self.X.shape[1]).astype(float)
        count[unit] = -1.0
        best = np.argsort(-count, kind="stable")[: min(_SECOND_FEATURES, int((count >= 0).sum()))]
        return np.sort(best)


def on_one_scale(X: Floats) -> Floats:
    """Return the normal scores of X, nan where it is missing.

    Trees that draw their thresholds between a node's extremes, in single precision, then see the
    same whatever the units and tails of a feature are.
    """
    parts = [np.where(np.isnan(x), np.nan, NormalScores(x)(x)) for x in X.T]
    return np.column_stack(parts) if parts else X
