"""Tests of sparse and large tables: some columns at a time are dense numbers of 64 bits."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from inforest import _core
from inforest._engine.arrays import Floats
from inforest._engine.parallel import cut
from inforest._engine.patience import Patience
from inforest._engine.training_set import TrainingSet
from inforest.independence.permutation import (
    Counts,
    TailScores,
    has_product,
    response_scores,
    screened_block,
    tail_scores,
)

#: Bytes of the columns that are dense at a time, and of the permuted responses.
_BLOCK_BYTES, _RESPONSE_BYTES = 2**26, 2**27
#: Bytes in double precision from which on numbers in single precision are not copied as a whole.
_LARGE_BYTES = 2**29


@dataclass(frozen=True, eq=False)
class BlockedTable:
    """Columns of a table, and how some of them become a training set.

    An entry that is not stored is 0, as everywhere in SciPy and scikit-learn; it is not missing.
    """

    X: Any
    prepare: Callable[[Floats], TrainingSet]

    def columns(self, features: Any) -> Floats:
        """Return some columns as the core reads them."""
        part = self.X[:, features]
        return part.toarray(order="F") if issparse(part) else np.asfortranarray(part, np.float64)

    def blocks(self, features: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], TrainingSet]]:
        """Yield these features, some at a time and in this order, with their data."""
        n_blocks = -(-8 * self.X.shape[0] * len(features) // _BLOCK_BYTES)
        for begin, end in cut(len(features), max(1, n_blocks)):
            part = features[begin:end]
            yield part, self.prepare(self.columns(part))


def is_blocked(X: Any, categorical_features: Any) -> bool:
    """Whether X is sparse, or complete numbers in single precision that are large in double."""
    if issparse(X):
        return True
    if not isinstance(X, np.ndarray) or X.dtype != np.float32 or X.ndim != 2:
        return False
    if 8 * X.size <= _LARGE_BYTES or not isinstance(categorical_features, str | None):
        return False
    return bool(np.isfinite(X.sum(dtype=np.float64)))


def read_blocked(estimator: Any, X: Any, prepare: Callable[..., TrainingSet]) -> BlockedTable:
    """Check a table; `prepare(estimator, columns)` makes data of some of its columns."""
    kind = np.float64 if issparse(X) else np.float32
    X = validate_data(estimator, X, accept_sparse="csc", dtype=kind)
    return BlockedTable(X, partial(prepare, BaseEstimator()))


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """Of each feature: its observed statistic, exceedances, and those of step-down maxT."""

    observed: Floats
    exceedances: Counts
    tails: TailScores | None
    step_down: Counts | None


def tally_sparse(
    table: BlockedTable,
    selectors: list[str],
    seed: int,
    n_draws: int,
    *,
    steps_down: bool,
    verbose: int,
) -> SparseCounts:
    """Count exceedances as `tally` does for dense columns: the same draws, the same counts.

    Draw b is the same permutation whatever is tested with it, so counts do not depend on how the
    columns are cut into blocks.
    """
    p = table.X.shape[1]
    observed = np.zeros(p)
    moments = np.full((3, p), -np.inf)
    for part, data in table.blocks(np.arange(p)):
        observed[part] = data.statistics(selectors, seed)
        if steps_down:
            of_part = tail_scores(data, selectors, seed)
            moments[:, part] = of_part.score, of_part.mean, of_part.variance
    tails = TailScores(*moments) if steps_down else None
    order = np.arange(p) if tails is None else tails.ascending
    exceedances, stepped = np.zeros((2, p), dtype=np.int64)
    with Patience(p, "features") if verbose else nullcontext() as progress:
        first = next(table.blocks(order))[1]
        for begin, end in cut(n_draws, _n_pieces(first, n_draws)):
            piece = _Piece(first, selectors, seed, begin, end)
            for part, data in table.blocks(order):
                of_block = None if tails is None else (tails.mean[part], tails.variance[part])
                counts = piece.count(data, observed[part], of_block)
                exceedances[part] += counts[0]
                if tails is not None:
                    stepped[part] += counts[1]
                if progress is not None and end == n_draws:
                    progress.advance(len(part))
    return SparseCounts(observed, exceedances, tails, None if tails is None else stepped)


def _n_pieces(data: TrainingSet, n_draws: int) -> int:
    """Return into how many pieces draws are cut, so that the permuted responses have room."""
    depth = max(data.n_labels - 1, 1)
    return max(1, -(-4 * len(data.y) * depth * n_draws // _RESPONSE_BYTES))


class _Piece:
    """Some draws, under which one block of features after the other is tested."""

    def __init__(
        self, data: TrainingSet, selectors: list[str], seed: int, begin: int, end: int
    ) -> None:
        self._statistic = {"selectors": selectors, "seed": seed, "begin": begin, "end": end}
        self._running = np.full(end - begin, -np.inf)
        self._stop = np.zeros(1, dtype=np.uint8)
        self._responses = None
        if has_product(data, selectors):
            scores = response_scores(data)
            self._depth = scores.shape[1]
            self._responses = _core.permuted_scores(data.y, data.n_labels, scores, seed, begin, end)

    def count(
        self, data: TrainingSet, observed: Floats, moments: tuple[Floats, Floats] | None
    ) -> tuple[Counts, Counts]:
        features = np.arange(data.X.shape[1], dtype=np.int64)
        maxima = None if moments is None else (self._running, *moments)
        arguments: dict[str, Any] = {"stop": self._stop, "features": features, "maxima": maxima}
        arguments |= self._statistic
        if self._responses is None:
            return _core.tally_draws(**arguments, **data.test_arguments)
        return screened_block(
            _core.unit_columns(data.features.for_core, features, data.core_weight),
            self._responses,
            depth=self._depth,
            observed=observed,
            **arguments,
            **data.core_arguments,
        )


def each_block(
    table: BlockedTable, names: NDArray[Any], test: Callable[[TrainingSet, NDArray[Any]], Any]
) -> list[Any]:
    """Return what `test` says of each block of columns, with their names."""
    features = np.arange(table.X.shape[1])
    return [test(data, names[part]) for part, data in table.blocks(features)]


def joined(parts: Sequence[Any]) -> Any:
    """Return the results of blocks, whose arrays have one entry per feature, as one."""
    arrays = {
        name: np.concatenate([vars(part)[name] for part in parts])
        for name, value in vars(parts[0]).items()
        if value is not None
    }
    return replace(parts[0], **arrays)
