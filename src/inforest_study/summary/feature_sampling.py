"""Which features do trees split on? Informative share and noise used, by number of features."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def split_shares(
    rankings: pd.DataFrame, informative: Mapping[str, NDArray[np.intp]]
) -> pd.DataFrame:
    """Pool the splits of all fits of a method on a design.

    Parameters
    ----------
    rankings : DataFrame
        Columns task, dataset, method, config, seed, usage (splits on each feature), n_trees.
    informative : mapping
        For each data set, the indices of its informative features.

    Returns
    -------
    table : DataFrame
        Columns task, dataset, method, config, n_features, n_informative, informative_share (of
        all splits), noise_features (distinct ones; see `_noise_used`), splits_per_tree, n_fits.

    """
    rows = []
    by = ["task", "dataset", "method", "config"]
    for key, fits in rankings.groupby(by, observed=True):
        by_fit = np.array([np.asarray(counts) for counts in fits["usage"]])
        usage = by_fit.sum(axis=0)
        is_informative = np.zeros(len(usage), dtype=bool)
        is_informative[informative[str(key[1])]] = True
        n_splits = int(usage.sum())
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "n_features": len(usage),
                "n_informative": int(is_informative.sum()),
                "informative_share": usage[is_informative].sum() / max(n_splits, 1),
                "noise_features": _noise_used(by_fit[:, ~is_informative], fits["n_trees"].max()),
                "splits_per_tree": n_splits / fits["n_trees"].sum(),
                "n_fits": len(fits),
            }
        )
    return pd.DataFrame(rows)


def _noise_used(by_fit: NDArray[np.int64], n_trees: float) -> float:
    """Count the distinct features that are split on, as the published counts are to be read.

    Forests: of one fit, in the mean, because a union grows with the number of fits and the
    published fits share nearly all their trees. Single trees: of all fits together.
    """
    if n_trees > 1:
        return float(np.count_nonzero(by_fit, axis=1).mean())
    return float(np.count_nonzero(by_fit.sum(axis=0)))


def by_dimension(shares: pd.DataFrame) -> pd.DataFrame:
    """Average over the numbers of informative features, with the smallest and the largest value."""
    by = shares.groupby(["task", "method", "config", "n_features"], observed=True)
    table = by.agg(
        informative_share=("informative_share", "mean"),
        share_low=("informative_share", "min"),
        share_high=("informative_share", "max"),
        noise_features=("noise_features", "mean"),
        noise_low=("noise_features", "min"),
        noise_high=("noise_features", "max"),
    )
    return table.reset_index()
