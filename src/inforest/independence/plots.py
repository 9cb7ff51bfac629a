"""The figure of independence tests."""

from typing import TYPE_CHECKING, Any

import numpy as np

from inforest._engine.arrays import Floats
from inforest._engine.figure_colours import colours
from inforest._engine.short_names import for_figure

if TYPE_CHECKING:
    from inforest.independence.result import IndependenceResult

#: Features that are named at most, and letters of a name.
_LABELLED, _LETTERS = 6, 22
#: Shares of the height: between two names above the floor, and between two beside points.
_STEP, _APART = 0.065, 0.06


def plot_tests(result: "IndependenceResult", ax: Any = None) -> Any:
    """Draw statistics and p-values as points; name the strongest features.

    Parameters
    ----------
    result : IndependenceResult
        What `independence_test` returned.
    ax : matplotlib axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes
        The axes that hold the plot; nothing is shown or saved.

    """
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")[1]
    # An asymptotic p-value may be 0 in floating point; the smallest number stands for it.
    height = -np.log10(np.maximum(result.adjusted_p_value, np.finfo(float).tiny))
    rejected = result.rejected
    for chosen, colour, label in [
        (~rejected, colours().quiet, "not rejected"),
        (rejected, colours().strong, "rejected"),
    ]:
        if chosen.any():
            ax.scatter(
                result.statistic[chosen], height[chosen], s=20, color=colour, alpha=0.7,
                label=label, linewidths=0,
            )  # fmt: skip
    level = -np.log10(result.alpha)
    ax.axhline(
        level, color=colours().ink, linewidth=1, linestyle="--", label=f"p = {result.alpha:g}"
    )
    top = max(float(height.max()), float(level))
    on_floor = (height == top) & (result.n_draws > 0)
    is_floor = bool(on_floor.sum() > 1 and top > level)
    if is_floor:
        ax.axhline(
            top, color=colours().ink, linewidth=0.8, linestyle=":", zorder=0,
            label="smallest p-value here",
        )  # fmt: skip
    ax.set_xlim(*_range(result.statistic))
    ax.set_ylim(-0.04 * top, top * 1.1)
    strongest = [j for j in result.ranking.tolist() if rejected[j]][:_LABELLED]
    above = [j for j in strongest if is_floor and on_floor[j]]
    if above:
        # No p-value is smaller: there are names, and no numbers at the axis.
        ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
        ax.set_ylim(-0.04 * top, top * (1.1 + _STEP * len(above)))
    _name_above(result, ax, above, top)
    _name_beside(result, ax, [j for j in strongest if j not in above], height)
    ax.set_xlabel(f"statistic ({result.statistic_name})")
    ax.set_ylabel("-log10 p" if result.adjust is None else f"-log10 p ({result.adjust})")
    ax.set_title(result.summary, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    # Where the statistic is large and the p-value is, too, there is nothing.
    ax.legend(fontsize=8, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.02))
    return ax


def _range(statistic: Floats) -> tuple[float, float]:
    """Return limits with room beside the points for names."""
    low, high = float(statistic.min()), float(statistic.max())
    room = (high - low) or 1.0
    return low - 0.06 * room, high + 0.22 * room


def _name_above(result: "IndependenceResult", ax: Any, above: list[int], floor: float) -> None:
    """Write names over points of one height: the farther left, the higher, on stalks."""
    for step, j in enumerate(sorted(above, key=lambda j: -result.statistic[j]), start=1):
        x, y = float(result.statistic[j]), floor * (1 + _STEP * step)
        ax.plot([x, x], [floor, y], color=colours().ink, linewidth=0.6, alpha=0.6, zorder=0)
        ax.annotate(
            for_figure(str(result.feature_names[j]), _LETTERS), (x, y), fontsize=8,
            textcoords="offset points", xytext=(3, 0), va="center",
        )  # fmt: skip


def _name_beside(
    result: "IndependenceResult", ax: Any, strongest: list[int], height: Floats
) -> None:
    """Write names beside points where there is room, the strongest first."""
    low, high = ax.get_xlim()
    bottom, top = ax.get_ylim()
    placed: list[tuple[float, float]] = []
    for j in strongest:
        x, y = float(result.statistic[j]), float(height[j])
        if any(
            abs(y - b) < _APART * (top - bottom) and abs(x - a) < 0.4 * (high - low)
            for a, b in placed
        ):
            continue
        placed.append((x, y))
        is_right = x > (low + high) / 2  # to the left, lest the name runs out of the figure
        ax.annotate(
            for_figure(str(result.feature_names[j]), _LETTERS), (x, y), fontsize=8,
            textcoords="offset points", xytext=(-6 if is_right else 6, 2),
            ha="right" if is_right else "left", va="bottom",
        )  # fmt: skip
