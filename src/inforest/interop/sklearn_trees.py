"""`to_sklearn`: the same trees in scikit-learn's classes, for tools that draw these."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from inforest._engine.arrays import Trees
from inforest._engine.sklearn_private import empty_tree
from inforest.interop.plain_trees import plain_trees


def to_sklearn(estimator: Any) -> Any:
    """Return a tree or a forest as one of scikit-learn, for drawing only.

    For `sklearn.tree.export_graphviz`, dtreeviz and other tools that read scikit-learn's trees. Do
    not predict with it: scikit-learn rounds X to single precision, so that some rows go down other
    branches.

    Parameters
    ----------
    estimator : tree or forest of this package
        A fitted one for classes or numbers, whose trees split on plain numbers.

    Returns
    -------
    model : DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier or \
RandomForestRegressor
        With the same splits and leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import export_text
    >>> from inforest import ConditionalInferenceTreeClassifier
    >>> from inforest.interop import to_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ConditionalInferenceTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> print(export_text(to_sklearn(tree)))
    |--- feature_2 <= 2.01
    |   |--- class: 0
    |--- feature_2 >  2.01
    |   |--- class: 1
    <BLANKLINE>

    """
    trees = plain_trees(estimator, "scikit-learn")
    classes = getattr(estimator, "classes_", None)
    single: Any = DecisionTreeRegressor if classes is None else DecisionTreeClassifier
    members = []
    ranges = zip(trees.offset[:-1].tolist(), trees.offset[1:].tolist(), strict=True)
    for begin, end in ranges:
        member = single()
        member.tree_ = _tree(trees, begin, end, estimator.n_features_in_, classes is not None)
        members.append(_described(member, estimator, trees, classes))
    if hasattr(estimator, "tree_"):
        return members[0]
    whole: Any = RandomForestRegressor if classes is None else RandomForestClassifier
    forest = whole(n_estimators=trees.n_trees)
    forest.estimators_ = members
    return _described(forest, estimator, trees, classes)


def _described(model: Any, estimator: Any, trees: Trees, classes: Any) -> Any:
    """Set what scikit-learn's own fit would have set."""
    model.n_features_in_ = estimator.n_features_in_
    if hasattr(estimator, "feature_names_in_"):
        model.feature_names_in_ = estimator.feature_names_in_
    model.n_outputs_ = 1 if classes is not None else trees.value.shape[1]
    model.max_features_ = estimator.n_features_in_
    if classes is not None:
        model.classes_, model.n_classes_ = classes, len(classes)
    return model


def _tree(trees: Trees, begin: int, end: int, n_features: int, is_classifier: bool) -> Any:
    """Return one tree; the fields of nodes are those that this version of scikit-learn has."""
    n_values = trees.value.shape[1]
    n_outputs, n_classes = (1, n_values) if is_classifier else (n_values, 1)
    tree = empty_tree(n_features, n_outputs, n_classes)
    state = tree.__getstate__()
    nodes = np.zeros(end - begin, dtype=state["nodes"].dtype)
    columns = {
        "left_child": trees.left,
        "right_child": trees.right,
        "feature": np.where(trees.is_leaf, -2, trees.feature),
        "threshold": np.where(trees.is_leaf, -2.0, trees.threshold),
        "impurity": trees.impurity,
        "n_node_samples": trees.n_samples,
        "weighted_n_node_samples": trees.weight,
        "missing_go_to_left": trees.missing_left,
    }
    for name, column in columns.items():
        nodes[name] = column[begin:end]
    depth = np.zeros(end - begin, dtype=int)
    for node in np.flatnonzero(nodes["left_child"] >= 0):  # parents come before their children
        depth[[nodes["left_child"][node], nodes["right_child"][node]]] = depth[node] + 1
    value = trees.value[begin:end].reshape(-1, n_outputs, n_classes)
    state |= {
        "max_depth": int(depth.max()),
        "node_count": end - begin,
        "nodes": nodes,
        "values": np.ascontiguousarray(value, dtype=np.float64),
    }
    tree.__setstate__(state)
    return tree
