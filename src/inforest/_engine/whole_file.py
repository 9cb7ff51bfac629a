"""Files that are complete or not there: what is written gets its name at the end."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISLNK, S_ISREG
from typing import BinaryIO
from uuid import uuid4


def check_output(path: Path) -> None:
    """Raise an `OSError` that says why a file cannot be written, before the work that makes it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {str(path)!r}: there is no such folder")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and S_ISLNK(mode):
        target = str(path.readlink())
        raise OSError(f"cannot write {str(path)!r}: it is a link to {target!r}; name that itself")
    if mode is not None and path.is_dir():
        raise IsADirectoryError(f"cannot write {str(path)!r}: it is a folder")
    if mode is not None and not S_ISREG(mode):
        raise OSError(f"cannot write {str(path)!r}: it is a device or a pipe, not a file")
    if not os.access(path if mode is not None else path.parent, os.W_OK):
        raise PermissionError(f"cannot write {str(path)!r}: permission denied")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write into; it replaces the old one when all went well.

    Until then it has another name in the same folder. The permissions of the old one stay.
    """
    path = Path(path)
    check_output(path)
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            part.chmod(S_IMODE(path.stat().st_mode))
        part.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        # Of the file that the user named, not of ours.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, complete or not at all."""
    with whole_file(path) as file:
        file.write(content)
