"""Complementary pairs: selection on both halves of the data, and how much of it can be false."""

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

#: What may be assumed about the selection frequencies; each gives a bound.
ASSUMPTIONS = ("none", "unimodal", "r-concave")
#: Draws until each part has two strata; what is possible at all is likely enough.
_ATTEMPTS = 100
_Rows = NDArray[np.intp]


def draw_disjoint(
    rng: np.random.Generator, n_rows: int, size: int, n_parts: int, strata: NDArray[np.intp] | None
) -> list[_Rows]:
    """Draw disjoint subsamples of the rows, all of one size.

    With `strata`, each subsample holds nearly the share of every stratum: the shuffled rows are
    sorted by stratum and taken at equal distances from a random start.
    """
    for _ in range(_ATTEMPTS):
        parts = _draw_once(rng, n_rows, size, n_parts, strata)
        # With an odd number of rows one is left out: if it is one of a class's only two, a part
        # would hold a single class, which nobody can rank by.
        if strata is None or all(np.ptp(strata[part]) > 0 for part in parts):
            break
    return parts


def _draw_once(
    rng: np.random.Generator, n_rows: int, size: int, n_parts: int, strata: NDArray[np.intp] | None
) -> list[_Rows]:
    rows = rng.permutation(n_rows)
    if strata is not None:
        rows = rows[np.argsort(strata[rows], kind="stable")]
    n_drawn = n_parts * size
    places = ((np.arange(n_drawn) + rng.random()) * n_rows / n_drawn).astype(np.intp)
    # At random, because the first part has the first row of a stratum more often than the last.
    return [np.sort(rows[places[part::n_parts]]) for part in rng.permutation(n_parts)]


def expected_false_selections(
    n_selected: float,
    n_features: int,
    threshold: float,
    n_pairs: int,
    assumption: str = "none",
) -> float:
    """Bound the expected number of falsely selected features after stability selection.

    A procedure selects `n_selected` features (q, on average) of p = `n_features` on each half of
    `n_pairs` random splits of the data in two. Kept are the features whose selection frequency is
    at least `threshold` (pi). False means: a feature that the procedure selects on half of the
    data with a probability of at most q / p, which is what blind guessing would give it. How many
    such features are kept is bounded, in expectation, by

    - "none": q^2 / ((2 pi - 1) p), whatever the procedure and the data [1]_ (Theorem 1).
    - "unimodal": about half of that or less, if the distribution of the share of pairs whose
      halves both select the feature is unimodal [1]_ (Theorem 2).
    - "r-concave": still less, if that distribution is r-concave with r = -1/2 and the one of the
      selection frequency with r = -1/4 [1]_. Plausible, but it cannot be checked.

    The first is the number of Meinshausen and Bühlmann [2]_, too. They bound all features without
    influence, and have to assume in exchange that these are exchangeable and that the procedure
    is not worse than guessing.

    Parameters
    ----------
    n_selected : float
        Features selected on each half, on average.
    n_features : int
        Features to select from.
    threshold : float
        Selection frequency from which on a feature is kept, in (0.5, 1].
    n_pairs : int
        Number of complementary pairs.
    assumption : {"none", "unimodal", "r-concave"}, default="none"
        What is assumed. Where a theorem does not reach (many features selected, a threshold close
        to 1/2), the bound is that of the weaker assumption.

    Returns
    -------
    bound : float
        Upper bound on the expected number.

    References
    ----------
    .. [1] Shah, Samworth (2013). Variable selection with error control: another look at stability
       selection. Journal of the Royal Statistical Society B 75, 55-80.
    .. [2] Meinshausen, Bühlmann (2010). Stability selection. Journal of the Royal Statistical
       Society B 72, 417-473.

    Examples
    --------
    >>> from inforest.diagnostics import expected_false_selections
    >>> round(expected_false_selections(10, 1000, threshold=0.9, n_pairs=50), 4)
    0.125
    >>> round(expected_false_selections(10, 1000, 0.9, 50, assumption="r-concave"), 4)
    0.0063

    """
    if assumption not in ASSUMPTIONS:
        known = ", ".join(map(repr, ASSUMPTIONS))
        raise ValueError(f"assumption must be one of {known}; got {assumption!r}")
    if not 0.5 < threshold <= 1:
        raise ValueError(f"threshold must be a frequency in (0.5, 1]; got {threshold!r}")
    if not 0 < n_selected <= n_features:
        raise ValueError(
            f"n_selected must lie between 0 and n_features={n_features}; got {n_selected!r}"
        )
    if n_pairs < 1:
        raise ValueError(f"n_pairs must be at least 1; got {n_pairs!r}")
    theta = n_selected / n_features
    # Frequencies are multiples of 1 / (2 n_pairs): the next one is the threshold in effect.
    reached = min(ceil(2 * n_pairs * threshold - 1e-9) / (2 * n_pairs), 1.0)
    bound = theta * n_selected / (2 * reached - 1)
    if assumption == "none":
        return bound
    bound = min(bound, _unimodal(theta, n_selected, reached, n_pairs))
    if assumption == "unimodal":
        return bound
    both = _r_concave_tail(theta**2, 2 * reached - 1, n_pairs, -1 / 2)
    single = _r_concave_tail(theta, reached, 2 * n_pairs, -1 / 4)
    return min(bound, n_features * min(both, single))


def _unimodal(theta: float, n_selected: float, threshold: float, n_pairs: int) -> float:
    """Return Shah and Samworth's bound of Theorem 2, or infinity where it does not apply."""
    half = 1 / (2 * n_pairs)
    lowest = 0.5 + min(theta**2, half + 0.75 * theta**2)
    if theta > 1 / sqrt(3) or threshold < 0.5 + 2 * half or threshold <= lowest:
        return float("inf")
    if threshold <= 0.75:
        factor = 1 / (2 * (2 * threshold - 1 - half))
    else:
        factor = 4 * (1 - threshold + half) / (1 + 2 * half)
    return factor * theta * n_selected


def _r_concave_tail(mean: float, threshold: float, n_steps: int, r: float) -> float:
    """Return the largest P(X >= threshold) of r-concave X on 0, 1/n_steps, ..., 1 with this mean.

    The extreme distributions are proportional to ``(1 + c i)^(1/r)`` on the steps i = 0, ..., k
    and have some mass, less than this formula would give, on step k + 1. The mean fixes that mass,
    so that the maximum is over k and c.
    """
    target, reached = mean * n_steps, round(threshold * n_steps)
    first = ceil(2 * target) + 1  # on fewer steps, even the uniform distribution has a lower mean
    if reached < first:
        return 1.0
    shapes = range(max(first, reached - 1), n_steps)
    if not shapes:
        return 1.0
    steps = np.arange(n_steps + 1)

    def tail(c: float, k: int) -> float:
        weight = (1 + c * steps[: k + 1]) ** (1 / r)
        scale = (k + 1 - target) / ((k + 1 - steps[: k + 1]) @ weight)
        return float(1 - scale * weight[:reached].sum())

    slopes = {k: _slope(steps[: k + 1], target, r) for k in (*shapes, n_steps)}
    best = 0.0
    for k in shapes:
        ends = slopes[k], slopes[k + 1]
        inside = minimize_scalar(lambda c, k=k: -tail(c, k), bounds=ends, method="bounded")
        best = max(best, -inside.fun, *(tail(c, k) for c in ends))
    return min(best, 1.0)


def _slope(steps: NDArray[np.intp], target: float, r: float) -> float:
    """Return the c for which the weights ``(1 + c i)^(1/r)`` have the target as their mean."""

    def excess(c: float) -> float:
        weight = (1 + c * steps) ** (1 / r)
        return float(steps @ weight / weight.sum() - target)

    high = 1.0
    while excess(high) > 0:
        high *= 4
    return float(brentq(excess, 0.0, high, xtol=1e-12))
