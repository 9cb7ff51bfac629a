"""The figure of docs/fairness.md: importances and first places on pure noise, by kind."""

import matplotlib as mpl
import numpy as np
from fairness_design import FAIR, KINDS, N_KINDS

mpl.use("Agg")
from matplotlib import pyplot as plt

OURS, OTHERS = "#2b6ca3", "#c9772b"


def draw_figure(forests, others, folder):
    """Draw what a data set's importances are, and below them how often each kind comes first."""
    methods = {
        "inforest, default forest": (forests["importance"], forests["forest"], OURS),
        "RandomForest, impurity": (others["impurity"], first(others["impurity"]), OTHERS),
        "RandomForest, permutation": (others["permutation"], first(others["permutation"]), OTHERS),
    }
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.6), sharex=True, layout="constrained")
    for (name, (values, places, colour)), column in zip(methods.items(), axes.T, strict=True):
        column[0].set_title(name, fontsize=11)
        boxes(column[0], values, colour, fair=0.0 if "permutation" in name else FAIR)
        bars(column[1], places, colour)
    axes[0, 0].set_ylabel("importance on noise")
    axes[1, 0].set_ylabel("share of first places")
    top = max(ax.get_ylim()[1] for ax in axes[1])
    for ax in axes[1]:
        ax.set_ylim(0, top)
    axes[1, 0].legend(fontsize=8, frameon=False, loc="upper left")
    figure.suptitle(
        "Seven features that have nothing to do with y (two classes, n = 120): is a kind preferred?"
    )
    figure.savefig(folder / "fairness.png", dpi=110, metadata={"Software": None})
    plt.close(figure)


def first(values):
    """Return the indicator of each data set's largest importance."""
    return np.eye(N_KINDS)[values.argmax(axis=1)]


def boxes(ax, values, colour, fair):
    ax.axhline(fair, color="black", linewidth=0.9)
    drawn = ax.boxplot(
        values, positions=range(N_KINDS), widths=0.6, patch_artist=True, showfliers=False,
        medianprops={"color": "black"},
    )  # fmt: skip
    for box in drawn["boxes"]:
        box.set(facecolor=colour, alpha=0.75)
    ax.spines[["top", "right"]].set_visible(False)


def bars(ax, places, colour):
    share, n = places.mean(axis=0), len(places)
    error = 2 * np.sqrt(share * (1 - share) / n)
    ax.bar(range(N_KINDS), share, yerr=error, color=colour, alpha=0.75, error_kw={"linewidth": 1})
    ax.axhline(FAIR, color="black", linewidth=0.9, label="fair: 1/7 (bars: 2 s.e.)")
    ax.set_xticks(range(N_KINDS), KINDS, rotation=40, ha="right", fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
