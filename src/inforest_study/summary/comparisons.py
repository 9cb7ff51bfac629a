"""One method against each other one: differences, wins and losses, bootstrap intervals."""

import numpy as np
import pandas as pd

from inforest_study.dataset import Floats
from inforest_study.summary.cells import CELL, complete

#: Replicates and seed of the study's percentile bootstrap.
N_REPLICATES = 20_000
BOOTSTRAP_SEED = 1718
#: Differences smaller than this are rounding.
_TIE = 1e-12


def differences(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    """Subtract each comparator's score from the method's, on the cells that both have.

    Returns
    -------
    table : DataFrame
        Columns task, comparator, dataset, difference: the mean over the data set's cells.

    """
    own = cells.loc[cells["method"] == method, [*CELL, "value"]]
    others = cells[cells["method"] != method]
    both = others.merge(own, on=CELL, suffixes=("", "_own"))
    both["difference"] = both["value_own"] - both["value"]
    by = ["task", "method", "dataset"]
    table = both.groupby(by, observed=True)["difference"].mean().reset_index()
    return table.rename(columns={"method": "comparator"})


def compare(differences: pd.DataFrame) -> pd.DataFrame:
    """Sum up differences over data sets: mean, median, wins, losses and ties."""
    by = differences.groupby(["task", "comparator"], observed=True)["difference"]
    table = by.agg(
        n_datasets="size",
        mean_difference="mean",
        median_difference="median",
        wins=lambda d: int((d > _TIE).sum()),
        losses=lambda d: int((d < -_TIE).sum()),
    )
    table["ties"] = table["n_datasets"] - table["wins"] - table["losses"]
    return table.reset_index()


def complete_case(
    cells: pd.DataFrame, method: str, datasets: set[str] | None = None
) -> pd.DataFrame:
    """Compare on the data sets that have all methods, with 95 % percentile bootstrap intervals.

    The intervals say how the mean difference would change with other data sets of this kind.
    They say nothing of seeds and folds.

    Parameters
    ----------
    cells : DataFrame
        One config for each method.
    method : str
        What the others are subtracted from.
    datasets : set of str or None
        The panel; None takes all data sets with all methods in all their cells.

    Returns
    -------
    table : DataFrame
        As of `compare`, with low and high.

    """
    common = complete(cells)
    if datasets is not None:
        common = common[common["dataset"].isin(datasets)]
    deltas = differences(common, method)
    table = compare(deltas)
    intervals = {
        key: bootstrap_interval(group["difference"].to_numpy())
        for key, group in deltas.groupby(["task", "comparator"], observed=True)
    }
    keys = list(zip(table["task"], table["comparator"], strict=True))
    table["low"] = [intervals[key][0] for key in keys]
    table["high"] = [intervals[key][1] for key in keys]
    return table


def bootstrap_interval(
    values: Floats, rng: np.random.Generator | None = None, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean of the values.

    Without a generator the same values always give the same interval. The published intervals
    come from one generator that goes from comparator to comparator.
    """
    rng = np.random.default_rng(BOOTSTRAP_SEED) if rng is None else rng
    rows = rng.integers(len(values), size=(N_REPLICATES, len(values)))
    means = values[rows].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_first(ranks: pd.DataFrame, method: str) -> float:
    """Return how often the method has the best mean rank when data sets are drawn again.

    Parameters
    ----------
    ranks : DataFrame
        Columns dataset, method, rank of one task.
    method : str
        The method asked for.

    """
    table = ranks.pivot_table(index="dataset", columns="method", values="rank", observed=True)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    rows = rng.integers(len(table), size=(N_REPLICATES, len(table)))
    means = table.to_numpy()[rows].mean(axis=1)
    own = means[:, list(table.columns).index(method)]
    return float(np.mean(own <= means.min(axis=1) + _TIE))
