"""`TrainingSet`: what growing needs, checked and converted once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Trees
from inforest._engine.design import Design, make_design
from inforest._engine.features import Encoded, Features, read_features
from inforest._engine.parallel import Signals, cut, leaves_process, run, workers
from inforest._engine.responses import Response, ResponseType, check_there
from inforest._engine.responses.presence import MISSING
from inforest._engine.sampling import Sampling
from inforest._engine.sklearn_private import check_sample_weight
from inforest._engine.storage import (
    by_columns,
    dense,
    each_column,
    for_core,
    of_columns,
    total,
)

#: Selectors whose statistic depends on the seed.
_SEEDED = {"rdc"}
#: Pieces per worker, so that none waits long for the last one.
_PIECES = 4
#: Values of X up to which a tree is grown within milliseconds.
_SMALL = 200_000


@dataclass(frozen=True, eq=False)
class Prepared:
    """X and what is read off it once, whatever the response: all rounds and pieces share it.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples: the caller's own memory if it is one that the core reads (`storage.stays`,
        and float64 in Fortran order), else float64 in Fortran order. nan where a value is missing;
        categories by their codes. Sparse: by columns, and what is not stored is 0.
    columns : Features or None
        What they are. None: plain numbers.

    """

    X: Any
    columns: Features | None = None

    @cached_property
    def for_core(self) -> Any:
        """X as functions of the core take it."""
        return for_core(self.X)

    @cached_property
    def n_levels(self) -> NDArray[np.int32] | None:
        """Of each category how many levels it has, 0 of a number; None: all are numbers."""
        if self.columns is None or not self.columns.has_categories:
            return None
        return self.columns.n_levels

    @property
    def is_category(self) -> NDArray[np.bool_]:
        """Which features are categories."""
        if self.n_levels is None:
            return np.zeros(self.X.shape[1], dtype=bool)
        return self.n_levels > 0

    @property
    def are_mixed(self) -> bool:
        """Whether there are categories, whose statistics are not to be compared with others'."""
        return self.n_levels is not None

    def with_rows(self, rows: NDArray[Any]) -> "Prepared":
        """Return these rows alone, as data of their own."""
        return Prepared(self.X[rows] if issparse(self.X) else dense(self.X[rows]), self.columns)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """A hash of each column; of a category, whatever its levels are called."""
        return _core.feature_keys(self.for_core, self.n_levels)

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The place of each value among the distinct ones of its column, column by column."""
        return _core.column_ranks(self.for_core)

    @cached_property
    def holes(self) -> NDArray[np.uint8] | None:
        """Which columns have missing values, 1 for those; None if none has."""
        if np.isfinite(total(self.X)):
            return None
        holes = _core.columns_with_holes(self.for_core)
        return holes if holes.any() else None

    @cached_property
    def missing_counts(self) -> Integers:
        """How many values of each column are missing."""
        counts = np.zeros(self.X.shape[1], dtype=np.int64)
        for j in [] if self.holes is None else np.flatnonzero(self.holes):
            counts[j] = np.isnan(self.X[:, j]).sum()
        return counts

    @cached_property
    def rare_rows(self) -> tuple[Integers, NDArray[np.int32]]:
        """Where the lists of rare rows of nearly constant columns begin, and the lists."""
        return _core.rare_rows(self.for_core)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """What is fitted to: the features, the response, how much each row weighs.

    Attributes
    ----------
    features : Prepared
        X, and what is known of it.
    response : Response
        y as labels or scores.
    weight : ndarray of shape (n_samples,) or None
        What each row weighs, scaled by a power of two, 0 for one that does not count at all; None
        means 1.
    design : Design
        Blocks and groups of the rows.

    """

    features: Prepared
    response: Response
    weight: Floats | None = None
    design: Design = field(default_factory=Design)
    #: Statistics of all features that were computed already, by selectors and seed.
    _statistics: dict[Any, Floats] = field(default_factory=dict, init=False, repr=False)

    @property
    def X(self) -> Any:  # noqa: N802
        """The samples."""
        return self.features.X

    @property
    def table(self) -> Any:
        """What `fit` takes for the same features: the numbers, or these and what they mean."""
        columns = self.features.columns
        return self.X if columns is None or not columns.special else Encoded(columns, self.X)

    @property
    def y(self) -> NDArray[Any]:
        """The codes of labels, or scores."""
        return self.response.values

    @property
    def n_labels(self) -> int:
        """Number of labels, 0 for scores."""
        return self.response.n_labels

    @property
    def n_rows(self) -> int:
        """Number of rows that count at all."""
        return len(self.y) if self.weight is None else int((self.weight > 0).sum())

    @cached_property
    def case_counts(self) -> Integers | None:
        """How often each row is there, as samples are drawn: once, or never; None means once."""
        if self.weight is None or (self.weight > 0).all():
            return None
        return (self.weight > 0).astype(np.int64)

    @cached_property
    def core_weight(self) -> Floats | None:
        """The weights as the core reads them; None if no row weighs more than another."""
        if self.weight is None:
            return None
        there = self.weight[self.weight > 0]
        return None if (there == there[0]).all() else self.weight

    @property
    def fingerprint(self) -> str:
        """A hash of all that growing reads but the design, to know the data again."""
        return self.fingerprint_with(self.weight)

    def fingerprint_with(self, weight: NDArray[Any] | None) -> str:
        """Return the hash of the same data with these weights."""
        digest = blake2b(str(self.response.exponent).encode(), digest_size=16)
        digest.update(self.features.keys.data)
        y = self.y if self.n_labels else _core.feature_keys(self.y.reshape(len(self.y), -1))
        digest.update(y.data)
        if self.response.kept is not None:
            digest.update(np.ascontiguousarray(self.response.kept).tobytes())
        if weight is not None:
            digest.update(weight.data)
        return digest.hexdigest()

    @property
    def core_arguments(self) -> dict[str, Any]:
        """What all functions of the core ask for, by the names of their arguments."""
        return {
            "X": self.features.for_core,
            "y": self.y,
            "n_classes": self.n_labels,
            "weights": self.core_weight,
            "n_levels": self.features.n_levels,
        }

    @property
    def test_arguments(self) -> dict[str, Any]:
        """The same for those that permute the responses."""
        return {**self.core_arguments, "blocks": self.design.blocks}

    @property
    def fit_arguments(self) -> dict[str, Any]:
        """What `fit` gets besides X and y."""
        weight = {} if self.weight is None else {"sample_weight": self.weight}
        return {**weight, **self.design.arguments}

    @property
    def varies(self) -> bool:
        """Whether any permutation changes y."""
        if self.design.blocks is None:
            return bool((np.ptp(self.y, axis=0) > 0).any())
        order = np.argsort(self.design.blocks, kind="stable")
        same_block = np.diff(self.design.blocks[order]) == 0
        changes = (np.diff(self.y[order], axis=0) != 0).reshape(len(same_block), -1)
        return bool((same_block & changes.any(axis=1)).any())

    def of_groups(self) -> "TrainingSet | None":
        """Return a row per group: the means of its features, and the y that its rows share.

        Of a category the level that most of the rows have, the first of equals, or nan if most
        have none. With weights, weighted means, and a group weighs what its rows weigh on average:
        without weights all groups weigh the same, whatever their sizes. Rows of weight 0 do not
        count. A mean is that of the values that are there; it is missing if all of them are. None
        if y, or the block, differs inside a group, or there are no groups.
        """
        if self.case_counts is not None:
            return self.without_absent_rows().of_groups()
        groups, blocks, weight = self.design.groups, self.design.blocks, self.core_weight
        if groups is None or not self.design.groups_share(self.y):
            return None
        first, size = np.unique(groups, return_index=True, return_counts=True)[1:]
        columns = (
            _most_frequent(column, groups, weight)
            if is_category
            else _group_means(column, groups, first, weight)
            for column, is_category in zip(
                each_column(self.X), self.features.is_category, strict=True
            )
        )
        shape = len(first), self.X.shape[1]
        X = of_columns(columns, shape, sparse=issparse(self.X))
        response = self.response.part(first)
        design = Design(blocks=None if blocks is None else blocks[first])
        of_groups = None if weight is None else np.bincount(groups, weight) / size
        return TrainingSet(Prepared(X, self.features.columns), response, of_groups, design)

    def of_columns(self, columns: list[int]) -> "TrainingSet":
        """Return the same rows and response with some of the features."""
        known = self.features.columns
        part = None if known is None else known.part(columns)
        return replace(self, features=Prepared(_some_columns(self.X, columns), part))

    def with_response(self, response: Response) -> "TrainingSet":
        """Return the same rows and features with another response; nothing is read anew."""
        return replace(self, response=response)

    @property
    def _kept(self) -> dict[str, Any]:
        """The labels that leaves keep where tests see scores of them."""
        kept = self.response.type.kept_arguments(self.response)
        return {f"kept_{name}": value for name, value in kept.items()}

    @property
    def sampling(self) -> Sampling:
        """How a tree gets its rows that takes all there are."""
        return Sampling(
            len(self.y), self.case_counts, groups=self.design.groups, row_weight=self.weight
        )

    def grow(
        self,
        seeds: NDArray[np.uint64],
        options: dict[str, Any],
        sampling: Sampling | None = None,
        n_jobs: int | None = 1,
        done: Callable[[int], None] | None = None,
    ) -> tuple[Trees, Integers]:
        """Grow one tree per seed on its sample; tell `done` how many more are ready.

        Return the trees, and how often each feature was a candidate in all of them together.
        """
        sampling = sampling or self.sampling
        n_workers = workers(n_jobs)
        n_pieces = 1 if n_workers == 1 else _PIECES * n_workers
        if done is not None and leaves_process(n_jobs):  # no counter reaches there: a bar by pieces
            n_pieces = max(n_pieces, 100)
        # It reads nothing else of X.
        ranks_only = options["selector"] == ["rdc"] and not issparse(self.X)
        rare_begin, rare_row = self.features.rare_rows
        shared = {
            **self.test_arguments,
            **self._kept,
            "case_counts": sampling.case_counts,
            "groups": sampling.groups,
            "strata": sampling.strata,
            "feature_keys": self.features.keys,
            "ranks": self.features.ranks if ranks_only else None,
            "holes": self.features.holes,
            "rare_begin": rare_begin,
            "rare_row": rare_row,
            "kept": self.response.core_kept,
            "seeds": seeds,
            "options": {**options, "quota": sampling.quota, "replace": sampling.replace},
        }
        pieces = cut(len(seeds), n_pieces)
        trial = self.X.size <= _SMALL and len(pieces) > 1
        if trial:  # a single tree tells whether threads are worth it
            first, last = pieces[0]
            pieces[0] = first + 1, last
            pieces.insert(0, (first, first + 1))
        parts = run(_grow_piece, shared, pieces, n_jobs, trial=trial, done=done)
        candidate_counts = sum(arrays.pop("candidate_counts") for arrays in parts)
        trees = Trees.concatenate([Trees(**arrays) for arrays in parts])
        if self.response.exponent:
            trees = replace(trees, value=np.ldexp(trees.value, self.response.exponent))
        if self.response.scale is not None:
            trees = replace(trees, value=trees.value * self.response.scale)
        return trees, candidate_counts

    def statistics(self, selectors: list[str], seed: int, missing: str = "incorporate") -> Floats:
        """Return each feature's association with y on all rows; computed once, copied after.

        `missing` says what of a feature with missing values: "incorporate" is its value and its
        absence, "ignore" its value on the rows that have one, "alone" its absence.
        """
        key = tuple(selectors), seed if set(selectors) & _SEEDED else None, missing
        if key not in self._statistics:
            self._statistics[key] = self._compute_statistics(selectors, seed, missing)
        return self._statistics[key].copy()

    def _compute_statistics(self, selectors: list[str], seed: int, missing: str) -> Floats:
        if self.case_counts is None:
            return _core.statistics(
                **self.test_arguments, selectors=selectors, seed=seed, missing=missing
            )
        there = self.case_counts > 0
        whole, n_levels = self.test_arguments, self.features.n_levels
        rows = {
            name: None if whole[name] is None else whole[name][there]
            for name in ("y", "weights", "blocks")
        }
        parts = [
            _core.statistics(
                **whole
                | rows
                | {
                    "X": dense(self.X[there, begin:end]),
                    "n_levels": None if n_levels is None else n_levels[begin:end],
                },
                selectors=selectors,
                seed=seed,
                missing=missing,
            )
            for begin, end in cut(self.X.shape[1], -(-self.X.shape[1] // 64))
        ]  # some columns at a time: another X may not fit in memory
        return np.concatenate(parts)

    def without_absent_rows(self) -> "TrainingSet":
        """Return the rows that count at all, as data of their own."""
        if self.case_counts is None:
            return self
        there = self.case_counts > 0
        assert self.weight is not None
        return TrainingSet(
            self.features.with_rows(there),
            self.response.part(there),
            self.weight[there],
            self.design.part(np.flatnonzero(there)),
        )


def _some_columns(X: Any, columns: list[int]) -> Any:
    return X[:, columns] if issparse(X) else dense(X[:, columns])


def _group_means(
    column: Floats, groups: NDArray[Any], first: NDArray[Any], weight: Floats | None
) -> Floats:
    """Return the mean of each group's values that are there; `first` are the groups' first rows."""
    there = ~np.isnan(column)
    if not there.all():
        means = np.full(len(first), np.nan)
        known, first, part = np.unique(groups[there], return_index=True, return_inverse=True)
        weight = None if weight is None else weight[there]
        means[known] = _group_means(column[there], part, first, weight)
        return means
    # From the first row on, so that equal values keep their exact mean.
    start = column[first]
    off = column - start[groups]
    total = np.bincount(groups, weight)
    return start + np.bincount(groups, off if weight is None else weight * off) / total


def _most_frequent(
    levels: Floats, groups: NDArray[np.int32], weight: Floats | None
) -> NDArray[np.float64]:
    """Return each group's level of the most rows, or of the most weight."""
    distinct, first, code = np.unique(levels, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))  # by appearance: what levels are called decides nothing
    table = np.zeros((groups.max() + 1, len(distinct)))
    np.add.at(table, (groups, place[code]), 1.0 if weight is None else weight)
    return distinct[np.argsort(place)][table.argmax(axis=1)]


def _grow_piece(
    signals: Signals,
    begin: int,
    end: int,
    *,
    rare_begin: Integers,
    rare_row: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    options: dict[str, Any],
    **data: Any,
) -> dict[str, NDArray[Any]]:
    return _core.grow_trees(
        seeds=seeds[begin:end],
        rare_rows=(rare_begin, rare_row),
        stop=signals.stop,
        done=signals.done,
        **data,
        **options,
    )


def table_options(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that say how its tables are read, if it has any."""
    names = "categorical_features", "missing"
    return {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> tuple[Any, ...]:
    """Call `read_features`, with what the estimator says about categories and missing values.

    Returns the features, their numbers, and y if it was given. What is no number is named.
    """
    X, *y = (_without_mask(array) for array in (X, *y))  # type: ignore[assignment]
    try:
        columns, values, *rest = read_features(
            estimator, X, *y, **{**table_options(estimator), **options}
        )
        if isinstance(values, np.ndarray):
            # Numbers of a packed record lie elsewhere than the processor, and the core, expect.
            values = np.require(values, requirements="A")
        return columns, values, *rest
    except (TypeError, ValueError) as error:
        words = str(error)
        nameless = words == "Input contains NaN"  # X would be named
        if nameless or words == "Input y contains NaN." or "NA is ambiguous" in words:
            raise ValueError(MISSING) from error
        if words.startswith(("could not convert string", "float() argument")):
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                f"X must hold numbers only: {words}. Give words to a data frame, or name their"
                " columns in categorical_features."
            ) from error
        raise


def _without_mask(array: Any) -> Any:
    """Return an array whose masked values are missing: what is under a mask is no value."""
    if not isinstance(array, np.ma.MaskedArray) or not np.ma.is_masked(array):
        return array
    missing = None if array.dtype.kind in "OUS" else np.nan
    kind = object if missing is None else np.float64
    return np.ma.filled(array.astype(kind), missing)


def make_training_set(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    response_type: ResponseType,
    *,
    blocks: Any = None,
    groups: Any = None,
    reset: bool = True,
    called: str | None = None,
    **options: Any,
) -> TrainingSet:
    """Check the data and convert them; X is copied at most once.

    Without `reset` the features must be those the estimator knows. `called` is the name that
    messages about y use for the estimator. Options are `categorical_features` and `missing`, where
    they are no parameters of the estimator, and `in_place` (`read_features`).
    """
    if y is not None:  # scikit-learn's own words for that
        check_there(y)
    y, response_type = response_type.read(y)
    if response_type.takes_columns and has_columns(y):
        options = {"multi_output": True, **options}
    columns, X, y = validated(estimator, X, y, reset=reset, **{"order": "F", **options})
    called = type(estimator).__name__ if called is None else called
    design = make_design(blocks, groups, len(y))
    estimator._features = columns
    return prepare(X, y, response_type, called, sample_weight, design, columns)


def prepare(
    X: Floats,
    y: NDArray[Any],
    response_type: ResponseType,
    called: str,
    sample_weight: Any = None,
    design: Design | None = None,
    columns: Features | None = None,
) -> TrainingSet:
    """Make a training set of arrays that `validated` has returned."""
    weight = None if sample_weight is None else _row_weights(sample_weight, X)
    response = response_type.encode(y, weight, called)
    return TrainingSet(Prepared(by_columns(X), columns), response, weight, design or Design())


def has_columns(y: Any) -> bool:
    """Whether y has several numbers per row."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except (TypeError, ValueError):  # whoever reads y says what is wrong
        return False
    return len(shape) == 2 and shape[1] > 1


def _row_weights(sample_weight: Any, X: Floats) -> Floats | None:
    """Return the weights in a unit in which they can be squared; None if all are equal."""
    weight = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    largest = weight.max()
    if largest == 0:
        raise ValueError("sample_weight must not be zero everywhere")
    if (weight == largest).all():
        return None
    # A power of two: whole numbers stay as exact as they were.
    return np.ldexp(weight, -int(np.frexp(largest)[1]))
