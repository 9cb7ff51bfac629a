"""A table from the options of a command, with notices about what was done to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest.cli.errors import notice
from inforest.io.tables import Table, read_table
from inforest.io.tables.choices import Missing
from inforest.io.tables.files import CsvOptions
from inforest.io.tables.input_error import InputError


@dataclass(frozen=True)
class Asked:
    """What is to be explained: a column, or a column of times with one that says what happened."""

    column: str
    event: str | None = None
    happened: str | None = None  # the code of an event, where it is not 1 or true

    @classmethod
    def of(
        cls, target: str | None, time: str | None, event: str | None, task: str = "auto"
    ) -> "Asked":
        """Make it of the options; refuse those that contradict each other, or say too little."""
        if target is not None and time is None and event is None:
            if task == "survival":
                raise InputError(
                    "--task survival needs --time COL and --event COL in the place of --target"
                )
            return cls(target)
        if target is not None:
            raise InputError(
                "--target names one column to explain, --time and --event two: say either the one"
                " or the others"
            )
        if time is None and event is None:
            raise InputError(
                "say --target COL, the column to explain, or, for survival, --time COL and"
                " --event COL"
            )
        if time is None or event is None:
            there, absent = ("--time", "--event") if event is None else ("--event", "--time")
            raise InputError(f"{there} needs {absent}, too: a time, and whether the event happened")
        event, _, happened = event.partition("=")
        if time == event:
            raise InputError(f"--time and --event name the same column, {time!r}")
        if task not in ("auto", "survival"):
            raise InputError(f"--time and --event name survival times; --task says {task}")
        return cls(time, event, happened or None)

    @property
    def words(self) -> str:
        """What a report calls it."""
        return self.column if self.event is None else f"survival ({self.column}, {self.event})"


def csv_options(na: Sequence[str] | None, separator: str | None, decimal: str) -> CsvOptions:
    """Return how a CSV file is written, as the options say it."""
    separator = {"tab": "\t", "\\t": "\t"}.get(separator or "", separator)
    return CsvOptions(separator, decimal, na or ())


def read(
    data: str,
    asked: Asked,
    drop: Sequence[str] | None,
    *,
    missing: Missing,
    categorical: Sequence[str] | None,
    drop_rows: bool,
    csv: CsvOptions,
    blocks: str | None = None,
    groups: str | None = None,
    keep: Sequence[str] | None = None,
) -> Table:
    """Read the table and say on stderr what was changed."""
    table = read_table(
        data,
        asked.column,
        drop or (),
        missing=missing.value,
        categorical=categorical or (),
        drop_rows=drop_rows,
        csv=csv,
        blocks=blocks,
        groups=groups,
        event=asked.event,
        keep=keep or (),
    )
    for sentence in table.notices:
        notice(sentence)
    return table if asked.event is None else _censored(table, asked)


def _censored(table: Table, asked: Asked) -> Table:
    """Return the table with events and times for its target."""
    from inforest._engine.responses.censored import censored

    event = np.array(table.design["event"].tolist())  # of a common type, not objects
    if asked.happened is not None:
        event = _is_code(event, asked)
    try:
        y = censored(event, table.y, str(asked.event), asked.column)
    except ValueError as error:
        raise InputError(f"{table.source}: {error}") from error
    return replace(table, y=y, target=asked.words)


def _is_code(event: NDArray[Any], asked: Asked) -> NDArray[np.bool_]:
    """Return where the column of the event holds the code that `--event COL=CODE` names."""
    codes = [f"{code:g}" if isinstance(code, float) else str(code) for code in event.tolist()]
    if asked.happened not in codes:
        raise InputError(
            f"--event {asked.event}={asked.happened}: {asked.event!r} holds no {asked.happened},"
            f" but {', '.join(sorted(set(codes))[:5])}"
        )
    return np.array([code == asked.happened for code in codes])


def with_order(table: Table, order: str | None, task: str) -> Table:
    """Return the table with a target whose classes have the order of `--order`, if there is one."""
    from inforest._engine.responses.ordinal import OrderedLabels

    if order is None:
        return table
    if task not in ("auto", "ordinal"):
        raise InputError(f"--order is for ordered classes; --task says {task}")
    if table.y.dtype.names is not None:
        raise InputError("--order is for a --target of classes; --time and --event name times")
    known = {str(label): label for label in np.unique(table.y).tolist()}
    names = [name.strip() for name in order.split(",")]
    if len(set(names)) < len(names):
        raise InputError(f"--order must name each class once; got {order!r}")
    absent = [name for name in known if name not in names]
    if absent:
        raise InputError(
            f"--order must name all classes of {table.target!r}; it misses"
            f" {', '.join(map(repr, absent[:5]))}: got {order!r}"
        )
    ordered = OrderedLabels(table.y, tuple(known.get(name, name) for name in names))
    return replace(table, y=ordered)  # type: ignore[arg-type]


def find_task(task: str, table: Table) -> str:
    """Return the name of the target's response type; warn if another one looks more likely."""
    from inforest._engine.responses import find_response_type

    found = find_response_type(task, None, table.y)
    y = np.asarray(table.y)  # of labels with an order, the labels
    if len(np.unique(y)) == 1:
        raise InputError(f"the target {table.target!r} has the same value in every row")
    refusal = found.refusal(y, table.target)
    if refusal:
        raise InputError(refusal)
    doubt = found.doubt(y, table.target, was_guessed=task == "auto")
    if doubt:
        notice(doubt)
    return found.name
