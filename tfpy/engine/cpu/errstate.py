"""Silencing numpy: kernels run without warnings about overflow, division by zero and NaN."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np


class Quiet(threading.local):
    """A context per thread in which numpy does not warn about overflow, division by zero and NaN.

    Running a kernel in it costs a fiftieth of entering `np.errstate`, and the user's own settings are unaffected.

    A context cannot be entered twice. A signal handler or finalizer that interrupts a kernel is in it already: the
    RuntimeError raised when it is entered again is handled by `within`.
    """

    def __init__(self) -> None:
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        context.run(_is_quiet.set, True)
        self.run = self._enter = context.run

    @contextmanager
    def within(self, error: RuntimeError) -> Iterator[None]:
        """Run kernels in the context that this thread is already in; raises the error if it has another cause."""
        if not _is_quiet.get() or self.run is not self._enter:
            raise error
        self.run = _called  # type: ignore[assignment]
        try:
            yield
        finally:
            self.run = self._enter


def _called(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    return function(*args, **keywords)


_is_quiet = contextvars.ContextVar("_is_quiet", default=False)
quiet = Quiet()

F = TypeVar("F", bound=Callable[..., Any])


def reentrant(function: F) -> F:
    """Let a function that uses `quiet` run while a kernel is interrupted, too."""

    @wraps(function)
    def run(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except RuntimeError as error:
            with quiet.within(error):
                return function(*args, **keywords)

    return cast("F", run)
