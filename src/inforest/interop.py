"""Fitted trees and forests for other tools: SHAP values (shap), compiled models (treelite).

Both get plain numbers, complete or with gaps. Trees that split on categories are refused.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Trees
from inforest.estimators.base import BaseInference


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
    trees = _plain_trees(estimator, "shap")
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


def to_treelite(estimator: Any) -> Any:
    """Return a tree or a forest as a `treelite.Model`, in double precision.

    Its predictions (``treelite.gtil.predict``) are those of `predict`, or of `predict_proba`.
    Categories are refused.

    Parameters
    ----------
    estimator : tree or forest of this package
        A fitted one for classes or numbers.

    Returns
    -------
    model : treelite.Model
        To be compiled, serialized or run elsewhere.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from inforest import ConditionalInferenceForestRegressor
    >>> from inforest.interop import to_treelite
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ConditionalInferenceForestRegressor(10, random_state=0).fit(X, y)
    >>> model = to_treelite(forest)  # doctest: +SKIP

    """
    from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation

    trees = _plain_trees(estimator, "treelite")
    n_values = trees.value.shape[1]
    has_classes = hasattr(estimator, "classes_")
    builder = ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=estimator.n_features_in_,
            task_type="kMultiClf" if has_classes else "kRegressor",
            average_tree_output=True,
            num_target=1 if has_classes else n_values,
            num_class=[n_values] if has_classes else [1] * n_values,
            leaf_vector_shape=(1, n_values) if has_classes else (n_values, 1),
        ),
        tree_annotation=TreeAnnotation(
            num_tree=trees.n_trees,
            target_id=[0 if has_classes or n_values == 1 else -1] * trees.n_trees,
            class_id=[-1 if has_classes else 0] * trees.n_trees,
        ),
        postprocessor=PostProcessorFunc(name="identity_multiclass" if has_classes else "identity"),
        base_scores=[0.0] * n_values,
    )
    for begin, end in zip(trees.offset[:-1].tolist(), trees.offset[1:].tolist(), strict=True):
        builder.start_tree()
        for node in range(begin, end):
            builder.start_node(node - begin)
            if trees.feature[node] < 0:
                value = trees.value[node].tolist()
                builder.leaf(value if n_values > 1 else value[0])
            else:
                builder.numerical_test(
                    feature_id=int(trees.feature[node]),
                    threshold=float(trees.threshold[node]),
                    default_left=bool(trees.missing_left[node]),
                    opname="<=",
                    left_child_key=int(trees.left[node]),
                    right_child_key=int(trees.right[node]),
                )
            builder.end_node()
        builder.end_tree()
    return builder.commit()


def _plain_trees(estimator: Any, tool: str) -> Trees:
    """Return the trees, or say why the tool cannot have them."""
    if not isinstance(estimator, BaseInference):
        raise TypeError(
            f"estimator must be a tree or a forest of inforest; got {type(estimator).__name__}"
        )
    check_is_fitted(estimator)
    if estimator._response_type.has_curves:
        raise ValueError(
            f"{type(estimator).__name__} predicts curves, which {tool} has no form for; classes"
            " and numbers can be handed over"
        )
    trees: Trees = estimator._trees
    if (trees.level_set >= 0).any():
        raise ValueError(
            f"the trees split on categories, and {tool} gets plain numbers only; encode them as"
            " columns of numbers, or fit with categorical_features=None"
        )
    return trees
