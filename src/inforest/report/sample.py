"""A sample of the rows for the checks of a report: they rank some 70 times again.

How stable a ranking is, how many features are worth keeping and what a forest makes of noise is
seen as well on some ten thousand rows as on a million. The ranking and its p-values are always made
of all rows.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inforest._engine.design import make_design
from inforest.inspection.diagnostics.complementary_pairs import draw_disjoint

if TYPE_CHECKING:
    from inforest.report.collect import Asked

#: Rows that the checks look at.
MOST_ROWS = 20_000
#: Trees of the checks' forests where a table has more cells than this: rankings from fewer trees
#: are a little less stable, so that the checks rather say too little than too much.
_TREES, _CELLS = 200, 200_000
#: Keeps the draw apart from all others of the same seed.
_STREAM = 15
#: Seconds per row, feature and tree of a ranking, on one core of a usual machine: for columns of
#: two values, and for columns of as many values as rows. And how many rankings the checks make,
#: counted as such of all rows.
_COST, _RANKINGS = (0.8e-8, 4e-8), 39
#: A node looks at a third of the features, at most 500.
_MOST_FEATURES = 1500
#: Shorter work needs no announcement.
_LONG = 60.0


def sampled(asked: "Asked") -> "Asked":
    """Return the same question about a sample of the rows, to be answered by fewer trees.

    Small tables stay as they are. Classes keep their shares; groups are drawn, not rows.
    """
    n = len(asked.y)
    asked = replace(asked, n_estimators=_trees(asked))
    if n <= MOST_ROWS:
        return asked
    rng = np.random.default_rng([_STREAM, asked.random_state])
    if asked.design.groups is None:
        strata = asked.response_type.row_strata(asked.y)
        rows = draw_disjoint(rng, n, MOST_ROWS, 1, strata)[0]
    else:
        rows = _rows_of_groups(rng, asked.design.groups)
    design = {name: codes[rows] for name, codes in asked.design.arguments.items()}
    return replace(
        asked,
        table=asked.table.rows(rows),
        y=asked.y[rows],
        design=make_design(design.get("blocks"), design.get("groups"), len(rows)),
    )


def _trees(asked: "Asked") -> int:
    n, p = asked.table.shape
    return min(asked.n_estimators, _TREES) if n * p > _CELLS else asked.n_estimators


def _rows_of_groups(rng: np.random.Generator, groups: NDArray[np.int32]) -> NDArray[np.intp]:
    size = np.bincount(groups)
    order = rng.permutation(len(size))
    taken = order[: max(4, int(np.searchsorted(np.cumsum(size[order]), MOST_ROWS, side="right")))]
    return np.flatnonzero(np.isin(groups, taken))


def sample_words(checked: "Asked", whole: "Asked") -> str:
    """Say that the checks looked at a sample, or grew fewer trees; nothing if they did not."""
    n_sampled, n = len(checked.y), len(whole.y)
    parts = []
    if n_sampled < n:
        parts.append(f"on {n_sampled:,} of the {n:,} rows, drawn at random")
    if checked.n_estimators < whole.n_estimators:
        parts.append(
            f"with forests of {checked.n_estimators:,} trees instead of {whole.n_estimators:,}"
        )
    if not parts:
        return ""
    return (
        "How many features to keep, stability, sensitivity and the check without signal were looked"
        " at"
        f" {' and '.join(parts)}; the ranking and its p-values are of all rows and trees."
    )


def announcement(asked: "Asked", *, checks: bool) -> str:
    """Return what to expect before a long report is begun; nothing if it is short."""
    n, p = asked.table.shape
    work = n * asked.n_estimators + checks * _RANKINGS * min(n, MOST_ROWS) * _trees(asked)
    seconds = [cost * work * min(p, _MOST_FEATURES) for cost in _COST]
    if seconds[1] < _LONG:
        return ""
    part = f", the checks on {MOST_ROWS:,} of them" if checks and n > MOST_ROWS else ""
    low, high = (max(1, round(one / 60)) for one in seconds)
    minutes = f"{low} to {high} minutes" if low < high else f"{high} minute{'s' * (high > 1)}"
    return f"{n:,} rows{part}, {p:,} features: this takes about {minutes} on one core"
