"""What the figures of the diagnostics share: one labelled row per feature."""

from collections.abc import Sequence
from typing import Any

from inforest._engine.short_names import for_figure

#: Rows that can still be read.
MOST_ROWS = 25
_ROW_HEIGHT = 0.26
_LETTERS = 28


def axes_for(ax: Any, n_rows: int) -> Any:
    """Return the axes given, or those of a new figure with room for so many rows."""
    import matplotlib.pyplot as plt

    if ax is None:
        size = (6.5, 1.6 + _ROW_HEIGHT * max(n_rows, 5))
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    return ax


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Name the rows 0, 1, ... from top to bottom."""
    ax.set_yticks(range(len(names)), [for_figure(name, _LETTERS) for name in names], fontsize=8)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def legend_above(ax: Any, **options: Any) -> None:
    """Put the legend between the title and the axes, where it hides nothing."""
    ax.set_title(ax.get_title(), fontsize=10, pad=20)
    ax.legend(
        fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 0.985), ncols=4,
        borderpad=0.2, handletextpad=0.4, columnspacing=1.2, **options,
    )  # fmt: skip
