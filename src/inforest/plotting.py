"""Draw a fitted tree: p-values in the nodes, thresholds on the edges, values in the leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inforest._arrays import Floats, Node, Tree
from inforest.export import (
    fitted_tree,
    leaf_reason,
    names_of_classes,
    names_of_features,
    number_words,
    short_p,
)

Words = Callable[[float], str]

#: Inches of one leaf and of one level in a figure of our own.
_LEAF_WIDTH, _LEVEL_HEIGHT = 1.4, 1.35
_MAX_LETTERS = 22
_MAX_FONT_SIZE = 9.0
_INNER = {"facecolor": "#f4f6f8", "edgecolor": "#44546a"}
_EDGE = {"color": "#8895a7", "linewidth": 1.0, "zorder": 1}


@dataclass(frozen=True)
class _Place:
    """Where a node goes: centre `x` and `width` in leaves, `depth` in levels."""

    node: Node
    parent: int
    x: float
    width: float
    depth: int
    cut_off: bool


def plot_tree(
    estimator: Any,
    *,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    fontsize: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw a fitted tree with matplotlib.

    Inner nodes show the feature, the p-value of its test and the number of samples, edges the
    threshold, leaves the class proportions as a bar, or the mean as a colour.

    Parameters
    ----------
    estimator : ConditionalInferenceTreeClassifier or ConditionalInferenceTreeRegressor
        A fitted tree.
    max_depth : int or None, default=None
        Draw only nodes down to this depth; branches that go on are marked "...".
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
    names = names_of_features(estimator, feature_names)
    classes = names_of_classes(estimator, class_names)
    places = _layout(tree, max_depth)
    ax = _axes(ax, places)
    number = number_words(decimals, digits=3)
    colours = _Colours(tree, classes)
    in_boxes, on_edges = [], []
    for place in places.values():
        if place.parent >= 0:
            above = places[place.parent]
            on_edges.append(_draw_edge(ax, above, place, number))
        if place.node.is_leaf or place.cut_off:
            in_boxes.append(_draw_leaf(ax, place, classes, colours, number))
        else:
            in_boxes.append(_draw_split(ax, place, names[place.node.feature]))
    if classes is not None:
        _draw_legend(ax, classes, colours)
    _set_font_size(ax, in_boxes, fontsize)
    _set_font_size(ax, on_edges, fontsize)
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
            cut_off=bool(ends[i] and not tree.is_leaf[i]),
        )
        for i in order
    }


def _axes(ax: Any, places: dict[int, _Place]) -> Any:
    import matplotlib.pyplot as plt

    n_leaves = 1 + max(place.x for place in places.values() if place.width < 1)
    n_levels = 1 + max(place.depth for place in places.values())
    if ax is None:
        size = (max(4.0, _LEAF_WIDTH * n_leaves), max(2.0, _LEVEL_HEIGHT * n_levels))
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


def _box(ax: Any, place: _Place, **style: Any) -> None:
    from matplotlib.patches import FancyBboxPatch

    height = 0.5
    corner = (place.x - place.width / 2 + 0.04, -place.depth - height / 2)
    shape = "round,pad=0,rounding_size=0.04"
    ax.add_patch(
        FancyBboxPatch(
            corner, place.width - 0.08, height, boxstyle=shape, linewidth=1.0, zorder=2, **style
        )
    )


def _draw_split(ax: Any, place: _Place, name: str) -> tuple[Any, float]:
    _box(ax, place, **_INNER)
    node = place.node
    p_value = node.p_value_feature
    lines = [
        _shorten(name),
        "not tested" if np.isnan(p_value) else f"p = {short_p(p_value)}",
        f"n = {node.n_samples}",
    ]
    text = ax.text(place.x, -place.depth, "\n".join(lines), ha="center", va="center", zorder=3)
    return text, place.width - 0.16


def _draw_edge(ax: Any, above: _Place, place: _Place, number: Words) -> tuple[Any, float]:
    ax.plot([above.x, place.x], [-above.depth - 0.25, -place.depth + 0.25], **_EDGE)
    is_left = above.node.left == place.node.id
    words = f"{'≤' if is_left else '>'} {number(above.node.threshold)}"
    middle = (above.x + place.x) / 2, -(above.depth + place.depth) / 2
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    text = ax.text(*middle, words, ha="center", va="center", zorder=2, bbox=box)
    # Siblings' labels are half as far apart as the siblings.
    return text, max(0.5, abs(place.x - above.x)) - 0.06


def _draw_leaf(
    ax: Any, place: _Place, classes: list[str] | None, colours: _Colours, number: Words
) -> tuple[Any, float]:
    node = place.node
    more = " ..." if place.cut_off else ""
    if classes is None:
        mean = float(node.value[0])
        _box(ax, place, facecolor=colours.of_mean(mean), edgecolor="#44546a")
        words = f"mean {number(mean)}{more}\nn = {node.n_samples}"
        y = float(-place.depth)
    else:
        _box(ax, place, facecolor="white", edgecolor="#44546a")
        _draw_bar(ax, place, node.value, colours)
        words = f"{_shorten(classes[int(np.argmax(node.value))])}{more}\nn = {node.n_samples}"
        y = -place.depth + 0.06
    text = ax.text(place.x, y, words, ha="center", va="center", zorder=3)
    text.set_gid(f"leaf {node.id}: {leaf_reason(node)}")  # a tooltip in SVG
    return text, place.width - 0.16


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
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top + 0.2 * n_rows)
    ax.legend(
        handles=[
            Patch(facecolor=colours.of_class(k), label=_shorten(name))
            for k, name in enumerate(classes)
        ],
        loc="upper center",
        ncols=min(columns, len(classes)),
        frameon=False,
        fontsize=8.0,
        handlelength=1.0,
        columnspacing=1.0,
        borderpad=0.2,
    )


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 1] + "…"


def _set_font_size(ax: Any, texts: list[tuple[Any, float]], fontsize: float | None) -> None:
    """Give texts one size: the given one, or the largest at which each fits the width it has."""
    if fontsize is None:
        for text, _ in texts:
            text.set_fontsize(_MAX_FONT_SIZE)
        ax.figure.canvas.draw()  # the layout must be settled before anything is measured
        to_data = ax.transData.inverted()
        shrink = 1.0
        for text, width in texts:
            extent = text.get_window_extent()
            (x0, y0), (x1, y1) = to_data.transform([extent.p0, extent.p1])
            shrink = min(shrink, width / (x1 - x0), 0.48 / (y1 - y0))
        # Hinting makes small letters wider than their share.
        fontsize = _MAX_FONT_SIZE * (shrink if shrink == 1.0 else 0.96 * shrink)
    for text, _ in texts:
        text.set_fontsize(fontsize)
