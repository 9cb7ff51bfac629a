"""The study's figures, each with the summary it is drawn from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from inforest_study import published
from inforest_study.analysis import FOCUS, RELATIVES, TASKS, Analysis, kinds
from inforest_study.dataset import Task
from inforest_study.render import figures
from inforest_study.summary.cells import CELL, complete
from inforest_study.summary.feature_sampling import by_dimension
from inforest_study.summary.high_p import high_p
from inforest_study.summary.ranks import ranks_by_k
from inforest_study.tables.words import names

#: The design whose trees are looked at feature by feature.
SHOWN_DESIGN = "feature-sampling-classification-p1000-i2"


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure of the report.

    Attributes
    ----------
    key : str
        Short name; files and links are called so.
    title : str
        What it shows.
    caption : str
        How to read it, and from how many data sets it is.
    draw : callable
        Returns the matplotlib figure.

    """

    key: str
    title: str
    caption: str
    draw: Callable[[], Any]


def drawings(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures that the results suffice for.

    Parameters
    ----------
    analysis : Analysis
        Of a study that may be empty or partial.

    """
    for task in TASKS:
        yield from _of_panel(analysis, task)
    if not analysis.recovery_means.empty:
        means = analysis.recovery_means
        yield Drawing(
            "recovery",
            "Synthetic recovery",
            f"Share of the first k features that is informative; mean over"
            f" {analysis.recovered['dataset'].nunique()} designs. The best possible share falls"
            " with k, because there are only 5 or 10 informative features.",
            lambda: figures.recovery_curves(means),
        )
    yield from _of_trees(analysis)


def _of_panel(analysis: Analysis, task: Task) -> Iterator[Drawing]:
    """Yield the figures of one task's comparison."""
    wide = analysis.wide_panels.get(task)
    if wide is not None and len(wide.compared):
        ranks = ranks_by_k(wide.cells)
        yield Drawing(
            f"by-k-{task}",
            f"{task.capitalize()}: mean rank by number of features",
            f"{len(wide.methods)} methods on {len(wide.compared)} data sets, of which those with k"
            " or more features count; the best method is on top.",
            lambda: figures.k_trajectory(ranks, task),
        )
    panel = analysis.panels.get(task)
    if panel is None or FOCUS not in panel.methods:
        return
    panels = {name: analysis.relatives[task, name] for name in RELATIVES}
    margins = {
        name: _margins(one.cells, name) for name, one in panels.items() if name in one.methods
    }
    margins = {name: one for name, one in margins.items() if len(one)}
    if margins:
        limit = None if task == "classification" else 1.0
        shown = pd.concat(margins.values(), ignore_index=True)
        counts = ", ".join(f"{name} {len(panels[name].compared)}" for name in margins)
        yield Drawing(
            f"margins-{task}",
            f"{task.capitalize()}: {FOCUS} minus {names(list(margins))}",
            "Mean difference of the score by learner and k; above zero CIF is better. Above this"
            f" study, below the paper. Data sets here: {counts}; in the paper"
            f" {published.DATASETS_BY_K[task].partition(',')[0]} at k = 5.",
            lambda: figures.pairwise_margins(
                shown, published.table("cif_minus_by_cell"), task, limit
            ),
        )
    peaks = high_p(panel.all_cells[panel.all_cells["method"] == FOCUS])
    if len(peaks):
        n = int(peaks.loc[peaks["learner"] == "all", "cells"].iloc[0] / (len(peaks) - 1))
        yield Drawing(
            f"high-p-{task}",
            f"{task.capitalize()}: where {FOCUS}'s scores peak",
            f"{n} data sets with more than 100 features.",
            lambda: figures.high_p_boundary(peaks, task),
        )


def _margins(cells: pd.DataFrame, relative: str) -> pd.DataFrame:
    """Return CIF's mean difference from a relative for each learner and k."""
    common = complete(cells)
    own = common.loc[common["method"] == FOCUS, [*CELL, "value"]]
    other = common[common["method"] == relative]
    both = other.merge(own, on=CELL, suffixes=("", "_own"))
    both["mean_difference"] = both["value_own"] - both["value"]
    by = both.rename(columns={"method": "comparator"}).groupby(
        ["task", "comparator", "learner", "k"], as_index=False
    )
    return by["mean_difference"].mean()


def _of_trees(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures of the feature-sampling study."""
    fits = analysis.sampling_fits
    shown = fits[(fits["dataset"] == SHOWN_DESIGN) & fits["trees_using"].notna()]
    forests = [
        name for name in ("CIF", "CIF-all", "RF", "ExtraTrees") if name in set(shown["method"])
    ]
    if forests:
        counts = _trees_using(shown, forests)
        informative = np.flatnonzero(kinds(SHOWN_DESIGN) == "informative").tolist()
        n_trees = shown.loc[shown["method"].isin(forests), "n_trees"].max()
        yield Drawing(
            "feature-counts",
            "Trees that use each feature of one sparse design",
            f"1 data set: 2 informative features of 1000; forests of {n_trees:g} trees, one seed.",
            lambda: figures.feature_counts(counts, informative),
        )
    if analysis.shares.empty:
        return
    dimensions = by_dimension(analysis.shares)
    for task in TASKS:
        own = dimensions[dimensions["task"] == task]
        if set(own["method"]) & {"CIF", "CIF-all", "RF", "ExtraTrees"}:
            n = analysis.shares.loc[analysis.shares["task"] == task, "dataset"].nunique()
            yield Drawing(
                f"feature-sampling-{task}",
                f"{task.capitalize()}: what forests split on, by number of features",
                f"{n} designs; points are means over the numbers of informative features, bars"
                " reach from the smallest to the largest value.",
                lambda task=task: figures.dimension_curves(dimensions, task),  # type: ignore[misc]
            )


def _trees_using(fits: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Return, for the first seed of each method, the number of trees that use each feature."""
    parts = []
    for method in methods:
        first = fits[fits["method"] == method].sort_values("seed").iloc[0]
        trees = np.asarray(first["trees_using"])
        features = np.arange(len(trees))
        parts.append(pd.DataFrame({"method": method, "feature": features, "trees": trees}))
    return pd.concat(parts)
