"""The figure of independence tests."""

from typing import TYPE_CHECKING, Any

import numpy as np

from inforest._engine.arrays import Floats
from inforest._engine.short_names import for_figure

if TYPE_CHECKING:
    from inforest.independence.result import IndependenceResult

_QUIET, _STRONG, _LINE = "#8895a7", "#b5413a", "#44546a"
#: Features that are named at most, and letters of a name.
_LABELLED, _LETTERS = 6, 22
#: Shares of the axes that two names are apart: along the floor, where they slant, and upwards.
_BESIDE, _APART = 0.05, 0.06


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
        (~rejected, _QUIET, "not rejected"),
        (rejected, _STRONG, "rejected"),
    ]:
        if chosen.any():
            ax.scatter(
                result.statistic[chosen], height[chosen], s=20, color=colour, alpha=0.7,
                label=label, linewidths=0,
            )  # fmt: skip
    level = -np.log10(result.alpha)
    ax.axhline(level, color=_LINE, linewidth=1, linestyle="--", label=f"p = {result.alpha:g}")
    on_floor = (height == height.max()) & (result.n_draws > 0)
    is_floor = bool(on_floor.sum() > 1 and height.max() > level)
    if is_floor:
        ax.axhline(
            height.max(), color=_LINE, linewidth=0.8, linestyle=":", zorder=0,
            label="smallest p-value here",
        )  # fmt: skip
    top = max(float(height.max()), float(level))
    ax.set_ylim(-0.04 * top, top * (1.42 if is_floor else 1.1))
    low, high = _range(result.statistic)
    ax.set_xlim(low, high)
    _name_the_strongest(result, ax, height, on_floor if is_floor else np.zeros_like(on_floor))
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


def _name_the_strongest(
    result: "IndependenceResult", ax: Any, height: Floats, on_floor: Floats
) -> None:
    """Write names where there is room: slanted above the floor, elsewhere beside the points."""
    low, high = ax.get_xlim()
    bottom, top = ax.get_ylim()
    placed: list[tuple[float, float, bool]] = []
    for j in result.ranking.tolist():
        if len(placed) == _LABELLED or not result.rejected[j]:
            break
        x, y = float(result.statistic[j]), float(height[j])
        is_slanted = bool(on_floor[j])
        if any(_collide(x, y, is_slanted, one, high - low, top - bottom) for one in placed):
            continue
        placed.append((x, y, is_slanted))
        name = for_figure(str(result.feature_names[j]), _LETTERS)
        if is_slanted:
            where = {"xytext": (2, 5), "rotation": 42, "ha": "left", "va": "bottom"}
        else:
            is_right = x > (low + high) / 2  # to the left, lest the name runs out of the figure
            where = {
                "xytext": (-6 if is_right else 6, 0),
                "ha": "right" if is_right else "left",
                "va": "center",
            }
        ax.annotate(name, (x, y), fontsize=8, textcoords="offset points", **where)


def _collide(
    x: float,
    y: float,
    is_slanted: bool,
    other: tuple[float, float, bool],
    width: float,
    tall: float,
) -> bool:
    """Whether a name would stand over one that was placed before."""
    if is_slanted and other[2]:
        return abs(x - other[0]) < _BESIDE * width
    return abs(y - other[1]) < _APART * tall and abs(x - other[0]) < 0.4 * width
