"""`Panel`: the cells in which methods are compared, and what had to be left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from inforest_study.protocol import STANDARD_K
from inforest_study.summary.cells import (
    cell_means,
    complete,
    select_configs,
    standard,
    with_configs,
)


@dataclass(frozen=True, eq=False)
class Panel:
    """Methods, data sets and cells of one comparison.

    Attributes
    ----------
    task : str
        The task.
    scores : DataFrame
        The scores of each method's chosen configuration, on folds that all methods have.
    grid : DataFrame
        Cells of all configurations at standard k.
    choice : Series
        The chosen configuration, by (task, method).
    sparse : mapping
        Methods that are left out, because they would cost more data sets than they are worth,
        and on how many they have results.
    n_unpaired : int
        How many scores were left out because another method lacks the fold.
    datasets : tuple of str
        All data sets with any score.

    """

    task: str
    scores: pd.DataFrame
    grid: pd.DataFrame
    choice: pd.Series
    sparse: dict[str, int]
    n_unpaired: int
    datasets: tuple[str, ...]

    @cached_property
    def all_cells(self) -> pd.DataFrame:
        """The cells of the chosen configurations at every k."""
        return cell_means(self.scores)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The cells of the chosen configurations at standard k."""
        return standard(self.all_cells)

    @property
    def methods(self) -> list[str]:
        """The methods that are compared."""
        return sorted(self.cells["method"].unique())

    @cached_property
    def compared(self) -> list[str]:
        """The data sets on which all methods can be compared."""
        return sorted(complete(self.cells)["dataset"].unique())

    @cached_property
    def complete(self) -> list[str]:
        """The data sets that have all methods in all standard cells."""
        common = complete(self.cells)
        n_cells = self.cells["learner"].nunique() * len(STANDARD_K)
        found = common.groupby("dataset")[["learner", "k"]].apply(
            lambda c: len(c.drop_duplicates())
        )
        return sorted(found.index[found == n_cells]) if len(found) else []

    def config(self, method: str) -> str:
        """Return a method's chosen configuration."""
        return str(self.choice[(self.task, method)])

    @property
    def missing(self) -> str:
        """What is not compared, and why, in words."""
        said = []
        if self.sparse:
            listed = ", ".join(f"{method} ({n})" for method, n in self.sparse.items())
            said.append(
                "Left out, so that as many results as possible are compared (in brackets, on how"
                f" many of the {len(self.datasets)} data sets a method has results): {listed}."
            )
        gaps = self._gaps()
        if gaps:
            listed = "; ".join(f"{name} lacks {who}" for name, who in gaps.items())
            said.append(f"Data sets without all methods, so not compared: {listed}.")
        if self.n_unpaired:
            said.append(
                f"{self.n_unpaired:,} scores on folds that another method lacks do not count."
            )
        return " ".join(said)

    def _gaps(self) -> dict[str, str]:
        """Return what the data sets that are not compared lack."""
        there = self.cells.groupby("dataset")["method"].agg(set)
        gaps = {}
        for name in self.datasets:
            if name in self.compared:
                continue
            absent = [method for method in self.methods if method not in there.get(name, set())]
            has_any = len(absent) < len(self.methods)
            gaps[name] = ", ".join(absent) if has_any else "scores at a standard k"
        return gaps


def make_panel(
    scores: pd.DataFrame,
    task: str,
    datasets: Iterable[str],
    methods: Iterable[str] | None = None,
    around: str | None = None,
) -> Panel:
    """Choose configurations, drop what cannot be compared, and say what that was.

    Parameters
    ----------
    scores : DataFrame
        As of a `Study`.
    task : {"classification", "regression"}
        The task.
    datasets : iterable of str
        The data sets that may take part.
    methods : iterable of str or None, default=None
        The methods that may take part; None takes all.
    around : str or None, default=None
        A method that must take part: only the data sets that it has do.

    Returns
    -------
    panel : Panel

    """
    own = scores[(scores["task"] == task) & scores["dataset"].isin(set(datasets))]
    if methods is not None:
        own = own[own["method"].isin(set(methods))]
    own = _begun(one_protocol(own[~own["config"].str.contains("+", regex=False)]))
    if around is not None:
        own = own[own["dataset"].isin(own.loc[own["method"] == around, "dataset"])]
    everywhere = tuple(sorted(own["dataset"].unique()))
    sparse = _sparse(own)
    own = own[~own["method"].isin(sparse)]
    grid = standard(cell_means(own))
    choice = select_configs(_covering(grid))
    chosen = with_configs(own, choice)
    paired = _paired(chosen)
    return Panel(task, paired, grid, choice, sparse, len(chosen) - len(paired), everywhere)


def one_protocol(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep one kind of result where a configuration's name stands for several.

    A store may hold results of several revisions of our engine: the newest counts. It may hold
    results of several suites, say with two folds and with five: the most frequent kind counts.
    """
    by = ["task", "dataset", "method", "config"]
    counts = frame.groupby([*by, "ranking"], observed=True).agg(
        n=("ranking", "size"), revision=("engine_revision", "max")
    )
    counts = counts.reset_index().sort_values(
        ["revision", "n", "ranking"], ascending=[False, False, True]
    )
    return frame.merge(counts.groupby(by, observed=True)["ranking"].first().reset_index())


def _begun(scores: pd.DataFrame) -> pd.DataFrame:
    """Leave out a method on a data set of which it has less than half of the folds.

    Folds that one method lacks do not count for any: one that ran over its budget would leave a
    single fold to all of them.
    """
    by = ["dataset", "method", "config"]
    n_folds = scores.groupby([*by, "seed"], observed=True)["fold"].transform("nunique")
    most = n_folds.groupby(scores["dataset"], observed=True).transform("max")
    return scores[2 * n_folds >= most]


def _sparse(scores: pd.DataFrame) -> dict[str, int]:
    """Return the methods that are left out, and on how many data sets they have results.

    A data set counts only if all methods have it. Those with the most data sets come first, and as
    many of them are kept as make the block of methods and common data sets largest.
    """
    found = scores.groupby("method", observed=True)["dataset"].agg(set)
    order = sorted(found.index, key=lambda method: (-len(found[method]), method))
    sizes = [
        n * len(set.intersection(*(found[method] for method in order[:n])))
        for n in range(1, len(order) + 1)
    ]
    n_kept = max(range(len(sizes)), key=lambda i: (sizes[i], i), default=-1) + 1
    return {str(method): len(found[method]) for method in sorted(order[n_kept:])}


def _covering(grid: pd.DataFrame) -> pd.DataFrame:
    """Keep each method's configurations with the most cells: only they can be compared."""
    n_cells = grid.groupby(["task", "method", "config"], observed=True)["value"].transform("size")
    most = n_cells.groupby([grid["task"], grid["method"]]).transform("max")
    return grid[n_cells == most]


def _paired(scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the folds that all methods with results on the data set have."""
    fold = ["task", "dataset", "seed", "fold"]
    there = scores[[*fold, "method"]].drop_duplicates()
    n_all = there.groupby(fold[:2])["method"].transform("nunique")
    n_here = there.groupby(fold)["method"].transform("nunique")
    common = there.loc[n_here == n_all, fold].drop_duplicates()
    return scores.merge(common, on=fold)
