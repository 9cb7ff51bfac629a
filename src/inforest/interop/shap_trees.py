"""`to_shap`: trees and forests for `shap.TreeExplainer`."""

from typing import Any

import numpy as np

from inforest.interop.plain_trees import plain_trees


def to_shap(estimator: Any) -> dict[str, Any]:
    """Return a tree or a forest as `shap.TreeExplainer` reads it.

    Thresholds and data stay in double precision, as in our predictions. Categories are refused;
    missing values go where the trees send them.

    Parameters
    ----------
    estimator : tree or forest of this package
        A fitted one for classes or numbers. Of classes, SHAP values explain the probabilities.

    Returns
    -------
    model : dict
        For ``shap.TreeExplainer(to_shap(forest))``. Give it no background data: the sums of that
        mode of shap miss the predictions, those of scikit-learn's forests as well as ours.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from inforest import ConditionalInferenceForestRegressor
    >>> from inforest.interop import to_shap
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ConditionalInferenceForestRegressor(10, random_state=0).fit(X, y)
    >>> len(to_shap(forest)["trees"])
    10

    """
    trees = plain_trees(estimator, "shap")
    is_leaf = trees.is_leaf
    nodes = {
        "children_left": trees.left,
        "children_right": trees.right,
        "children_default": np.where(trees.missing_left == 1, trees.left, trees.right),
        "features": trees.feature,
        "thresholds": np.where(is_leaf, 0.0, trees.threshold),
        "values": trees.value / trees.n_trees,
        "node_sample_weight": trees.weight,
    }
    ranges = zip(trees.offset[:-1].tolist(), trees.offset[1:].tolist(), strict=True)
    return {
        "trees": [{name: of[begin:end] for name, of in nodes.items()} for begin, end in ranges],
        "internal_dtype": np.float64,
        "input_dtype": np.float64,
        "objective": "squared_error",
        "tree_output": "raw_value",
        "base_offset": 0.0,
    }
