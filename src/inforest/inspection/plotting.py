"""Draw a fitted tree: p-values in the nodes, thresholds on the edges, responses in the leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from inforest._engine.arrays import Node, Tree
from inforest._engine.figure_colours import colours
from inforest._engine.short_names import for_figure
from inforest._engine.words import names_of_features, short_p
from inforest.estimators.rules import adjusted_p_values
from inforest.inspection.export import (
    at_floor,
    check_max_depth,
    depths_below,
    fitted_tree,
    leaf_reason,
    median_words,
    names_of_classes,
    number_words,
    size_words,
)
from inforest.inspection.leaf_panels import Frame, Panels, panels_of
from inforest.inspection.splits import SplitWords

Words = Callable[[float], str]
#: A text with the width and the height it has room for.
Label = tuple[Any, float, float]

#: Inches of one leaf and of one level in a figure of our own.
_LEAF_WIDTH, _LEVEL_HEIGHT = 1.4, 1.5
#: Levels that a leaf takes: its words, or those of a tree that is only a root, and its panel.
_WORDS, _REASON, _PANEL = 0.32, 0.62, 0.62
#: Where the numbers of the leaves' scale end.
_SCALE_AT = -0.47
_MAX_LETTERS = 22
#: Longer words on an edge are broken into lines.
_EDGE_LETTERS = 16
_MAX_FONT_SIZE = 9.0
#: Where along its edge a label stands: nearer to the child, where siblings are further apart.
_ALONG = 0.62


@dataclass(frozen=True)
class _Place:
    """Where a node goes: in leaves across, in levels up; and how many nodes it hides."""

    node: Node
    parent: int
    x: float
    width: float
    depth: int
    top: float
    bottom: float
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

    It reads like the plot of R's partykit. Inner nodes show the feature, its p-value, adjusted for
    the number of candidates as the tree was told to, and the number of samples; edges the
    condition. Leaves stand in a row below: what they predict, their number in `tree_`, their
    samples, and the responses of these as bars of the classes, as a box plot (whiskers of at most
    1.5 boxes; a dot is the farthest row beyond), or as the survival curve, from 0 to the last event
    time of all rows. All leaves have one scale. A tree that is only a root shows why. In an honest
    tree n counts the rows that grew it; the others gave the leaves what they show. Trees of a
    forest keep no box plots: a line stands at the mean.

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
        Where to draw, after what is there was taken away; None takes the current axes, or makes a
        figure of fitting size if there is no figure.

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
    number = number_words(decimals, digits=3)
    places = _layout(tree, max_depth)
    ax = _axes(ax, places)
    of_class = _Colours(len(classes or []))
    words = _Words(estimator, names, classes, number)
    panels = panels_of(estimator, number, of_class)
    in_boxes: list[Label] = []
    on_edges: list[Label] = []
    for place in places.values():
        if place.parent >= 0:
            edge_words = words.on_edge(places[place.parent].node, place.node)
            on_edges.append(_draw_edge(ax, places[place.parent], place, edge_words))
        if place.n_hidden:
            in_boxes.append(_draw_box(ax, place, words.of_branch(place)))
        elif place.node.is_leaf:
            in_boxes.append(_draw_leaf(ax, place, words.of_leaf(place), panels))
            in_boxes[-1][0].set_gid(words.tooltip(place.node))
        else:
            in_boxes.append(_draw_box(ax, place, words.of_split(place.node)))
    if classes is not None:
        _draw_legend(ax, classes, of_class)
    edge_size = _font_size(ax, on_edges) if fontsize is None else fontsize
    box_size = min(1.2 * edge_size, _font_size(ax, in_boxes)) if fontsize is None else fontsize
    for labels, points in ((in_boxes, box_size), (on_edges, edge_size)):
        for text, *_ in labels:
            text.set_fontsize(points)
    leaves = [place for place in places.values() if place.node.is_leaf]
    if leaves:
        panels.label(ax, _SCALE_AT, _frame(leaves[0]), 0.9 * box_size)
    return ax


class _Words:
    """What stands in the boxes and on the edges."""

    def __init__(
        self, estimator: Any, names: list[str], classes: list[str] | None, number: Words
    ) -> None:
        self._estimator, self._names = estimator, names
        self._classes, self._number = classes, number
        self._edges = SplitWords(estimator, estimator.tree_, number)
        self._p_value = adjusted_p_values(estimator)

    def of_split(self, node: Node) -> list[str]:
        tested = "not tested"
        if not np.isnan(node.p_value_feature):
            tested = self._p_words(node)
        name = for_figure(self._names[node.feature], _MAX_LETTERS)
        return [name, tested, size_words(self._estimator, node)]

    def _p_words(self, node: Node) -> str:
        p_value = float(self._p_value[node.id])
        is_asymptotic = not np.isnan(node.chi_square)
        is_floor = not is_asymptotic and at_floor(node.p_value_feature, node.n_draws_feature)
        if p_value == 0:
            return "p < 1e-300"
        return f"p {'≤' if is_floor and p_value < 1 else '='} {short_p(p_value)}"

    def of_leaf(self, place: _Place) -> list[str]:
        node = place.node
        size = size_words(self._estimator, node)
        if place.parent < 0:
            reason = fill(leaf_reason(self._estimator, node), 30)
            return [self._prediction(node), size, reason]
        return [self._prediction(node), f"leaf {node.id}, {size}"]

    def _prediction(self, node: Node) -> str:
        if self._estimator._response_type.has_curves:
            return f"median {median_words(self._estimator, node.id, self._number)}"
        if self._classes is not None:
            return for_figure(self._classes[int(np.argmax(node.value))], _MAX_LETTERS)
        means = ", ".join(map(self._number, node.value[:2].tolist()))
        return f"mean {means}{', …' if len(node.value) > 2 else ''}"

    def of_branch(self, place: _Place) -> list[str]:
        return [size_words(self._estimator, place.node), f"+ {place.n_hidden} nodes"]

    def on_edge(self, above: Node, below: Node) -> str:
        words = self._edges.on_edges(above.id)[0 if above.left == below.id else 1]
        lines = words.split("\n")
        return "\n".join(fill(line, _EDGE_LETTERS, break_long_words=False) for line in lines)

    def tooltip(self, node: Node) -> str:
        """Return what an SVG shows where the pointer is."""
        return f"leaf {node.id}: {leaf_reason(self._estimator, node)}"


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
    lowest = int(depths[order].max())
    words = _WORDS if lowest else _REASON
    places = {}
    for i in map(int, order):
        n_hidden = len(depths_below(depths, i)) if ends[i] else 0
        is_leaf = bool(tree.is_leaf[i])
        top = 0.25 - (lowest if is_leaf else depths[i])
        places[i] = _Place(
            node=tree.node(i),
            parent=int(parent[i]),
            x=float(first[i] + last[i]) / 2,
            width=min(0.92 + float(last[i] - first[i]), 1.84),
            depth=int(depths[i]),
            top=float(top),
            bottom=float(top) - (words + _PANEL if is_leaf else 0.5),
            n_hidden=n_hidden,
        )
    return places


def _axes(ax: Any, places: dict[int, _Place]) -> Any:
    import matplotlib.pyplot as plt

    n_leaves = 1 + max(place.x for place in places.values() if place.width < 1)
    bottom = min(place.bottom for place in places.values())
    if ax is None and plt.get_fignums():
        ax = plt.gca()
    if ax is None:
        size = (max(4.0, _LEAF_WIDTH * (n_leaves + 0.3)), max(2.4, _LEVEL_HEIGHT * (0.5 - bottom)))
        ax = plt.figure(figsize=size).add_axes((0, 0, 1, 1))
    ax.clear()
    ax.set_xlim(-0.9, n_leaves - 0.45)
    ax.set_ylim(bottom - 0.25, 0.45)
    ax.set_axis_off()
    return ax


class _Colours:
    """A colour per class."""

    def __init__(self, n_classes: int) -> None:
        import matplotlib as mpl

        many = n_classes > 10
        self._map = mpl.colormaps["turbo" if many else "tab10"]
        self._n = n_classes if many else 10

    def __call__(self, k: int) -> Any:
        return self._map((k + 0.5) / self._n)


def _box(ax: Any, place: _Place, facecolor: Any) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (place.x - place.width / 2 + 0.04, place.bottom)
    shape = "round,pad=0,rounding_size=0.04"
    ax.add_patch(
        FancyBboxPatch(
            corner,
            place.width - 0.08,
            place.top - place.bottom,
            boxstyle=shape,
            facecolor=facecolor,
            edgecolor=colours().ink,
            linestyle="--" if place.n_hidden else "-",
            linewidth=1.0,
            zorder=2,
        )
    )


def _draw_box(ax: Any, place: _Place, lines: list[str]) -> Label:
    _box(ax, place, colours().paper if place.n_hidden else colours().panel)
    middle = (place.top + place.bottom) / 2
    text = ax.text(place.x, middle, "\n".join(lines), ha="center", va="center", zorder=3)
    return text, place.width - 0.16, 0.48


def _draw_edge(ax: Any, above: _Place, place: _Place, words: str) -> Label:
    """Draw a line to the child's level, and from there down if the child is a leaf."""
    top, end = above.bottom, -place.depth + 0.25
    line = "--" if place.n_hidden else "-"
    edge = {"color": colours().quiet, "linewidth": 1.0, "zorder": 1}
    ax.plot([above.x, place.x, place.x], [top, end, place.top], linestyle=line, **edge)
    across = place.x - above.x
    at = above.x + _ALONG * across, top + _ALONG * (end - top)
    box = {"facecolor": colours().paper, "edgecolor": "none", "pad": 1.0}
    text = ax.text(*at, words, ha="center", va="center", zorder=2, bbox=box)
    # Not beyond the parent's centre on one side, nor the child's leaves on the other.
    return text, min(2 * _ALONG * abs(across), 1.2) - 0.06, 0.4


def _draw_leaf(ax: Any, place: _Place, lines: list[str], panels: Panels) -> Label:
    _box(ax, place, colours().paper)
    frame = _frame(place)
    panels.draw(ax, place.node, frame)
    room = place.top - frame.bottom - frame.height
    middle = place.top - room / 2
    text = ax.text(place.x, middle, "\n".join(lines), ha="center", va="center", zorder=3)
    return text, place.width - 0.16, room - 0.04


def _frame(place: _Place) -> Frame:
    """Return where a leaf's panel is."""
    width = place.width - 0.2
    return Frame(place.x - width / 2, place.bottom + 0.06, width, _PANEL - 0.12)


def _draw_legend(ax: Any, classes: list[str], of_class: _Colours) -> None:
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
            Patch(facecolor=of_class(k), label=for_figure(classes[k], _MAX_LETTERS)) for k in by_row
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
