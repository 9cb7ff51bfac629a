"""All results of a store in one table: scores, runs, or rankings."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyarrow import parquet

from inforest_study.job import Job, Step
from inforest_study.result_file import Result
from inforest_study.store import Store

_JOB = {
    "task": pa.string(),
    "dataset": pa.string(),
    "method": pa.string(),
    "config": pa.string(),
    "seed": pa.int32(),
    "fold": pa.int32(),
    "ranking": pa.string(),
    "engine_revision": pa.int32(),
}
_SCORE = {"learner": pa.string(), "k": pa.int32(), "metric": pa.string(), "value": pa.float64()}
_RUN = {
    "step": pa.string(),
    "status": pa.string(),
    "reason": pa.string(),
    "seconds": pa.float64(),
    "cpu_seconds": pa.float64(),
    "memory_mb": pa.float64(),
    "budget_seconds": pa.float64(),
    "budget_memory_gb": pa.float64(),
    "data_checksum": pa.string(),
    "study_checksum": pa.string(),
    "facts": pa.map_(pa.string(), pa.float64()),
    "versions": pa.map_(pa.string(), pa.string()),
    "machine": pa.map_(pa.string(), pa.string()),
}


def scores(store: Store, jobs: Sequence[Job] | None = None) -> pa.Table:
    """Gather all scores; the same results give the same table, whenever and wherever computed.

    Parameters
    ----------
    store : Store
        Where results are.
    jobs : sequence of Job or None, default=None
        Only theirs; None takes everything that is there.

    Returns
    -------
    table : pyarrow.Table
        Columns task, dataset, method, config, seed, fold, ranking (which parameters, as a digest),
        engine_revision (null where our engine had no part), learner, k, metric, value; sorted by
        them.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from inforest_study.export import scores
    >>> from inforest_study.store import Store
    >>> scores(Store(mkdtemp())).num_rows
    0

    """
    parts = [pa.schema({**_JOB, **_SCORE}).empty_table()]
    for result in results(store, "score", jobs):
        columns = result.columns
        if columns:
            n = len(columns["value"])
            about = {
                name: pa.repeat(pa.scalar(result.facts[name], kind), n)
                for name, kind in _JOB.items()
            }
            parts.append(
                pa.table(
                    {
                        **about,
                        **{name: pa.array(columns[name], kind) for name, kind in _SCORE.items()},
                    }
                )
            )
    table = pa.concat_tables(parts).combine_chunks()
    keys = [*_JOB, "learner", "k", "metric"]
    # Two suites may have scored one ranking at the same k: the value is the same.
    unique = table.group_by(keys, use_threads=False).aggregate([("value", "min")])
    unique = unique.rename_columns([*keys, "value"])
    return unique.sort_by([(name, "ascending") for name in keys])


def runs(store: Store, jobs: Sequence[Job] | None = None) -> pa.Table:
    """Gather how every step ended and what it took, one row each.

    Parameters
    ----------
    store : Store
        Where results are.
    jobs : sequence of Job or None, default=None
        Only theirs; None takes everything that is there.

    Returns
    -------
    table : pyarrow.Table
        Columns task, dataset, method, config, seed, fold, ranking, engine_revision (null where our
        engine had no part), step, status, reason, seconds, cpu_seconds, memory_mb, the budget,
        data_checksum (of the data used), study_checksum (of the study's copy), facts, versions,
        machine.

    """
    rows = [_run(result) for step in ("rank", "score") for result in results(store, step, jobs)]
    return pa.Table.from_pylist(rows, pa.schema({**_JOB, **_RUN}))


def results(store: Store, step: Step, jobs: Sequence[Job] | None = None) -> Iterator[Result]:
    """Yield the results of a step, in the order of their keys; `facts` and `columns` of each.

    Parameters
    ----------
    store : Store
        Where results are.
    step : {"rank", "score"}
        Which step.
    jobs : sequence of Job or None, default=None
        Only theirs; None takes everything that is there.

    """
    wanted = None if jobs is None else {(job.key, job.digest(step)) for job in jobs}
    for entry in store.entries():
        if entry.step == step and (wanted is None or (entry.key, entry.digest) in wanted):
            result = store.read(entry.path)
            if result is not None:
                yield result


def other_data(store: Store, jobs: Sequence[Job] | None = None) -> list[str]:
    """Return the data sets with results on values that differ from the study's copy.

    Parameters
    ----------
    store : Store
        Where results are.
    jobs : sequence of Job or None, default=None
        Only theirs; None takes everything that is there.

    """
    return sorted(
        {
            result.facts["dataset"]
            for step in ("rank", "score")
            for result in results(store, step, jobs)
            if result.is_on_other_data
        }
    )


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet, or as CSV (maps as JSON) if the file's ending says so."""
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"the file must end in .parquet or .csv; got {path.name!r}")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ValueError(f"{path} must be a file or a new name; it is a link, folder or device")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{uuid4().hex}.part")  # so that the old one is replaced whole
    try:
        if path.suffix == ".csv":
            from pyarrow import csv

            csv.write_csv(_without_maps(table), part)
        else:
            parquet.write_table(table, part, compression="zstd")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _without_maps(table: pa.Table) -> pa.Table:
    """Turn maps, which CSV does not have, into JSON."""
    for i, column in enumerate(table.schema):
        if pa.types.is_map(column.type):
            texts = [json.dumps(dict(pairs)) for pairs in table.column(i).to_pylist()]
            table = table.set_column(i, column.name, pa.array(texts, pa.string()))
    return table


def _run(result: Result) -> dict[str, Any]:
    row = {name: result.facts.get(name) for name in (*_JOB, *_RUN)}
    for name in ("facts", "versions", "machine"):
        row[name] = [(key, _plain(name, value)) for key, value in result.facts[name].items()]
    return row


def _plain(name: str, value: Any) -> Any:
    return float(value) if name == "facts" else str(value)
