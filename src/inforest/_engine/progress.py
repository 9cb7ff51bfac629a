"""`Progress`: one line on stderr that says how far a long fit is and when it will end."""

import sys
from time import monotonic

_WIDTH = 24
#: Seconds between two updates.
_INTERVAL = 0.1


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
        self._total = total
        self._noun = noun
        self._done = 0
        self._is_terminal = sys.stderr.isatty()
        self._start = self._last = monotonic()
        self._width = 0

    def __enter__(self) -> "Progress":
        if not self._is_terminal:
            sys.stderr.write(f"{self._total} {self._noun} to do\n")
            sys.stderr.flush()
        return self

    def __exit__(self, *_: object) -> None:
        """Show the final state, also after an error, and leave the line."""
        if self._is_terminal:
            self._draw()
        else:
            sys.stderr.write(self.words(monotonic() - self._start))
        sys.stderr.write("\n")

    def advance(self, n: int) -> None:
        """Count n more as done."""
        self._done += n
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


def _clock(seconds: float) -> str:
    """Return a duration in the unit in which it is read."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02} min"
