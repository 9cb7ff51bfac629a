"""`Cluster`: an engine on the workers of a Dask scheduler.

The workers do steps and send back what they found; they need this package, the data and the
plug-ins, but not the store. A step whose worker is lost is done again by another one.
"""

from asyncio import CancelledError
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from inforest_study.outcome import Outcome
from inforest_study.run import EngineError
from inforest_study.work import Request
from inforest_study.worker import perform

#: Seconds to wait for the scheduler.
_TIMEOUT = 20
#: Steps per thread of the cluster: one runs, one waits, so that no worker waits for the network.
_AHEAD = 2
#: Seconds between two questions for the cluster's size.
_PULSE = 1.0


class Cluster:
    """An engine on the workers of a Dask scheduler.

    Parameters
    ----------
    scheduler : str or distributed.Client
        The scheduler's address, such as "tcp://10.0.0.1:8786", or a client.

    Examples
    --------
    >>> from inforest_study.cluster import Cluster
    >>> engine = Cluster("tcp://10.0.0.1:8786")  # doctest: +SKIP

    """

    def __init__(self, scheduler: Any) -> None:
        from distributed import Client, KilledWorker
        from distributed.client import ClosedClientError

        self.lost: tuple[type[BaseException], ...] = (KilledWorker,)
        # What Dask raises without its scheduler; closed connections and timeouts are OSErrors.
        self._gone = (OSError, RuntimeError, CancelledError, ClosedClientError)
        self._is_ours = isinstance(scheduler, str)
        if self._is_ours:
            try:
                scheduler = Client(scheduler, timeout=_TIMEOUT, set_as_default=False)
            except (OSError, ValueError) as error:
                raise ValueError(f"no scheduler answers at {scheduler}: {error}") from error
        self._client = scheduler
        self._executor = self._client.get_executor(pure=False)
        self._asked = -_PULSE

    @property
    def capacity(self) -> int:
        """How many steps to have on the cluster; it may grow and shrink."""
        if monotonic() - self._asked > _PULSE:
            self._asked = monotonic()
            with self._one_error():
                self._capacity = max(1, _AHEAD * sum(self._client.nthreads().values()))
        return self._capacity

    def submit(self, request: Request) -> "Future[Outcome]":
        """Start a step somewhere on the cluster."""
        with self._one_error():
            future: Future[Outcome] = self._executor.submit(perform, request)
        return future

    def close(self) -> None:
        """Withdraw what has not begun; leave the cluster as it was."""
        with suppress(*self._gone):
            self._executor.shutdown(wait=False)
            if self._is_ours:
                self._client.close()

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        """Turn what Dask raises without a scheduler into what a run understands."""
        try:
            yield
        except self._gone as error:
            raise EngineError("the scheduler is gone; run the same command again") from error
