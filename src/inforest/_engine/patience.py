"""`Patience`: a progress bar that appears only when there is something to wait for."""

from time import monotonic

from inforest._engine.progress import Progress, Whole

#: Seconds that need no explanation.
_DELAY = 1.0


class Patience:
    """Counts what is done; after a second it shows a `Progress`.

    Parameters
    ----------
    total : int
        How many things there are to do.
    noun : str
        What they are, in the plural.

    Examples
    --------
    >>> from inforest._engine.patience import Patience
    >>> with Patience(20, "permutations") as progress:
    ...     progress.advance(20)

    """

    def __init__(self, total: int, noun: str) -> None:
        self._total = total
        self._noun = noun
        self._done = 0
        self._start = monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> "Patience":
        if Whole.present() is not None:  # which is there already
            self._bar = Progress(self._total, self._noun)
        return self

    def __exit__(self, *problem: object) -> None:
        """Leave the line of the bar, if there is one."""
        if self._bar is not None:
            self._bar.__exit__(*problem)

    def advance(self, n: int) -> None:
        """Count n more as done."""
        self._done += n
        if self._bar is not None:
            self._bar.advance(n)
        elif monotonic() - self._start > _DELAY and self._done < self._total:
            self._bar = Progress(self._total - self._done, f"{self._noun} left to do")
