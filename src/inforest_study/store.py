"""`Store`: a folder of results, one small Parquet file per step of a job.

A file's name says everything but the result: the job, the step, a digest of the parameters, and
how the step ended. So a listing is enough to know what is done:

    results/wine/CIF/mc/seed0/fold3.rank-0a1b2c3d.done.parquet
    results/wine/CIF/mc/seed0/fold3.score-0a1b2c3d-4e5f6a7b.done.parquet

A file gets its name when it is complete and on the disk, never before.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from inforest_study.errors import RunError
from inforest_study.job import STATUSES, Job, Status, Step
from inforest_study.outcome import Outcome
from inforest_study.revision import unrecorded
from inforest_study.runner import Runner

_NAME = re.compile(
    r"(?P<place>all|fold\d+)\.(?P<step>rank|score)-(?P<digest>[0-9a-f-]+)"
    rf"\.(?P<status>{'|'.join(STATUSES)})\.parquet"
)
_MAGIC = b"PAR1"
_METADATA = b"inforest"


class StoreError(RunError):
    """The store cannot be written or read; the message names the file."""


@dataclass(frozen=True)
class Entry:
    """A result file, known by its name alone."""

    key: str
    step: Step
    digest: str
    status: Status
    path: Path


@dataclass(frozen=True, eq=False)
class Result:
    """A result file's content.

    Attributes
    ----------
    facts : mapping
        The job, how the step ended, what it took: one flat row.
    columns : mapping of str to ndarray
        The ranking or the scores; empty if there are none.

    """

    facts: Mapping[str, Any]
    columns: Mapping[str, NDArray[Any]]

    @property
    def is_on_other_data(self) -> bool:
        """Whether the data differ from the study's copy; False where there is none to compare."""
        used, expected = (self.facts.get(f"{whose}_checksum") for whose in ("data", "study"))
        return bool(used and expected and used != expected)


class Store:
    """A folder of results.

    Parameters
    ----------
    root : str or Path
        The folder; made when something is written.

    Attributes
    ----------
    set_aside : list of Path
        Files that turned out to be corrupt; they were renamed to end in ".corrupt".

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from inforest_study.store import Store
    >>> list(Store(mkdtemp()).entries())
    []

    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        self.results = self.root / "results"
        self.set_aside: list[Path] = []

    def path(self, job: Job, step: Step, status: Status) -> Path:
        """Return where a result is or would be."""
        *folders, place = (_file_name(part) for part in job.key.split("/"))
        return self.results.joinpath(
            *folders, f"{place}.{step}-{job.digest(step)}.{status}.parquet"
        )

    def status(self, job: Job, step: Step, before: float | None = None) -> Status | None:
        """Return how a step ended; None if it was not done.

        Parameters
        ----------
        job : Job
            The job.
        step : {"rank", "score"}
            Its step.
        before : float or None, default=None
            A time: what ended without a result before it counts as not done.

        """
        for status in STATUSES:  # a result wins over an older failure
            try:
                written = self.path(job, step, status).stat().st_mtime
            except OSError:
                continue
            if before is None or status == "done" or written >= before:
                return status
        return None

    def entries(self) -> Iterator[Entry]:
        """Yield every result; files that are cut off are set aside."""
        for folder, _, names in sorted(os.walk(self.results)):
            parts = [unquote(part) for part in Path(folder).relative_to(self.results).parts]
            for name in sorted(names):
                match = _NAME.fullmatch(name)
                if match is None:
                    continue
                path = Path(folder, name)
                if _is_whole(path):
                    key = "/".join([*parts, match["place"]])
                    yield Entry(key, match["step"], match["digest"], match["status"], path)  # type: ignore[arg-type]
                else:
                    self._set_aside(path)

    def read(self, path: Path) -> Result | None:
        """Return a file's content; None, and the file is set aside, if it is corrupt."""
        try:
            with parquet.ParquetFile(path, page_checksum_verification=True) as file:
                table = file.read()
            facts = json.loads(table.schema.metadata[_METADATA])
            facts.setdefault("engine_revision", unrecorded(facts["method"], facts["config"]))
        except FileNotFoundError:
            return None
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
            self._set_aside(path)
            return None
        columns = {name: table.column(name).to_numpy() for name in table.column_names}
        return Result(facts, columns)

    def write(self, job: Job, step: Step, outcome: Outcome, runner: Runner, **more: object) -> None:
        """Store how a step ended, all or nothing.

        Parameters
        ----------
        job : Job
            The job.
        step : {"rank", "score"}
            Its step.
        outcome : Outcome
            How it ended.
        runner : Runner
            Who writes; the file is prepared in its folder.
        **more : object
            Further facts, such as the budget.

        """
        facts = _facts(job, step, outcome) | more
        table = pa.table(dict(outcome.columns)).replace_schema_metadata(
            {_METADATA: json.dumps(facts, sort_keys=True, default=repr)}
        )
        path = self.path(job, step, outcome.status)
        sink = pa.BufferOutputStream()
        parquet.write_table(table, sink, compression="zstd", write_page_checksum=True)
        write_atomically(path, sink.getvalue(), runner.workspace)
        for status in STATUSES:  # what is known now replaces what was known before
            if status != outcome.status:
                self.path(job, step, status).unlink(missing_ok=True)

    def _set_aside(self, path: Path) -> None:
        path.replace(path.with_name(f"{path.name}.corrupt"))
        self.set_aside.append(path)


def _file_name(part: str) -> str:
    """Return a part of a key as a file's name that every system takes."""
    name = quote(part, safe=" @+")
    return f"%2E{name[1:]}" if name.startswith(".") else name  # neither hidden nor a way out


def write_atomically(path: Path, content: Any, workspace: Path) -> None:
    """Make a file that is either complete and on the disk, or not there.

    Parameters
    ----------
    path : Path
        The file; one that exists is replaced.
    content : bytes-like
        What goes into it.
    workspace : Path
        A folder on the same file system, used by nobody else.

    """
    draft = workspace / "draft"
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}; what was stored before is complete"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Put a file's new name on the disk, too."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _is_whole(path: Path) -> bool:
    """Return whether a Parquet file has both its ends: quick, for thousands of files."""
    try:
        with path.open("rb", buffering=0) as file:
            head = file.read(4)
            size = file.seek(-8, os.SEEK_END) + 8
            tail = file.read(8)
    except OSError:  # also if it is too short
        return False
    footer = int.from_bytes(tail[:4], "little")
    return size > 12 and head == _MAGIC and tail[4:] == _MAGIC and footer + 12 <= size


def _facts(job: Job, step: Step, outcome: Outcome) -> dict[str, Any]:
    """Return all of an outcome but its table."""
    return {
        "key": job.key,
        "task": job.task,
        "dataset": job.dataset,
        "method": job.method,
        "config": job.config,
        "seed": job.seed,
        "fold": job.fold,
        "step": step,
        "ranking": job.rank_digest,
        "digest": job.digest(step),
        "parameters": dict(job.parameters),
        "folds": job.options.folds,
        "scale": job.options.scale,
        "random_state": job.random_state,
        "status": outcome.status,
        "reason": outcome.reason,
        "traceback": outcome.traceback,
        "seconds": outcome.seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "memory_mb": outcome.memory_mb,
        "facts": dict(outcome.facts),
        "versions": dict(outcome.versions),
        "machine": dict(outcome.machine),
        "data_checksum": outcome.data_checksum,
        "study_checksum": job.checksum or "",
        "engine_revision": job.engine_revision,
    }
