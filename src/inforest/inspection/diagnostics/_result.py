"""`Diagnostic`: what every diagnostic returns, and the words their conclusions share."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from inforest._engine.frozen import frozen
from inforest._engine.printable import printable
from inforest._engine.short_names import shorten

#: Letters of a name that a printed table shows.
_LETTERS = 40


class Diagnostic(ABC):
    """Numbers that do not change any more, and what to conclude from them."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen(value))

    @property
    @abstractmethod
    def conclusion(self) -> str:
        """What to conclude, in one sentence."""

    @abstractmethod
    def to_frame(self) -> Any:
        """Return a pandas data frame."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Plot it and return the matplotlib axes."""


def printed(name: Any) -> str:
    """Return a name that leaves room for the numbers beside it."""
    return shorten(printable(str(name)), _LETTERS)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: "no features", "1 feature", "20,000 features"."""
    return f"{f'{n:,}' if n else 'no'} {noun}{'' if n == 1 else 's'}"
