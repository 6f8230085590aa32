"""Deferring signal handlers: for C calls that call Python and crash if a handler raises, such as that of Ctrl-C.

Blocking signals for this thread (`signal.pthread_sigmask`) is not enough: another thread would receive the signal, and
the handler would still run here.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

Handler = Callable[[int, FrameType | None], Any]
T = TypeVar("T")


def undisturbed(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function without signal handlers running; those of signals that arrive meanwhile run afterwards."""
    if current_thread() is not main_thread():  # handlers run only on the main thread
        return function(*arguments)
    waiting = _Waiting()
    try:
        waiting.begin()
        return function(*arguments)
    finally:
        waiting.end()


class _Waiting:
    """Replaces all handlers, and remembers the signals that arrived."""

    def __init__(self) -> None:
        found = {number: signal.getsignal(number) for number in range(1, signal.NSIG)}
        self._handlers: dict[int, Handler] = {number: h for number, h in found.items() if callable(h)}
        self._came: dict[int, FrameType | None] = {}
        self._over = False

    def begin(self) -> None:
        for number in self._handlers:
            signal.signal(number, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._over:  # an exception from a handler kept `end` from restoring this one
            self._handlers[number](number, frame)
        else:
            self._came[number] = frame

    def end(self) -> None:
        """Restore the handlers, and call the deferred ones, even if one of them raises."""
        self._over = True
        try:
            for number, handler in self._handlers.items():
                if signal.getsignal(number) is self:
                    signal.signal(number, handler)
        finally:
            self._call()

    def _call(self) -> None:
        while self._came:
            number, frame = self._came.popitem()
            try:
                self._handlers[number](number, frame)
            except BaseException:
                self._call()
                raise
