"""`Features`: what the columns of a table mean, and the numbers that stand for them.

Whatever table comes, the engine sees one float64 matrix: numbers as they are, nan where a value is
missing, the codes 0, 1, ... of categories. What the codes mean is learned once, in `fit`, and kept.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_X_y, validate_data

from inforest._engine.arrays import Floats
from inforest._engine.columns import Columns, UnknownTypeError, arrow_table, is_frame, is_plain
from inforest._engine.feature import Feature, RefusedColumnError, learn, numbers
from inforest._engine.notices import TableWarning
from inforest._engine.screen import reason_to_leave_out
from inforest._engine.sklearn_private import StrOptions
from inforest._engine.storage import TYPES, each_column, sound, stays, total

#: Which columns are categories: those whose type says so.
FROM_DTYPE = "from_dtype"
#: What may be done about missing values.
MISSING = "incorporate", "ignore", "error"
#: What scikit-learn checks of the parameters that say how tables are read.
TABLE_CONSTRAINTS: dict[str, list[Any]] = {
    "categorical_features": ["array-like", StrOptions({FROM_DTYPE}), None],
    "missing": [StrOptions(set(MISSING))],
}
_NAMED = 5


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a table, in its order.

    Attributes
    ----------
    n_features : int
        How many there are.
    special : dict of int to Feature
        Those that are no plain numbers, by their place.
    names : tuple or None
        The names of all of them, if the table had any.

    """

    n_features: int
    special: dict[int, Feature] = field(default_factory=dict)
    names: tuple[Any, ...] | None = None

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """What each feature is to the engine: 0 a number, 1 a category."""
        kinds = np.zeros(self.n_features, dtype=np.uint8)
        for j, feature in self.special.items():
            kinds[j] = feature.is_category
        return kinds

    @cached_property
    def n_levels(self) -> NDArray[np.int32]:
        """How many levels each category has, 0 for numbers."""
        count = np.zeros(self.n_features, dtype=np.int32)
        for j, feature in self.special.items():
            count[j] = len(feature.levels) if feature.is_category else 0
        return count

    @property
    def has_categories(self) -> bool:
        """Whether any feature is a category."""
        return any(feature.is_category for feature in self.special.values())

    def levels(self, j: int) -> tuple[Any, ...] | None:
        """Return the levels of a feature in the order of its codes; None if it has none."""
        return self.special[j].levels or None if j in self.special else None

    def is_up_to(self, j: int, threshold: float) -> NDArray[np.bool_]:
        """Return which levels of an ordered category a threshold sends left."""
        places = self.special[j].places
        assert places is not None
        return np.asarray(places <= threshold)

    def name(self, j: int) -> str:
        """Return what to call a feature in a message."""
        return f"column {j}" if self.names is None else f"column {self.names[j]!r}"

    def part(self, columns: Sequence[int]) -> "Features":
        """Return some of the features, in this order."""
        special = {new: self.special[old] for new, old in enumerate(columns) if old in self.special}
        names = None if self.names is None else tuple(self.names[j] for j in columns)
        return Features(len(columns), special, names)

    def encode(self, X: Any) -> Floats:
        """Return the numbers that stand for a table like the one that was learned from.

        A level that was not there is nan, as a missing value is.
        """
        columns = Columns(X)
        values = np.empty((X.shape[0], len(columns)), order="F")
        for j in range(len(columns)):
            try:
                values[:, j] = numbers(columns[j], self.special.get(j))
            except (UnknownTypeError, RefusedColumnError) as error:
                raise error.of(columns.called(j)) from None
        return values


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features and their numbers, for those who fit again and again: `fit` takes it as an X.

    Attributes
    ----------
    features : Features
        What the columns mean.
    values : ndarray of shape (n_samples, n_features)
        Their numbers.

    """

    features: Features
    values: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, where: Any) -> "Encoded":
        """Return some rows, or some columns of all rows, as of an array."""
        if isinstance(where, tuple):
            rows, columns = where
            columns = np.arange(self.shape[1])[columns]
            part = self.features.part(columns.tolist())
            return Encoded(part, np.asfortranarray(self.values[rows][:, columns]))
        return replace(self, values=np.asfortranarray(self.values[where]))


def read_features(
    estimator: Any,
    X: Any,
    *y: Any,
    categorical_features: Any = None,
    missing: str = "error",
    reset: bool = True,
    in_place: bool = False,
    **options: Any,
) -> tuple[Any, ...]:
    """Check a table, and y if there is one; return its `Features`, its numbers, and y.

    `estimator` is told the number and the names of the columns, or, without `reset`, asked for
    them and for the features that it has learned. `missing="error"` refuses missing values;
    infinity is refused always. Complete numbers in an array cost what scikit-learn's own check
    costs, and are not copied if they are float64 in the order that is asked for. `in_place` takes
    sparse tables, too, and leaves large ones of numbers as they are (`stays`).
    """
    if isinstance(X, Encoded):
        return _read_encoded(estimator, X, *y, missing=missing, reset=reset, **options)
    X = sound(arrow_table(X))
    _refuse_shared_names(X)
    known = None if reset else getattr(estimator, "_features", None)
    if _is_for_sklearn(X, categorical_features, known):
        options = {"dtype": np.float64, **options}
        if in_place and stays(X):
            options |= {"dtype": TYPES, "order": None, "accept_sparse": ["csc", "csr"]}
        # Its quick test for infinity sums, which may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            found = validate_data(estimator, X, *y, reset=reset, ensure_all_finite=False, **options)
        values, *rest = found if y else (found,)
        features = known or Features(values.shape[1], names=_names(X))
    else:
        features, values, rest = _read_columns(
            estimator, X, y, categorical_features, known, reset, options
        )
    # A level that was not there in fit is nan, too: that is no error.
    _check_finite(values, features, missing, levels_too=known is None)
    if known is None and not issparse(values):
        _warn_of_empty_columns(values, features)
    return features, values, *rest


def _is_for_sklearn(X: Any, categorical_features: Any, known: Features | None) -> bool:
    if not hasattr(X, "shape") and categorical_features not in (None, FROM_DTYPE):
        return False
    if known is not None and known.special:
        return False
    names_none = categorical_features is None or isinstance(categorical_features, str)
    return is_plain(X) and (names_none or known is not None)


def _read_encoded(
    estimator: Any, X: Encoded, *y: Any, missing: str, reset: bool, **options: Any
) -> tuple[Any, ...]:
    if reset:
        estimator.n_features_in_ = X.shape[1]
    _check_finite(X.values, X.features, missing)
    if not y:
        return X.features, X.values
    options = {"dtype": np.float64, "order": "F", "ensure_all_finite": False, **options}
    values, target = check_X_y(X.values, y[0], estimator=estimator, **options)
    return X.features, values, target


def _read_columns(
    estimator: Any,
    X: Any,
    y: tuple[Any, ...],
    categorical_features: Any,
    known: Features | None,
    reset: bool,
    options: dict[str, Any],
) -> tuple[Features, Floats, list[Any]]:
    """Read a table column by column."""
    if issparse(X):  # has no columns to read; scikit-learn has the words for it
        check_array(X, estimator=estimator, input_name="X")
    if not hasattr(X, "shape"):  # lists, in which a string would make strings of all numbers
        X = np.array(X, dtype=object)
    if len(X.shape) != 2 or 0 in X.shape:  # scikit-learn has the words for it
        check_array(np.zeros(X.shape), estimator=estimator)
    with warnings.catch_warnings():
        # Names that are no strings are none to scikit-learn, and that is all there is to say.
        validate_data(estimator, X, *y, reset=reset, skip_check_array=True)
    if known is None:
        features, values = _learn(X, categorical_features)
    else:
        features, values = known, known.encode(X)
    if not y:
        return features, values, []
    values, target = check_X_y(
        values, y[0], dtype=np.float64, ensure_all_finite=False, estimator=estimator, **options
    )
    return features, values, [target]


def _learn(X: Any, categorical_features: Any) -> tuple[Features, Floats]:
    """Find out what each column is, and return the numbers that stand for it."""
    columns = Columns(X)
    chosen = _chosen(categorical_features, columns)
    by_type = isinstance(categorical_features, str) and is_frame(X)
    values = np.empty((X.shape[0], len(columns)), order="F")
    special: dict[int, Feature] = {}
    notices = []
    for j in range(len(columns)):
        try:
            feature, values[:, j], notice = learn(columns[j], is_chosen=chosen[j], by_type=by_type)
        except (UnknownTypeError, RefusedColumnError) as error:
            raise error.of(columns.called(j)) from None
        if feature is not None:
            special[j] = feature
        if notice:
            notices.append((notice, columns.called(j)))
    _warn(notices)
    return Features(len(columns), special, _names(X)), values


@dataclass(frozen=True, eq=False)
class Usable:
    """The columns of a table that can be features.

    Attributes
    ----------
    table : object
        The table without the others.
    categorical_features : object
        Which of its columns are categories.
    places : list of int
        Where they were.
    n_columns : int
        How many there were.
    left_out : list of str
        The others, each with the reason.

    """

    table: Any
    categorical_features: Any
    places: list[int]
    n_columns: int
    left_out: list[str]


def usable_columns(X: Any, categorical_features: Any, keep: Sequence[str] = ()) -> Usable:
    """Leave out the columns of a data frame that cannot be features, such as free text.

    So are row numbers and identifiers, by the rules of `screen.py`, but for those to `keep`.
    """
    X = arrow_table(X)
    if not is_frame(X):
        p = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else 0
        return Usable(X, categorical_features, list(range(p)), p, [])
    columns = Columns(X)
    chosen = _chosen(categorical_features, columns)
    by_type = isinstance(categorical_features, str)
    check_kept(keep, columns.names or [])
    places, left_out = [], []
    for j in range(len(columns)):
        try:
            feature, values, _ = learn(columns[j], is_chosen=bool(chosen[j]), by_type=by_type)
        except (UnknownTypeError, RefusedColumnError) as error:
            left_out.append(f"left out: {columns.called(j)} {str(error).partition('. ')[0]}")
            continue
        name = str((columns.names or [])[j])
        why = reason_to_leave_out(name, values) if feature is None and name not in keep else ""
        if why:
            left_out.append(f"left out: {columns.called(j)}, because {why}; keep={[name]} keeps it")
        else:
            places.append(j)
    if not places:
        raise ValueError(f"no column of X can be a feature: {'; '.join(left_out[:_NAMED])}")
    if not left_out:
        return Usable(X, categorical_features, places, len(columns), [])
    names = [(columns.names or [])[j] for j in places]
    if not by_type and categorical_features is not None:
        categorical_features = chosen[places]
    table = X[names] if hasattr(X, "iloc") else X.select(names)
    return Usable(table, categorical_features, places, len(columns), left_out)


def check_kept(keep: Sequence[str], names: Sequence[Any]) -> None:
    """Refuse to keep columns that are not there."""
    known = [str(name) for name in names]
    unknown = [name for name in keep if name not in known]
    if unknown:
        shown = ", ".join(map(repr, known[:_NAMED])) or "no names"
        raise ValueError(f"keep names {unknown[0]!r}, which is no column of X; it has {shown}")


def _warn(notices: list[tuple[str, str]]) -> None:
    """Say each thing once, whichever columns it is about."""
    for notice in dict.fromkeys(words for words, _ in notices):
        about = [column for words, column in notices if words == notice]
        warnings.warn(f"{_first_few(about)}: {notice}", TableWarning, stacklevel=6)


def _first_few(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest


def _names(X: Any) -> tuple[Any, ...] | None:
    return tuple(Columns(X).names or ()) if is_frame(X) else None


def _refuse_shared_names(X: Any) -> None:
    """Refuse two columns of one name: no result could say which of them it means."""
    names = _names(X) or ()
    if len(set(names)) == len(names):
        return
    shared = [f"{name!r} ({n} times)" for name, n in Counter(names).items() if n > 1]
    raise ValueError(
        f"each column of X needs a name of its own; these are there more than once:"
        f" {_first_few(shared)}. Rename or leave out all but one of each."
    )


def _chosen(categorical_features: Any, columns: Columns) -> NDArray[np.bool_]:
    """Return which columns `categorical_features` names."""
    p = len(columns)
    chosen = np.zeros(p, dtype=bool)
    if categorical_features is None or isinstance(categorical_features, str):
        if categorical_features not in (None, FROM_DTYPE):
            raise _wrong_choice(repr(categorical_features))
        return chosen
    wanted = np.asarray(categorical_features)
    if wanted.ndim != 1:
        raise _wrong_choice(repr(categorical_features))
    if wanted.dtype.kind == "b":
        if len(wanted) != p:
            raise ValueError(
                f"categorical_features as a mask must have one entry per feature, {p}; got"
                f" {len(wanted)}"
            )
        return wanted
    if len(wanted) == 0:
        return chosen
    if wanted.dtype.kind in "iu":
        outside = wanted[(wanted < 0) | (wanted >= p)]
        if len(outside):
            raise ValueError(
                f"categorical_features as indices must be from 0 to {p - 1}; got {outside[0]}"
            )
        chosen[wanted] = True
        return chosen
    if not all(isinstance(name, str) for name in wanted.tolist()):
        raise _wrong_choice(repr(categorical_features))
    if columns.names is None:
        raise ValueError(
            "categorical_features holds names, and the columns of X have none: pass a data frame,"
            " or use indices"
        )
    unknown = [name for name in wanted.tolist() if name not in columns.names]
    if unknown:
        shown = ", ".join(map(repr, columns.names[:_NAMED]))
        raise ValueError(
            f"categorical_features names {unknown[0]!r}, which is no column of X; it has {shown}"
            + (" and more" if p > _NAMED else "")
        )
    return np.isin(np.array(columns.names, dtype=object), wanted.astype(object))


def _wrong_choice(got: str) -> ValueError:
    return ValueError(
        "categorical_features must be None, 'from_dtype', a mask, a list of indices or a list of"
        f" names; got {got}"
    )


def _warn_of_empty_columns(values: Floats, features: Features) -> None:
    holed = np.flatnonzero(np.isnan(values[0])).tolist()
    empty = [j for j in holed if np.isnan(values[:, j]).all()]
    _warn([("no value is there, so it tells nothing", features.name(j)) for j in empty])


def _check_finite(
    values: Any, features: Features, missing: str, *, levels_too: bool = True
) -> None:
    """Refuse infinity, and missing values if these are an error."""
    if np.isfinite(total(values)):
        return
    for j, column in enumerate(each_column(values)):
        if np.isinf(column).any():
            raise ValueError(
                "Input X contains infinity or a value too large for dtype('float64'):"
                f" {features.name(j)}"
            )
    if missing != "error" and not issparse(values):
        return
    holed = [j for j, column in enumerate(each_column(values)) if np.isnan(column).any()]
    holed = [j for j in holed if levels_too or not features.kinds[j]]
    if holed:
        shown = _first_few([features.name(j) for j in holed])
        raise ValueError(f"Input X contains NaN: {shown}.")
