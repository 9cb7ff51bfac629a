"""Adjusted p-values: many tests at once, and still one level."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats

#: Reads the permuted statistics, not only the p-values, so it is no function of the latter.
WESTFALL_YOUNG = "westfall-young"


def bonferroni(p: Floats) -> Floats:
    """Family-wise error under any dependence: p times the number of tests."""
    return np.minimum(1.0, p * len(p))


def sidak(p: Floats) -> Floats:
    """Family-wise error of independent or positively dependent tests: 1 - (1 - p)^m."""
    with np.errstate(divide="ignore"):  # p = 1 has the logarithm -inf, and stays 1
        return -np.expm1(len(p) * np.log1p(-p))


def holm(p: Floats) -> Floats:
    """Family-wise error under any dependence, step-down: never larger than Bonferroni's."""
    order = np.argsort(p, kind="stable")
    return step_down(p[order] * np.arange(len(p), 0, -1), order)


def fdr_bh(p: Floats) -> Floats:
    """Benjamini-Hochberg: false discovery rate of independent or positively dependent tests.

    The dependence meant is PRDS, positive regression dependence on each null p-value.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(1.0, adjusted)


def fdr_by(p: Floats) -> Floats:
    """Benjamini-Yekutieli: false discovery rate under any dependence."""
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, len(p) + 1)
    scaled = p[order] * len(p) * (1.0 / rank).sum() / rank
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(1.0, adjusted)


ADJUSTERS: dict[str, Callable[[Floats], Floats]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "sidak": sidak,
    "fdr_bh": fdr_bh,
    "fdr_by": fdr_by,
}


def adjust_p_values(p_value: ArrayLike, method: str) -> Floats:
    """Adjust p-values for their number.

    Parameters
    ----------
    p_value : array-like of shape (n_tests,)
        P-values of tests that are judged together.
    method : {"bonferroni", "holm", "sidak", "fdr_bh", "fdr_by"}
        "bonferroni", "holm": family-wise error, under any dependence. "sidak": family-wise error
        under independence or positive dependence. "fdr_bh": false discovery rate under
        independence or positive dependence. "fdr_by": the same under any dependence.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        A test is rejected at level alpha if its adjusted p-value is below alpha.

    Examples
    --------
    >>> from inforest.independence.adjustment import adjust_p_values
    >>> adjust_p_values([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])

    """
    if method not in ADJUSTERS:
        raise ValueError(f"method must be one of {', '.join(map(repr, ADJUSTERS))}; got {method!r}")
    p = np.asarray(p_value, dtype=np.float64)
    if p.ndim != 1 or not len(p) or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_value must be a non-empty list of numbers between 0 and 1")
    return ADJUSTERS[method](p)


def step_down(p: Floats, order: NDArray[np.intp]) -> Floats:
    """Return p-values, given from the most significant test on, at their places `order`.

    No test can be rejected when a more significant one is not, so they never decrease.
    """
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p))
    return adjusted
