"""What goes wrong in one line on stderr, with an exit code that says whose fault it is."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

#: For the end of every --help.
EXIT_CODES = "Exit codes: 0 done, 1 a bug in inforest, 2 bad input or options, 130 interrupted."

BAD_INPUT = 2
INTERRUPTED = 130


def notice(message: str) -> None:
    """Tell something on stderr, in one line."""
    typer.echo(f"inforest: {' '.join(message.split())}", err=True)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn bad input and Ctrl-C into one line and an exit code, and warnings into notices."""
    with warnings.catch_warnings():
        warnings.showwarning = _show
        try:
            yield
        except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
            notice(str(error))
            raise typer.Exit(BAD_INPUT) from error
        except MemoryError:
            notice("the table does not fit into memory")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            notice("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def _show(message: Any, *_: Any, **__: Any) -> None:
    notice(f"warning: {message}")
