"""What a drawn leaf shows of its rows' responses: bars, box plots or a survival curve.

All leaves of a tree have the same scale, whose numbers stand left of the first.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from inforest._engine.arrays import Floats, Node
from inforest._engine.curves import LeafCurves
from inforest._engine.figure_colours import colours

#: Share of a panel's width that bars and boxes leave free between them.
_GAP = 0.25


@dataclass(frozen=True)
class Frame:
    """Where a panel is, in the units of the axes; shares of it are turned into these."""

    left: float
    bottom: float
    width: float
    height: float

    def x(self, share: Any) -> Any:
        """Return how far right a share of the width is."""
        return self.left + self.width * np.asarray(share)

    def y(self, share: Any) -> Any:
        """Return how far up a share of the height is."""
        return self.bottom + self.height * np.asarray(share)


class Panels(ABC):
    """Draws what is in the leaves; all on one scale, from 0 to 1 of a panel's height."""

    #: Numbers of the scale: where they stand, as a share of the height, and what they are.
    ticks: list[tuple[float, str]]
    #: The same along the width.
    ticks_below: ClassVar[list[tuple[float, str]]] = []

    def draw(self, ax: Any, node: Node, frame: Frame) -> None:
        """Draw the panel of a leaf."""
        grid = {"color": colours().faint, "linewidth": 0.6, "zorder": 2.5}
        for share, _ in self.ticks:
            ax.plot(frame.x([0.0, 1.0]), frame.y([share, share]), **grid)
        self._draw_content(ax, node, frame)

    @abstractmethod
    def _draw_content(self, ax: Any, node: Node, frame: Frame) -> None: ...

    def label(self, ax: Any, left: float, frame: Frame, points: float) -> None:
        """Write the numbers of the scale left of all panels, the lower ones below a panel."""
        style = {"fontsize": points, "color": colours().ink, "zorder": 3}
        for share, words in self.ticks:
            ax.text(left, frame.y(share), words, ha="right", va="center", **style)
        for share, words in self.ticks_below:
            at = frame.x(share), frame.bottom - 0.09
            ax.text(*at, words, ha=("left", "right")[round(share)], va="top", **style)


def _slots(n: int) -> tuple[Floats, float]:
    """Return the middles of n slots side by side and their width, as shares."""
    return (np.arange(n) + 0.5) / n, (1 - _GAP) / n


class Bars(Panels):
    """A bar per class, as high as its share."""

    def __init__(self, colour_of_class: Any) -> None:
        self._colour = colour_of_class
        self.ticks = [(0.0, "0"), (0.5, "0.5"), (1.0, "1")]

    def _draw_content(self, ax: Any, node: Node, frame: Frame) -> None:
        from matplotlib.patches import Rectangle

        middles, width = _slots(len(node.value))
        for k, (middle, share) in enumerate(zip(middles, node.value, strict=True)):
            corner = frame.x(middle - width / 2), frame.bottom
            size = frame.width * width, frame.height * float(share)
            ax.add_patch(Rectangle(corner, *size, facecolor=self._colour(k), zorder=3))


class Boxes(Panels):
    """A box plot per number: quartiles, whiskers of 1.5 boxes at most, the farthest rows as dots.

    Of several numbers each has a scale of its own. Without boxes, as in a tree of a forest, a line
    stands at the mean.
    """

    def __init__(self, values: Floats, boxes: Floats | None, number: Any) -> None:
        self._boxes = boxes
        shown = values if boxes is None else boxes
        axes = (0,) if boxes is None else (0, 2)
        # Halves, because the range itself may overflow.
        self._low, self._high = np.nanmin(shown, axis=axes) / 2, np.nanmax(shown, axis=axes) / 2
        self.ticks = self._ticks(number) if len(self._low) == 1 else []

    def _ticks(self, number: Any) -> list[tuple[float, str]]:
        low, high = float(2 * self._low[0]), float(2 * self._high[0])
        if low == high:
            return [(0.5, number(low))]
        return [(0.0, number(low)), (0.5, number(low / 2 + high / 2)), (1.0, number(high))]

    def _share(self, value: Floats, k: int) -> Floats:
        span = self._high[k] - self._low[k]
        return (value / 2 - self._low[k]) / span if span > 0 else np.full_like(value, 0.5)

    def _draw_content(self, ax: Any, node: Node, frame: Frame) -> None:
        from matplotlib.patches import Rectangle

        middles, width = _slots(len(self._low))
        width = min(width, 0.5)
        thin = {"color": colours().ink, "linewidth": 1.0, "zorder": 4}
        for k, middle in enumerate(middles):
            sides = frame.x([middle - width / 2, middle + width / 2])
            if self._boxes is None:
                at = frame.y(self._share(node.value[k : k + 1], k))
                ax.plot(sides, np.repeat(at, 2), **thin | {"linewidth": 2.0})
                continue
            numbers = self._share(self._boxes[node.id, k], k)
            low, lower, median, upper, high, *ends = frame.y(numbers)
            centre = frame.x([middle, middle])
            ax.plot(centre, [low, high], **thin)
            for end in (low, high):
                ax.plot(frame.x([middle - width / 4, middle + width / 4]), [end, end], **thin)
            box = Rectangle((sides[0], lower), sides[1] - sides[0], upper - lower)
            box.set(facecolor=colours().box, edgecolor=colours().ink, zorder=5)
            ax.add_patch(box)
            ax.plot(sides, [median, median], **thin | {"linewidth": 2.0, "zorder": 6})
            beyond = [end for end, whisker in zip(ends, (low, high), strict=True) if end != whisker]
            dots = {
                "marker": "o",
                "markersize": 2.5,
                "linestyle": "none",
                "markerfacecolor": "none",
            }
            ax.plot(centre[: len(beyond)], beyond, **thin | dots)


class Curves(Panels):
    """Kaplan and Meier's curve, from 0 to the last event time of all rows."""

    def __init__(self, curves: LeafCurves, last: float, number: Any) -> None:
        self._curves, self._last = curves, last
        self.ticks = [(0.0, "0"), (0.5, "0.5"), (1.0, "1")]
        self.ticks_below = [(0.0, "0"), (1.0, number(last))]  # type: ignore[misc]

    def _draw_content(self, ax: Any, node: Node, frame: Frame) -> None:
        time, survival = self._curves.curve(node.id)
        across = np.concatenate([[0.0], np.repeat(time / self._last, 2), [1.0]])
        up = np.repeat(np.concatenate([[1.0], survival]), 2)
        style = {
            "color": colours().curve,
            "linewidth": 1.4,
            "solid_joinstyle": "miter",
            "zorder": 3,
        }
        ax.plot(frame.x(across), frame.y(up), **style)


def panels_of(estimator: Any, number: Any, colour_of_class: Any) -> Panels:
    """Return what draws the leaves of a fitted tree."""
    if estimator._response_type.has_curves:
        return Curves(estimator._curves, float(estimator.event_times_[-1]), number)
    if estimator._response_type.keeps_shares:
        return Bars(colour_of_class)
    tree = estimator.tree_
    return Boxes(tree.value[tree.is_leaf], getattr(estimator, "_boxes", None), number)
