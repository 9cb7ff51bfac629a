"""scikit-learn's trees and forests, ranked by mean decrease of impurity."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.expanded import Expanded, is_table
from inforest_study.method import Parameters, Rank, Ranked, best_first
from inforest_study.methods._usage import tree_usage

#: Changes for the study of feature sampling, whose forests are large and do not weight classes.
FOREST_VARIANTS: Mapping[str, Parameters] = {
    "1000_trees": {"n_estimators": 1000},
    "unweighted": {"class_weight": None},
}


def forest_seconds(n_samples: int, n_features: int, n_classes: int | None) -> float:
    """Guess the seconds of a random forest of 100 trees on one core."""
    # A regression forest looks at all features in every node, a classification forest at a few.
    candidates = n_features if n_classes is None else 2.5 * n_features**0.5
    return 0.2 + 3e-5 * n_samples * candidates


def ranker(estimator: Callable[[Task], Callable[..., Any]]) -> Rank:
    """Make a `rank` from what returns the estimator's class for a task."""

    def rank(
        X: Floats,
        y: NDArray[np.generic],
        task: Task,
        parameters: Parameters,
        random_state: int,
        n_jobs: int,
    ) -> Ranked:
        """Fit and rank by `feature_importances_`."""
        options = dict(parameters)
        if task == "regression":
            options.pop("class_weight", None)  # numbers have no classes
        model = estimator(task)(**options, random_state=random_state)
        if "n_jobs" in model.get_params():
            model.set_params(n_jobs=n_jobs)
        table = Expanded.fit(X) if is_table(X) else None
        model.fit(X if table is None else table.numbers(X), y)
        trees = [one.tree_ for one in getattr(model, "estimators_", [model])]
        splits = [tree.feature[tree.feature >= 0] for tree in trees]
        importances = model.feature_importances_
        if table is not None:  # of whole variables
            splits = [table.owner[split] for split in splits]
            importances = table.summed(importances)
        usage = tree_usage(splits, X.shape[1], [tree.max_depth for tree in trees])
        return Ranked(best_first(importances), importances, **usage)

    return rank
