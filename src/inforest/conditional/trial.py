"""`Trial`: the data, how they are split, and what the splits show."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from inforest._engine.arrays import Floats, Trees
from inforest._engine.features import Encoded
from inforest._engine.training_set import TrainingSet
from inforest.conditional.evidence import Evidence, Fold
from inforest.conditional.questions import Question
from inforest.conditional.samplers import Table
from inforest.estimators.base_forest import FORESTS

#: Fewer rows say nothing about so fine a question.
LEAST_ROWS = 50


@dataclass(frozen=True, eq=False)
class Asked:
    """A question, and what all splits say about those of its units that may be worth a model.

    Attributes
    ----------
    question : Question
        What is tested.
    glance : ndarray of shape (n_units,)
        Statistics of values that are drawn whatever the other features are.
    used : ndarray of shape (n_units,)
        Which units the forests use.
    explained : ndarray of shape (n_units,)
        Share of their variance that the others explain; nan of units that were not looked at.
    candidates : list of int
        The units that were looked at.
    evidence : list of list of Evidence
        Of each split, of each fold.

    """

    question: Question
    glance: Floats
    used: NDArray[np.bool_]
    explained: Floats
    candidates: list[int]
    evidence: list[list[Evidence]]


@dataclass(frozen=True, eq=False)
class Trial:
    """The data, and how they are tested."""

    data: TrainingSet
    n_estimators: int
    n_folds: int
    n_repeats: int
    n_draws: int
    n_jobs: int | None

    @property
    def n_units_of_chance(self) -> int:
        """Number of observations: rows, or groups of rows."""
        groups = self.data.design.groups
        return len(self.data.y) if groups is None else int(groups.max()) + 1

    @cached_property
    def outcome(self) -> Floats:
        """The response as numbers: indicators of classes (one of two is enough), or scores."""
        y = self.data.y
        if not self.data.n_labels:
            return y.reshape(len(y), -1)
        indicators = (y[:, None] == np.arange(self.data.n_labels)).astype(np.float64)
        return indicators[:, 1:] if self.data.n_labels == 2 else indicators

    def check(self) -> None:
        """Refuse data that say nothing about such a question."""
        n = self.n_units_of_chance
        if n < LEAST_ROWS:
            raise ValueError(
                f"conditional_test needs at least {LEAST_ROWS} rows (or groups of rows), since its"
                f" p-values are those of a limit; got {n}. independence_test is exact for any"
                " number."
            )
        if self.data.n_labels:
            groups = self.data.design.groups
            unit = "rows" if groups is None else "groups of rows"
            pairs = np.column_stack([self.data.y, np.arange(len(self.data.y))])
            if groups is not None:
                pairs = np.unique(np.column_stack([self.data.y, groups]), axis=0)
            fewest = int(np.bincount(pairs[:, 0]).min())
            if fewest < 2 * self.n_folds:
                raise ValueError(
                    f"each class needs at least {2 * self.n_folds} {unit} for"
                    f" n_folds={self.n_folds}; the smallest has {fewest}"
                )

    def ask(
        self,
        question: Question,
        rng: np.random.Generator,
        done: Callable[[int], Any],
        last: Floats | None = None,
    ) -> Asked:
        """Split the rows several times and collect the evidence of all folds.

        `last` are values in place of those of the question's last columns.
        """
        X = np.asfortranarray(self.data.X[:, question.columns])
        if last is not None:
            X[:, -last.shape[1] :] = last
        units = question.units
        splits = [self._split(X, question, rng, done) for _ in range(self.n_repeats)]
        glance = self.statistic(
            [[(fold.rows, fold.glance(units, rng)) for fold in folds] for folds in splits]
        )
        used = np.array([any(f.uses(unit) for folds in splits for f in folds) for unit in units])
        is_category = self.data.features.is_category[question.columns]
        explained = np.full(len(units), np.nan)
        candidates, samplers = [], []
        groups = self.data.design.groups
        table = Table.of(X, is_category, None if groups is None else groups.astype(np.intp))
        # A feature that goes along with nothing even then is not worth a model.
        for i in np.flatnonzero(used & (glance > 0)):
            sampler, explained[i] = table.fit_sampler(units[i], rng)
            candidates.append(int(i))
            samplers.append(sampler)
        chosen = [units[i] for i in candidates]
        evidence = []
        for folds in splits:
            found = [fold.evidence(chosen, samplers, table, self.n_draws, rng) for fold in folds]
            evidence.append(found)
            done(self.n_folds)
        return Asked(question, glance, used, explained, candidates, evidence)

    def statistics(self, asked: Asked) -> Floats:
        """Return the statistics of all units of a question; 0 of those not looked at."""
        statistic = np.zeros(len(asked.question.units))
        n = len(asked.candidates)
        products = []
        for folds in asked.evidence:
            parts = []
            for found in folds:
                part = np.zeros((len(found.X), n))
                part[:, found.used] = found.products
                parts.append((found.fold.rows, part))
            products.append(parts)
        if n:
            statistic[asked.candidates] = self.statistic(products)
        return statistic

    def second_look(self, asked: Asked, i: int, rng: np.random.Generator) -> tuple[float, float]:
        """Look at one unit with forests as models of the other features.

        Return its statistic, and the p-value of the guard: small if both models, that of the
        feature and that of y, still leave something that the others explain.
        """
        unit, index = asked.question.units[i], asked.candidates.index(i)
        products = []
        for folds in asked.evidence:
            parts = []
            for found in folds:
                seed = int(rng.integers(2**31))
                if index in found.used:
                    parts.append((found.fold.rows, found.second_look(unit, index, seed)))
            if parts:
                products.append(parts)
        statistic, of_feature, of_y = self.statistic(products) * len(products) / self.n_repeats
        return float(statistic), float(self.p_values(np.array([min(of_feature, of_y)]))[0])

    def statistic(self, splits: list[list[tuple[NDArray[np.intp], Floats]]]) -> Floats:
        """Return the mean product over its standard error, averaged over splits.

        Each split has products of some rows; those of all others are 0.
        """
        found = []
        for parts in splits:
            products = np.zeros((len(self.data.y), parts[0][1].shape[1]))
            for rows, part in parts:
                products[rows] = part
            found.append(self._standardised(products))
        mean: Floats = np.mean(found, axis=0)
        return mean

    def _standardised(self, products: Floats) -> Floats:
        groups = self.data.design.groups
        if groups is not None:  # rows of one group are one observation
            sums = np.zeros((self.n_units_of_chance, products.shape[1]))
            np.add.at(sums, groups, products)
            products = sums
        spread = products.std(axis=0, ddof=1)
        varies = spread > 0
        root = np.sqrt(len(products))
        return np.where(varies, root * products.mean(axis=0) / np.where(varies, spread, 1.0), 0.0)

    def p_values(self, statistic: Floats) -> Floats:
        """Return one-sided p-values; 1 where there is no evidence at all."""
        tail = student.sf(statistic, self.n_units_of_chance - 1)
        return np.where(statistic == 0, 1.0, tail)

    def _split(
        self, X: Floats, question: Question, rng: np.random.Generator, done: Callable[[int], Any]
    ) -> list[Fold]:
        """Split the rows once and grow a forest for each fold on the others."""
        folds = []
        for train, test in self._parts(int(rng.integers(2**31))):
            trees = self._grow(X, train, question, int(rng.integers(2**31)))
            groups = self.data.design.groups
            folds.append(Fold(X, self.outcome, test, trees, self.n_jobs, groups))
            done(1)
        return folds

    def _parts(self, seed: int) -> Any:
        groups = self.data.design.groups
        options = {"n_splits": self.n_folds, "shuffle": True, "random_state": seed}
        y = self.data.y if self.data.n_labels else np.zeros(len(self.data.y))
        if groups is None:
            splitter = StratifiedKFold if self.data.n_labels else KFold
        else:
            splitter = StratifiedGroupKFold if self.data.n_labels else GroupKFold
        return splitter(**options).split(y, y, groups)

    def _grow(self, X: Floats, train: NDArray[np.intp], question: Question, seed: int) -> Trees:
        columns = self.data.features.columns
        table: Any = np.asfortranarray(X[train])
        if columns is not None and columns.special:
            table = Encoded(columns.part(question.columns.tolist()), table)
        forest = FORESTS["classification" if self.data.n_labels else "regression"](
            self.n_estimators, random_state=seed, n_jobs=self.n_jobs
        )
        trees: Trees = forest.fit(table, self.data.y[train]).trees_
        return trees
