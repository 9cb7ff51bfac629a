"""What goes wrong in one line on stderr, with an exit code that says whose fault it is."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from inforest._engine.printable import printable
from inforest.io.tables.input_error import InputError

#: For the end of every --help.
EXIT_CODES = "Exit codes: 0 done, 1 a bug in inforest, 2 bad input or options, 130 interrupted."

BAD_INPUT = 2
INTERRUPTED = 130


def notice(message: str) -> None:
    """Tell something on stderr, in one line."""
    typer.echo(f"inforest: {printable(' '.join(message.split()))}", err=True)


@contextmanager
def one_line_errors(
    bad_input: tuple[type[Exception], ...] = (ValueError, OSError),
) -> Iterator[None]:
    """Turn bad input and Ctrl-C into one line and an exit code, and warnings into notices.

    All other errors are bugs: they keep their traceback, and the exit code is 1. A command that
    tells the user's mistakes from the program's says so with ``bad_input=(InputError,)``.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show
        try:
            yield
        except bad_input as error:
            notice(str(error))
            raise typer.Exit(BAD_INPUT) from error
        except ModuleNotFoundError as error:
            if is_ours(error):
                raise
            notice(f"there is no module {error.name}: pip install 'inforest[cli]'")
            raise typer.Exit(BAD_INPUT) from error
        except MemoryError:
            notice("the table does not fit into memory")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            notice("interrupted")
            raise typer.Exit(INTERRUPTED) from None


@contextmanager
def of_the_user() -> Iterator[None]:
    """Take the library's errors for bad input: options go on to it as the user gave them."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(str(error)) from error


def is_ours(error: ModuleNotFoundError) -> bool:
    """Whether the module that was not found belongs to this distribution: that is a bug."""
    return (error.name or "").partition(".")[0] in ("inforest", "inforest_study")


def _show(message: Any, *_: Any, **__: Any) -> None:
    notice(f"warning: {message}")
