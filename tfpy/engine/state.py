"""The state of each thread: its scopes, its active tapes, and its backend.

Threads that compute on one backend may share tensors, but never this state. Using a tensor on another backend moves its
data there, which no thread may do while another one computes with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfpy.engine.backend import Backend
    from tfpy.engine.recording import Recorder
    from tfpy.engine.scope import Scope
    from tfpy.engine.tape import Tape


class State:
    """One thread's state.

    Attributes:
        scopes: the open scopes, innermost last.
        tapes: the active tapes, innermost last.
        backend: overrides the process-wide backend for this thread, or None.
        recorder: the active recorder of a plan, or None.
        running: descriptions of what is being called, such as the layers of a model, innermost last.
    """

    __slots__ = ("backend", "recorder", "running", "scopes", "tapes")

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.tapes: list[Tape] = []
        self.backend: Backend | None = None
        self.recorder: Recorder | None = None
        self.running: list[Callable[[], str]] = []


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = State()


local = _Local()


def refuse_plan(reason: str) -> None:
    """Note that the running code does something beyond its kernels, which a plan would not do."""
    if local.state.recorder is not None:
        local.state.recorder.refuse(reason)


def refusals() -> int:
    """How many refusals the current recording has had so far; 0 if nothing is being recorded."""
    recorder = local.state.recorder
    return 0 if recorder is None else recorder.refusals
