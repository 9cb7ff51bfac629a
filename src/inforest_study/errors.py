"""What goes wrong in one line on stderr, with an exit code that says whose fault it is."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

BAD_INPUT = 2
#: Jobs failed or could not be stored.
NOT_ALL_DONE = 3
INTERRUPTED = 130


class RunError(Exception):
    """A run cannot go on; what was stored is complete."""


def notice(message: str) -> None:
    """Tell something on stderr, in one line."""
    typer.echo(f"inforest: {printable(' '.join(message.split()))}", err=True)


def printable(text: str) -> str:
    """Return a text whose letters a terminal only shows, and takes for no command."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn bad input, a broken run and Ctrl-C into one line and an exit code, warnings into lines.

    All other errors are bugs: they keep their traceback, and the exit code is 1.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show
        try:
            yield
        except RunError as error:
            raise _ended(str(error), NOT_ALL_DONE) from error
        except (ValueError, OSError) as error:
            raise _ended(str(error), BAD_INPUT) from error
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("inforest"):
                raise
            raise _ended(
                f"there is no module {error.name}: pip install 'inforest[study]'", BAD_INPUT
            ) from error
        except MemoryError:
            raise _ended("the results do not fit into memory", BAD_INPUT) from None
        except KeyboardInterrupt:
            raise _ended("interrupted", INTERRUPTED) from None


def _ended(message: str, code: int) -> typer.Exit:
    notice(message)
    return typer.Exit(code)


def _show(message: Any, *_: Any, **__: Any) -> None:
    notice(f"warning: {message}")
