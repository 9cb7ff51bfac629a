"""`to_treelite`: trees and forests as treelite has them."""

from typing import Any

from inforest.interop.plain_trees import levels_left, trees_of


def to_treelite(estimator: Any) -> Any:
    """Return a tree or a forest as a `treelite.Model`, in double precision.

    Its predictions (``treelite.gtil.predict``) are those of `predict`, or of `predict_proba`.
    Of categories it takes the codes that `to_numbers` returns.

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

    trees = trees_of(estimator, "treelite")
    n_values = trees.value.shape[1]
    left = levels_left(trees)
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
                builder.end_node()
                continue
            split = {
                "feature_id": int(trees.feature[node]),
                "default_left": bool(trees.missing_left[node]),
                "left_child_key": int(trees.left[node]),
                "right_child_key": int(trees.right[node]),
            }
            if node in left:
                codes = left[node].tolist()
                builder.categorical_test(
                    **split, category_list=codes, category_list_right_child=False
                )
            else:
                builder.numerical_test(**split, threshold=float(trees.threshold[node]), opname="<=")
            builder.end_node()
        builder.end_tree()
    return builder.commit()
