"""A sample of the rows for the checks of a report: they rank some 65 times again.

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
#: Keeps the draw apart from all others of the same seed.
_STREAM = 15
#: Seconds per row, feature and tree of a ranking, on one core of a usual machine; and how many
#: rankings the checks make.
_COST, _RANKINGS = 1e-7, 65
#: A node looks at a third of the features, at most 500.
_MOST_FEATURES = 1500
#: Shorter work needs no announcement.
_LONG = 60.0


def sampled(asked: "Asked") -> "Asked":
    """Return the same question about a sample of the rows; small tables stay as they are.

    Classes keep their shares; groups are drawn, not rows.
    """
    n = len(asked.y)
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


def _rows_of_groups(rng: np.random.Generator, groups: NDArray[np.int32]) -> NDArray[np.intp]:
    size = np.bincount(groups)
    order = rng.permutation(len(size))
    taken = order[: max(4, int(np.searchsorted(np.cumsum(size[order]), MOST_ROWS, side="right")))]
    return np.flatnonzero(np.isin(groups, taken))


def sample_words(n_sampled: int, n: int) -> str:
    """Say that the checks looked at a sample."""
    return (
        f"How many features to keep, stability and the check without signal were looked at on"
        f" {n_sampled:,} of the {n:,} rows, drawn at random; the ranking and its p-values are of"
        " all rows."
    )


def announcement(asked: "Asked", *, checks: bool) -> str:
    """Return what to expect before a long report is begun; nothing if it is short."""
    n, p = asked.table.shape
    work = n + checks * _RANKINGS * min(n, MOST_ROWS) / 2
    seconds = _COST * work * min(p, _MOST_FEATURES) * asked.n_estimators
    if seconds < _LONG:
        return ""
    part = f", the checks on {MOST_ROWS:,} of them" if checks and n > MOST_ROWS else ""
    return f"{n:,} rows{part}: this takes some {seconds / 60:.0f} minutes on one core"
