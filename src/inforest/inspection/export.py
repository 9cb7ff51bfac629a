"""A fitted tree as text: every split with its p-values, every leaf with the reason it is one."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import NO_FEATURE, NO_THRESHOLD, STOP_REASONS, Node, Tree, Trees
from inforest._engine.printable import printable
from inforest._engine.words import names_of_features, short_p
from inforest.inspection.splits import SplitWords

_HONEST = "honest tree: n, p-values and reasons of the rows that grew it, predictions of the others"


def export_text(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    decimals: int | None = None,
    *,
    style: str = "inforest",
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
    style : {"inforest", "partykit"}, default="inforest"
        "partykit": as R prints a tree of its package partykit. Nodes are numbered from 1, leaves
        say what they predict, for how many rows, and their error: the share of other classes, or
        the sum of squares; of censored times, the median, as R's survfit gives it: the middle of
        the times at which the curve is a half, where R's print is off by a time if rounding has
        it. It has no p-values and cuts nothing off.

    Returns
    -------
    text : str
        One line per branch and leaf, with the p-values of the tests of the feature and of the
        threshold. ``<=`` marks those at the floor of their test, one over one more than its draws.
        A leaf's ``smallest p ~`` is an estimate at the draw where its test stopped; where a
        threshold was looked for with a fixed budget or between two classes, that of the threshold
        that looked best. ``level`` is what it was held to, after adjustment. An honest tree
        says so first: its leaves have their values from other rows than their n. A split of a
        category lists the levels of each side, the first of them where they are many.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceTreeClassifier, export_text
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ConditionalInferenceTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> text = export_text(tree, feature_names=["sl", "sw", "pl", "pw"])

    """
    tree = fitted_tree(estimator)
    check_max_depth(max_depth)
    names = names_of_features(estimator, feature_names)
    if style == "partykit":
        return _as_partykit(estimator, names, class_names, decimals)
    if style != "inforest":
        raise ValueError(f"style must be 'inforest' or 'partykit'; got {style!r}")
    number = number_words(decimals)
    leaf = leaf_words(estimator, class_names, number)
    words = SplitWords(estimator, tree, number)
    depths = tree.depth()
    lines = [_HONEST] if estimator.honesty else []
    # A stack instead of recursion: a tree may be deeper than Python's limit. Its items are nodes to
    # describe and lines ready to be written.
    todo: list[int | str] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        node, depth = tree.node(item), int(depths[item])
        bars, n = "|   " * depth + "|--- ", size_words(estimator, node)
        if node.is_leaf:
            lines.append(f"{bars}{leaf(node)}  [{n}; {leaf_reason(estimator, node)}]")
        elif max_depth is not None and depth >= max_depth:
            below = depths_below(depths, item).max() - depth
            lines.append(f"{bars}branch of depth {below} cut off  [{n}]")
        else:
            left, right = words.in_text(item, names[node.feature])
            lines.append(f"{bars}{left}  [{n}; {split_p_values(node)}]")
            todo += [node.right, f"{bars}{right}", node.left]
    return "\n".join(map(printable, lines)) + "\n"


def _as_partykit(
    estimator: Any, names: list[str], class_names: Sequence[str] | None, decimals: int | None
) -> str:
    """Write the tree as R's print does; numbers with up to seven digits, as R has them."""
    tree, depths = estimator.tree_, estimator.tree_.depth()
    number = number_words(decimals, digits=7)
    leaf = _leaf_as_partykit(estimator, class_names)
    words = SplitWords(estimator, tree, number)
    lines, came_by = ["Fitted party:"], {0: "root"}
    for index in range(tree.node_count):
        node = tree.node(index)
        line = f"{'|   ' * int(depths[index])}[{index + 1}] {came_by[index]}"
        lines.append(f"{line}: {leaf(node)}" if node.is_leaf else line)
        if not node.is_leaf:
            left, right = words.in_text(index, names[node.feature])
            came_by |= {node.left: left, node.right: right.replace(">  ", "> ")}
    n_leaves = tree.n_leaves
    counts = ["Number of inner nodes:", "Number of terminal nodes:"]
    sizes = [tree.node_count - n_leaves, n_leaves]
    width = max(len(str(size)) for size in sizes)
    for title, size in zip(counts, sizes, strict=True):
        lines.append(f"{title:25} {size:{width}d}")
    lines.insert(-2, "")
    return "\n".join(map(printable, lines)) + "\n"


def _leaf_as_partykit(estimator: Any, class_names: Sequence[str] | None) -> Callable[[Node], str]:
    classes = names_of_classes(estimator, class_names)

    def words(node: Node) -> str:
        if estimator._response_type.has_curves:
            median = _median(estimator, node.id)
            said = "Inf" if np.isinf(median) else f"{median:.3f}"
            return f"{said} (n = {node.n_samples})"
        if classes is None:
            means = ", ".join(f"{value:.3f}" for value in node.value)
            if len(node.value) > 1:  # R shows a star; errors of several numbers have no one unit
                return f"{means} (n = {node.n_samples})"
            return f"{means} (n = {node.n_samples}, err = {node.impurity * node.n_samples:.1f})"
        best = int(np.argmax(node.value))
        error = 100 * (1 - node.value[best])
        return f"{classes[best]} (n = {node.n_samples}, err = {error:.1f}%)"

    return words


def fitted_tree(estimator: Any) -> Tree:
    """Return the tree of a fitted tree estimator, or say what is wanted."""
    check_is_fitted(estimator)
    tree = getattr(estimator, "tree_", None)
    if not isinstance(tree, Tree):
        is_forest = isinstance(getattr(estimator, "trees_", None), Trees)
        raise TypeError(
            "estimator must be a fitted ConditionalInferenceTreeClassifier,"
            " ConditionalInferenceTreeRegressor or ConditionalInferenceSurvivalTree; got"
            f" {type(estimator).__name__}"
            + ("; use forest.estimators_[i] for one of its trees" if is_forest else "")
        )
    return tree


def check_max_depth(max_depth: Any) -> None:
    """Refuse a depth that no node has."""
    if max_depth is not None and not (isinstance(max_depth, Integral) and int(max_depth) >= 0):
        raise ValueError(f"max_depth must be None or an int of at least 0; got {max_depth!r}")


def names_of_classes(estimator: Any, class_names: Sequence[str] | None) -> list[str] | None:
    """Return one name per class, or None if a leaf keeps no shares of classes."""
    if not estimator._response_type.keeps_shares:
        return None
    classes = estimator.classes_
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
    names, noun = names_of_classes(estimator, class_names), estimator._response_type.noun
    if estimator._response_type.has_curves:
        risk = estimator._predictors.value[:, 0]
        return lambda node: (
            f"{noun}: {number(risk[node.id])}, median {median_words(estimator, node.id, number)}"
        )
    if names is None:
        return lambda node: f"{noun}: {', '.join(map(number, node.value))}"
    return lambda node: (
        f"{noun}: {printable(names[int(np.argmax(node.value))])} ({node.value.max():.2f})"
    )


def median_words(estimator: Any, node: int, number: Callable[[float], str]) -> str:
    """Return when half of a leaf's rows have had the event."""
    median = _median(estimator, node)
    return "not reached" if np.isinf(median) else number(median)


def _median(estimator: Any, node: int) -> float:
    """Return when a leaf's curve falls below a half, infinity if it does not.

    Where it is a half from one event to the next: the middle, as R's survfit has it. R's partykit
    prints the first of these times, the middle or the second, as rounding has it.
    """
    time, survival = estimator._curves.curve(node)
    rounding = 1e-9
    below = np.flatnonzero(survival <= 0.5 + rounding)
    if not len(below):
        return float("inf")
    first = below[0]
    is_flat = survival[first] >= 0.5 - rounding and first + 1 < len(time)
    return float((time[first] + time[first + 1]) / 2 if is_flat else time[first])


def number_words(decimals: int | None, digits: int = 4) -> Callable[[float], str]:
    """Return the function that writes thresholds and values."""

    def words(number: float) -> str:
        if decimals is not None:
            return f"{number:.{decimals}f}"
        return f"{number:.0f}" if 10**digits <= abs(number) < 1e7 else f"{number:.{digits}g}"

    return words


def size_words(estimator: Any, node: Node) -> str:
    """Return how many samples the node has; an honest one has its value from others."""
    return f"{'grown on ' if estimator.honesty else ''}n = {node.n_samples}"


def leaf_reason(estimator: Any, node: Node) -> str:
    """Return why the node is a leaf; if a test decided, with its p-value and its level."""
    if node.stop_reason == STOP_REASONS[NO_FEATURE]:
        stage, p_value, n_tests = "selector", node.p_value_feature, node.n_tests_feature
    elif node.stop_reason == STOP_REASONS[NO_THRESHOLD]:
        stage, p_value, n_tests = "splitter", node.p_value_threshold, node.n_tests_threshold
    else:
        return node.stop_reason
    level = getattr(estimator, f"alpha_{stage}")
    # "maxt" is one test of all candidates, held to alpha itself.
    adjustment = getattr(estimator, f"adjust_alpha_{stage}")
    if adjustment == "sidak":
        level = -np.expm1(np.log1p(-level) / n_tests)
    elif adjustment in (True, "bonferroni"):
        level /= n_tests
    about = "~" if np.isnan(node.chi_square) else "="
    return f"{node.stop_reason}: smallest p {about} {short_p(p_value)}, level {short_p(level)}"


def split_p_values(node: Node) -> str:
    """Return the p-values of a split, or that it was not tested."""
    parts = []
    if not np.isnan(node.p_value_feature):
        parts.append(f"feature {feature_p_words(node)}")
    if not np.isnan(node.p_value_threshold):
        parts.append(f"threshold {p_words(node.p_value_threshold, node.n_draws_threshold)}")
    return ", ".join(parts) or "not tested"


def feature_p_words(node: Node) -> str:
    """Return the p-value of the split's feature; an asymptotic one has no floor."""
    if np.isnan(node.chi_square):
        return p_words(node.p_value_feature, node.n_draws_feature)
    return f"p = {short_p(node.p_value_feature)}" if node.p_value_feature else "p < 1e-300"


def p_words(p_value: float, n_draws: int) -> str:
    """Return the p-value of a rejection, marked if more draws could have made it smaller."""
    return f"p {'<=' if at_floor(p_value, n_draws) else '='} {short_p(p_value)}"


def at_floor(p_value: float, n_draws: int) -> bool:
    """Whether no draw reached the statistic: p is 1 / (1 + draws), or certified without any."""
    return n_draws == 0 or p_value * (1 + n_draws) < 1.5


def depths_below(depths: NDArray[np.int64], index: int) -> NDArray[np.int64]:
    """Return the depths of all nodes below one; preorder keeps a subtree in one piece."""
    rest = depths[index + 1 :]
    deeper = rest > depths[index]
    return rest if deeper.all() else rest[: np.argmin(deeper)]
