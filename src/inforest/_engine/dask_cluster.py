"""Pieces of work on a Dask cluster: of any size, also while workers come and go.

joblib alone falls short in three ways: it works in this process as soon as the cluster has a single
slot, it leaves the arrays on one worker, with which they die, and it abandons tasks after an error
without cancelling them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

#: How often the data are sent again after all workers that held them have died.
_ATTEMPTS = 5
#: Numbers of an array that is sent once to each worker, not along with each task.
_LARGE = 100


def is_dask(backend: Any) -> bool:
    """Whether this backend of joblib is a Dask cluster."""
    return hasattr(getattr(backend, "client", None), "scatter")


def cluster_results(
    backend: Any, task: Callable[..., Any], pieces: Sequence[Any], shared: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield ``task(piece, **shared)`` for each piece, as they come; cancel the rest on any error.

    A worker that dies costs what it was working on: Dask does it again elsewhere. When the last
    copy of the data dies with it, they are sent again for the pieces that are still to do.
    """
    todo = dict(enumerate(pieces))
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            for i, result in _submitted(backend, task, todo, shared):
                del todo[i]
                yield result
            return
        except CancelledError:
            if attempt == _ATTEMPTS:
                raise


def _submitted(
    backend: Any, task: Callable[..., Any], todo: Mapping[int, Any], shared: Mapping[str, Any]
) -> Iterator[tuple[int, Any]]:
    from distributed import as_completed

    client = backend.client
    try:
        data = {name: _sent(client, x) for name, x in shared.items()}
    except (OSError, KeyError) as error:  # a key is the address of a worker that has left
        raise CancelledError(f"a worker was lost while it got its data: {error}") from error
    options = {"pure": False, **backend.submit_kwargs}
    number = {client.submit(task, piece, **data, **options): i for i, piece in todo.items()}
    try:
        with backend.retrieval_context():  # inside a task of Dask: its slot is free meanwhile
            for future in as_completed(list(number)):
                yield number.pop(future), future.result()
    finally:
        _cancel(client, number)


def aligned(x: Any) -> Any:
    """Return x with its arrays where the processor, and the core, expect them.

    Dask reads a message into one buffer, in which numbers may begin at any byte.
    """
    if isinstance(x, np.ndarray):
        return np.require(x, requirements="A")
    if type(x) is tuple:
        return tuple(aligned(one) for one in x)
    if type(x) is dict:
        return {name: aligned(one) for name, one in x.items()}
    if is_dataclass(x) and not isinstance(x, type):
        own = {field.name: getattr(x, field.name) for field in fields(x) if field.init}
        found = aligned(own)
        return x if all(found[name] is own[name] for name in own) else replace(x, **found)
    return x


def _sent(client: Any, x: Any) -> Any:
    """Copy a big array to all workers."""
    return client.scatter(x, broadcast=True, hash=False) if np.size(x) > _LARGE else x


def _cancel(client: Any, futures: Iterable[Any]) -> None:
    left = list(futures)
    if left:
        client.cancel(left, force=True)
