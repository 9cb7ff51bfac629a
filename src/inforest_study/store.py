"""`Store`: a folder of results, one small Parquet file per step of a job.

A file's name says everything but the result: the job, the step, a digest of the parameters, and
how the step ended. So a listing is enough to know what is done:

    results/wine/CIF/mc/seed0/fold3.rank-0a1b2c3d.done.parquet
    results/wine/CIF/mc/seed0/fold3.score-0a1b2c3d-4e5f6a7b.done.parquet

A file gets its name when it is complete and on the disk, never before.
"""

import os
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO
from urllib.parse import quote, unquote

from inforest_study.errors import RunError
from inforest_study.job import STATUSES, Job, Status, Step
from inforest_study.outcome import Outcome
from inforest_study.result_file import CorruptError, Result, pack, unpack
from inforest_study.runner import Runner

_NAME = re.compile(
    r"(?P<place>all|fold\d+)\.(?P<step>rank|score)-(?P<digest>[0-9a-f-]+)"
    rf"\.(?P<status>{'|'.join(STATUSES)})\.parquet"
)
_MAGIC = b"PAR1"
#: A file's number, time and size.
_Identity = tuple[int, int, int]
#: Files that are named one by one when something is wrong with them.
_NAMED = 5


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


class Store:
    """A folder of results.

    Parameters
    ----------
    root : str or Path
        The folder; made when something is written.

    Attributes
    ----------
    corrupt : list of Path
        Files whose content turned out to be none, or another's.
    unreadable : dict of Path to str
        Files of which nobody knows, because they could not be read, and why.
    set_aside : list of Path
        Corrupt files that `put_aside` has renamed to end in ".corrupt".

    Whoever only reads changes nothing in the folder, which may be read-only.

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
        self.unreadable: dict[Path, str] = {}
        self.set_aside: list[Path] = []
        self._corrupt: dict[Path, _Identity] = {}

    @property
    def corrupt(self) -> list[Path]:
        """Files whose content is none, or another's, and that still have their name."""
        return list(self._corrupt)

    def path(self, job: Job, step: Step, status: Status) -> Path:
        """Return where a result is or would be."""
        *folders, place = (_file_name(part) for part in job.key.split("/"))
        return self.results.joinpath(
            *folders, f"{place}.{step}-{job.digest(step)}.{status}.parquet"
        )

    def status(self, job: Job, step: Step) -> Status | None:
        """Return how a step ended; None if it was not done."""
        for status in STATUSES:  # a result wins over an older failure
            if self.identity(job, step, status) is not None:
                return status
        return None

    def identity(self, job: Job, step: Step, status: Status) -> "_Identity | None":
        """Return what tells a result's file from the one that replaces it; None if there is none.

        The time alone would not: a clock may have been put back.
        """
        return _identity(self.path(job, step, status))

    def entries(self) -> Iterator[Entry]:
        """Yield every result, known by its name; files that are cut off are noted and left out."""
        for folder, subfolders, names in sorted(os.walk(self.results)):
            parts = [unquote(part) for part in Path(folder).relative_to(self.results).parts]
            for name in filter(_NAME.fullmatch, subfolders):
                self.unreadable[Path(folder, name)] = "it is a folder"
            todo, seen = deque(sorted(names)), set(names)
            while todo:
                entry = _entry("/".join(parts), Path(folder, todo.popleft()))
                if entry is None:
                    continue
                try:
                    whole = _is_whole(entry.path)
                except FileNotFoundError:  # replaced since it was listed, by one of another name
                    new = sorted({path.name for path in Path(folder).iterdir()} - seen)
                    todo += new
                    seen |= {*new}
                except NotAFileError as error:
                    self.unreadable[entry.path] = str(error)
                except OSError as error:  # its name tells all the same
                    self.unreadable[entry.path] = error.strerror or str(error)
                    yield entry
                else:
                    if whole:
                        yield entry
                    else:
                        self._note_corrupt(entry.path)

    def read(self, path: Path) -> Result | None:
        """Return a file's content; None if it is gone, corrupt or unreadable, which is noted."""
        folder = "/".join(unquote(part) for part in path.relative_to(self.results).parts[:-1])
        entry = _entry(folder, path)
        if entry is None:
            raise ValueError(f"a result must have the name of one; got {path.name!r}")
        try:
            with _open(path) as file:
                content = file.read()
            return unpack(content, vars(entry))
        except FileNotFoundError:
            return None
        except CorruptError:
            self._note_corrupt(path)
            return None
        except (NotAFileError, OSError) as error:
            self.unreadable[path] = getattr(error, "strerror", None) or str(error)
            return None

    def put_aside(self) -> None:
        """Rename what turned out to be corrupt, so that it is done again; only runs do so."""
        for path, identity in self._corrupt.items():
            if _identity(path) != identity:  # replaced meanwhile
                continue
            try:
                path.replace(path.with_name(f"{path.name}.corrupt"))
            except OSError as error:
                raise StoreError(
                    f"cannot rename {path}, which is corrupt: {error.strerror or error}"
                ) from error
            self.set_aside.append(path)
        self._corrupt.clear()

    def complaints(self) -> list[str]:
        """Return what is wrong with the files that were met so far, in lines."""
        again = "`inforest bench run` sets it aside and does it again"
        return [
            *(f"{path} is corrupt: set aside as {path.name}.corrupt" for path in self.set_aside),
            *(f"{path} is corrupt: {again}" for path in self.corrupt),
            *_few([f"cannot read {path}: {why}" for path, why in sorted(self.unreadable.items())]),
        ]

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
        path = self.path(job, step, outcome.status)
        write_atomically(path, pack(facts, outcome.columns), runner.workspace)
        for status in STATUSES:  # what is known now replaces what was known before
            if status != outcome.status:
                self.path(job, step, status).unlink(missing_ok=True)

    def _note_corrupt(self, path: Path) -> None:
        identity = _identity(path)
        if identity is not None:
            self._corrupt[path] = identity


class NotAFileError(Exception):
    """Something else has a result's name: a pipe, a device."""


def _few(lines: list[str]) -> list[str]:
    """Return the first of many lines that say the same, and how many more there are."""
    more = len(lines) - _NAMED
    return lines if more <= 0 else [*lines[:_NAMED], f"cannot read {more} more results"]


def _entry(folder: str, path: Path) -> Entry | None:
    """Return what a file's name says; None if it is not the name of a result."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    key = f"{folder}/{match['place']}"
    return Entry(key, match["step"], match["digest"], match["status"], path)  # type: ignore[arg-type]


def _identity(path: Path) -> _Identity | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_ino, stat.st_mtime_ns, stat.st_size) if S_ISREG(stat.st_mode) else None


def _open(path: Path) -> BinaryIO:
    """Open a file to read it; a pipe without a writer would make us wait for ever."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    file = os.fdopen(descriptor, "rb")
    if not S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotAFileError("it is not a file")
    return file


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
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= 12:
            return False
        head = file.read(4)
        file.seek(-8, os.SEEK_END)
        tail = file.read(8)
    footer = int.from_bytes(tail[:4], "little")
    return head == _MAGIC and tail[4:] == _MAGIC and footer + 12 <= size


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
