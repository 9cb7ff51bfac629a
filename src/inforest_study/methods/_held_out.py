"""Permutation importance of a random forest on held-out rows: what PI and CPI share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Parameters, Ranked, best_first
from inforest_study.methods._cart import forest_seconds

#: For a feature, the stratum of each held-out row; values are permuted within strata.
Strata = Callable[[int], NDArray[np.intp]]

CONFIG: Parameters = {"n_estimators": 100, "test_size": 0.2, "n_repeats": 10}


def held_out_seconds(n_samples: int, n_features: int, n_classes: int | None) -> float:
    """Guess the seconds on one core: the forest, and all trees again for each feature they use."""
    n_used = min(n_features, 0.4 * n_samples)
    return forest_seconds(n_samples, n_features, n_classes) + 0.04 * n_used


def rank_by_permutation(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
    make_strata: Callable[[Floats], Strata],
) -> Ranked:
    """Rank by how much a forest's held-out score drops when a feature is permuted.

    The score is balanced accuracy or R^2. `make_strata` is given the held-out rows.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.model_selection import train_test_split

    forest = RandomForestClassifier if task == "classification" else RandomForestRegressor
    if task == "classification":
        y = np.unique(y, return_inverse=True)[1]
    X_fit, X_held, y_fit, y_held = train_test_split(
        X,
        y,
        test_size=parameters["test_size"],
        stratify=y if task == "classification" else None,
        random_state=random_state,
    )
    model = forest(
        n_estimators=parameters["n_estimators"], random_state=random_state, n_jobs=n_jobs
    )
    held_out = _HeldOut(model.fit(X_fit, y_fit), X_held, y_held, task)
    drops = held_out.drops(make_strata(X_held), parameters["n_repeats"], random_state, n_jobs)
    return Ranked(best_first(drops), drops, facts={"held_out_score": held_out.score(held_out.sum)})


@dataclass
class _HeldOut:
    """A forest, rows it has not seen, and what each of its trees says about them.

    A permuted feature concerns only the trees that split on it. The others' answers are kept, which
    is what makes ten thousand features bearable.
    """

    forest: Any
    X: Floats
    y: NDArray[Any]
    task: Task

    def __post_init__(self) -> None:
        self.X32 = self.X.astype(np.float32)  # what the trees compare
        trees = self.forest.estimators_
        self.answers = [self._answer(tree, self.X32) for tree in trees]
        self.sum = np.sum(self.answers, axis=0)
        self.users: dict[int, list[int]] = {}
        for t, tree in enumerate(trees):
            for j in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]).tolist():
                self.users.setdefault(j, []).append(t)

    def _answer(self, tree: Any, X32: NDArray[np.float32]) -> Floats:
        if self.task == "classification":
            return tree.predict_proba(X32, check_input=False)
        return tree.predict(X32, check_input=False)

    def score(self, answers: Floats) -> float:
        """Return the balanced accuracy or R^2 of the trees' summed answers."""
        y = self.y
        if self.task == "classification":
            right = answers.argmax(axis=1) == y
            size, hits = np.bincount(y), np.bincount(y, weights=right)
            return float((hits[size > 0] / size[size > 0]).mean())
        error = np.square(y - answers / len(self.answers)).sum()
        return float(1 - error / (np.square(y - y.mean()).sum() or 1.0))

    def drops(self, strata: Strata, n_repeats: int, seed: int, n_jobs: int) -> Floats:
        """Return each feature's mean drop of the score; 0 for one that no tree uses."""
        from joblib import Parallel, delayed, effective_n_jobs

        baseline = self.score(self.sum)

        def drops_of(features: list[int]) -> list[float]:
            X32 = self.X32.copy()
            means = []
            for j in features:
                rng, groups = np.random.default_rng([seed, j]), strata(j)
                scores = []
                for _ in range(n_repeats):
                    X32[:, j] = permute_within(self.X32[:, j], groups, rng)
                    scores.append(self.score(self._sum_after(j, X32)))
                X32[:, j] = self.X32[:, j]
                means.append(baseline - float(np.mean(scores)))
            return means

        n_parts = 4 * effective_n_jobs(n_jobs)
        used = np.array(sorted(self.users), dtype=np.intp)
        parts = [part for part in np.array_split(used, n_parts) if len(part)]
        found = Parallel(n_jobs, prefer="threads")(delayed(drops_of)(p.tolist()) for p in parts)
        drops = np.zeros(self.X.shape[1])
        for part, values in zip(parts, found, strict=True):
            drops[part] = values
        return drops

    def _sum_after(self, j: int, X32: NDArray[np.float32]) -> Floats:
        """Return the sum of all answers when only feature j has changed."""
        trees = self.forest.estimators_
        return self.sum + sum(self._answer(trees[t], X32) - self.answers[t] for t in self.users[j])


def permute_within(
    x: NDArray[Any], groups: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[Any]:
    """Permute the values of x among the rows of each group.

    Parameters
    ----------
    x : ndarray of shape (n,)
        The values.
    groups : ndarray of shape (n,)
        The group of each row.
    rng : Generator
        Where the permutation comes from.

    Returns
    -------
    permuted : ndarray of shape (n,)
        Every permutation within the groups is equally likely.

    """
    permuted = np.empty_like(x)
    permuted[np.argsort(groups, kind="stable")] = x[np.lexsort((rng.random(len(x)), groups))]
    return permuted
