"""The state of each thread: its scopes, the tapes that record it, the backend chosen for it.

Threads that compute on one backend may share tensors; this state they never do. To another backend a tensor's data
moves, which no thread may ask for while another one computes with it.
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
        tapes: the tapes that record, innermost last.
        backend: overrides the process-wide backend for this thread, or None.
        recorder: records a plan, or None.
        running: what is being called, such as the layers of a model, innermost last; each says in words what it is.
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
    """Note that what runs now does something beyond its kernels, which a plan would not do."""
    if local.state.recorder is not None:
        local.state.recorder.refuse(reason)


def refusals() -> int:
    """How often what ran since the recording began kept it from becoming a plan; 0 if nothing is recorded."""
    recorder = local.state.recorder
    return 0 if recorder is None else recorder.refusals
