"""BLAS on one thread: whatever interrupts, and whatever computes in the middle of it, its threads are given back."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
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
    """The setting of a BLAS."""

    def __init__(self) -> None:
        self.count = _USER
        self.told: Callable[[], None] = lambda: None

    def get(self) -> int:
        return self.count

    def set(self, count: int) -> None:
        self.count = count
        if count == _USER:
            self.told()


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def blas(library: Library, monkeypatch: pytest.MonkeyPatch) -> _OneBlasThread:
    """What keeps the library on one thread."""
    found = _OneBlasThread()
    found._get, found._set = library.get, library.set
    monkeypatch.setattr(threads, "one_blas_thread", found)
    threads._workers.start(2)
    return found


def interrupted(work: Callable[[], object], moment: int) -> bool:
    """Whether an interrupt came while work was done: at that moment of those at which Python looks for signals.

    It does as a function of Python begins and after a call of one of C, as those of BLAS are.
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


def alone(library: Library) -> None:
    assert library.count == 1


def one_call(library: Library) -> None:
    threads.one_blas_thread.run(alone, library)


def many_calls(library: Library) -> None:
    threads.one_blas_thread.run_once_asked(lambda: [one_call(library), alone(library), one_call(library)])


def jobs(library: Library) -> None:
    run_concurrently([partial(alone, library)] * 3)


@pytest.mark.parametrize("work", [one_call, many_calls, jobs])
def test_an_interrupt_anywhere_gives_the_threads_back(
    work: Callable[[Library], None], library: Library, blas: _OneBlasThread
) -> None:
    moment = 0
    while interrupted(lambda: work(library), moment):
        moment += 1
        assert library.count == _USER, moment
        assert not blas._users
        assert not blas_state.lasting
        assert not blas_state.alone
        assert not threads._workers._running
        work(library)
        assert library.count == _USER, moment
    assert moment > 10


def test_threads_are_given_back_when_the_last_one_ends(library: Library, blas: _OneBlasThread) -> None:
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


def in_time(function: Callable[[], object]) -> None:
    """Call a function that, if it waits for itself, waits for ever."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_what_comes_as_the_threads_are_given_back_may_compute(library: Library, blas: _OneBlasThread) -> None:
    """A signal's handler, say, or a finalizer."""
    found: list[int] = []

    def compute() -> None:
        if not found:
            found.append(library.count)
            one_call(library)

    library.told = compute
    in_time(partial(one_call, library))
    assert found == [_USER]
    assert library.count == _USER


def test_what_comes_while_workers_start_may_compute(
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
    in_time(partial(jobs, library))
    assert found
    assert library.count == _USER
