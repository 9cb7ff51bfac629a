"""The score of the best k features against k, on rows that neither ranking nor model has seen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from inforest._engine.arrays import Floats
from inforest._engine.blas import one_thread_of_blas
from inforest._engine.parallel import Signals, run
from inforest._engine.responses import ResponseType
from inforest._engine.table import Table
from inforest.ranking.ranker import read_ranking, routes_metadata, seeded
from inforest.selection.expansion import Expansion


@dataclass(frozen=True, eq=False)
class Metadata:
    """What each part gets besides X and y, as keyword arguments."""

    ranker: Mapping[str, Any] = field(default_factory=dict)
    downstream: Mapping[str, Any] = field(default_factory=dict)
    scorer: Mapping[str, Any] = field(default_factory=dict)
    splitter: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is done in every split.

    Attributes
    ----------
    ranker : estimator object
        Ranks the features on the training rows.
    downstream : estimator object
        Predicts from the best k of them.
    scorer : callable
        Scores the predictions on the other rows.
    grid : ndarray of int
        The numbers k.
    splits : list of (ndarray, ndarray)
        Training rows and test rows.
    seeds : list of int or None
        One per split, for the ranker and the downstream model; None leaves theirs.
    metadata : Metadata
        Arguments of fit and score, for all rows.
    config : dict
        scikit-learn's settings, which threads do not inherit.

    """

    ranker: Any
    downstream: Any
    scorer: Any
    grid: NDArray[np.intp]
    splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    seeds: list[int | None]
    metadata: Metadata
    config: dict[str, Any]


def k_curve(
    table: Table,
    y: NDArray[Any],
    plan: Plan,
    n_jobs: int | None,
    done: Callable[[int], None] | None,
) -> Floats:
    """Return the scores, one row per split, one column per k."""
    ranges = [(i, i + 1) for i in range(len(plan.splits))]
    # More threads would change the last digits, and get in the way of the other splits.
    with one_thread_of_blas():
        return np.array(
            run(_score_split, {"table": table, "y": y, "plan": plan}, ranges, n_jobs, done=done)
        )


def check_splits(splits: Iterable[Any], n: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return pairs of training and test rows, or say that these are none."""
    checked = []
    try:
        pairs = list(splits)
    except TypeError as error:
        raise ValueError(f"cv must give pairs of training and test rows: {error}") from error
    for pair in pairs:
        is_pair = isinstance(pair, Sequence) and len(pair) == 2
        rows = [np.asarray(part) for part in pair] if is_pair else []
        rows = [np.flatnonzero(part) if part.dtype.kind == "b" else part for part in rows]
        fits = (part.ndim == 1 and part.dtype.kind in "iu" and len(part) for part in rows)
        if not (rows and all(fits) and all(-n <= part.min() <= part.max() < n for part in rows)):
            raise ValueError(
                f"cv must give pairs of training and test rows, numbers from 0 to {n - 1};"
                f" got {pair!r}"
            )
        checked.append((rows[0], rows[1]))
    return checked


def _score_split(
    signals: Signals, begin: int, _end: int, *, table: Table, y: NDArray[Any], plan: Plan
) -> list[float]:
    """Rank once, on the training rows alone, and score every prefix of the ranking."""
    train, test = plan.splits[begin]
    seed, metadata, n = plan.seeds[begin], plan.metadata, len(y)
    seen, held_out, y_train, y_test = table.rows(train), table.rows(test), y[train], y[test]
    scores = []
    # Once more, for processes, which do not inherit it.
    with config_context(**plan.config), one_thread_of_blas():
        ranker = seeded(plan.ranker, seed)
        ranker.fit(seen.of(ranker), y_train, **_rows(metadata.ranker, train, n))
        order = read_ranking(ranker, table.shape[1]).order
        for k in plan.grid:
            if signals.stop[0]:  # Ctrl-C, or an error in another split
                break
            # Columns by rank: the score shall not depend on how X orders them.
            best = order[:k]
            model = seeded(plan.downstream, seed)
            X_train = seen.columns(best).of(model)
            model.fit(X_train, y_train, **_rows(metadata.downstream, train, n))
            X_test = held_out.columns(best).of(model)
            score = plan.scorer(model, X_test, y_test, **_rows(metadata.scorer, test, n))
            if not np.isfinite(score):
                raise ValueError(f"scoring must return finite numbers; got {score} for k={k}")
            scores.append(float(score))
    return scores


def _rows(metadata: Mapping[str, Any], rows: NDArray[np.intp], n_samples: int) -> dict[str, Any]:
    """Return what belongs to these rows; a value that is not one per row stays as it is."""
    return {
        name: np.asarray(value)[rows] if np.shape(value)[:1] == (n_samples,) else value
        for name, value in metadata.items()
    }


def default_downstream(response_type: ResponseType, table: Table | None = None) -> Pipeline:
    """Return the response type's own model on standardized features.

    Linear models read numbers only: those of a table with categories or gaps are made by an
    `Expansion`, fitted in every split to its training rows.
    """
    # Centred, sparse data would be sparse no more.
    scaler = StandardScaler(with_mean=table is None or not issparse(table.values))
    model = response_type.default_downstream()
    if routes_metadata():
        scaler.set_fit_request(sample_weight=False)
        model.set_fit_request(sample_weight=True)
    if table is None or table.is_plain:
        return make_pipeline(scaler, model)
    return make_pipeline(Expansion(), scaler, model)


def default_scorer(response_type: ResponseType) -> Any:
    """Return the scorer of the response type's own score."""
    scorer = response_type.scorer()
    return scorer.set_score_request(sample_weight=True) if routes_metadata() else scorer
