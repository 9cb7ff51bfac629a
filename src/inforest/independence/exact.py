"""Exact permutation p-values: all arrangements of y, counted or enumerated."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from inforest import _core
from inforest._engine.arrays import Floats
from inforest._engine.parallel import Signals, cut, run, workers
from inforest._engine.storage import column
from inforest._engine.training_set import TrainingSet

#: Distinct arrangements of y that are enumerated at most.
MAX_ARRANGEMENTS = 1_000_000
#: (members of the first class, sum of x) pairs of two classes that are held at most.
MAX_STATES = 1_000_000


def exact_p_values(
    data: TrainingSet,
    selectors: list[str],
    seed: int,
    names: NDArray[Any],
    n_jobs: int | None = None,
    missing: str = "incorporate",
) -> Floats:
    """Return the share of all permutations of y that reach each feature's statistic.

    With two classes and "mc", the sum of x over the first class decides, and its distribution
    follows from x value by value: quick when x has few distinct values; of a category the counts of
    that class in its levels decide, and follow level by level. All else is enumerated,
    and so is everything with blocks, inside which alone responses are permuted, or with missing
    values.
    """
    p_value = np.ones(data.X.shape[1])
    left = list(range(len(p_value)))
    blocks = data.design.blocks
    if selectors == ["mc"] and data.n_labels == 2 and blocks is None:
        known = [_two_class(data, j) for j in left]
        left = [j for j, p in enumerate(known) if p is None]
        p_value[:] = [1.0 if p is None else p for p in known]
    if not left:
        return p_value
    total = n_arrangements(data.y, blocks)
    if total > MAX_ARRANGEMENTS:
        raise ValueError(
            _too_large(data, selectors, names[left[0]], column(data.X, left[0]), total)
        )
    features = np.array(left, dtype=np.int64)
    shared = {
        **data.test_arguments,
        "selectors": selectors,
        "seed": seed,
        "features": features,
        "missing": missing,
    }
    ranges = cut(len(left), 4 * workers(n_jobs))
    hits = np.concatenate(run(_enumerate, shared, ranges, n_jobs))
    p_value[features] = hits / total
    return p_value


def _two_class(data: TrainingSet, feature: int) -> float | None:
    x, first = column(data.X, feature), data.y == 0
    if np.isnan(x).any():
        return None
    if not data.features.is_category[feature]:
        return two_class_p_value(_weighed(x, data.core_weight), first)
    return None if data.core_weight is not None else two_class_level_p_value(x, first)


def two_class_level_p_value(levels: Floats, first: NDArray[np.bool_]) -> float | None:
    """Return P(chi^2 >= observed) of a category and two classes, or None if that takes too much.

    Level by level, as `two_class_p_value` does with values: chi^2 is a rising function of the sum
    of m^2 / n over the levels, m of whose n rows are of the first class.
    """
    code, size = np.unique(levels, return_inverse=True, return_counts=True)[1:]
    if len(size) == 1:
        return 1.0
    n, n_first = len(levels), int(first.sum())
    members, sums, chance = np.zeros(1, np.int64), np.zeros(1), np.ones(1)
    left = n
    for own in size[:-1].tolist():
        if len(members) * (own + 1) > MAX_STATES:
            return None
        more = np.arange(own + 1)
        law = hypergeom.pmf(more[None, :], left, own, n_first - members[:, None])
        chance = (chance[:, None] * law).ravel()
        sums = (sums[:, None] + more**2 / own).ravel()
        members = (members[:, None] + more).ravel()
        members, sums, chance = _merged(members, sums, chance, n)
        left -= own
    sums = sums + (n_first - members) ** 2 / size[-1]
    observed = (np.bincount(code, first) ** 2 / size).sum()
    # As the share of the first class's variance that lies between the levels.
    base, scale = n_first**2 / n, n_first * (n - n_first) / n
    value, seen = (sums - base) / scale, (observed - base) / scale
    return min(1.0, float(chance[value >= seen - (1e-9 * seen + 1e-12)].sum()))


def _weighed(x: Floats, weight: Floats | None) -> Floats:
    """Return a column whose sums are compared: x, or with weights what they make of it."""
    return x if weight is None else weight * (x - np.average(x, weights=weight))


def n_arrangements(y: NDArray[Any], blocks: NDArray[Any] | None = None) -> int:
    """Return in how many distinct ways the values of y can be given to the samples."""
    if blocks is not None:
        return math.prod(n_arrangements(y[blocks == block]) for block in np.unique(blocks))
    total, placed = 1, 0
    for count in np.unique(y, return_counts=True)[1].tolist():
        placed += count
        total *= math.comb(placed, count)
    return total


def two_class_p_value(x: Floats, first: NDArray[np.bool_]) -> float | None:
    """Return P(R^2 >= observed) with two classes, or None if x has too many distinct values.

    A dynamic programme over the distinct values: after each one, all (members of the first class
    so far, sum of their x) with their probabilities, equal ones merged.
    """
    value, count = np.unique(x, return_counts=True)
    if len(value) == 1:
        return 1.0
    centre = x.mean()
    scale = np.abs(value - centre).max()
    value, x = (value - centre) / scale, (x - centre) / scale  # sums of order 1
    n, n_first = len(x), int(first.sum())
    left = n
    members, sums, chance = np.zeros(1, np.int64), np.zeros(1), np.ones(1)
    for v, size in zip(value[:-1], count[:-1].tolist(), strict=True):
        if len(members) * (size + 1) > MAX_STATES:
            return None
        more = np.arange(size + 1)
        law = hypergeom.pmf(more[None, :], left, size, n_first - members[:, None])
        chance = (chance[:, None] * law).ravel()
        sums = (sums[:, None] + more * v).ravel()
        members = (members[:, None] + more).ravel()
        members, sums, chance = _merged(members, sums, chance, n)
        left -= size
    sums = sums + (n_first - members) * value[-1]  # the last value takes the rest
    # R^2 is proportional to the squared deviation of the sum; the factor makes it R^2.
    factor = n / (n_first * (n - n_first)) / np.square(x - x.mean()).sum()
    mean = n_first * x.mean()
    observed = np.square(x[first].sum() - mean) * factor
    reached = np.square(sums - mean) * factor >= observed - (1e-9 * observed + 1e-12)
    return min(1.0, float(chance[reached].sum()))


def _merged(
    members: NDArray[np.int64], sums: Floats, chance: Floats, n: int
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Add up the chances of states that are the same but for rounding."""
    possible = chance > 0
    members, sums, chance = members[possible], sums[possible], chance[possible]
    order = np.lexsort((sums, members))
    members, sums, chance = members[order], sums[order], chance[order]
    starts = np.ones(len(members), dtype=bool)
    starts[1:] = (np.diff(members) > 0) | (np.diff(sums) > 1e-14 * n)
    begin = np.flatnonzero(starts)
    return members[begin], sums[begin], np.add.reduceat(chance, begin)


def _enumerate(
    signals: Signals, begin: int, end: int, *, features: NDArray[np.int64], **statistic: Any
) -> NDArray[np.int64]:
    return _core.count_arrangements(stop=signals.stop, features=features[begin:end], **statistic)


def _too_large(data: TrainingSet, selectors: list[str], name: str, x: Floats, total: int) -> str:
    magnitude = f"{total:,}" if total < 10**12 else f"10^{len(str(total)) - 1}"
    message = (
        f"method='exact' accepts at most {MAX_ARRANGEMENTS:,} distinct arrangements of y; got"
        f" n_samples={len(x)} with about {magnitude}"
    )
    if selectors == ["mc"] and data.n_labels == 2 and data.design.blocks is None:
        message += (
            ". With two classes it also accepts features with few distinct values; feature"
            f" {name!r} has {len(np.unique(x))}"
        )
    return message + ". Use method='permutation', which has no such limit."
