"""Synthetic designs: how many of the top k features are informative."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inforest_study.protocol import STANDARD_K

#: The values of k at which recovery is reported.
RECOVERY_K = (1, 2, *STANDARD_K)


def precision(order: Sequence[int], wanted: NDArray[np.bool_], k: int) -> float:
    """Return the share of the first k of the order, or of all if there are fewer, that is wanted.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.summary.recovery import precision
    >>> precision([2, 0, 1], np.array([True, False, True]), 2)
    1.0

    """
    k = min(k, len(wanted))
    return float(np.mean(wanted[np.asarray(order[:k], dtype=np.intp)]))


def recovery(rankings: pd.DataFrame, kinds: Mapping[str, NDArray[np.str_]]) -> pd.DataFrame:
    """Measure precision at every k for every ranking of a design.

    Parameters
    ----------
    rankings : DataFrame
        Columns task, dataset, method, config, seed, fold, order (at least its first 100).
    kinds : mapping
        For each data set, what each feature is: "informative", "redundant" or something else.

    Returns
    -------
    table : DataFrame
        Columns task, dataset, method, config, seed, fold, k, precision, and with_redundant: the
        same with redundant features counted as found.

    """
    rows = []
    for row in rankings.itertuples(index=False):
        informative = kinds[row.dataset] == "informative"
        either = informative | (kinds[row.dataset] == "redundant")
        rows += [
            {
                "task": row.task,
                "dataset": row.dataset,
                "method": row.method,
                "config": row.config,
                "seed": row.seed,
                "fold": row.fold,
                "k": k,
                "precision": precision(row.order, informative, k),
                "with_redundant": precision(row.order, either, k),
            }
            for k in RECOVERY_K
        ]
    return pd.DataFrame(rows)


def recovery_means(found: pd.DataFrame) -> pd.DataFrame:
    """Average over rankings and designs: one row for each task, method and config.

    Returns
    -------
    table : DataFrame
        Columns top_1, precision_at_5 and so on, and mean: over the standard values of k.

    """
    by = ["task", "method", "config"]
    designs = found.groupby([*by, "k", "dataset"], observed=True)["precision"].mean()
    table = designs.groupby([*by, "k"], observed=True).mean().unstack("k")
    mean = table[list(STANDARD_K)].mean(axis=1)
    table = table.rename(columns=lambda k: "top_1" if k == 1 else f"precision_at_{k}")
    return table.assign(mean=mean, n_designs=_count(found, by)).reset_index()


def on_all_designs(means: pd.DataFrame) -> pd.Series:
    """Tell which means can be compared: designs differ more than methods."""
    return means["n_designs"] == means.groupby("task")["n_designs"].transform("max")


def recovery_by_design(found: pd.DataFrame) -> pd.DataFrame:
    """Average over rankings and the standard values of k, for each design."""
    usual = found[found["k"].isin(STANDARD_K)]
    by = ["task", "method", "config", "dataset"]
    means = usual.groupby(by, observed=True)[["precision", "with_redundant"]].mean()
    return means.reset_index()


def select_by_recovery(found: pd.DataFrame) -> pd.Series:
    """Choose each method's config of the most designs and highest mean, by (task, method)."""
    by = {"n_designs": False, "mean": False, "config": True}
    table = recovery_means(found).sort_values(list(by), ascending=list(by.values()))
    return table.groupby(["task", "method"], observed=True)["config"].first()


def _count(found: pd.DataFrame, by: list[str]) -> pd.Series:
    return found.groupby(by, observed=True)["dataset"].nunique()
