"""Single-threaded BLAS sections restore the user's thread count and their locks, also after interrupts and when reentered."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from tfpy.engine import locks
from tfpy.engine.cpu import blas as blas_module
from tfpy.engine.cpu import threads
from tfpy.engine.cpu.blas import _OneBlasThread, blas_state
from tfpy.engine.cpu.threads import run_concurrently

_USER = 4
FILES = {module.__file__ for module in (blas_module, locks, threads)}


class Library:
    """A fake BLAS with a thread count."""

    def __init__(self) -> None:
        self.count = _USER
        self.on_restore: Callable[[], None] = lambda: None

    def get(self) -> int:
        return self.count

    def set(self, count: int) -> None:
        self.count = count
        if count == _USER:
            self.on_restore()


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def blas(library: Library, monkeypatch: pytest.MonkeyPatch) -> _OneBlasThread:
    """The guard that keeps the library on one thread."""
    found = _OneBlasThread()
    found._get, found._set = library.get, library.set
    monkeypatch.setattr(threads, "one_blas_thread", found)
    threads._workers.start(2)
    return found


def run_interrupted(work: Callable[[], object], moment: int) -> bool:
    """Run work, and interrupt it at the given one of the moments at which CPython handles signals.

    These are the entries of Python functions and the returns of C functions. Return whether there was an interrupt.
    """
    left = moment

    def watch(frame: FrameType, what: str, _: Any) -> None:
        nonlocal left
        code = frame.f_code
        if code.co_filename in FILES:
            left -= what in ("call", "c_return")
        elif code in (Library.get.__code__, Library.set.__code__):
            left -= what == "return"
        if left < 0:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


def is_free(lock: locks.ProcessLock) -> bool:
    """Whether another thread can acquire a lock."""
    found = []

    def attempt() -> None:
        found.append(lock().acquire(blocking=False))
        if found[0]:
            lock().release()

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found[0]


def alone(library: Library) -> None:
    assert library.count == 1


def one_call(library: Library) -> None:
    threads.one_blas_thread.run(alone, library)


def many_calls(library: Library) -> None:
    threads.one_blas_thread.run_once_asked(lambda: [one_call(library), alone(library), one_call(library)])


def jobs(library: Library) -> None:
    run_concurrently([partial(alone, library)] * 3)


@pytest.mark.parametrize("work", [one_call, many_calls, jobs])
def test_interrupt_at_any_point_restores_thread_count(
    work: Callable[[Library], None], library: Library, blas: _OneBlasThread
) -> None:
    moment = 0
    while run_interrupted(lambda: work(library), moment):
        moment += 1
        assert library.count == _USER, moment
        assert not blas._users
        assert not blas_state.lasting
        assert not blas_state.alone
        assert not threads._workers._running
        assert is_free(threads._workers._lock)
        assert is_free(blas._lock)
        work(library)
        assert library.count == _USER, moment
    assert moment > 10


def test_thread_count_is_restored_by_last_user(library: Library, blas: _OneBlasThread) -> None:
    inside, over = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        assert over.wait(10)

    other = threading.Thread(target=blas.run, args=[wait])
    other.start()
    assert inside.wait(10)
    one_call(library)
    alone(library)
    over.set()
    other.join()
    assert library.count == _USER


def assert_finishes(function: Callable[[], object]) -> None:
    """Call a function, and fail if it deadlocks."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_reentrant_computation_while_restoring_thread_count(library: Library, blas: _OneBlasThread) -> None:
    """As from a signal handler or a finalizer."""
    found: list[int] = []

    def compute() -> None:
        if not found:
            found.append(library.count)
            one_call(library)

    library.on_restore = compute
    assert_finishes(partial(one_call, library))
    assert found == [_USER]
    assert library.count == _USER


def test_reentrant_computation_while_workers_start(
    library: Library, blas: _OneBlasThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = threads._Workers()
    monkeypatch.setattr(threads, "_workers", workers)
    found: list[int] = []
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        start(thread)
        if thread.name == "tfpy" and not found:
            found.append(1)
            jobs(library)

    monkeypatch.setattr(threading.Thread, "start", started)
    assert_finishes(partial(jobs, library))
    assert found
    assert library.count == _USER


@pytest.mark.parametrize("place", ["numpy.libs/libscipy_openblas64_-1.so", "numpy/.dylibs/libscipy_openblas64_.dylib"])
def test_bundled_library_is_found(
    place: str, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Linux and Windows it is beside numpy, on macOS inside."""
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.touch()
    functions = {f"scipy_openblas_{verb}_num_threads64_": getattr(library, verb) for verb in ("get", "set")}
    monkeypatch.setattr(blas_module, "np", SimpleNamespace(__file__=str(tmp_path / "numpy" / "__init__.py")))
    monkeypatch.setattr(blas_module.ctypes, "CDLL", lambda path: SimpleNamespace(**functions))
    _OneBlasThread().run(alone, library)
    assert library.count == _USER
