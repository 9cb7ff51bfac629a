"""`Progress`: one line on stderr that says how far a long fit is and when it will end."""

import sys
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from time import monotonic

_WIDTH = 24
#: Seconds between two updates.
_INTERVAL = 0.1
#: The bar of a whole work; each thread has its own.
_PRESENT: "ContextVar[Whole | None]" = ContextVar("whole", default=None)


class Progress:
    """A bar that is drawn again and again in the same line; in a log, a first and a last line.

    Parameters
    ----------
    total : int
        How many things there are to do.
    noun : str
        What they are, in the plural.

    Examples
    --------
    >>> from inforest._engine.progress import Progress
    >>> with Progress(20, "trees") as progress:
    ...     for _ in range(20):
    ...         progress.advance(1)

    """

    def __init__(self, total: int, noun: str) -> None:
        self._whole = Whole.present()
        self._total = total
        self._noun = noun
        self._done = 0
        self._is_terminal = sys.stderr.isatty()
        self._start = self._last = monotonic()
        self._width = 0

    def __enter__(self) -> "Progress":
        if not self._is_terminal and self._whole is None:
            sys.stderr.write(f"{self._total} {self._noun} to do\n")
            sys.stderr.flush()
        return self

    def __exit__(self, *_: object) -> None:
        """Show the final state, also after an error, and leave the line."""
        if self._whole is not None:
            return
        if self._is_terminal:
            self._draw()
        else:
            sys.stderr.write(self.words(monotonic() - self._start))
        sys.stderr.write("\n")

    def advance(self, n: int) -> None:
        """Count n more as done."""
        self._done += n
        if self._whole is not None:
            self._whole.advance(n / max(self._total, 1))
            return
        if self._is_terminal and monotonic() - self._last >= _INTERVAL:
            self._draw()

    def _draw(self) -> None:
        self._last = monotonic()
        line = self.line(self._last - self._start)
        sys.stderr.write("\r" + line.ljust(self._width))  # spaces over the rest of a longer line
        sys.stderr.flush()
        self._width = len(line)

    def line(self, seconds: float) -> str:
        """Return what a terminal shows after so many seconds."""
        share = self._done / self._total if self._total else 1.0
        return f"{'█' * int(share * _WIDTH):·<{_WIDTH}} {self.words(seconds)}"

    def words(self, seconds: float) -> str:
        """Return what is done after so many seconds, how quickly, and when all will be."""
        words = f"{self._done}/{self._total} {self._noun}"
        if self._done == 0 or seconds <= 0:
            return words
        rate = self._done / seconds
        words += f", {rate:.0f}/s" if rate >= 100 else f", {rate:.2g}/s"
        if self._done == self._total:
            return f"{words}, took {_clock(seconds)}"
        return f"{words}, {_clock((self._total - self._done) / rate)} left"


class Whole:
    """One bar for a work of several steps: as long as it is there, it stands for all others.

    Parameters
    ----------
    total : float
        The sum of the steps' shares.

    Examples
    --------
    >>> from inforest._engine.progress import Progress, Whole
    >>> with Whole(2) as whole:
    ...     whole.begin("trees", 2)
    ...     with Progress(20, "trees") as progress:
    ...         progress.advance(20)

    """

    def __init__(self, total: float) -> None:
        self._total = total
        self._heading = ""
        self._before = self._of_step = self._within = 0.0
        self._n_parts = 1
        self._is_terminal = sys.stderr.isatty()
        self._start = self._last = monotonic()
        self._width = 0

    @staticmethod
    def present() -> "Whole | None":
        """Return the bar that stands for all others, if there is one."""
        return _PRESENT.get()

    def __enter__(self) -> "Whole":
        _PRESENT.set(self)
        return self

    def __exit__(self, *problem: object) -> None:
        """Leave the line."""
        _PRESENT.set(None)
        if problem[0] is None:
            self._before, self._of_step, self._heading = self._total, 0.0, ""
        if self._is_terminal:
            self._draw()
            sys.stderr.write("\n")
        elif problem[0] is None:
            sys.stderr.write(f"done, took {_clock(monotonic() - self._start)}\n")

    def begin(self, heading: str, share: float, n_parts: int = 1) -> None:
        """Go on to the next step; `n_parts` is how many bars it would have by itself."""
        self._before += self._of_step
        self._heading, self._of_step, self._within = heading, share, 0.0
        self._n_parts = n_parts
        if self._is_terminal:
            self._draw()
        else:
            sys.stderr.write(f"{heading} ...\n")

    def advance(self, share: float) -> None:
        """Count a share of a part of the step as done."""
        self._within = min(1.0, self._within + share / self._n_parts)
        if self._is_terminal and monotonic() - self._last >= _INTERVAL:
            self._draw()

    def _draw(self) -> None:
        self._last = monotonic()
        line = self.line(self._last - self._start)
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def line(self, seconds: float) -> str:
        """Return what a terminal shows after so many seconds."""
        share = min(1.0, (self._before + self._within * self._of_step) / self._total)
        bar = f"{'█' * int(share * _WIDTH):·<{_WIDTH}} {share:4.0%}"
        if share >= 1.0:
            return f"{bar}, took {_clock(seconds)}"
        left = f", about {_clock(seconds * (1 - share) / share)} left" if share > 0.02 else ""
        return f"{bar} {self._heading}{left}"


def one_bar(total: float, verbose: int) -> AbstractContextManager[Whole | None]:
    """Return a bar for all that is done inside, nothing if there is one already, or none is wanted.

    Parameters
    ----------
    total : float
        The sum of the steps' shares.
    verbose : int
        Whether anything is to be shown.

    """
    return Whole(total) if verbose and Whole.present() is None else nullcontext()


def _clock(seconds: float) -> str:
    """Return a duration in the unit in which it is read."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02} min"
