"""`Diagnostic`: what every diagnostic returns, and the words their conclusions share."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class Diagnostic(ABC):
    """Numbers that do not change any more, and what to conclude from them."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

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


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: "no features", "1 feature", "20,000 features"."""
    return f"{f'{n:,}' if n else 'no'} {noun}{'' if n == 1 else 's'}"
