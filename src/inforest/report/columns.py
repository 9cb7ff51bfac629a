"""What the columns of a mixed table hold: kinds, levels and gaps, and whether a gap tells."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.design import Design
from inforest._engine.feature import CATEGORY, DATE, DURATION, ORDERED
from inforest._engine.responses import ResponseType
from inforest._engine.table import Table
from inforest.independence.tests import independence_test
from inforest.report.content import ColumnFacts, LevelFacts

_KINDS = {ORDERED: "ordered category", DATE: "date", DURATION: "duration"}


def column_facts(
    table: Table,
    y: NDArray[Any],
    names: Sequence[str],
    response_type: ResponseType,
    design: Design,
    random_state: int,
    n_jobs: int | None,
) -> tuple[ColumnFacts, ...]:
    """Return what there is to say about each column; nothing if all are complete numbers."""
    if table.is_plain:
        return ()
    gaps = np.isnan(table.numbers)
    p_missing = _p_missing(gaps, y, response_type, design, random_state, n_jobs)
    return tuple(
        ColumnFacts(
            name=str(name),
            kind=_kind(table, j),
            missing=float(gaps[:, j].mean()),
            p_missing=p_missing.get(j),
            levels=_levels(table, j, y, response_type),
        )
        for j, name in enumerate(names)
    )


def _kind(table: Table, j: int) -> str:
    feature = table.features.special.get(j)
    if feature is None:
        return "number"
    if feature.kind == CATEGORY:
        n = len(feature.levels)
        return f"category, {n:,} level{'s' * (n != 1)}"
    return _KINDS[feature.kind]


def _p_missing(
    gaps: NDArray[np.bool_],
    y: NDArray[Any],
    response_type: ResponseType,
    design: Design,
    random_state: int,
    n_jobs: int | None,
) -> dict[int, float]:
    """Return the adjusted p-value of each column's absence, of those that are there and not."""
    some = np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0))
    if len(some) == 0:
        return {}
    result = independence_test(
        gaps[:, some].astype(np.float64),
        response_type.with_order_in_values(y),
        task=response_type.name,
        adjust="westfall-young",
        blocks=design.blocks,
        groups=design.groups if design.groups_share(y) else None,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return dict(zip(some.tolist(), result.adjusted_p_value.tolist(), strict=True))


def _levels(
    table: Table, j: int, y: NDArray[Any], response_type: ResponseType
) -> tuple[LevelFacts, ...]:
    """Return the levels of a category, from the lowest response to the highest."""
    feature = table.features.special.get(j)
    if feature is None or feature.kind != CATEGORY:
        return ()
    codes = table.numbers[:, j]
    labels = [label for label, _ in response_type.class_sizes(y)]
    facts = []
    for code, level in enumerate(feature.levels):
        of_level = y[codes == code]
        if len(of_level):
            facts.append(_level(str(level), of_level, labels))
    return tuple(sorted(facts, key=lambda fact: (fact.value, fact.level)))


def _level(level: str, y: NDArray[Any], labels: list[str]) -> LevelFacts:
    if labels:
        shares = np.array([np.mean(y.astype(str) == label) for label in labels])
        most = int(shares.argmax())
        # Two classes: the second one's share; more: the most frequent one's, class by class.
        if len(labels) == 2:
            return LevelFacts(level, len(y), float(shares[1]), f"{shares[1]:.0%} {labels[1]}")
        said = f"{shares[most]:.0%} {labels[most]}"
        return LevelFacts(level, len(y), most + float(1 - shares[most]), said)
    if y.dtype.kind in "fiu":
        mean = float(y.mean())
        said = f"{mean:,.0f}" if 1e4 <= abs(mean) < 1e9 else f"{mean:.4g}"
        return LevelFacts(level, len(y), mean, f"mean {said}")
    return LevelFacts(level, len(y), 0.0, "")
