"""Counts of exceedances: every feature under the same permutations of y, in bounded memory."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from inforest import _core
from inforest._engine.arrays import Floats
from inforest._engine.blas import one_thread_of_blas
from inforest._engine.parallel import Range, Signals, cut, run, workers
from inforest._engine.training_set import TrainingSet

Counts = NDArray[np.int64]
Singles = NDArray[np.float32]

#: Statistics whose permutations are one matrix product.
_PRODUCTS = (["mc"], ["pc"])
#: With more classes the product does more work than the core's sums over classes.
_MAX_CLASSES = 16
#: Bytes of the permuted responses, of one block of the product, and of all columns of X in single
#: precision. Columns that need more, or more than half of what X takes, are converted anew for each
#: piece of draws.
_RESPONSE_BYTES, _BLOCK_BYTES, _COLUMN_BYTES = 2**28, 2**23, 2**29
#: The same for sparse columns: of the permuted responses, and of the entries of one block.
_SPARSE_RESPONSE_BYTES, _ENTRY_BYTES = 2**26, 2**24
#: Bytes of columns that are kept whatever X takes.
_SMALL_BYTES = 2**26
#: Additions of one piece of draws at most, so that progress and Ctrl-C are not late.
_PIECE_WORK = 4e10
#: Rows of one product: the error of a sum in single precision grows with its length.
_ROWS = 4096


@dataclass(frozen=True)
class TailScores:
    """How far out each statistic lies in its own permutation distribution.

    Step-down maxT compares features by it: raw statistics of rare columns, whose tails are heavy,
    would drown all others. It is the normal quantile of the tail of a gamma distribution with the
    statistic's mean and variance over all permutations.
    """

    score: Floats
    mean: Floats
    variance: Floats

    @property
    def ascending(self) -> NDArray[np.intp]:
        """The features, the least extreme first."""
        return np.argsort(self.score, kind="stable")


def tail_scores(
    data: TrainingSet, selectors: list[str], seed: int, missing: str = "incorporate"
) -> TailScores:
    """Return the scores of all features."""
    scores = _core.tail_scores(
        **data.test_arguments, selectors=selectors, seed=seed, missing=missing
    )
    return TailScores(*scores)


@dataclass(frozen=True)
class Tally:
    """Exceedances of each feature; those of step-down maxT, if asked for."""

    exceedances: Counts
    step_down: Counts | None


def has_product(data: TrainingSet, selectors: list[str]) -> bool:
    """Whether permutations are a matrix product, of columns without missing values."""
    # Products know of complete centred columns, and of permutations of all rows.
    is_known = selectors in _PRODUCTS and data.n_labels <= _MAX_CLASSES and data.y.ndim == 1
    return is_known and data.design.blocks is None and data.features.n_levels is None


def tally(
    data: TrainingSet,
    selectors: list[str],
    seed: int,
    observed: Floats,
    n_draws: int,
    *,
    tails: TailScores | None,
    n_jobs: int | None,
    done: Callable[[int], None] | None = None,
    missing: str = "incorporate",
) -> Tally:
    """Count exceedances among n_draws permutations that all features share.

    Pieces of draws are independent: their counts add up, whatever the number of jobs. Inside a
    piece the features come in ascending order of their scores when step-down maxT is asked for
    (`tails`), so that it needs one running maximum per draw and no matrix of all statistics.
    """
    p = data.X.shape[1]
    by_product = has_product(data, selectors)
    holes = data.features.holes
    if by_product and holes is not None and not holes.all() and tails is None:
        exceedances = np.empty(p, dtype=np.int64)
        for columns in (np.flatnonzero(holes == 0), np.flatnonzero(holes)):
            if len(columns):
                part = data.of_columns(columns.tolist())
                counts = tally(
                    *(part, selectors, seed, observed[columns], n_draws),
                    tails=None,
                    n_jobs=n_jobs,
                    done=done,
                    missing=missing,
                )
                exceedances[columns] = counts.exceedances
                done = None
        return Tally(exceedances, None)
    ascending = np.arange(p) if tails is None else tails.ascending
    features: Counts = ascending.astype(np.int64)
    step_down = tails is not None
    moments = None if tails is None else (tails.mean[features], tails.variance[features])
    statistic = {"selectors": selectors, "seed": seed, "features": features, "moments": moments}
    shared: dict[str, Any] = {**data.core_arguments, **statistic}
    if by_product and holes is None:
        scores = response_scores(data)
        ranges = _draw_ranges(data.X, scores.shape[1], n_draws, workers(n_jobs))
        units = None
        if len(ranges) > 1 and _keeps_columns(data.X):
            units = _core.unit_columns(data.features.for_core, features, data.core_weight)
        shared |= {"observed": observed[features], "scores": scores, "units": units}
        # One thread of BLAS per worker; a single worker leaves it what the user has set.
        is_alone = min(workers(n_jobs), len(ranges)) == 1
        with nullcontext() if is_alone else one_thread_of_blas():
            parts = run(_screened_piece, shared, ranges, n_jobs, here=True, done=done)
    else:
        # A piece sorts every column once, which 64 draws make negligible.
        ranges = cut(n_draws, max(4 * workers(n_jobs), min(n_draws // 64, 100)))
        shared = {**data.test_arguments, **statistic, "missing": missing}
        parts = run(_drawn_piece, shared, ranges, n_jobs, done=done)
    exceedances = np.empty(p, dtype=np.int64)
    exceedances[features] = sum(part[0] for part in parts)
    if not step_down:
        return Tally(exceedances, None)
    stepped = np.empty(p, dtype=np.int64)
    stepped[features] = sum(part[1] for part in parts)
    return Tally(exceedances, stepped)


def response_scores(data: TrainingSet) -> Singles:
    """Return scores whose squared products with a unit column add up to the squared statistic.

    Scores: y itself, centred and of unit length, a row per sample. Labels: a row per
    label, K - 1 columns: contrasts between the class sums, orthonormal over the samples.
    """
    if data.n_labels == 0:
        y = data.y - data.y[0]
        y = y - y.mean()
        return np.ascontiguousarray(y / np.linalg.norm(y), dtype=np.float32)[:, None]
    root = np.sqrt(np.bincount(data.y.astype(np.intp), minlength=data.n_labels))
    # Sums over classes, divided by the root of the class size, have no part along `root`.
    basis = np.linalg.qr(root[:, None], mode="complete").Q[:, 1:]
    return np.ascontiguousarray(basis / root[:, None], dtype=np.float32)


def single_precision_slack(n_samples: int, depth: int) -> float:
    """Bound the error of a statistic that was computed in single precision.

    Both vectors have unit length, so no partial sum exceeds 1 and each addition errs by at most
    2^-24. The errors have no preferred sign: 4 sqrt(n) is seven standard deviations of the worst
    case, in which all partial sums are near 1. Typical ones are so small that n does not matter.
    """
    return 2.0**-24 * (32 + 4 * np.sqrt(min(n_samples, _ROWS))) * np.sqrt(depth)


def _keeps_columns(X: Any) -> bool:
    """Whether all columns are kept in single precision."""
    if issparse(X):
        return False
    return 4 * X.size <= max(min(_COLUMN_BYTES, X.nbytes / 2), min(_COLUMN_BYTES, _SMALL_BYTES))


def _draw_ranges(X: Any, depth: int, n_draws: int, n_workers: int) -> list[Range]:
    """Cut the draws into pieces, as many for each worker."""
    n_values, n_bytes = X.size, _RESPONSE_BYTES
    if issparse(X):
        n_values, n_bytes = X.nnz, _SPARSE_RESPONSE_BYTES
    most = min(
        n_bytes / n_workers / (4 * X.shape[0] * depth),
        max(64, _PIECE_WORK / (n_values * depth + 1)),
    )
    n_pieces = -(-n_draws // max(1, int(most)))
    return cut(n_draws, -(-n_pieces // n_workers) * n_workers)


def _product(units: Singles, responses: Singles) -> Singles:
    """Return all scalar products; long sums are made of short ones."""
    n = units.shape[1]
    total: Singles = units[:, :_ROWS] @ responses[:, :_ROWS].T
    for begin in range(_ROWS, n, _ROWS):
        total += units[:, begin : begin + _ROWS] @ responses[:, begin : begin + _ROWS].T
    return total


def _screened_piece(
    signals: Signals,
    begin: int,
    end: int,
    *,
    features: Counts,
    moments: tuple[Floats, Floats] | None,
    observed: Floats,
    scores: Singles,
    units: Singles | None,
    **statistic: Any,
) -> tuple[Counts, Counts]:
    y = statistic["y"]
    responses = _core.permuted_scores(
        y, statistic["n_classes"], scores, statistic["seed"], begin, end
    )
    running = np.full(end - begin, -np.inf)
    X, weights = statistic["X"], statistic["weights"]
    # Weighed columns have no zeros.
    reads_entries = isinstance(X, tuple) and weights is None
    makes_columns = units is None and not reads_entries
    size = _BLOCK_BYTES // (4 * max(responses.shape[0], len(y) if makes_columns else 0))
    if reads_entries:
        size = min(size, _ENTRY_BYTES * len(features) // (8 * len(X[0]) + 1))
    size = max(1, size)
    slack = single_precision_slack(len(y), scores.shape[1])
    parts = []
    for first, last in pairwise([*range(0, len(features), size), len(features)]):
        block, growth = features[first:last], np.ones(last - first)
        if reads_entries:
            screen, growth = _core.sparse_products(X, block, responses)
        elif units is None:
            screen = _product(_core.unit_columns(X, block, weights), responses)
        else:
            screen = _product(units[first:last], responses)
        parts.append(
            _core.tally_screened(
                stop=signals.stop,
                features=block,
                maxima=moments and (running, moments[0][first:last], moments[1][first:last]),
                begin=begin,
                end=end,
                screen=screen,
                observed=observed[first:last],
                slack=slack * growth,
                **statistic,
            )
        )
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _drawn_piece(
    signals: Signals,
    begin: int,
    end: int,
    *,
    features: Counts,
    moments: tuple[Floats, Floats] | None,
    **statistic: Any,
) -> tuple[Counts, Counts]:
    maxima = None if moments is None else (np.full(end - begin, -np.inf), *moments)
    return _core.tally_draws(
        stop=signals.stop, features=features, maxima=maxima, begin=begin, end=end, **statistic
    )


def stopped(
    data: TrainingSet,
    selectors: list[str],
    seed: int,
    rule: dict[str, Any],
    n_jobs: int | None,
    done: Callable[[int], None] | None = None,
    missing: str = "incorporate",
) -> tuple[Counts, Counts]:
    """Return exceedances and draws of each feature's own test, which stops by its rule."""
    p = data.X.shape[1]
    statistic = {"selectors": selectors, "seed": seed, "missing": missing}
    shared = {**data.test_arguments, **statistic, **rule}
    ranges = cut(p, max(4 * workers(n_jobs), min(p, 100)))
    parts = run(_stopped_piece, shared, ranges, n_jobs, done=done)
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _stopped_piece(signals: Signals, begin: int, end: int, **test: Any) -> tuple[Counts, Counts]:
    features = np.arange(begin, end, dtype=np.int64)
    return _core.test_features(stop=signals.stop, features=features, **test)
