"""Locks that outlive a fork."""

from __future__ import annotations

import os
import threading


class ProcessLock:
    """A lock: `with lock():`. A forked process gets its own, since a thread that it lacks may have held the other.

    It is reentrant, since a signal handler may acquire it at any point.
    """

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __call__(self) -> threading.RLock:
        """The lock of this process."""
        return self._lock
