"""Draw a fitted tree: p-values in the nodes, thresholds on the edges, values in the leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from inforest._engine.arrays import Floats, Node, Tree
from inforest._engine.short_names import for_figure
from inforest._engine.words import names_of_features
from inforest.inspection.export import (
    check_max_depth,
    depths_below,
    feature_p_words,
    fitted_tree,
    leaf_reason,
    median_words,
    names_of_classes,
    number_words,
    size_words,
)
from inforest.inspection.splits import SplitWords

Words = Callable[[float], str]
#: A text with the width and the height it has room for.
Label = tuple[Any, float, float]

#: Inches of one leaf and of one level in a figure of our own.
_LEAF_WIDTH, _LEVEL_HEIGHT = 1.4, 1.5
_MAX_LETTERS = 22
_MAX_FONT_SIZE = 9.0
_INNER = "#f4f6f8"
#: Where along its edge a label stands: nearer to the child, where siblings are further apart.
_ALONG = 0.62
_EDGE = {"color": "#8895a7", "linewidth": 1.0, "zorder": 1}


@dataclass(frozen=True)
class _Place:
    """Where a node goes: centre `x` and `width` in leaves, `depth` in levels; what it hides."""

    node: Node
    parent: int
    x: float
    width: float
    depth: int
    n_hidden: int


def plot_tree(
    estimator: Any,
    *,
    max_depth: int | None = 3,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    fontsize: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw a fitted tree with matplotlib.

    Inner nodes show the feature, the p-value of its test and the number of samples, edges the
    threshold, leaves the class proportions as a bar, the mean as a colour, or the survival curve,
    from the first to the last event time of all rows. A tree that is only a root shows why. In an
    honest tree n counts the rows that grew it; the others gave the leaves what they show.

    Parameters
    ----------
    estimator : ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor or \
            ConditionalInferenceSurvivalTree
        A fitted tree.
    max_depth : int or None, default=3
        Draw only nodes down to this depth; a dashed box stands for a branch that goes on and says
        how many nodes are below it. None draws all.
    feature_names : sequence of str, default=None
        One name per feature; None takes `feature_names_in_`, else "feature_0", "feature_1", ...
    class_names : sequence of str, default=None
        One name per class, in the order of `classes_`; None takes `classes_`.
    decimals : int, default=None
        Digits after the point of thresholds and values; None shows three significant digits.
    fontsize : float, default=None
        Size of the text in points; None takes the largest up to 9 that fits the boxes.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure of fitting size.

    Returns
    -------
    ax : matplotlib axes
        The axes that hold the drawing; nothing is shown or saved.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceTreeClassifier, plot_tree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ConditionalInferenceTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> ax = plot_tree(tree)  # doctest: +SKIP

    """
    tree = fitted_tree(estimator)
    check_max_depth(max_depth)
    names = names_of_features(estimator, feature_names)
    classes = names_of_classes(estimator, class_names)
    places = _layout(tree, max_depth)
    ax = _axes(ax, places)
    number = number_words(decimals, digits=3)
    split_words = SplitWords(estimator, tree, number)
    colours = _Colours(tree, classes)
    has_curves = estimator._response_type.has_curves
    in_boxes: list[Label] = []
    on_edges: list[Label] = []
    for place in places.values():
        if place.parent >= 0:
            above = places[place.parent]
            on_edges.append(_draw_edge(ax, above, place, split_words))
        size = size_words(estimator, place.node)
        if place.node.is_leaf or place.n_hidden:
            lines = [size]
            if place.n_hidden:
                lines.append(f"+ {place.n_hidden} nodes")
            elif place.parent < 0:
                lines.append(fill(leaf_reason(estimator, place.node), 30))
            if has_curves and place.node.is_leaf:
                label = _draw_curve(ax, place, lines, estimator, number)
            else:
                label = _draw_leaf(ax, place, lines, classes, colours, number)
            reason = leaf_reason(estimator, place.node)
            label[0].set_gid(f"leaf {place.node.id}: {reason}")  # a tooltip in SVG
        else:
            label = _draw_split(ax, place, names[place.node.feature], size)
        in_boxes.append(label)
    if classes is not None:
        _draw_legend(ax, classes, colours)
    edge_size = _font_size(ax, on_edges) if fontsize is None else fontsize
    box_size = min(1.2 * edge_size, _font_size(ax, in_boxes)) if fontsize is None else fontsize
    for labels, points in ((in_boxes, box_size), (on_edges, edge_size)):
        for text, *_ in labels:
            text.set_fontsize(points)
    return ax


def _layout(tree: Tree, max_depth: int | None) -> dict[int, _Place]:
    """Place every shown node over the middle of its leaves, so that no two boxes can meet."""
    depths = tree.depth()
    shown = depths <= (tree.max_depth if max_depth is None else max_depth)
    ends = tree.is_leaf | ((depths == max_depth) if max_depth is not None else False)
    parent = np.full(tree.node_count, -1)
    first = np.zeros(tree.node_count)
    last = np.zeros(tree.node_count)
    order = np.flatnonzero(shown)
    for slot, leaf in enumerate(order[ends[order]]):  # preorder meets the leaves left to right
        first[leaf] = last[leaf] = slot
    for i in order[::-1]:  # children come after their parent: backwards, they come first
        if not ends[i]:
            left, right = tree.left[i], tree.right[i]
            parent[left] = parent[right] = i
            first[i], last[i] = first[left], last[right]
    return {
        int(i): _Place(
            node=tree.node(int(i)),
            parent=int(parent[i]),
            x=float(first[i] + last[i]) / 2,
            width=min(0.92 + float(last[i] - first[i]), 1.84),
            depth=int(depths[i]),
            n_hidden=len(depths_below(depths, int(i))) if ends[i] else 0,
        )
        for i in order
    }


def _axes(ax: Any, places: dict[int, _Place]) -> Any:
    import matplotlib.pyplot as plt

    n_leaves = 1 + max(place.x for place in places.values() if place.width < 1)
    n_levels = 1 + max(place.depth for place in places.values())
    if ax is None:
        size = (max(4.0, _LEAF_WIDTH * n_leaves), max(2.4, _LEVEL_HEIGHT * n_levels))
        ax = plt.figure(figsize=size).add_axes((0, 0, 1, 1))
    ax.set_xlim(-0.55, n_leaves - 0.45)
    ax.set_ylim(-n_levels + 0.55, 0.45)
    ax.set_axis_off()
    return ax


class _Colours:
    """A colour per class, or per mean on a scale from the lowest to the highest leaf."""

    def __init__(self, tree: Tree, classes: list[str] | None) -> None:
        import matplotlib as mpl

        means = tree.value[tree.is_leaf, 0]
        self._low, self._high = float(means.min()), float(means.max())
        many = classes is not None and len(classes) > 10
        self._classes = mpl.colormaps["turbo" if many else "tab10"]
        self._n = len(classes or []) if many else 10
        self._means = mpl.colormaps["Blues"]

    def of_class(self, k: int) -> Any:
        return self._classes((k + 0.5) / self._n)

    def of_mean(self, mean: float) -> Any:
        # Halves, because the range itself may overflow.
        span = self._high / 2 - self._low / 2
        return self._means(0.1 + 0.5 * ((mean / 2 - self._low / 2) / span if span > 0 else 0.5))


def _box(ax: Any, place: _Place, facecolor: Any) -> None:
    from matplotlib.patches import FancyBboxPatch

    height = 0.5
    corner = (place.x - place.width / 2 + 0.04, -place.depth - height / 2)
    shape = "round,pad=0,rounding_size=0.04"
    ax.add_patch(
        FancyBboxPatch(
            corner,
            place.width - 0.08,
            height,
            boxstyle=shape,
            facecolor=facecolor,
            edgecolor="#44546a",
            linestyle="--" if place.n_hidden else "-",
            linewidth=1.0,
            zorder=2,
        )
    )


def _draw_split(ax: Any, place: _Place, name: str, size: str) -> Label:
    _box(ax, place, _INNER)
    node = place.node
    tested = "not tested"
    if not np.isnan(node.p_value_feature):
        tested = f"feature {feature_p_words(node)}"
    lines = [for_figure(name, _MAX_LETTERS), tested.replace("<=", "≤"), size]
    text = ax.text(place.x, -place.depth, "\n".join(lines), ha="center", va="center", zorder=3)
    return text, place.width - 0.16, 0.48


def _draw_edge(ax: Any, above: _Place, place: _Place, words_of: SplitWords) -> Label:
    top, bottom = -above.depth - 0.25, -place.depth + 0.25
    line = "--" if place.n_hidden else "-"
    ax.plot([above.x, place.x], [top, bottom], linestyle=line, **_EDGE)
    is_left = above.node.left == place.node.id
    words = words_of.on_edges(above.node.id)[0 if is_left else 1]
    across = place.x - above.x
    at = above.x + _ALONG * across, top + _ALONG * (bottom - top)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    text = ax.text(*at, words, ha="center", va="center", zorder=2, bbox=box)
    # Not beyond the parent's centre on one side, nor the child's leaves on the other.
    return text, min(2 * _ALONG * abs(across), 1.2) - 0.06, 0.4


def _draw_leaf(
    ax: Any,
    place: _Place,
    lines: list[str],
    classes: list[str] | None,
    colours: _Colours,
    number: Words,
) -> Label:
    value = place.node.value
    if classes is None:
        mean = float(value[0])
        _box(ax, place, colours.of_mean(mean))
        first, y, height = f"mean {number(mean)}", float(-place.depth), 0.48
    else:
        _box(ax, place, "white")
        _draw_bar(ax, place, value, colours)
        first, y, height = (
            for_figure(classes[int(np.argmax(value))], _MAX_LETTERS),
            -place.depth + 0.07,
            0.32,
        )
    words = "\n".join([first, *lines])
    text = ax.text(place.x, y, words, ha="center", va="center", zorder=3)
    return text, place.width - 0.16, height


def _draw_curve(ax: Any, place: _Place, lines: list[str], estimator: Any, number: Words) -> Label:
    """Draw the survival curve of a leaf's rows along the lower half of its box."""
    _box(ax, place, "white")
    time, survival = estimator._curves.curve(place.node.id)
    last = estimator.event_times_[-1]
    width, height = place.width - 0.18, 0.2
    left, bottom = place.x - width / 2, -place.depth - 0.22
    x = left + width * np.concatenate([[0.0], np.repeat(time, 2), [last]]) / last
    y = bottom + height * np.repeat(np.concatenate([[1.0], survival]), 2)
    ax.plot(x[[0, -1]], [bottom, bottom], color="#c3ccd8", linewidth=0.8, zorder=3)
    ax.plot(x, y, color="#1f6feb", linewidth=1.4, solid_joinstyle="miter", zorder=3)
    words = "\n".join([f"median {median_words(estimator, place.node.id, number)}", *lines])
    text = ax.text(place.x, -place.depth + 0.11, words, ha="center", va="center", zorder=3)
    return text, place.width - 0.16, 0.24


def _draw_bar(ax: Any, place: _Place, proportions: Floats, colours: _Colours) -> None:
    """Draw class proportions as one bar along the lower edge of a leaf's box."""
    from matplotlib.patches import Rectangle

    width = place.width - 0.18
    left = place.x - width / 2
    for k, share in enumerate(proportions):
        corner = (left, -place.depth - 0.21)
        ax.add_patch(Rectangle(corner, width * share, 0.1, facecolor=colours.of_class(k), zorder=3))
        left += width * share


def _draw_legend(ax: Any, classes: list[str], colours: _Colours) -> None:
    """Put the legend above the root, in as many rows as it needs."""
    from matplotlib.patches import Patch

    inches = ax.get_window_extent().width / ax.figure.dpi
    columns = max(1, int(inches / (0.5 + 0.09 * max(map(len, classes)))))
    n_rows = -(-len(classes) // columns)
    by_row = [k for first in range(columns) for k in range(first, len(classes), columns)]
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top + 0.2 * n_rows)
    ax.legend(
        handles=[
            Patch(facecolor=colours.of_class(k), label=for_figure(classes[k], _MAX_LETTERS))
            for k in by_row
        ],
        loc="upper center",
        ncols=min(columns, len(classes)),
        frameon=False,
        fontsize=8.0,
        handlelength=1.0,
        columnspacing=1.0,
        borderpad=0.2,
    )


def _font_size(ax: Any, labels: list[Label]) -> float:
    """Return the largest size at which each text fits the room it has."""
    for text, *_ in labels:
        text.set_fontsize(_MAX_FONT_SIZE)
    ax.figure.canvas.draw()  # the layout must be settled before anything is measured
    to_data = ax.transData.inverted()
    shrink = 1.0
    for text, width, height in labels:
        extent = text.get_window_extent()
        (x0, y0), (x1, y1) = to_data.transform([extent.p0, extent.p1])
        shrink = min(shrink, width / (x1 - x0), height / (y1 - y0))
    # Hinting makes small letters wider than their share.
    return _MAX_FONT_SIZE * (shrink if shrink == 1.0 else 0.96 * shrink)
