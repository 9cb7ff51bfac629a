"""Copies of features that say nothing by construction, tested on the user's own table."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor

from inforest._engine.arrays import Floats
from inforest.conditional.normal_scores import NormalScores, on_one_scale
from inforest.conditional.questions import Question
from inforest.conditional.trial import Trial

#: Level at which copies are counted.
LEVEL = 0.05
#: A copy takes its values from rows in the same leaf of one of these trees.
_TREES = {"n_estimators": 20, "min_samples_leaf": 5, "max_features": 1 / 3}


def probe(
    trial: Trial, n_copies: int, rng: np.random.Generator, done: Callable[[int], Any]
) -> Floats:
    """Return the p-values of copies of some features, tested beside all features.

    A copy is made from X alone, so y cannot depend on it once X is known: its null hypothesis
    holds exactly. But it depends on the other features much as the original does, also in ways
    that the test's own models do not know, and so is as easily mistaken for something.
    """
    X = trial.data.X
    p = X.shape[1]
    chosen = rng.choice(p, n_copies, replace=n_copies > p)
    copies = np.column_stack([_copy(X, int(j), rng) for j in chosen])
    columns = np.concatenate([np.arange(p), chosen])
    units = [np.array([p + k]) for k in range(n_copies)]
    asked = trial.ask(Question(columns, units, list(range(n_copies))), rng, done, copies)
    statistic = trial.statistics(asked)
    p_value = trial.p_values(statistic)
    for i in np.flatnonzero(p_value <= LEVEL):
        again, _ = trial.second_look(asked, int(i), rng)
        p_value[i] = max(p_value[i], float(trial.p_values(np.array([again]))[0]))
    return p_value


def _copy(X: Floats, j: int, rng: np.random.Generator) -> Floats:
    """Return a column of values of feature j, each from a row alike in the other features."""
    others = on_one_scale(np.delete(X, j, axis=1))
    if not others.shape[1]:
        return rng.permutation(X[:, j])
    z = NormalScores(X[:, j])(X[:, j])
    # Trees for the place, the spread and the absence of the feature.
    targets = np.column_stack([z, np.square(z), np.isnan(X[:, j])])
    seed = int(rng.integers(2**31))
    forest = ExtraTreesRegressor(**_TREES, random_state=seed).fit(others, targets)
    leaves: NDArray[np.intp] = forest.apply(others)
    tree = rng.integers(leaves.shape[1], size=len(X))
    copy = np.empty(len(X))
    for t in range(leaves.shape[1]):
        # The rows of a leaf lie one after the other; each row draws another place among them.
        order = np.argsort(leaves[:, t], kind="stable")
        sorted_leaves = leaves[order, t]
        first = np.searchsorted(sorted_leaves, leaves[:, t], "left")
        last = np.searchsorted(sorted_leaves, leaves[:, t], "right")
        donor = order[first + (rng.random(len(X)) * (last - first)).astype(np.intp)]
        mine = tree == t
        copy[mine] = X[donor[mine], j]
    return copy
