"""Figures of a ranking and of the choice of k."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.figure_colours import colours
from inforest._engine.short_names import for_figure
from inforest._engine.words import short_p

if TYPE_CHECKING:
    from inforest.ranking.ranking import Ranking

#: Inches of one bar, and of what is above and below all of them.
_BAR_HEIGHT, _MARGIN = 0.21, 0.9
_LETTERS = 32
#: Bars beside which there is room for a second drawing.
_ROOMY = 10
#: From this number of features on, k has a logarithmic axis.
_MANY = 50
#: Share of the first score below which the second one makes the first bar a tall one.
_TALL = 0.25


def plot_ranking(ranking: "Ranking", *, ax: Any = None, top: int = 30) -> Any:
    """Draw the scores of the best features as bars, the best on top.

    With more features than are shown, a small curve of all scores says how quickly they fall,
    where there is room for it.

    Parameters
    ----------
    ranking : Ranking
        What `rank_features` returned.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure of fitting size.
    top : int, default=30
        How many features to show at most.

    Returns
    -------
    ax : matplotlib axes
        The axes that hold the bars; nothing is shown or saved.

    """
    import matplotlib.pyplot as plt

    shown = ranking.top(top, indices=True)
    n_shown, n = len(shown), len(ranking)
    if ax is None:
        height = _MARGIN + _BAR_HEIGHT * max(n_shown, 4)
        ax = plt.subplots(figsize=(6.4, height), layout="constrained")[1]
    places = np.arange(n_shown)
    scores = ranking.scores[shown]
    ax.barh(places, scores, height=0.72, color=colours().quiet)
    label = ranking.score_name
    if _is_flattened(scores):
        ax.set_xscale("function", functions=(_root, np.square))
        label += " (square-root scale)"
    if ranking.p_values is not None:
        _write_p_values(ax, ranking, shown)
    size = 8 if n_shown > 15 else 9
    names = [for_figure(str(name), _LETTERS) for name in ranking.names[shown]]
    ax.set_yticks(places, names, fontsize=size)
    ax.set_ylim(n_shown - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(label)
    ax.set_title(
        f"{n_shown} best of {n:,} features" if n_shown < n else f"{n} features", fontsize=10
    )
    _open(ax, "top", "right", "left")
    falls = scores.min() >= 0 and scores[n_shown // 2] < scores.max() / 2
    if _ROOMY <= n_shown < n and falls:
        _draw_all_scores(ax, ranking, n_shown)
    return ax


def _is_flattened(scores: NDArray[Any]) -> bool:
    """Whether one bar leaves no room for the differences of the others."""
    return len(scores) > 2 and bool(scores.min() >= 0 and scores[1] < _TALL * scores[0])


def _root(x: Any) -> Any:
    """Return the square root; of what is below zero, as axes try it, zero."""
    return np.sqrt(np.maximum(x, 0.0))


def _write_p_values(ax: Any, ranking: "Ranking", shown: NDArray[np.intp]) -> None:
    """Write the p-values at the right, adjusted if they were."""
    values = ranking.p_values if ranking.adjust is None else ranking.adjusted_p_values
    assert values is not None
    size = 7 if len(shown) > 15 else 8
    for place, j in enumerate(shown.tolist()):
        ax.annotate(
            short_p(values[j]), (1.02, place), xycoords=("axes fraction", "data"), fontsize=size,
            va="center", color=colours().ink,
        )  # fmt: skip
    how = "p" if ranking.adjust is None else f"p ({ranking.adjust})"
    ax.annotate(
        how, (1.02, 1.0), xycoords="axes fraction", xytext=(0, 2), textcoords="offset points",
        fontsize=size, color=colours().ink,
    )  # fmt: skip


def _draw_all_scores(ax: Any, ranking: "Ranking", n_shown: int) -> None:
    """Put a curve of every score by rank beside the lower half of the bars."""
    inset = ax.inset_axes((0.56, 0.1, 0.42, 0.34))
    ranks = np.arange(1, len(ranking) + 1)
    inset.plot(ranks, ranking.scores[ranking.order], color=colours().ink, linewidth=1.2)
    inset.axvspan(1, n_shown, color=colours().quiet, alpha=0.35, linewidth=0)
    if len(ranking) > _MANY:
        inset.set_xscale("log")
        _plain_numbers(inset)
    inset.set_title(f"all {len(ranking):,} by rank", fontsize=8)
    inset.tick_params(labelsize=7)
    inset.patch.set_alpha(0.9)
    _open(inset, "top", "right")


def plot_k_curve(
    results: dict[str, NDArray[Any]],
    k: int,
    n_features: int,
    *,
    score_name: str = "score",
    rule: str = "best",
    ax: Any = None,
) -> Any:
    """Draw the score against the number of features, with standard errors.

    Parameters
    ----------
    results : dict of ndarray
        `cv_results_` of a `FeatureSelector`.
    k : int
        The chosen number of features.
    n_features : int
        How many there are to choose from.
    score_name : str, default="score"
        What the score is.
    rule : {"best", "one_se"}, default="best"
        What chose k; "one_se" shows the score that was good enough.
    ax : matplotlib axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes
        The axes that hold the plot; nothing is shown or saved.

    """
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4), layout="constrained")[1]
    grid, mean = results["k"], results["mean_score"]
    error = np.nan_to_num(results["std_error"])  # a single split has none
    ax.errorbar(
        grid, mean, yerr=error, color=colours().ink, ecolor=colours().quiet, marker="o",
        markersize=4, linewidth=1.4, capsize=2.5, label="mean and standard error",
    )  # fmt: skip
    if rule == "one_se":
        best = int(np.argmax(mean))
        ax.axhline(
            mean[best] - error[best], color=colours().quiet, linewidth=1, linestyle="--",
            label="best less one standard error",
        )  # fmt: skip
    if grid[-1] == n_features:
        ax.plot(
            grid[-1], mean[-1], "s", color=colours().paper, markeredgecolor=colours().ink,
            markeredgewidth=1.5, markersize=8, zorder=4, label=f"all {n_features:,} features",
        )  # fmt: skip
    chosen = mean[np.searchsorted(grid, k)]
    ax.plot(
        k, chosen, "o", color=colours().strong, markersize=6, zorder=5, label=f"chosen, k = {k:,}"
    )
    if n_features > _MANY:
        ax.set_xscale("log")
        _plain_numbers(ax)
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("number of features, k")
    ax.set_ylabel(f"cross-validated {score_name}")
    ax.set_title(f"k = {k:,} of {n_features:,} features", fontsize=10)
    ax.legend(fontsize=8, frameon=False)
    _open(ax, "top", "right")
    return ax


def _open(ax: Any, *sides: str) -> None:
    ax.spines[list(sides)].set_visible(False)


def _plain_numbers(ax: Any) -> None:
    """Write 1,000 on a logarithmic axis instead of a power of ten."""
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
