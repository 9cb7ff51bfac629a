"""What is tested, and what is known meanwhile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest.conditional.samplers import Unit


@dataclass(frozen=True, eq=False)
class Question:
    """Some units, tested together with one forest per fold.

    Attributes
    ----------
    columns : ndarray
        The columns of X that the forest sees.
    units : list of ndarray
        Places, among these, of the features that are tested together.
    numbers : list of int
        The units' numbers among all that are tested.

    """

    columns: NDArray[np.intp]
    units: list[Unit]
    numbers: list[int]


def find_units(
    features: Sequence[Any] | None,
    feature_groups: Mapping[str, Sequence[Any]] | None,
    names: list[str],
) -> tuple[list[Unit], list[str]]:
    """Return the columns of each unit to test, and what to call it."""
    if not isinstance(feature_groups, Mapping | None):
        raise TypeError(
            "feature_groups must be a mapping from names to lists of columns, such as"
            f" {{'group': [0, 1]}}; got {feature_groups!r}"
        )
    grouped: dict[str, Unit] = {}
    for name, members in (feature_groups or {}).items():
        grouped[str(name)] = find_columns(members, names, f"feature_groups[{name!r}]")
    in_groups = [j for unit in grouped.values() for j in unit.tolist()]
    twice = sorted({names[j] for j in in_groups if in_groups.count(j) > 1})
    if twice:
        raise ValueError(f"feature_groups must not share features; {twice[0]!r} is in two of them")
    if features is None:
        single = [j for j in range(len(names)) if j not in set(in_groups)]
    else:
        single = find_columns(features, names, "features").tolist()
        both = [names[j] for j in single if j in set(in_groups)]
        if both:
            raise ValueError(f"{both[0]!r} is in features and in feature_groups; test it once")
    units = [np.array([j]) for j in single] + list(grouped.values())
    if not units:
        raise ValueError("there is nothing to test: features and feature_groups name none")
    return units, [names[j] for j in single] + list(grouped)


def make_questions(
    units: list[Unit], given: Sequence[Any] | None, names: list[str]
) -> list[Question]:
    """Return one question for all units or, if only some features are known, one for each."""
    if given is None:
        everything = np.arange(len(names))
        return [Question(everything, units, list(range(len(units))))]
    known = find_columns(given, names, "given")
    questions = []
    for number, unit in enumerate(units):
        columns = np.union1d(np.setdiff1d(known, unit), unit)
        questions.append(Question(columns, [np.searchsorted(columns, unit)], [number]))
    return questions


def find_columns(members: Sequence[Any], names: list[str], what: str) -> Unit:
    """Return the columns that are meant by numbers or names."""
    if isinstance(members, str) or not isinstance(members, Sequence | np.ndarray):
        raise TypeError(f"{what} must be a list of column numbers or names; got {members!r}")
    found = []
    for member in members:
        if isinstance(member, str):
            if member not in names:
                raise ValueError(f"{what} names {member!r}, which is no column of X")
            found.append(names.index(member))
        elif isinstance(member, bool | np.bool_) or not isinstance(member, Integral):
            raise TypeError(f"{what} must hold column numbers or names; got {member!r}")
        else:
            j = int(member)
            if not 0 <= j < len(names):
                raise ValueError(
                    f"{what} has {j}, but X has {len(names)} columns, 0 to {len(names) - 1}"
                )
            found.append(j)
    if len(set(found)) < len(found) or not found:
        raise ValueError(f"{what} must name at least one column, and none of them twice")
    return np.array(found, dtype=np.intp)
