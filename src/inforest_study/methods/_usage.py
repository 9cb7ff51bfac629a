"""How often trees split on each feature: the part of a `Ranked` that only trees have."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def trees_per_round(n_classes: int | None) -> int:
    """Return how many trees a booster grows at once: one per class if there are more than two."""
    return n_classes if n_classes is not None and n_classes > 2 else 1


def tree_usage(
    splits: Sequence[ArrayLike], n_features: int, depths: ArrayLike | None = None
) -> dict[str, Any]:
    """Count the splits on each feature and the trees that use it.

    Parameters
    ----------
    splits : sequence of array-like of int
        For each tree, the feature of each of its splits.
    n_features : int
        Number of features.
    depths : array-like of int, default=None
        The depth of each tree, 0 for a lone root.

    Returns
    -------
    usage : dict
        `usage`, `trees_using` and `facts`, as `Ranked` wants them.

    """
    features = [np.asarray(one, dtype=np.int64) for one in splits]
    distinct = [np.unique(one) for one in features]
    facts = {
        "n_trees": float(len(features)),
        "splits_per_tree": float(np.mean([len(one) for one in features])),
        "features_used_per_tree": float(np.mean([len(one) for one in distinct])),
    }
    if depths is not None:
        facts["mean_max_depth"] = float(np.mean(np.asarray(depths)))
    return {
        "usage": np.bincount(np.concatenate(features), minlength=n_features),
        "trees_using": np.bincount(np.concatenate(distinct), minlength=n_features),
        "facts": facts,
    }
