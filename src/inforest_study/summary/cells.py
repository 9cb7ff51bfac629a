"""Cells: the mean score of each (dataset, method, config, learner, k) over seeds and folds."""

from collections.abc import Sequence

import pandas as pd

from inforest_study.protocol import STANDARD_K

#: What identifies a cell of the benchmark; methods are compared within one.
CELL = ["task", "dataset", "learner", "k"]


def cell_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Average the scores of each cell over seeds and folds.

    Parameters
    ----------
    scores : DataFrame
        Columns task, dataset, method, config, seed, fold, learner, k, value.

    Returns
    -------
    cells : DataFrame
        Columns task, dataset, method, config, learner, k, value, and n: of how many scores.

    """
    grouped = scores.groupby([*CELL, "method", "config"], observed=True)["value"]
    return grouped.agg(value="mean", n="size").reset_index()


def standard(cells: pd.DataFrame, ks: Sequence[int] = STANDARD_K) -> pd.DataFrame:
    """Keep the standard values of k, which the comparisons of methods use."""
    return cells[cells["k"].isin(ks)]


def select_configs(cells: pd.DataFrame) -> pd.Series:
    """Choose each method's config of the highest mean cell score.

    Every cell counts the same, so a data set with few features, which has fewer values of k,
    counts less. Equal means are decided by the config's name.

    Returns
    -------
    choice : Series
        The config's name, indexed by (task, method).

    """
    means = cells.groupby(["task", "method", "config"], observed=True)["value"].mean()
    ordered = means.reset_index().sort_values(["value", "config"], ascending=[False, True])
    return ordered.groupby(["task", "method"], observed=True)["config"].first()


def with_configs(cells: pd.DataFrame, choice: pd.Series) -> pd.DataFrame:
    """Keep, for each task and method, the chosen config's cells."""
    chosen = choice.rename("config").reset_index()
    return cells.merge(chosen, on=["task", "method", "config"])


def complete(cells: pd.DataFrame) -> pd.DataFrame:
    """Keep the cells in which every method of the task is present."""
    n_methods = cells.groupby("task", observed=True)["method"].transform("nunique")
    present = cells.groupby(CELL, observed=True)["method"].transform("nunique")
    return cells[present == n_methods]


def dataset_means(cells: pd.DataFrame) -> pd.DataFrame:
    """Average each method's cells within a data set: columns task, dataset, method, value."""
    by = ["task", "dataset", "method"]
    return cells.groupby(by, observed=True)["value"].mean().reset_index()
