"""One change at a time: what it costs or saves, and what it does to the ranking."""

import pandas as pd

from inforest_study.summary.comparisons import bootstrap_interval


def time_ratios(timings: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Divide every variant's time by the reference's, paired by data set and seed.

    Parameters
    ----------
    timings : DataFrame
        Columns task, group ("real" or "synthetic"), dataset, seed, variant, seconds.
    reference : str
        The variant that has ratio 1.

    Returns
    -------
    table : DataFrame
        Columns task, group, variant, median, p25, p75, n: of the paired ratios.

    """
    pair = ["task", "group", "dataset", "seed"]
    base = timings[timings["variant"] == reference].set_index(pair)["seconds"].rename("base")
    paired = timings.join(base, on=pair, how="inner")
    paired["ratio"] = paired["seconds"] / paired["base"]
    by = paired.groupby(["task", "group", "variant"], observed=True)["ratio"]
    table = by.agg(
        median="median",
        p25=lambda ratio: ratio.quantile(0.25),
        p75=lambda ratio: ratio.quantile(0.75),
        n="size",
    )
    return table.reset_index()


def changes(values: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Subtract the reference's value from every variant's, data set by data set.

    Parameters
    ----------
    values : DataFrame
        Columns task, dataset, variant, value: one for each data set and variant.
    reference : str
        The variant the others are compared with.

    Returns
    -------
    table : DataFrame
        Columns task, variant, n_datasets, mean_difference, median_difference, low, high (95 %
        percentile bootstrap over data sets), wins, losses, ties.

    """
    wide = values.pivot_table(index=["task", "dataset"], columns="variant", values="value")
    rows = []
    for task, table in wide.groupby(level="task"):
        for variant in table.columns.drop(reference, errors="ignore"):
            delta = (table[variant] - table[reference]).dropna()
            if delta.empty:
                continue
            low, high = bootstrap_interval(delta.to_numpy())
            rows.append(
                {
                    "task": task,
                    "variant": variant,
                    "n_datasets": len(delta),
                    "mean_difference": delta.mean(),
                    "median_difference": delta.median(),
                    "low": low,
                    "high": high,
                    "wins": int((delta > 0).sum()),
                    "losses": int((delta < 0).sum()),
                    "ties": int((delta == 0).sum()),
                }
            )
    return pd.DataFrame(rows)
