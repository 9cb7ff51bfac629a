"""Our own trees and forests: what CIT, CIF and CIF-all share."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Parameters, Rank, Ranked, best_first, one_of
from inforest_study.methods._usage import tree_usage

#: The paper's grid. Honesty is always said: the regression forest of `paper` is honest.
GRID: Mapping[Task, Mapping[str, Parameters]] = {
    "classification": {
        "mc": {"selector": "mc", "honesty": False},
        "mc-honest": {"selector": "mc", "honesty": True},
        "rdc": {"selector": "rdc", "honesty": False},
        "rdc-honest": {"selector": "rdc", "honesty": True},
    },
    "regression": {
        "pc": {"selector": "pc", "honesty": False},
        "pc-honest": {"selector": "pc", "honesty": True},
        "rdc": {"selector": "rdc", "honesty": False},
        "rdc-honest": {"selector": "rdc", "honesty": True},
    },
}

_SWITCHED_OFF: dict[str, Parameters] = {
    "no_adaptive": {"early_stopping_selector": None, "early_stopping_splitter": None},
    "no_scan": {"feature_scanning": False},
    "no_threshold_scan": {"threshold_scanning": False},
    "no_mute": {"feature_muting": False},
    "no_bonferroni": {"adjust_alpha_selector": False, "adjust_alpha_splitter": False},
}
_THRESHOLDS: dict[str, Parameters] = {
    "exact": {"threshold_method": "exact"},
    **{
        f"histogram_{bins or 'all'}": {"threshold_method": "histogram", "max_thresholds": bins}
        for bins in (32, 64, 128, 256, 512, None)
    },
}


def _all(changes: Mapping[str, Parameters]) -> Parameters:
    return {name: value for change in changes.values() for name, value in change.items()}


#: The paper's ablations, as changes of a configuration.
TREE_VARIANTS: Mapping[str, Parameters] = {
    **_SWITCHED_OFF,
    "all_off": _all(_SWITCHED_OFF),
    **_THRESHOLDS,
    "split_count": {"readout": "count"},
    "root_ties": {"ties": "root"},
}
_FOREST_SWITCHED_OFF = {**_SWITCHED_OFF, "no_bootstrap": {"bootstrap": False}}
FOREST_VARIANTS: Mapping[str, Parameters] = {
    **TREE_VARIANTS,
    **_FOREST_SWITCHED_OFF,
    "all_off": _all(_FOREST_SWITCHED_OFF),
    "one_tree": {"n_estimators": 1},
    "1000_trees": {"n_estimators": 1000},
}


def forest_seconds(n_samples: int, n_features: int, n_classes: int | None) -> float:
    """Guess the seconds of a forest of 100 trees on one core."""
    return 0.02 + 5e-6 * n_samples * n_features**0.5 * (1 + (n_classes or 1))


def ranker(estimator: Callable[[Task], Callable[..., Any]]) -> Rank:
    """Make a `rank` from what returns the estimator's constructor for a task.

    The parameters are those of the estimator, and two more. `readout` says which importances are
    ranked: "split", "count", "weighted". `ties` says what orders equal importances, above all those
    of features no split uses: "columns", as for every other method of the study and in the paper's
    own ranking, or "root", their association with y on all rows, as our defaults do. On wide data
    a tree uses so few features that "root" makes it mostly a filter.
    """

    def rank(
        X: Floats,
        y: NDArray[np.generic],
        task: Task,
        parameters: Parameters,
        random_state: int,
        n_jobs: int,
    ) -> Ranked:
        """Fit and rank by importance, then as `ties` says, then by index."""
        options = dict(parameters)
        readout = options.pop("readout", "split")
        by_root = one_of(str(options.pop("ties", "columns")), ("columns", "root"), "ties") == "root"
        model = estimator(task)(**options, random_state=random_state)
        if "n_jobs" in model.get_params():
            model.set_params(n_jobs=n_jobs)
        model.fit(X, y)
        importances = model.importances(readout)
        order = best_first(importances, *([model.root_statistic_] if by_root else []))
        return Ranked(order, importances, **forest_usage([model], X.shape[1]))

    return rank


def forest_usage(models: list[Any], n_features: int) -> dict[str, Any]:
    """Count splits of trees or forests, and the permutations it took to find them."""
    trees = [one.tree_ for model in models for one in getattr(model, "estimators_", [model])]
    splits = [tree.feature[~tree.is_leaf] for tree in trees]
    usage = tree_usage(splits, n_features, [tree.max_depth for tree in trees])
    for stage in ("selector", "splitter"):
        draws = [int(getattr(tree, f"draws_{stage}")[0]) for tree in trees]
        usage["facts"][f"draws_{stage}_per_tree"] = float(np.mean(draws))
    return usage
