"""How alike are several chosen sets of features? Three indices of stability."""

from collections.abc import Collection, Hashable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

Sets = Sequence[Collection[Hashable]]


class StabilityIndex(NamedTuple):
    """An index with its standard error and a confidence interval.

    Examples
    --------
    >>> from inforest.diagnostics import nogueira
    >>> index = nogueira([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(index.value, 2)
    0.33

    """

    value: float
    standard_error: float
    low: float
    high: float


def jaccard(sets: Sets) -> float:
    """Return the mean Jaccard index of all pairs of sets: size of intersection over union.

    It is 1 for equal sets and 0 for disjoint ones. It is not corrected for chance: two random
    halves of the features have about 1/3.

    Parameters
    ----------
    sets : sequence of collections
        At least two sets of features, as indices or names. Two empty sets are equal.

    Returns
    -------
    index : float
        In [0, 1].

    Examples
    --------
    >>> from inforest.diagnostics import jaccard
    >>> jaccard([{0, 1}, {1, 2}, {1, 2}])  # (1/3 + 1/3 + 1) / 3
    0.5555555555555555

    """
    pairs = list(combinations(_as_sets(sets), 2))
    return sum(len(a & b) / len(a | b) if a or b else 1.0 for a, b in pairs) / len(pairs)


def kuncheva(sets: Sets, n_features: int) -> float:
    """Return the mean of Kuncheva's consistency index over all pairs of sets of one size.

    Of two sets of k features r are common, where chance alone would give k^2 / n_features. The
    index is the excess over chance, scaled so that equal sets have 1; chance has 0.

    Parameters
    ----------
    sets : sequence of collections
        At least two sets, all with the same number k of features, 0 < k < n_features.
    n_features : int
        How many features there were to choose from.

    Returns
    -------
    index : float
        At most 1; negative where sets agree less than chance.

    References
    ----------
    Kuncheva (2007). A stability index for feature selection. Artificial Intelligence and
    Applications, 390-395.

    Examples
    --------
    >>> from inforest.diagnostics import kuncheva
    >>> kuncheva([{0, 1}, {1, 2}], n_features=8)  # (1 - 4/8) / (2 - 4/8)
    0.3333333333333333

    """
    chosen = _as_sets(sets)
    sizes = {len(one) for one in chosen}
    if len(sizes) > 1:
        raise ValueError(
            f"sets must all have one size for Kuncheva's index; got sizes from {min(sizes)} to"
            f" {max(sizes)}. Nogueira's index allows different sizes."
        )
    k = sizes.pop()
    if not 0 < k < n_features:
        raise ValueError(
            f"sets must hold more than none and less than all of n_features={n_features} features;"
            f" got sets of {k}"
        )
    by_chance = k * k / n_features
    pairs = list(combinations(chosen, 2))
    common = sum(len(a & b) for a, b in pairs) / len(pairs)
    return (common - by_chance) / (k - by_chance)


def nogueira(Z: ArrayLike, confidence: float = 0.95) -> StabilityIndex:
    """Return Nogueira's stability with its asymptotic confidence interval.

    One minus the mean variance of the features' selections, relative to that of sets of the same
    size drawn at random. 1 for equal sets, 0 in expectation for sets drawn at random and
    independently; with sets of one size it equals Kuncheva's index. A rule of thumb from the
    paper: below 0.4 is poor agreement, above 0.75 excellent.

    Sets from random halves of one table are not independent: the halves share rows, and what goes
    along with y by chance comes back. On noise the index is then not 0; 0.07 to 0.15 were
    measured (docs/diagnostics.md).

    The interval takes the rows of Z for independent draws of one selection procedure. Rows from
    subsamples of one data set are independent given these data only: the interval then says how
    well the repeats measure the stability, not how it would vary from data set to data set.

    Parameters
    ----------
    Z : array-like of shape (n_sets, n_features)
        Row i is true (1) where set i holds the feature. At least two rows.
    confidence : float, default=0.95
        Probability with which the interval shall cover, in (0, 1).

    Returns
    -------
    index : StabilityIndex
        `value`, `standard_error`, `low`, `high`; the interval ends at 1.

    References
    ----------
    Nogueira, Sechidis, Brown (2018). On the stability of feature selection algorithms. Journal of
    Machine Learning Research 18(174).

    Examples
    --------
    >>> from inforest.diagnostics import nogueira
    >>> index = nogueira([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(index.value, 3)
    0.333

    """
    chosen = _as_matrix(Z)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence!r}")
    n_sets, n_features = chosen.shape
    frequency = chosen.mean(axis=0)
    share = chosen.mean(axis=1)  # of the features, in each set
    mean_share = frequency.mean()
    by_chance = mean_share * (1 - mean_share)
    if by_chance == 0:
        raise ValueError("Z must not select all features in every set, nor none in any")
    variance = n_sets / (n_sets - 1) * (frequency * (1 - frequency)).mean()
    value = float(1 - variance / by_chance)
    # What each set contributes, by the delta method.
    agreement = chosen @ frequency / n_features - share * mean_share
    size = 2 * share * mean_share - share - mean_share + 1
    part = (agreement + value / 2 * size) / by_chance
    error = float(2 / n_sets * np.sqrt(((part - part.mean()) ** 2).sum()))
    half = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return StabilityIndex(value, error, value - half, min(value + half, 1.0))


def _as_sets(sets: Sets) -> list[frozenset[Hashable]]:
    chosen = [frozenset(np.asarray(one).tolist() if _is_array(one) else one) for one in sets]
    if len(chosen) < 2:
        raise ValueError(f"sets must hold at least two sets to compare; got {len(chosen)}")
    return chosen


def _is_array(one: Any) -> bool:
    return isinstance(one, np.ndarray)


def _as_matrix(Z: ArrayLike) -> Any:
    chosen = np.asarray(Z, dtype=np.float64)
    if chosen.ndim != 2 or len(chosen) < 2 or chosen.shape[1] == 0:
        raise ValueError(
            "Z must have one row per set, at least two, and one column per feature; got shape"
            f" {chosen.shape}"
        )
    if not np.isin(chosen, (0.0, 1.0)).all():
        raise ValueError("Z must hold only 0 and 1, or false and true")
    return chosen
