"""The limit of BLAS's threads: set while it is needed, and never left behind."""

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

from inforest import independence_test
from inforest._engine.blas import one_thread_of_blas
from inforest.independence import permutation


def n_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def several_threads():
    """Without a limit of the test's own: threadpoolctl keeps it to the thread that has set it."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    before = [library.num_threads for library in libraries]
    _set(libraries, [3] * len(libraries))
    if n_threads() != {3}:
        pytest.skip("NumPy's BLAS has no number of threads to be set")
    yield
    _set(libraries, before)


def _set(libraries, numbers):
    for library, number in zip(libraries, numbers, strict=True):
        library.set_num_threads(number)
        getattr(library, "clear_controlling_thread", lambda: None)()


def test_the_first_may_leave_first():
    """In threads of their own, of which the second restores what the first has set."""
    inside, leave = threading.Event(), threading.Event()

    def first():
        with one_thread_of_blas():
            inside.set()
            assert leave.wait(100)

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(100)
    with one_thread_of_blas():
        leave.set()
        thread.join()
        assert n_threads() == {1}
    assert n_threads() == {3}
    with one_thread_of_blas():
        assert n_threads() == {1}
    assert n_threads() == {3}


def test_concurrent_tests_leave_the_threads_as_they_were(monkeypatch):
    """The first to begin is the first to end, in the middle of the second."""
    first_is_inside, second_is_inside, first_is_out = (threading.Event() for _ in range(3))
    run = permutation.run

    def staggered(*args, **options):
        if not first_is_inside.is_set():
            first_is_inside.set()
            assert second_is_inside.wait(100)
        else:
            second_is_inside.set()
            assert first_is_out.wait(100)
        return run(*args, **options)

    monkeypatch.setattr(permutation, "run", staggered)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.normal(size=100)

    def test():
        independence_test(X, y, n_resamples=999, n_jobs=2, random_state=0)

    first, second = threading.Thread(target=test), threading.Thread(target=test)
    first.start()
    assert first_is_inside.wait(100)
    second.start()
    first.join()
    first_is_out.set()
    second.join()
    assert n_threads() == {3}
