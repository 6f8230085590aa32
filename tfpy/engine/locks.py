"""Locks that outlive a fork."""

from __future__ import annotations

import os
import threading


class _Lock(type(threading.RLock())):  # type: ignore[misc]
    """A reentrant lock that an interrupt cannot leave locked.

    In Python 3.14 an interrupt may occur after the lock's own `__enter__` and before the block that would release it.
    There is no such moment after a Python function returns, nor after an item of `map` is unpacked.
    """

    def __enter__(self) -> bool:
        entered: bool
        [entered] = map(self.acquire, (True,))
        return entered


class ProcessLock:
    """A lock: `with lock():`. A forked process gets its own, since a thread that it lacks may have held the other.

    It is reentrant, since a signal handler may acquire it at any point.
    """

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = _Lock()

    def __call__(self) -> _Lock:
        """The lock of this process."""
        return self._lock
