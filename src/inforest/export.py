"""A fitted tree as text: every split with its p-values, every leaf with the reason it is one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest._arrays import NO_FEATURE_REJECTED, NO_THRESHOLD_REJECTED, STOP_REASONS, Node, Tree


def export_text(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    decimals: int | None = None,
) -> str:
    """Describe a fitted tree in words.

    Parameters
    ----------
    estimator : ConditionalInferenceTreeClassifier or ConditionalInferenceTreeRegressor
        A fitted tree.
    feature_names : sequence of str, default=None
        One name per feature; None takes `feature_names_in_`, else "feature_0", "feature_1", ...
    class_names : sequence of str, default=None
        One name per class, in the order of `classes_`; None takes `classes_`.
    max_depth : int or None, default=10
        Deeper branches are cut off; None shows all.
    decimals : int, default=None
        Digits after the point of thresholds and values; None shows four significant digits.

    Returns
    -------
    text : str
        One line per branch and leaf. ``p`` belongs to the test of the feature, ``p threshold`` to
        that of the threshold. A leaf's ``p ~`` is the smallest p-value met there, an estimate at
        the draw where its test stopped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceTreeClassifier, export_text
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ConditionalInferenceTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> text = export_text(tree, feature_names=["sl", "sw", "pl", "pw"])

    """
    tree = fitted_tree(estimator)
    names = names_of_features(estimator, feature_names)
    number = number_words(decimals)
    leaf = leaf_words(estimator, class_names, number)
    depths = tree.depth()
    lines: list[str] = []
    # A stack instead of recursion: a tree may be deeper than Python's limit. Its items are nodes to
    # describe and lines ready to be written.
    todo: list[int | str] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        node, depth = tree.node(item), int(depths[item])
        bars = "|   " * depth + "|--- "
        if node.is_leaf:
            lines.append(f"{bars}{leaf(node)}  [n = {node.n_samples}; {leaf_reason(node)}]")
        elif max_depth is not None and depth >= max_depth:
            below = _depth_below(depths, item)
            lines.append(f"{bars}branch of depth {below} cut off  [n = {node.n_samples}]")
        else:
            name, bound = names[node.feature], number(node.threshold)
            lines.append(f"{bars}{name} <= {bound}  [n = {node.n_samples}; {split_p_values(node)}]")
            todo += [node.right, f"{bars}{name} >  {bound}", node.left]
    return "\n".join(lines) + "\n"


def fitted_tree(estimator: Any) -> Tree:
    """Return the tree of a fitted tree estimator, or say what is wanted."""
    check_is_fitted(estimator)
    tree = getattr(estimator, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            "estimator must be a fitted ConditionalInferenceTreeClassifier or"
            f" ConditionalInferenceTreeRegressor; got {type(estimator).__name__}"
        )
    return tree


def names_of_features(estimator: Any, feature_names: Sequence[str] | None) -> list[str]:
    """Return one name per feature."""
    n = estimator.n_features_in_
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    if feature_names is None:
        return [f"feature_{j}" for j in range(n)]
    if len(feature_names) != n:
        raise ValueError(
            f"feature_names must have {n} names, one per feature; got {len(feature_names)}"
        )
    return [str(name) for name in feature_names]


def names_of_classes(estimator: Any, class_names: Sequence[str] | None) -> list[str] | None:
    """Return one name per class, or None in regression."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return None
    if class_names is None:
        return [str(label) for label in classes]
    if len(class_names) != len(classes):
        raise ValueError(
            f"class_names must have {len(classes)} names, one per class; got {len(class_names)}"
        )
    return [str(name) for name in class_names]


def leaf_words(
    estimator: Any, class_names: Sequence[str] | None, number: Callable[[float], str]
) -> Callable[[Node], str]:
    """Return the function that says what a leaf predicts."""
    names = names_of_classes(estimator, class_names)
    if names is None:
        return lambda node: f"value: {number(node.value[0])}"
    return lambda node: f"class: {names[int(np.argmax(node.value))]} ({node.value.max():.2f})"


def number_words(decimals: int | None, digits: int = 4) -> Callable[[float], str]:
    """Return the function that writes thresholds and values."""

    def words(number: float) -> str:
        if decimals is not None:
            return f"{number:.{decimals}f}"
        return f"{number:.0f}" if 10**digits <= abs(number) < 1e7 else f"{number:.{digits}g}"

    return words


def leaf_reason(node: Node) -> str:
    """Return why the node is a leaf, with the p-value that decided if there was one."""
    p_value = {
        STOP_REASONS[NO_FEATURE_REJECTED]: node.p_value_feature,
        STOP_REASONS[NO_THRESHOLD_REJECTED]: node.p_value_threshold,
    }.get(node.stop_reason, np.nan)
    return node.stop_reason + ("" if np.isnan(p_value) else f", p ~ {short_p(p_value)}")


def split_p_values(node: Node) -> str:
    """Return the p-values of a split, or that it was not tested."""
    parts = []
    if not np.isnan(node.p_value_feature):
        parts.append(f"p = {short_p(node.p_value_feature)}")
    if not np.isnan(node.p_value_threshold):
        parts.append(f"p threshold = {short_p(node.p_value_threshold)}")
    return ", ".join(parts) or "not tested"


def short_p(p_value: float) -> str:
    """Return a p-value with two significant digits, short enough for a node."""
    return f"{p_value:.2g}" if p_value >= 1e-4 else f"{p_value:.0e}".replace("e-0", "e-")


def _depth_below(depths: NDArray[np.int64], index: int) -> int:
    """Return how deep the branch below a node goes; preorder keeps a subtree in one piece."""
    deeper = depths[index + 1 :] > depths[index]
    size = len(deeper) if deeper.all() else int(np.argmin(deeper))
    return int(depths[index : index + 1 + size].max() - depths[index])
