"""The program `inforest`, before anything is imported: a package of its own for that reason.

Whoever presses Ctrl-C in the second that NumPy, SciPy and scikit-learn take to load gets one line
and the exit code of any other interrupt, not a traceback through their modules.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_INTERRUPTED = 130


def main() -> None:
    """Load the commands and run the one that was asked for."""
    with _left_at_once():
        from inforest.cli import app
    app(prog_name="inforest")


@contextmanager
def _left_at_once() -> Iterator[None]:
    """End the process by Ctrl-C without raising: a module half imported may turn it into anything.

    Nothing has been done yet that could be left half done. Where SIGINT is ignored, as with nohup
    or behind `&`, it stays so.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(*_: Any) -> None:
    try:
        os.write(2, b"inforest: interrupted\n")
    finally:  # also where stderr is closed
        os._exit(_INTERRUPTED)
