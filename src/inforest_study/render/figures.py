"""The study's figures, drawn from the summaries with matplotlib.

Every function takes a summary's data frame and returns a figure. Colours are those of Okabe and
Ito or of matplotlib's cividis, which colour-blind people can tell apart; every line also has its
own marker, every heat map prints its numbers. Marks carry words that `to_svg` shows under the
pointer.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inforest_study.protocol import STANDARD_K

#: Okabe and Ito's colours.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#000000",
)
#: A method looks the same in every figure.
STYLES = {
    "CIF": (VERMILION, "o"),
    "CIF-all": (ORANGE, "s"),
    "CIT": (VERMILION, "o"),
    "inforest": (BLACK, "*"),
    "RF": (BLUE, "^"),
    "ExtraTrees": (GREEN, "v"),
    "DT": (BLUE, "^"),
    "RT": (GREEN, "v"),
    "XGBoost": (PURPLE, "D"),
    "LightGBM": (SKY, "P"),
    "CatBoost": (ORANGE, "X"),
}
_TITLES = {"classification": "Classification", "regression": "Regression"}
#: Groups of methods that the recovery figure compares.
FAMILIES = {
    "Single trees": ("CIT", "DT", "RT"),
    "Forests": ("CIF", "RF", "ExtraTrees", "inforest"),
    "Boosted trees": ("CIF", "XGBoost", "LightGBM", "CatBoost"),
}


def k_trajectory(by_k: pd.DataFrame, task: str) -> Any:
    """Draw the mean rank of every method at every k as a heat map, best method on top."""
    plt = _pyplot()
    own = by_k[by_k["task"] == task]
    table = own.pivot(index="method", columns="k", values="mean_rank")
    table = table.loc[table.mean(axis=1).sort_values(kind="stable").index]
    figure, ax = plt.subplots(figsize=(5.2, 0.32 * len(table) + 1.2), layout="constrained")
    image = ax.imshow(table, cmap="cividis_r", vmin=1, vmax=len(table), aspect="auto")
    _label_cells(ax, table, image, ".1f", "{row}, k = {column}: mean rank {value:.2f}")
    ax.set_xticks(range(table.shape[1]), table.columns)
    ax.set_yticks(range(len(table)), table.index)
    for label in ax.get_yticklabels():
        if label.get_text() in ("CIF", "inforest"):
            label.set_fontweight("bold")
    ax.set_xlabel("number of features k")
    ax.set_title(f"{_TITLES[task]}: mean rank by k (1 is best)", fontsize=10)
    figure.colorbar(image, ax=ax, label="mean rank", pad=0.02)
    return figure


def high_p_boundary(high_p: pd.DataFrame, task: str = "classification") -> Any:
    """Draw where the scores peak, and what taking all features changes, for each learner."""
    plt = _pyplot()
    own = high_p[(high_p["task"] == task) & (high_p["learner"] != "all")].set_index("learner")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    start = np.zeros(len(own))
    names = {
        "below_100": "k < 100",
        "at_100": "k = 100",
        "between": "100 < k < p",
        "at_p": "k = p",
    }
    colours = (BLUE, SKY, YELLOW, VERMILION)
    for (column, label), colour in zip(names.items(), colours, strict=True):
        share = own[column].to_numpy() / own["cells"].to_numpy()
        bars = left.bar(
            own.index, share, bottom=start, label=label, color=colour, edgecolor="white"
        )
        for bar, learner, n in zip(bars, own.index, own[column], strict=True):
            _tell(bar, f"{learner}, {label}: {n} of {own.loc[learner, 'cells']} data sets")
        start += share
    left.set_ylabel("share of data sets")
    left.set_ylim(0, 1)
    left.set_title("first k with the best score", fontsize=10)
    left.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, frameon=False)
    bars = right.bar(own.index, own["change_mean"], color=BLUE)
    for bar, learner, change in zip(bars, own.index, own["change_mean"], strict=True):
        _tell(bar, f"{learner}: {change:+.4f}")
    right.axhline(0, color="black", linewidth=0.8)
    right.set_ylabel("mean change of the score")
    right.set_title("all features instead of 100", fontsize=10)
    return figure


def recovery_curves(means: pd.DataFrame) -> Any:
    """Draw precision against k for single trees, forests and boosted trees of both tasks."""
    plt = _pyplot()
    tasks = [task for task in _TITLES if task in set(means["task"])]
    figure, axes = plt.subplots(
        len(tasks),
        3,
        figsize=(9, 2.7 * len(tasks) + 0.3),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for row, task in zip(axes, tasks, strict=True):
        own = means[means["task"] == task].set_index("method")
        for ax, (family, methods) in zip(row, FAMILIES.items(), strict=True):
            for method in methods:
                if method in own.index:
                    values = [100 * own.loc[method, f"precision_at_{k}"] for k in STANDARD_K]
                    colour, marker = STYLES[method]
                    ax.plot(STANDARD_K, values, marker=marker, color=colour, label=method)
                    for k, value in zip(STANDARD_K, values, strict=True):
                        _tell_point(ax, k, value, f"{method}, k = {k}: {value:.1f} %")
            ax.set_xscale("log")
            ax.set_xticks(STANDARD_K, map(str, STANDARD_K))
            ax.minorticks_off()
            ax.set_ylim(0, 100)
            ax.grid(alpha=0.3)
            ax.set_title(f"{_TITLES[task]}: {family.lower()}", fontsize=10)
            ax.legend(fontsize=8, frameon=False)
        row[0].set_ylabel("informative of top k, %")
    for ax in axes[-1]:
        ax.set_xlabel("k")
    return figure


def feature_counts(trees_using: pd.DataFrame, informative: Sequence[int]) -> Any:
    """Draw how many trees use each feature of one design, one panel for each method.

    Parameters
    ----------
    trees_using : DataFrame
        Columns method, feature, trees.
    informative : sequence of int
        The informative features, which are drawn on top of the others.

    """
    plt = _pyplot()
    methods = list(dict.fromkeys(trees_using["method"]))
    n_rows = -(-len(methods) // 2)
    figure, axes = plt.subplots(
        n_rows, 2, figsize=(9, 2.4 * n_rows), sharex=True, squeeze=False, layout="constrained"
    )
    for ax, method in zip(axes.flat, methods, strict=False):
        own = trees_using[trees_using["method"] == method]
        real = own["feature"].isin(informative)
        _stems(ax, own["feature"][~real], own["trees"][~real])
        ax.vlines(own["feature"][real], 0, own["trees"][real], color=GREEN, linewidth=1.6)
        ax.plot(own["feature"][real], own["trees"][real], "o", color=GREEN, label="informative")
        for feature, trees in zip(own["feature"][real], own["trees"][real], strict=True):
            _tell_point(
                ax, feature, trees, f"{method}, informative feature {feature}: {trees} trees"
            )
        ax.set_title(method, fontsize=10)
        ax.set_ylim(bottom=0)
        ax.legend(fontsize=8, frameon=False)
    for ax in axes.flat[len(methods) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("feature")
    for row in axes:
        row[0].set_ylabel("trees using it")
    return figure


def _stems(ax: Any, x: pd.Series, heights: pd.Series) -> None:
    """Draw thin lines from zero up, as one broken line: a thousand of them are a large file."""
    gaps = np.full(len(x), np.nan)
    across = np.column_stack([x, x, gaps]).ravel()
    up = np.column_stack([np.zeros(len(x)), heights, gaps]).ravel()
    ax.plot(across, up, color="#999999", linewidth=0.8)


def pairwise_margins(
    by_cell: pd.DataFrame, paper: pd.DataFrame, task: str, limit: float | None = None
) -> Any:
    """Draw CIF minus its relatives for each learner and k, with the paper's cells below.

    Parameters
    ----------
    by_cell, paper : DataFrame
        Columns task, comparator, learner, k, mean_difference. The relatives are those of
        `by_cell`, in the order they come in.
    task : {"classification", "regression"}
        The task.
    limit : float or None, default=None
        Where the colours end; the numbers are printed in full.

    """
    plt = _pyplot()
    comparators = list(by_cell.loc[by_cell["task"] == task, "comparator"].unique())
    sources = {"": by_cell, ", published": paper}
    both = pd.concat(sources.values())
    both = both[(both["task"] == task) & both["comparator"].isin(comparators)]
    bound = limit or float(both["mean_difference"].abs().max())
    figure, axes = plt.subplots(
        len(sources),
        len(comparators),
        figsize=(3.3 * len(comparators), 2.1 * len(sources)),
        squeeze=False,
        layout="constrained",
    )
    for row, (whose, cells) in zip(axes, sources.items(), strict=True):
        for ax, comparator in zip(row, comparators, strict=True):
            mine = cells[(cells["task"] == task) & (cells["comparator"] == comparator)]
            table = mine.pivot(index="learner", columns="k", values="mean_difference")
            image = ax.imshow(table, cmap="PuOr", vmin=-bound, vmax=bound, aspect="auto")
            words = f"CIF − {comparator}{whose}, {{row}}, k = {{column}}: {{value:+.4f}}"
            _label_cells(ax, table, image, "+.3f" if bound < 1 else "+.2f", words)
            ax.set_xticks(range(table.shape[1]), table.columns)
            ax.set_yticks(range(len(table)), table.index)
            ax.set_title(f"CIF − {comparator}{whose}", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("k")
    return figure


def dimension_curves(by_dimension: pd.DataFrame, task: str) -> Any:
    """Draw informative split share and noise features used against the number of features."""
    plt = _pyplot()
    own = by_dimension[by_dimension["task"] == task]
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
    panels = (
        ("informative_share", "share_low", "share_high", "informative share of splits"),
        ("noise_features", "noise_low", "noise_high", "distinct noise features used"),
    )
    methods = [m for m in ("CIF", "CIF-all", "RF", "ExtraTrees") if m in set(own["method"])]
    for ax, (mean, low, high, label) in zip(axes, panels, strict=True):
        for place, method in enumerate(methods):
            line = own[own["method"] == method].sort_values("n_features")
            colour, marker = STYLES[method]
            bars = [line[mean] - line[low], line[high] - line[mean]]
            x = line["n_features"] * (1 + 0.03 * (place - 1.5))  # side by side
            ax.errorbar(x, line[mean], bars, marker=marker, color=colour, capsize=3, label=method)
            for place_x, row in zip(x, line.to_dict("records"), strict=True):
                words = f"{row[mean]:.3g} ({row[low]:.3g} to {row[high]:.3g})"
                words = f"{method}, {row['n_features']} features: {words}"
                _tell_point(ax, place_x, row[mean], words)
        ax.set_xscale("log")
        ticks = sorted(set(own["n_features"]))
        ax.set_xticks(ticks, map(str, ticks))
        ax.minorticks_off()
        ax.set_xlabel("number of features")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
        ax.grid(alpha=0.3)
    axes[0].legend(fontsize=8, frameon=False)
    figure.suptitle(f"{_TITLES[task]}: mean, with the range over designs", fontsize=10)
    return figure


def to_svg(figure: Any) -> str:
    """Return a figure as an SVG element that can stand in an HTML page.

    Its words are text, not outlines, and what `_tell` said of a mark is its title. Identifiers
    are the figure's own, so that several figures can stand in one page.
    """
    from matplotlib import rc_context

    out = io.StringIO()
    salt = str(figure.get_label())
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(rf'<g id="{_TELLS}([^"]*)">', r"<g><title>\1</title>", svg)
    return re.sub(r'<g id="[^"]*">', "<g>", svg)  # matplotlib numbers them alike in every figure


def write(figure: Any, folder: Path, name: str) -> None:
    """Write a figure as SVG and as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # once is enough
    (folder / f"{name}.svg").write_text(to_svg(figure), encoding="utf-8")
    figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})


#: How the identifier of a mark with words begins.
_TELLS = "tells: "


def _tell(artist: Any, words: str) -> None:
    """Give a mark words for the pointer that rests on it."""
    artist.set_gid(f"{_TELLS}{words}")


def _tell_point(ax: Any, x: float, y: float, words: str) -> None:
    """Give a point words: an invisible mark, large enough to be hit."""
    _tell(ax.plot([x], [y], "o", markersize=12, alpha=0, scalex=False, scaley=False)[0], words)


def _label_cells(ax: Any, table: pd.DataFrame, image: Any, form: str, words: str) -> None:
    """Print each number in black or white, whichever is readable on its colour."""
    from matplotlib.patches import Rectangle

    for (i, j), value in np.ndenumerate(table.to_numpy()):
        if np.isnan(value):
            continue
        red, green, blue, _ = image.cmap(image.norm(value))
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        colour = "white" if is_dark else "black"
        ax.text(j, i, format(value, form), ha="center", va="center", color=colour, fontsize=8)
        cell = ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, alpha=0))
        _tell(cell, words.format(row=table.index[i], column=table.columns[j], value=value))


def _pyplot() -> Any:
    from matplotlib import pyplot as plt

    return plt
