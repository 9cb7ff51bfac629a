"""`Study`: all results of the study as three data frames, and their compact form on disk."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from inforest_study import export
from inforest_study.job import FIRST_REVISION
from inforest_study.protocol import MAIN_METRIC
from inforest_study.revision import unrecorded
from inforest_study.store import Store

#: How much of a ranking is kept: the largest standard k.
N_KEPT = 100

_NAMES = ("task", "dataset", "method", "config")
_JOB = {**dict.fromkeys(_NAMES, pa.string()), "seed": pa.int32(), "fold": pa.int32()}
_MADE = {"ranking": pa.string(), "engine_revision": pa.int32()}
_SCORES = pa.schema(
    {
        **_JOB,
        **_MADE,
        "learner": pa.string(),
        "k": pa.int32(),
        "value": pa.float64(),
    }
)
_RUNS = pa.schema(
    {
        **_JOB,
        **_MADE,
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
        "versions": pa.map_(pa.string(), pa.string()),
        "machine": pa.map_(pa.string(), pa.string()),
    }
)
_RANKINGS = pa.schema(
    {
        **_JOB,
        **_MADE,
        "n_features": pa.int32(),
        "order": pa.list_(pa.int32()),
        "usage": pa.list_(pa.int64()),
        "trees_using": pa.list_(pa.int64()),
        "facts": pa.map_(pa.string(), pa.float64()),
    }
)
_SCHEMAS = {"scores": _SCORES, "runs": _RUNS, "rankings": _RANKINGS}


def _empty(name: str) -> pd.DataFrame:
    return _frame(_SCHEMAS[name].empty_table())


@dataclass(frozen=True, eq=False)
class Study:
    """All results of a study.

    Attributes
    ----------
    scores : DataFrame
        Columns task, dataset, method, config, seed, fold, ranking (a digest of the parameters and
        of the protocol), engine_revision (of our engine; missing where it had no part), learner,
        k, value: of the metric that comparisons use.
    runs : DataFrame
        How each step ended, and what it took.
    rankings : DataFrame
        The first 100 features of each order, with n_features and facts about the fit; for fits of
        whole data sets also usage (splits) and trees_using, by feature.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from inforest_study.study import Study
    >>> Study.read(mkdtemp()).scores.empty
    True

    """

    scores: pd.DataFrame = field(default_factory=lambda: _empty("scores"))
    runs: pd.DataFrame = field(default_factory=lambda: _empty("runs"))
    rankings: pd.DataFrame = field(default_factory=lambda: _empty("rankings"))

    @classmethod
    def read(cls, path: str | Path, *more: str | Path) -> "Study":
        """Read stores of results, or folders that `write` has made, as one study.

        Parameters
        ----------
        path, *more : str or Path
            The folders. One without results gives an empty study. Of a step that several of them
            have, one that is done counts, else the first.

        Returns
        -------
        study : Study

        """
        parts = [cls._read(Path(path)) for path in (path, *more)]
        if len(parts) == 1:
            return parts[0]
        return cls(**{name: _merged(name, parts) for name in _SCHEMAS})

    @classmethod
    def _read(cls, folder: Path) -> "Study":
        if not folder.is_dir():
            raise ValueError(f"the folder of results must exist; there is no {folder}")
        if (folder / "results").is_dir():
            return cls.from_store(Store(folder))
        files = {name: folder / f"{name}.parquet" for name in _SCHEMAS}
        return cls(
            **{
                name: _with_revision(_frame(parquet.read_table(file, schema=_SCHEMAS[name])))
                for name, file in files.items()
                if file.exists()
            }
        )

    @classmethod
    def from_store(cls, store: Store) -> "Study":
        """Gather all results of a store."""
        scores = export.scores(store)
        is_main = compute.is_in(scores["metric"], pa.array(MAIN_METRIC.values()))
        scores = scores.filter(is_main).select(_SCORES.names)
        runs = export.runs(store).select(_RUNS.names)
        rankings = pa.Table.from_pylist(list(_rankings(store)), _RANKINGS)
        for line in store.complaints():
            warnings.warn(line, stacklevel=2)
        return cls(_frame(scores), _frame(runs), _frame(rankings))

    def write(self, folder: str | Path) -> None:
        """Write the study as three small Parquet files, exactly; `read` reads them.

        Parameters
        ----------
        folder : str or Path
            Made if it does not exist.

        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, schema in _SCHEMAS.items():
            frame = getattr(self, name)[schema.names]
            columns = {
                column: _items(frame[column], schema.field(column).type)
                if pa.types.is_map(schema.field(column).type)
                else pa.array(frame[column], from_pandas=True)
                for column in schema.names
            }
            table = pa.table(columns).cast(schema)
            parquet.write_table(
                table, folder / f"{name}.parquet", compression="zstd", compression_level=15
            )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all."""
        return self.scores.empty and self.runs.empty and self.rankings.empty


def _merged(name: str, parts: list[Study]) -> pd.DataFrame:
    """Join one frame of several studies."""
    frame = pd.concat([_empty(name), *(getattr(part, name) for part in parts)], ignore_index=True)
    if "status" in frame:
        frame = frame.sort_values("status", key=lambda status: status != "done", kind="stable")
    known = [*_JOB, *(key for key in ("ranking", "step", "learner", "k") if key in frame)]
    return frame.drop_duplicates(known, ignore_index=True)


def _rankings(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the rows of `rankings`."""
    for result in export.results(store, "rank"):
        if not result.columns:
            continue
        row = {name: result.facts[name] for name in (*_JOB, *_MADE)}
        row |= {
            "n_features": len(result.columns["order"]),
            "order": result.columns["order"][:N_KEPT],
            "facts": [(name, float(value)) for name, value in result.facts["facts"].items()],
        }
        if row["fold"] is None:
            row |= {name: result.columns.get(name) for name in ("usage", "trees_using")}
        yield row


def _frame(table: pa.Table) -> pd.DataFrame:
    frame = table.to_pandas(maps_as_pydicts="strict")
    whole = ("seed", "fold", "k", "n_features", "engine_revision")
    return frame.astype({name: "Int32" for name in whole if name in frame})


def _with_revision(frame: pd.DataFrame) -> pd.DataFrame:
    """Say of results from before revisions were recorded of which one they are."""
    is_silent = frame["engine_revision"].isna()
    kinds = frame.loc[is_silent, ["method", "config"]].drop_duplicates()
    known = {kind: unrecorded(*kind) for kind in kinds.itertuples(index=False, name=None)}
    ours = [kind for kind, revision in known.items() if revision is not None]
    made = pd.MultiIndex.from_frame(frame[["method", "config"]]).isin(ours)
    return frame.assign(
        engine_revision=frame["engine_revision"].mask(is_silent & made, FIRST_REVISION)
    )


def _items(column: pd.Series, kind: pa.DataType) -> pa.Array:
    return pa.array([list(one.items()) for one in column], kind)
