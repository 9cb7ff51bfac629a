"""`Runner`: one process that works on a store, and whether it still lives."""

import json
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, time
from uuid import uuid4

import psutil

#: Seconds without a sign of life after which a runner on another machine counts as dead.
LEASE = 120.0
#: Two clocks' readings of one process's start may differ by this much.
_CLOCK = 2.0


@dataclass(frozen=True)
class Owner:
    """Who a runner is: enough to find out whether it still runs."""

    host: str
    pid: int
    started: float


class Runner:
    """The running process as a worker on a store: a file says who it is, and is touched meanwhile.

    Parameters
    ----------
    root : Path
        The store's folder.
    lease : float, default=120
        Seconds without a touch after which other machines take it for dead.

    Attributes
    ----------
    name : str
        A name that no other runner has.

    Without entering it, it is an observer: it can tell who lives, and leaves no trace.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from inforest_study.runner import Runner
    >>> with Runner(Path(mkdtemp())) as runner:
    ...     runner.lives(runner.name)
    True

    """

    def __init__(self, root: Path, lease: float = LEASE) -> None:
        self.name = uuid4().hex
        self._folder = root / "runners"
        self._lease = lease
        self._touched = monotonic()

    def __enter__(self) -> "Runner":
        self.workspace.mkdir(parents=True)
        for name in self.others():
            if not self.lives(name):
                self._forget(name)
        pid = os.getpid()
        owner = Owner(_host(), pid, psutil.Process(pid).create_time())
        # Complete before it has its name, so that nobody reads half of it.
        draft = self.workspace / "owner"
        draft.write_text(json.dumps(asdict(owner)), encoding="utf-8")
        draft.rename(self._file(self.name))
        return self

    def __exit__(self, *_: object) -> None:
        self._forget(self.name)

    @property
    def workspace(self) -> Path:
        """A folder of its own, on the store's file system, for files that are being written."""
        return self._folder / self.name

    def touch(self) -> None:
        """Show that the runner lives; call it often."""
        if monotonic() - self._touched > self._lease / 8:
            self._touched = monotonic()
            os.utime(self._file(self.name))

    def others(self) -> Iterator[str]:
        """Yield the names of all runners that left a trace, but not this one's."""
        names = {path.stem for path in self._folder.iterdir()}
        yield from sorted(names - {self.name})

    def owner(self, name: str) -> Owner | None:
        """Return who a runner is; None if it left or was still arriving."""
        try:
            return Owner(**json.loads(self._file(name).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def lives(self, name: str) -> bool:
        """Return whether a runner still works on the store; one without a name never did."""
        if not name:
            return False
        owner = self.owner(name)
        if owner is None:
            return self._is_recent(self._folder / name)  # it may be about to write its file
        if owner.host == _host():
            return _runs(owner)
        return self._is_recent(self._file(name))

    def _is_recent(self, path: Path) -> bool:
        try:
            return self._now() - path.stat().st_mtime < self._lease
        except OSError:
            return False

    def _now(self) -> float:
        """Return a fresh file's time: the clocks of two machines may differ, the store's is one.

        An observer makes no file, and goes by its own clock.
        """
        if not self.workspace.is_dir():
            return time()
        fresh = self.workspace / "now"
        fresh.touch()
        return fresh.stat().st_mtime

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _forget(self, name: str) -> None:
        self._file(name).unlink(missing_ok=True)
        shutil.rmtree(self._folder / name, ignore_errors=True)


def _runs(owner: Owner) -> bool:
    """Return whether a process of this machine runs and is not another one with the same id."""
    try:
        process = psutil.Process(owner.pid)
        return (
            abs(process.create_time() - owner.started) < _CLOCK
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except psutil.NoSuchProcess:
        return False


def _host() -> str:
    """Return a name for all processes that see each other's ids: containers do not."""
    try:
        return f"{platform.node()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()
