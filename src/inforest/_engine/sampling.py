"""`Sampling`: which rows the trees of a forest are grown from."""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Sample

#: What splits of fitted trees can be added up to.
IMPORTANCE_TYPES = ("split", "count", "weighted", "validated", "effect", "unseen_effect")
#: Importances that need rows which a tree has not seen.
VALIDATED_TYPES = ("validated", "effect", "unseen_effect")

if TYPE_CHECKING:
    from inforest._engine.training_set import TrainingSet

SAMPLING_METHODS = ("stratified", "plain", "undersample", "oversample")
#: Share of the rows in a subsample: about as many different ones as in a bootstrap sample.
SUBSAMPLE = 0.632
#: Share of the rows that a tree must leave out on average to be judged by them.
_LEAST_SHARE = 0.1
#: The core counts rows in 32 bits.
MAX_CASES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Sampling:
    """How a tree's seed draws the tree's rows. What they weigh makes no difference to that.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    case_counts : ndarray of shape (n_samples,) or None
        How often each row is there to be drawn: once, or never; None means once. In forests of
        earlier versions a row was there as often as its weight said.
    strata : ndarray of shape (n_samples,) or None
        The stratum of each row; None puts all rows in one.
    quota : ndarray of shape (n_strata,) or None
        How many rows are drawn from each stratum; None takes all rows.
    replace : bool
        Whether a row can be drawn more than once.
    groups : ndarray of shape (n_samples,) or None
        The group of each row; groups are drawn instead of rows, and quotas count them. The rows
        of a group have one stratum.
    row_weight : ndarray of shape (n_samples,) or None
        What each row weighs; None means 1, or, in forests of earlier versions, `case_counts`.

    """

    n_samples: int
    case_counts: Integers | None = None
    strata: NDArray[np.int32] | None = None
    quota: Integers | None = None
    replace: bool = True
    groups: NDArray[np.int32] | None = None
    row_weight: Floats | None = None

    def of_trees(self, seeds: NDArray[np.uint64]) -> Sample:
        """Return the sample of trees with these seeds, as the core asks for it."""
        return Sample(self.case_counts, self.groups, self.strata, self.quota, self.replace, seeds)

    @property
    def takes_all(self) -> bool:
        """Whether every tree sees every row, so that none is ever out of its bag."""
        if self.quota is None:
            return True
        if self.case_counts is None and self.groups is None:
            n_units = self.n_samples  # known without an array: a file may say any number
        else:
            n_units = self._units[0].sum()
        return not self.replace and bool(self.quota.sum() == n_units)

    @property
    def _units(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """What is drawn: how often each row, or each group, can be drawn, and its stratum."""
        cases = np.ones(self.n_samples) if self.case_counts is None else self.case_counts
        strata = np.zeros(self.n_samples, dtype=int) if self.strata is None else self.strata
        if self.groups is None:
            return cases, strata
        first = np.unique(self.groups, return_index=True)[1]
        return np.bincount(self.groups, weights=cases) > 0, strata[first]

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees leave out enough rows, a tenth on average, to be judged by them."""
        return self._share_left_out >= _LEAST_SHARE

    @property
    def _share_left_out(self) -> float:
        """Expected share of the rows, or of the groups, that a tree does not see."""
        if self.quota is None:
            return 0.0
        if self.case_counts is None and self.strata is None and self.groups is None:
            cases, strata = np.ones(1), np.zeros(1, dtype=int)  # all rows are alike
            total = np.array([float(self.n_samples)])
        else:
            cases, strata = self._units
            total = np.bincount(strata, weights=cases, minlength=len(self.quota))[strata]
        there = cases > 0
        own, stratum, total = cases[there], strata[there], total[there]
        drawn = self.quota[stratum]
        if self.replace:
            return float(np.mean((1 - own / total) ** drawn))
        # Of total choose drawn samples, those without the row are (total - own) choose drawn.
        spare = np.maximum(total - own - drawn, 0)
        log = gammaln(total - own + 1) - gammaln(spare + 1)
        log -= gammaln(total + 1) - gammaln(total - drawn + 1)
        return float(np.mean(np.where(total - own >= drawn, np.exp(log), 0.0)))

    def counts(self, seed: int) -> Integers:
        """Return how often each row is in the sample of the tree with this seed."""
        return _core.sample_counts(
            self.n_samples,
            case_counts=self.case_counts,
            strata=self.strata,
            quota=self.quota,
            replace=self.replace,
            seed=int(seed),
            groups=self.groups,
        )

    def draws_like(self, other: "Sampling") -> bool:
        """Whether both draw the same rows, if the data are the same."""
        same_quota = np.array_equal(self.quota, other.quota)  # type: ignore[arg-type]
        same_strata = (self.strata is None) == (other.strata is None)
        return same_quota and same_strata and self.replace == other.replace


def make_sampling(params: dict[str, Any], data: "TrainingSet") -> Sampling:
    """Turn a forest's parameters into quotas; refuse those that contradict each other."""
    strata = data.response.type.strata(data.response)
    groups, n_units = data.design.groups, data.n_rows
    if groups is not None:
        n_units = len(np.unique(groups if data.weight is None else groups[data.weight > 0]))
        if strata is not None:
            of_groups = strata_of_groups(strata, groups, data.case_counts)
            strata = of_groups[groups].astype(np.int32)
    method = params.get("sampling_method", "plain") if strata is not None else "plain"
    replace, max_samples = bool(params["replace"]), params["max_samples"]
    rows = len(data.y), data.case_counts
    if not params["bootstrap"]:
        _check_no_bootstrap(params)
        return Sampling(*rows, groups=groups, row_weight=data.weight)
    if method == "oversample" and not replace:
        raise ValueError(
            "sampling_method='oversample' and replace=False contradict each other: rare classes"
            " must be drawn repeatedly. Set replace=True, or use 'undersample'."
        )
    size = _size(max_samples, replace, data.n_rows)
    if groups is not None:  # as many groups as have so many rows on average
        size = math.ceil(size / data.n_rows * n_units * (1 - 1e-12))
    if strata is None or method == "plain":
        quota = np.array([size], dtype=np.int64)
        sampling = Sampling(*rows, None, quota, replace, groups, data.weight)
    else:
        there, drawn = Sampling(*rows, strata, groups=groups)._units
        n_drawn_from = np.bincount(drawn, weights=there).astype(np.int64)
        quota = _quota(method, size, n_drawn_from, max_samples, replace)
        sampling = Sampling(*rows, strata, quota, replace, groups, data.weight)
    if params["oob_score"] and sampling.takes_all:
        raise ValueError(
            f"oob_score={params['oob_score']!r} and max_samples={max_samples!r} contradict each"
            f" other: with replace=False every tree sees all {data.n_rows} rows, and none is left"
            " to score it on"
        )
    is_validated = params["importance_type"] in VALIDATED_TYPES
    if is_validated and sampling.takes_all and max_samples is not None:
        raise ValueError(
            f"importance_type={params['importance_type']!r} and max_samples={max_samples!r}"
            f" contradict each other: with replace=False every tree sees all {data.n_rows} rows,"
            " and none is left to validate its splits on"
        )
    return sampling


def strata_of_groups(
    strata: NDArray[Any], groups: NDArray[np.int32], case_counts: Integers | None = None
) -> NDArray[np.intp]:
    """Return for each group the stratum that most of its rows have, the first of equals.

    A group all of whose rows are absent is never drawn: it gets the stratum of another.
    """
    counts = np.zeros((int(groups.max()) + 1, int(strata.max()) + 1), dtype=np.int64)
    np.add.at(counts, (groups, strata), 1 if case_counts is None else case_counts)
    most = counts.argmax(axis=1)
    there = counts.any(axis=1)
    most[~there] = most[there][0]
    # A stratum that no group has would ask for groups that there are none of.
    return np.unique(most, return_inverse=True)[1]


def _check_no_bootstrap(params: dict[str, Any]) -> None:
    reasons = {
        "oob_score": "every tree sees all rows, and none is left to score it on",
        "max_samples": "without sampling there is nothing to limit",
    }
    for name, reason in reasons.items():
        if params[name] is not None and params[name] is not False:
            raise ValueError(
                f"{name}={params[name]!r} and bootstrap=False contradict each other: {reason}"
            )
    if params["importance_type"] in VALIDATED_TYPES:
        raise ValueError(
            f"importance_type={params['importance_type']!r} and bootstrap=False contradict each"
            " other: every tree sees all rows, and none is left to validate its splits on"
        )
    if params.get("sampling_method") in {"undersample", "oversample"}:
        raise ValueError(
            f"sampling_method={params['sampling_method']!r} and bootstrap=False contradict each"
            " other: without sampling every tree sees all rows of every class"
        )


def _size(max_samples: Any, replace: bool, n_rows: int) -> int:
    """Resolve `max_samples` into a number of rows."""
    if max_samples is None:
        return n_rows if replace else math.ceil(SUBSAMPLE * n_rows)
    if not isinstance(max_samples, Integral):
        return math.ceil(max_samples * n_rows)
    size = int(max_samples)
    if size > n_rows and not replace:
        raise ValueError(
            f"max_samples={size} and replace=False contradict each other: there are only"
            f" {n_rows} rows to draw from"
        )
    return size


def _quota(method: str, size: int, n_rows: Integers, max_samples: Any, replace: bool) -> Integers:
    """Return how many rows of each class a sample gets."""
    n_classes = len(n_rows)
    if method == "stratified":
        return _shares(size, n_rows)
    if size < n_classes:
        raise ValueError(
            f"max_samples={max_samples!r} and sampling_method={method!r} contradict each other: a"
            f" balanced sample needs a row of each of the {n_classes} classes, this one has {size}"
        )
    if method == "oversample":
        return _shares(size, np.ones(n_classes, dtype=np.int64))
    # Without replacement a quota of all the rarest class has would leave none of it out of the bag.
    rarest = int(n_rows.min())
    least = _size(None, replace, rarest) if max_samples is None else min(rarest, size // n_classes)
    return np.full(n_classes, least, dtype=np.int64)


def _shares(size: int, weights: Integers) -> Integers:
    """Split `size` in proportion to weights: rounded down, the rest to the largest remainders.

    Of equal remainders the smaller weight comes first: it is the rare class that may get nothing.
    """
    whole, remainder = np.divmod(size * weights, weights.sum())
    rest = size - int(whole.sum())
    whole[np.lexsort((weights, -remainder))[:rest]] += 1
    return whole
