"""What a run shows: one live table on a terminal, a line per step in a log."""

import sys
from time import monotonic
from typing import Any, TextIO

from inforest_study.errors import printable
from inforest_study.job import Job, Step
from inforest_study.outcome import Outcome
from inforest_study.run import Progress

#: Running jobs that fit on a screen.
_SHOWN = 16
_STYLES = {"done": "green", "failed": "red", "over-budget": "yellow", "skipped": "dim"}


class Log:
    """A line for every step that ended, for files and batch systems."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last: object = None

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        self._out.flush()

    def __call__(self, progress: Progress) -> None:
        """Print what ended since the last call."""
        if progress.latest is not None and progress.latest is not self._last:
            self._last = progress.latest
            self._out.write(f"{_line(progress, *progress.latest)}\n")
            self._out.flush()


class LiveTable:
    """A table that is drawn again and again: what runs, what is done, when it will end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        self._drawn = 0.0

    def __enter__(self) -> "LiveTable":
        self._live.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._live.__exit__(None, None, None)

    def __call__(self, progress: Progress) -> None:
        """Draw the table, at most a few times a second."""
        if monotonic() - self._drawn > 0.2:
            self._drawn = monotonic()
            self._live.update(table(progress), refresh=True)


def display() -> Log | LiveTable:
    """Return what suits stderr: a live table on a terminal, a log otherwise."""
    return LiveTable() if sys.stderr.isatty() else Log(sys.stderr)


def table(progress: Progress) -> Any:
    """Return the live table (a `rich.table.Table`)."""
    from rich.table import Table

    view = Table(title=summary(progress), title_justify="left", expand=False)
    view.add_column("running", min_width=50)
    view.add_column("step")
    view.add_column("for", justify="right")
    now = monotonic()
    running = sorted(progress.running.items(), key=lambda item: item[1][1])
    for job, (step, since) in running[:_SHOWN]:
        view.add_row(printable(job.key), step, duration(now - since))
    if len(running) > _SHOWN:
        view.add_row(f"and {len(running) - _SHOWN} more", "", "")
    if progress.latest is not None:
        job, step, outcome = progress.latest
        style = _STYLES[outcome.status]
        view.caption = (
            f"[{style}]{outcome.status}[/] {printable(job.key)} {step} {duration(outcome.seconds)}"
        )
    return view


def summary(progress: Progress) -> str:
    """Return how far a run is, in one line."""
    parts = [f"{progress.n_ended} of {progress.total} jobs"]
    parts += [f"{n} {status}" for status, n in sorted(progress.ended.items()) if status != "done"]
    if progress.elsewhere:
        parts.append(f"{len(progress.elsewhere)} by other runners")
    if progress.ended.total() and progress.n_ended < progress.total:
        left = (progress.total - progress.n_ended) / progress.rate
        parts.append(f"{60 * progress.rate:.3g} per minute, about {duration(left)} left")
    return ", ".join(parts)


def _line(progress: Progress, job: Job, step: Step, outcome: Outcome) -> str:
    place = f"[{progress.n_ended}/{progress.total}]"
    line = f"{place} {outcome.status} {step} {job.key} {duration(outcome.seconds)}"
    return printable(f"{line}: {outcome.reason}" if outcome.reason else line)


def duration(seconds: float) -> str:
    """Return a time in the unit in which it is read.

    Examples
    --------
    >>> from inforest_study.display import duration
    >>> duration(0.25), duration(90), duration(7260), duration(200_000)
    ('0.25 s', '1:30 min', '2:01 h', '2.3 days')

    """
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02} h" if hours < 24 else f"{seconds / 86400:.1f} days"
