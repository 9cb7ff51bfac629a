"""Leave one data set out: what the choice of configs on the others would have done."""

import pandas as pd

from inforest_study.summary.cells import dataset_means, select_configs, with_configs


def leave_one_dataset_out(cells: pd.DataFrame, main: pd.Series) -> pd.DataFrame:
    """Choose every method's config on all data sets but one, and rank the methods on that one.

    Parameters
    ----------
    cells : DataFrame
        All configs, on data sets that have every method.
    main : Series
        The configs chosen on all data sets, by (task, method).

    Returns
    -------
    table : DataFrame
        Columns task, method, mean_rank, mean_score, n_settings (different configs chosen),
        main_reselected (how often the config chosen on all data sets was), n_datasets.

    """
    held_out = []
    for (task, dataset), own in cells.groupby(["task", "dataset"], observed=True):
        others = cells[(cells["task"] == task) & (cells["dataset"] != dataset)]
        if others.empty:
            continue
        choice = select_configs(others)
        means = dataset_means(with_configs(own, choice))
        means["rank"] = means["value"].rank(ascending=False)
        held_out.append(means.merge(choice.rename("config").reset_index(), on=["task", "method"]))
    if not held_out:
        columns = ["task", "method", "mean_rank", "mean_score", "n_settings"]
        return pd.DataFrame(columns=[*columns, "main_reselected", "n_datasets"])
    table = pd.concat(held_out, ignore_index=True)
    table = table.merge(main.rename("main").reset_index(), on=["task", "method"])
    table["reselected"] = table["config"] == table["main"]
    summary = table.groupby(["task", "method"], observed=True).agg(
        mean_rank=("rank", "mean"),
        mean_score=("value", "mean"),
        n_settings=("config", "nunique"),
        main_reselected=("reselected", "sum"),
        n_datasets=("dataset", "size"),
    )
    return summary.reset_index().sort_values(["task", "mean_rank", "method"], ignore_index=True)
