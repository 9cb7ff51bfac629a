"""Ranks of methods, 1 for the best: within cells or of means, and how they are spread."""

from typing import Literal

import pandas as pd

from inforest_study.summary.cells import CELL, complete, dataset_means

#: How ranks come about: of each cell's scores, as the archived tables of the study have it, or
#: of the data set's mean scores, as the study's caption says.
Rule = Literal["cell", "dataset"]


def dataset_ranks(cells: pd.DataFrame, rule: Rule = "cell") -> pd.DataFrame:
    """Rank the methods on every data set: columns task, dataset, method, rank.

    Only cells in which all methods are present count. Equal scores share their mean rank.
    """
    common = complete(cells)
    if rule == "dataset":
        common = dataset_means(common)
        within = ["task", "dataset"]
    else:
        within = CELL
    ranks = common.groupby(within, observed=True)["value"].rank(ascending=False)
    ranked = common.assign(rank=ranks)
    by = ["task", "dataset", "method"]
    return ranked.groupby(by, observed=True)["rank"].mean().reset_index()


def mean_ranks(cells: pd.DataFrame, rule: Rule = "cell") -> pd.DataFrame:
    """Average the ranks over data sets, best method first.

    Returns
    -------
    table : DataFrame
        Columns task, method, mean_rank, median_rank, mean_score, n_datasets, position.

    """
    by = ["task", "method"]
    ranks = dataset_ranks(cells, rule).groupby(by, observed=True)["rank"]
    scores = dataset_means(complete(cells)).groupby(by, observed=True)["value"].mean()
    table = ranks.agg(mean_rank="mean", median_rank="median", n_datasets="size")
    table = table.assign(mean_score=scores).reset_index()
    table["position"] = table.groupby("task", observed=True)["mean_rank"].rank()
    return table.sort_values(["task", "mean_rank", "method"], ignore_index=True)


def ranks_by_k(cells: pd.DataFrame) -> pd.DataFrame:
    """Average the ranks of each k over learners, then data sets: task, method, k, mean_rank."""
    common = complete(cells)
    ranks = common.groupby(CELL, observed=True)["value"].rank(ascending=False)
    ranked = common.assign(rank=ranks)
    by_dataset = ranked.groupby(["task", "method", "k", "dataset"], observed=True)["rank"].mean()
    by_k = by_dataset.groupby(["task", "method", "k"], observed=True).mean()
    return by_k.rename("mean_rank").reset_index()


def breadth(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    """Count on how many data sets a method is in the top half, in the top 3 and first.

    Positions are those of the methods' mean cell ranks on a data set; ties share theirs.
    """
    ranks = dataset_ranks(cells)
    within = ranks.groupby(["task", "dataset"], observed=True)["rank"]
    ranks = ranks.assign(position=within.rank(), n_methods=within.transform("size"))
    own = ranks[ranks["method"] == method]
    own = own.assign(
        top_half=own["position"] <= (own["n_methods"] + 1) // 2,
        top_3=own["position"] <= 3,
        first=own["position"] == 1,
    )
    counts = own.groupby("task", observed=True)[["top_half", "top_3", "first"]].sum()
    return counts.assign(n_datasets=own.groupby("task", observed=True).size()).reset_index()


def learner_k(cells: pd.DataFrame) -> pd.DataFrame:
    """Show how a method's position depends on the learner and on k.

    Within each (learner, k), methods are ordered by their mean rank over the data sets that have
    all methods there.

    Returns
    -------
    table : DataFrame
        One row for each (task, method): mean_position, mean_rank, best, worst, top_3, top_5,
        n_cells, and for each learner its mean position.

    """
    common = complete(cells)
    ranks = common.groupby(CELL, observed=True)["value"].rank(ascending=False)
    unit = ["task", "learner", "k"]
    means = common.assign(rank=ranks).groupby([*unit, "method"], observed=True)["rank"].mean()
    table = means.reset_index()
    table["position"] = table.groupby(unit, observed=True)["rank"].rank()
    by = table.groupby(["task", "method"], observed=True)
    summary = by.agg(
        mean_position=("position", "mean"),
        mean_rank=("rank", "mean"),
        best=("position", "min"),
        worst=("position", "max"),
        top_3=("position", lambda position: int((position <= 3).sum())),
        top_5=("position", lambda position: int((position <= 5).sum())),
        n_cells=("position", "size"),
    )
    learners = table.groupby(["task", "method", "learner"], observed=True)["position"].mean()
    return summary.join(learners.unstack("learner")).reset_index()


def seed_sensitivity(scores: pd.DataFrame) -> pd.DataFrame:
    """Show how a method's position depends on the seed: task, method, seed, mean_rank, position.

    Only data sets that have every method at every seed count.
    """
    cell = [*CELL, "seed"]
    means = scores.groupby([*cell, "method"], observed=True)["value"].mean().reset_index()
    n_all = means.groupby("task", observed=True)["method"].transform("nunique")
    present = means.groupby(cell, observed=True)["method"].transform("nunique")
    n_seeds = means.groupby("task", observed=True)["seed"].transform("nunique")
    full = means[present == n_all]
    seeds = full.groupby(["task", "dataset"], observed=True)["seed"].transform("nunique")
    full = full[seeds == n_seeds[full.index]]
    ranks = full.groupby(cell, observed=True)["value"].rank(ascending=False)
    by_dataset = (
        full.assign(rank=ranks)
        .groupby(["task", "method", "seed", "dataset"], observed=True)["rank"]
        .mean()
    )
    table = by_dataset.groupby(["task", "method", "seed"], observed=True).mean()
    table = table.rename("mean_rank").reset_index()
    table["position"] = table.groupby(["task", "seed"], observed=True)["mean_rank"].rank()
    return table
