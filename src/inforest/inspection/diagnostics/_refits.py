"""What the diagnostics share: one problem, fitted again and again, each time with its own seed."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from inforest._engine.design import Design, make_design
from inforest._engine.features import FROM_DTYPE
from inforest._engine.limits import JOBS
from inforest._engine.patience import Patience
from inforest._engine.responses import TASK_NAMES, ResponseType, any_response_type
from inforest._engine.seeds import root_entropy
from inforest._engine.sklearn_private import StrOptions
from inforest._engine.table import Table
from inforest._engine.words import names_of_features
from inforest.ranking.ranker import (
    check_ranker,
    checked_data,
    default_ranker,
    read_response,
    response_type_of,
    seeded,
    taken,
)

#: What the parameters accept that all diagnostics have.
CONSTRAINTS: dict[str, list[Any]] = {
    "task": [StrOptions(TASK_NAMES)],
    "random_state": ["random_state"],
    "n_jobs": JOBS,
    "verbose": ["verbose"],
}
#: Features that are few enough for "the top k", unless the caller says otherwise.
_TOP = 10
#: Keeps the streams of these seeds apart from all others that come from one `random_state`.
_STREAM = 1_000_003
_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked data and the estimator that ranks their features, not yet fitted."""

    table: Table
    y: NDArray[Any]
    names: NDArray[Any]
    response_type: ResponseType
    estimator: Any
    design: Design = field(default_factory=Design)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.table.shape[1])

    @property
    def strata(self) -> NDArray[np.intp] | None:
        """The stratum of each row whose share every subsample keeps; None if there are none."""
        return self.response_type.row_strata(self.y)

    def fit(
        self,
        seed: int,
        rows: NDArray[np.intp] | None = None,
        y: NDArray[Any] | None = None,
        **params: Any,
    ) -> Any:
        """Return a copy of the estimator, fitted on some rows, or to other responses."""
        estimator = seeded(self.estimator, seed).set_params(**params)
        target = self.y if y is None else y
        table = self.table.rows(rows)
        target = target if rows is None else target[rows]
        return estimator.fit(table.of(estimator), target, **self._taken(self.design.part(rows)))

    def _taken(self, design: Design) -> dict[str, Any]:
        # Of use here whatever the estimator takes: for halves and for shuffled responses.
        return taken(self.estimator, design, elsewhere=("blocks", "groups"))


def make_problem(
    X: Any,
    y: Any,
    *,
    estimator: Any,
    task: str,
    feature_names: Sequence[str] | None,
    n_jobs: int | None,
    blocks: Any = None,
    groups: Any = None,
    default: Callable[..., Any] = default_ranker,
) -> Problem:
    """Check the data; without an estimator, make one as `rank_features` does, or as told."""
    if estimator is not None:
        check_ranker(estimator)
    holder = BaseEstimator()  # validation reads the features' names into it
    model = default_ranker(any_response_type()) if estimator is None else estimator
    y, known = read_response(task, [estimator], y)
    table, target = checked_data(
        holder, X, y, [model], categorical_features=FROM_DTYPE, missing="incorporate"
    )
    names = np.array(names_of_features(holder, feature_names), dtype=object)
    response_type = known or response_type_of(task, [estimator], target)
    if estimator is None:
        estimator = default(response_type, n_jobs=n_jobs)
    design = make_design(blocks, groups, len(target))
    return Problem(table, target, names, response_type, estimator, design)


def check_k(k: Any, n_features: int) -> int:
    """Return k; None is 10, or half of the features where there are fewer than 20."""
    if n_features < 2:
        raise ValueError(f"X must have at least two features to have a top; got {n_features}")
    if k is None:
        return min(_TOP, n_features // 2)
    if not isinstance(k, Integral) or not 1 <= int(k) < n_features:
        raise ValueError(
            f"k must be an int of at least 1 and less than the number of features, {n_features},"
            f" because the top of all features is always the same; got {k!r}"
        )
    return int(k)


def streams(random_state: Any, n: int) -> list[np.random.Generator]:
    """Return n independent generators; the first ones do not depend on n."""
    root = np.random.SeedSequence(root_entropy(random_state), spawn_key=(_STREAM,))
    return [np.random.default_rng(child) for child in root.spawn(n)]


def draw_seed(rng: np.random.Generator) -> int:
    """Draw a `random_state` that every library accepts."""
    return int(rng.integers(2**31))


def each(work: Callable[[_Job], _Result], jobs: Sequence[_Job], verbose: int) -> list[_Result]:
    """Do the jobs one after the other: every fit has all threads, and answers Ctrl-C."""
    results = []
    with Patience(len(jobs), "fits") if verbose else nullcontext() as progress:
        for job in jobs:
            results.append(work(job))
            if progress is not None:
                progress.advance(1)
    return results
