"""What was run, what was not, and why."""

import pandas as pd


def coverage(jobs: pd.DataFrame) -> pd.DataFrame:
    """Count each method's jobs on each data set by how they ended.

    Parameters
    ----------
    jobs : DataFrame
        Columns task, dataset, method, config, seed, fold, status, reason.

    Returns
    -------
    table : DataFrame
        Columns task, dataset, method, config, done, not_done, reasons (the different ones).

    """
    by = jobs.assign(done=jobs["status"] == "done").groupby(
        ["task", "dataset", "method", "config"], observed=True
    )
    table = by.agg(done=("done", "sum"), n=("done", "size"))
    table["not_done"] = table["n"] - table["done"]
    reasons = jobs[jobs["status"] != "done"].groupby(
        ["task", "dataset", "method", "config"], observed=True
    )["reason"]
    listed = reasons.agg(lambda reason: "; ".join(sorted(set(reason))))
    table = table.drop(columns="n").join(listed.rename("reasons")).fillna({"reasons": ""})
    return table.reset_index()


def exclusions(jobs: pd.DataFrame) -> pd.DataFrame:
    """List what is missing: task, method, config, dataset, seeds, reasons."""
    missing = jobs[jobs["status"] != "done"]
    by = missing.groupby(["task", "method", "config", "dataset"], observed=True)
    table = by.agg(
        seeds=("seed", lambda seeds: ", ".join(map(str, sorted(set(seeds))))),
        jobs=("seed", "size"),
        reasons=("reason", lambda reason: "; ".join(sorted(set(reason)))),
    )
    return table.reset_index()
