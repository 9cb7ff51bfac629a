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
from inforest.conditional.samplers import Table, Unit
from inforest.estimators.base_forest import FORESTS

#: Fewer rows say nothing about so fine a question.
LEAST_ROWS = 50
#: Statistic of values drawn whatever the others are, from which on a feature is worth a model.
LEAST_GLANCE = 1.0
#: Variance of the statistic of one split, at most, where a feature says nothing.
MOST_VARIANCE = 2.0
#: Other features that the second look takes into account.
MOST_PARTNERS = 30
#: Forests, one for what the other left, after which both factors must have nothing left to find.
MOST_LOOKS = 4
#: Level at which a forest is believed to have found something.
GUARD = 0.01


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
    evidence : list of Evidence
        That of each candidate.
    use : ndarray of shape (n_columns,)
        How often the forests split on each column.

    """

    question: Question
    glance: Floats
    used: NDArray[np.bool_]
    explained: Floats
    candidates: list[int]
    evidence: list[Evidence]
    use: NDArray[np.intp]


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

    def check(self, called: str = "conditional_test") -> None:
        """Refuse data that say nothing about such a question."""
        n = self.n_units_of_chance
        if n < LEAST_ROWS:
            raise ValueError(
                f"{called} needs at least {LEAST_ROWS} rows (or groups of rows), since its results"
                f" are those of a limit; got {n}. independence_test is exact for any number."
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
        glance = self._glance(splits, units, rng)
        used = np.array([any(f.uses(unit) for folds in splits for f in folds) for unit in units])
        is_category = self.data.features.is_category[question.columns]
        explained = np.full(len(units), np.nan)
        groups = self.data.design.groups
        table = Table.of(X, is_category, None if groups is None else groups.astype(np.intp))
        # A feature that goes along with next to nothing even then is not worth a model.
        candidates = np.flatnonzero(used & (glance > LEAST_GLANCE)).tolist()
        evidence = []
        for i in candidates:
            sampler, explained[i] = table.fit_sampler(units[i], rng)
            found = Evidence.collect(units[i], sampler, table, splits, self.n_draws, rng)
            evidence.append(found)
        done(self.n_repeats * self.n_folds)
        features = np.concatenate([fold.trees.feature for folds in splits for fold in folds])
        use = np.bincount(features[features >= 0], minlength=X.shape[1])
        return Asked(question, glance, used, explained, candidates, evidence, use)

    def _glance(
        self, splits: list[list[Fold]], units: list[Unit], rng: np.random.Generator
    ) -> Floats:
        products = np.zeros((len(splits), len(self.data.y), len(units)))
        for s, folds in enumerate(splits):
            for fold in folds:
                products[s, fold.rows] = fold.glance(units, rng)
        return self.statistic(products)

    def statistics(self, asked: Asked) -> Floats:
        """Return the statistics of all units of a question; 0 of those not looked at."""
        statistic = np.zeros(len(asked.question.units))
        for i, found in zip(asked.candidates, asked.evidence, strict=True):
            statistic[i] = self.statistic(found.products)
        return statistic

    def second_look(self, asked: Asked, i: int, rng: np.random.Generator) -> tuple[float, float]:
        """Look at one unit with forests as models of the other features.

        As long as a forest finds something in both factors, the next one looks at what it left.
        Return the smallest statistic, and the p-value of the guard: small if the last forest still
        found something in both, so that neither the model of the feature nor that of y holds.
        """
        found = asked.evidence[asked.candidates.index(i)]
        # Features that the forests for y hardly use explain next to nothing of y.
        use = asked.use.astype(float)
        use[found.unit] = -1.0
        best = np.argsort(-use, kind="stable")[: min(MOST_PARTNERS, int((use >= 0).sum()))]
        smallest, guard = np.inf, 0.0
        for _ in range(MOST_LOOKS):
            found, *seen = found.look_again(np.sort(best), int(rng.integers(2**31)), self.n_jobs)
            least = min(float(self.statistic(products)) for products in seen)
            guard = float(self.p_values(np.array([least]))[0])
            smallest = min(smallest, float(self.statistic(found.products)))
            if guard >= GUARD:
                break
        return smallest, guard

    def statistic(self, products: Floats) -> Floats:
        """Return the mean product over its standard error, averaged over splits: [split, row].

        The parts of a split take turns at being learned from and tested, so what chance shows in
        one comes again in the others: where y has nothing to do with the feature, the variance of
        a split's statistic is above 1, at most 2 (a sum over pairs of rows, each of them counted
        twice). One split is divided by the root of that. The mean of two or more varies less than
        each of them and needs no such help.
        """
        found = np.array([self._standardised(split) for split in products])
        mean: Floats = found.mean(axis=0) / np.sqrt(max(1.0, MOST_VARIANCE / len(found)))
        return mean

    def _standardised(self, products: Floats) -> Floats:
        groups = self.data.design.groups
        if groups is not None:  # rows of one group are one observation
            sums = np.zeros((self.n_units_of_chance, *products.shape[1:]))
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
        for train, test in self.parts(int(rng.integers(2**31))):
            trees = self.grow(X, train, question, int(rng.integers(2**31)))
            folds.append(Fold(X, self.outcome, test, trees, self.n_jobs))
            done(1)
        return folds

    def parts(self, seed: int) -> Any:
        """Return the rows to learn from and to test on, of each fold; a group is never in both."""
        groups = self.data.design.groups
        options = {"n_splits": self.n_folds, "shuffle": True, "random_state": seed}
        y = self.data.y if self.data.n_labels else np.zeros(len(self.data.y))
        if groups is None:
            splitter = StratifiedKFold if self.data.n_labels else KFold
        else:
            splitter = StratifiedGroupKFold if self.data.n_labels else GroupKFold
        return splitter(**options).split(y, y, groups)

    def grow(
        self, X: Floats, train: NDArray[np.intp], question: Question, seed: int, **options: Any
    ) -> Trees:
        """Grow a forest of the question's columns, given as X, on some rows."""
        columns = self.data.features.columns
        table: Any = np.asfortranarray(X[train])
        if columns is not None and columns.special:
            table = Encoded(columns.part(question.columns.tolist()), table)
        forest = FORESTS["classification" if self.data.n_labels else "regression"](
            self.n_estimators, random_state=seed, n_jobs=self.n_jobs, **options
        )
        trees: Trees = forest.fit(table, self.data.y[train]).trees_
        return trees
