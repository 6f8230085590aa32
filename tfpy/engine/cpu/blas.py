"""The number of BLAS threads: one while tfpy computes, which distributes work over its own threads.

An interrupt may occur after any call, and at the start of any Python function; a signal handler or finalizer that runs
there may compute. So the state here is restored in `finally`, by idempotent operations, and the lock is reentrant.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import numpy as np

from tfpy.engine.locks import ProcessLock


class _BlasState(threading.local):
    """What this thread has requested of BLAS.

    Attributes:
        lasting: it is in `run_once_asked`.
        alone: BLAS is on one thread until that ends.
    """

    lasting = False
    alone = False


blas_state = _BlasState()

T = TypeVar("T")


class _OneBlasThread:
    """Keeps numpy's bundled OpenBLAS on one thread while functions run; any other BLAS is left alone.

    The user's setting is read when the first thread starts and restored when the last one ends.
    """

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._users: set[int] = set()  # the threads that are computing
        self._before: int | None = None  # the user's setting, while it is not in force
        self._get: Callable[[], int] = lambda: 1
        self._set: Callable[[int], None] = lambda count: None
        package = Path(np.__file__).parent
        for folder in (package.with_name("numpy.libs"), package / ".dylibs"):  # the latter on macOS
            for path in folder.glob("*openblas*"):
                self._find(path)

    def _find(self, path: Path) -> None:
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            return
        for name in ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads"):
            if hasattr(library, name.format("set")):
                self._get, self._set = (getattr(library, name.format(verb)) for verb in ("get", "set"))

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function with BLAS on one thread, the caller's."""
        if not blas_state.lasting:
            return self.run_once_asked(self.run, function, *arguments)
        if not blas_state.alone:
            blas_state.alone = True
            self._users.add(get_ident())
            self._apply()
        return function(*arguments)

    def run_once_asked(self, function: Callable[..., T], *arguments: Any) -> T:
        """The result of a function. The effect of a first `run` in it lasts until it ends: for many calls."""
        if blas_state.lasting:
            return function(*arguments)
        me = get_ident()
        try:
            blas_state.lasting = True
            return function(*arguments)
        finally:
            asked = blas_state.alone
            blas_state.lasting = blas_state.alone = False
            if asked:
                try:
                    self._users.discard(me)
                    self._apply()
                except BaseException:  # an interrupt may come here, too
                    self._apply()
                    raise

    def _apply(self) -> None:
        """Set the number of BLAS threads that the threads need."""
        with self._lock():
            if self._users and self._before is None:
                self._before = self._get()
                self._set(1)
            elif not self._users and self._before is not None:
                before, self._before = self._before, None
                self._set(before)

    def forget_others(self) -> None:
        """After a fork, drop the requests of threads that no longer exist."""
        self._users &= {get_ident()}
        self._apply()


one_blas_thread = _OneBlasThread()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_blas_thread.forget_others)
