"""One thread of BLAS for work that has threads of its own, and afterwards as many as before."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_n_inside = 0
#: The libraries that were limited, with their numbers of threads before.
_limited: list[tuple[Any, int]] = []


@contextmanager
def one_thread_of_blas() -> Iterator[None]:
    """Limit BLAS to one thread while anybody is inside.

    The limit is the whole process's. Two threads that each set and restored it could restore what
    the other had set: so the first to come in sets it, and the last to go out restores it.
    """
    global _n_inside
    with _lock:
        if _n_inside == 0:
            _set()
        _n_inside += 1
    try:
        yield
    finally:
        with _lock:
            _n_inside -= 1
            if _n_inside == 0:
                _restore()


def _set() -> None:
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        before = library.num_threads
        library.set_num_threads(1)
        if library.num_threads != before:  # else another thread of the user's has its own limit
            _limited.append((library, before))


def _restore() -> None:
    while _limited:
        library, before = _limited.pop()
        _give_up_control(library)  # the thread that set it may be another
        library.set_num_threads(before)
        _give_up_control(library)


def _give_up_control(library: Any) -> None:
    """Let any thread set the number next: threadpoolctl 3.7 keeps it to the first."""
    give_up = getattr(library, "clear_controlling_thread", None)
    if give_up is not None:
        give_up(force=True)
