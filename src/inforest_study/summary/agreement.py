"""How far data sets agree about the methods: Friedman's test and Kendall's W."""

from typing import NamedTuple

import pandas as pd
from scipy.stats import friedmanchisquare


class Agreement(NamedTuple):
    """Friedman's test of n data sets and m methods."""

    chi_square: float
    p_value: float
    kendall_w: float
    n_datasets: int
    n_methods: int


def friedman(means: pd.DataFrame) -> Agreement:
    """Test whether all methods do equally well, and measure how alike the data sets order them.

    Parameters
    ----------
    means : DataFrame
        Columns dataset, method, value of one task; every data set has every method.

    Returns
    -------
    agreement : Agreement
        Kendall's W is 1 when all data sets give the same order, 0 when there is no agreement.

    """
    table = means.pivot(index="dataset", columns="method", values="value")
    if table.isna().any(axis=None):
        raise ValueError("every data set must have every method; there are gaps")
    n_datasets, n_methods = table.shape
    if n_methods < 3:
        raise ValueError(f"Friedman's test compares three methods or more; got {n_methods}")
    result = friedmanchisquare(*(table[method] for method in table))
    chi_square = float(result.statistic)
    w = chi_square / (n_datasets * (n_methods - 1))
    return Agreement(chi_square, float(result.pvalue), w, n_datasets, n_methods)
