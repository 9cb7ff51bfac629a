"""`TrainingSet`: what growing needs, checked and converted once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Trees
from inforest._engine.parallel import Stop, cut, run, workers
from inforest._engine.sampling import MAX_CASES, Sampling
from inforest._engine.sklearn_private import check_sample_weight

#: Within these bounds squares of y and their sums neither overflow nor vanish.
_SAFE_Y = (1e-100, 1e100)
#: Pieces per worker, so that none waits long for the last one.
_PIECES = 4
#: Values of X up to which a tree is grown within milliseconds.
_SMALL = 200_000


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """X in Fortran order, y as numbers, how often each row counts.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples: the caller's own memory if it already was float64 in Fortran order.
    y : ndarray of shape (n_samples,)
        Class codes (int32), or the regression target (float64) times ``2**-y_exponent``.
    classes : ndarray of shape (n_classes,) or None
        The labels behind the codes; None in regression.
    case_counts : ndarray of shape (n_samples,) or None
        How often each row counts; None means once.
    y_exponent : int
        0 unless the target lies beyond what can be squared; scaling by a power of two is exact.

    """

    X: Floats
    y: NDArray[Any]
    classes: NDArray[Any] | None
    case_counts: Integers | None
    y_exponent: int

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 in regression."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_rows(self) -> int:
        """Number of different rows that count at all."""
        return len(self.y) if self.case_counts is None else int((self.case_counts > 0).sum())

    @property
    def n_cases(self) -> int:
        """Number of rows, each counted as often as its weight says."""
        return len(self.y) if self.case_counts is None else int(self.case_counts.sum())

    @cached_property
    def feature_keys(self) -> NDArray[np.uint64]:
        """A hash of each column."""
        return _core.feature_keys(self.X)

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The place of each value among the distinct ones of its column, column by column."""
        return _core.column_ranks(self.X)

    @cached_property
    def rare_rows(self) -> tuple[Integers, NDArray[np.int32]]:
        """Where the lists of nearly constant columns begin, and the lists."""
        return _core.rare_rows(self.X)

    @property
    def fingerprint(self) -> str:
        """A hash of all that growing reads, to know the data again."""
        digest = blake2b(str(self.y_exponent).encode(), digest_size=16)
        digest.update(self.feature_keys.data)
        y = self.y if self.n_classes else _core.feature_keys(self.y[:, None])  # where -0 is 0
        digest.update(y.data)
        if self.case_counts is not None:
            digest.update(self.case_counts.data)
        return digest.hexdigest()

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
        sampling = sampling or Sampling(len(self.y), self.case_counts)
        n_workers = workers(n_jobs)
        n_pieces = 1 if n_workers == 1 else _PIECES * n_workers
        if done is not None:  # a bar that moves every percent
            n_pieces = max(n_pieces, 100)
        shared = (
            self.X,
            self.y,
            sampling.case_counts,
            sampling.strata,
            self.feature_keys,
            self.ranks if options["selector"] == ["rdc"] else None,  # it reads nothing else of X
            *self.rare_rows,
            seeds,
            self.n_classes,
            {**options, "quota": sampling.quota, "replace": sampling.replace},
        )
        pieces = cut(len(seeds), n_pieces)
        trial = self.X.size <= _SMALL and len(pieces) > 1
        if trial:  # a single tree tells whether threads are worth it
            first, last = pieces[0]
            pieces[0] = first + 1, last
            pieces.insert(0, (first, first + 1))
        parts = run(_grow_piece, shared, pieces, n_jobs, trial=trial, done=done)
        candidate_counts = sum(arrays.pop("candidate_counts") for arrays in parts)
        trees = Trees.concatenate([Trees(**arrays) for arrays in parts])
        if self.y_exponent:
            trees = replace(trees, value=np.ldexp(trees.value, self.y_exponent))
        return trees, candidate_counts

    def statistics(self, selectors: list[str], seed: int) -> Floats:
        """Return each feature's association with y on all cases."""
        if self.case_counts is None:
            return _core.statistics(self.X, self.y, self.n_classes, selectors, seed)
        y = np.repeat(self.y, self.case_counts)
        blocks = [
            _core.statistics(
                np.asfortranarray(np.repeat(columns, self.case_counts, axis=0)),
                y,
                self.n_classes,
                selectors,
                seed,
            )
            for columns in np.array_split(self.X, -(-self.X.shape[1] // 64), axis=1)
        ]  # some columns at a time: repeating all rows of X at once may not fit in memory
        return np.concatenate(blocks)


def _grow_piece(
    stop: Stop,
    X: Floats,
    y: NDArray[Any],
    case_counts: Integers | None,
    strata: NDArray[np.int32] | None,
    keys: NDArray[np.uint64],
    ranks: NDArray[np.uint32] | None,
    rare_begin: Integers,
    rare_row: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    n_classes: int,
    options: dict[str, Any],
    begin: int,
    end: int,
) -> dict[str, NDArray[Any]]:
    part = seeds[begin:end]
    rare_rows = rare_begin, rare_row
    return _core.grow_trees(
        X,
        y,
        n_classes,
        case_counts,
        keys,
        part,
        stop,
        ranks=ranks,
        rare_rows=rare_rows,
        strata=strata,
        **options,
    )


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Call scikit-learn's `validate_data`; what is no number, it shall name."""
    _refuse_dates(X)
    try:
        # Its quick test for infinity sums, which may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(estimator, X, *y, dtype=np.float64, **options)
    except (TypeError, ValueError) as error:
        words = str(error)
        if words == "Input contains NaN" or "NA is ambiguous" in words:  # X would be named
            raise ValueError("Input y contains NaN.") from error
        if "could not convert string" in words or "float() argument" in words:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                f"X must hold numbers only: {_where(X)}{words}. Encode strings first."
            ) from error
        raise


def _refuse_dates(X: Any) -> None:
    """Refuse dates and times: NumPy would take them for numbers, in units that nobody chose."""
    dtypes = [(f"column {name!r} of ", dtype) for name, dtype in _columns(X)]
    for where, dtype in dtypes or [("", getattr(X, "dtype", None))]:
        if str(dtype).lower().startswith(("date", "time", "duration")):
            raise ValueError(
                f"X must hold numbers only; got {where}dtype {dtype}. Make numbers of dates first."
            )


def _columns(X: Any) -> list[tuple[Any, Any]]:
    """Return the names and types of a data frame's columns; nothing if X is no data frame."""
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    return list(zip(X.columns, X.dtypes, strict=True)) if is_frame else []


def _where(X: Any) -> str:
    """Return the first column of a data frame that holds something else than numbers."""
    for name, _ in _columns(X):
        try:
            np.asarray(X[name]).astype(np.float64)
        except (TypeError, ValueError):
            return f"column {name!r}, "
    return ""


def make_training_set(
    estimator: Any, X: Any, y: Any, sample_weight: Any, task: str, reset: bool = True
) -> TrainingSet:
    """Check the data and convert them; X is copied at most once.

    Without `reset` the features must be those the estimator knows.
    """
    X, y = validated(estimator, X, y, order="F", reset=reset)
    counts = None if sample_weight is None else _case_counts(sample_weight, X)
    if task == "classification":
        if y.dtype.kind == "O" and None in y.tolist():
            raise ValueError("Input y contains None, which is no class.")
        check_classification_targets(y)
        classes, codes = _encode(y, counts)
        return TrainingSet(X, codes, classes, counts, 0)
    y, exponent = _scale(_numbers(y, type(estimator).__name__))
    return TrainingSet(X, y, None, counts, exponent)


def _case_counts(sample_weight: Any, X: Floats) -> Integers:
    weight = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    broken = weight[weight != np.floor(weight)]
    if len(broken):
        raise ValueError(
            "sample_weight must hold whole numbers >= 0 (a row with weight w counts w times);"
            f" got {broken[0]:g}"
        )
    if not 0 < weight.sum() <= MAX_CASES:
        raise ValueError(
            f"sample_weight must not be zero everywhere, nor sum to more than {MAX_CASES};"
            f" got the sum {weight.sum():g}"
        )
    return weight.astype(np.int64)


def _encode(y: NDArray[Any], counts: Integers | None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the classes of the rows that count, and all rows' codes (0 where weight is 0)."""
    classes = np.unique(y if counts is None else y[counts > 0])
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes; got one class only: {classes.tolist()[0]!r}"
            + ("" if counts is None else " (rows with sample_weight 0 do not count)")
        )
    # A search needs less memory, and time, than the sort behind `return_inverse`.
    codes = np.searchsorted(classes, y).astype(np.int32)
    if counts is not None:
        codes[counts == 0] = 0
    return classes, codes


def _numbers(y: NDArray[Any], estimator: str) -> Floats:
    """Return a regression target as floats."""
    try:
        if y.dtype.kind in "mM":
            raise TypeError("dates are no numbers")
        numbers = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        classifier = estimator.replace("Regressor", "Classifier")
        raise ValueError(
            f"y must be numeric for regression; for labels use {classifier}"
        ) from error
    if not np.isfinite(numbers).all():  # None, which is no NaN before it is a float
        raise ValueError("Input y contains NaN or infinity.")
    return numbers


def _scale(y: Floats) -> tuple[Floats, int]:
    """Return y times a power of two that brings the largest |y| near 1, if it is extreme."""
    largest = np.abs(y).max()
    if largest == 0 or _SAFE_Y[0] <= largest <= _SAFE_Y[1]:
        return y, 0
    exponent = int(np.frexp(largest)[1])
    return np.ldexp(y, -exponent), exponent
