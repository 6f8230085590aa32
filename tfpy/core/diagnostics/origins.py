"""The origins of tensors: the user's line and the op that created them, recorded only on request.

Otherwise nothing is recorded, and there is no overhead: the engine checks `watching` for a watcher.
"""

from __future__ import annotations

import gc
import linecache
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

from tfpy.core import ops
from tfpy.core.naming.wrappers import forwards
from tfpy.engine import package
from tfpy.engine.handle import Handle, all_of, next_id, watching

_CORE = (f"{__package__}.", f"{package.__package__}.")
_OPS = f"{ops.__name__}."
_SWEEP_AT = 100_000  # recorded origins before those of dead tensors are first dropped; then twice the live ones


class Origin(NamedTuple):
    """A place in the user's program.

    Attributes:
        op: the op that ran there.
        file: the path of the source file.
        line: the number of the line, from 1.
    """

    op: str
    file: str
    line: int

    @property
    def source(self) -> str:
        """The text of the line; empty if not available."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{self.op} at {self.file}:{self.line}" + (f" ({self.source})" if self.source else "")


def origin(frame: FrameType | None = None) -> Origin:
    """The line of user code that the engine is running, and the op that was called there or on its behalf."""
    frame = sys._getframe(1) if frame is None else frame
    op = called = ""
    in_core = True
    while frame.f_code.co_filename.startswith(package.PACKAGE):
        module = str(frame.f_globals.get("__name__"))
        called = called if forwards(frame.f_code) else frame.f_code.co_name
        in_core = in_core and module.startswith(_CORE)
        if in_core and module.startswith(_OPS) and not called.startswith(("_", "<")):
            op = called
        if frame.f_back is None:
            break
        frame = frame.f_back
    return Origin(op or called.strip("_"), frame.f_code.co_filename, frame.f_lineno)


class _Watch:
    """The origins that are recorded while there is at least one watcher."""

    def __init__(self) -> None:
        self.watchers = 0
        self.origins: dict[int, Origin] = {}
        self.ends: dict[int, Origin] = {}
        self.sweep_at = _SWEEP_AT

    def made(self, handle: Handle) -> None:
        if len(self.origins) >= self.sweep_at:
            self._sweep()
        self.origins[handle.id] = origin(sys._getframe(1))

    def disposed(self, handle: Handle) -> None:
        self.ends[handle.id] = origin(sys._getframe(1))

    def whereabouts(self, handle: Handle) -> str:
        told = ""
        for verb, origins in (("made by", self.origins), ("disposed by", self.ends)):
            if handle.id in origins:
                told += f" It was {verb} {origins[handle.id]}."
        return told

    def _sweep(self) -> None:
        alive = {h.id for h in _reachable()}
        self.origins = {i: o for i, o in self.origins.items() if i in alive}
        self.ends = {i: o for i, o in self.ends.items() if i in alive}
        self.sweep_at = max(_SWEEP_AT, 2 * len(self.origins))


_watch = _Watch()


def start_watching() -> int:
    """Record where tensors are created and disposed, on all threads. Later tensors have ids above the result."""
    _watch.watchers += 1
    watching.watcher = _watch
    return next_id()


def stop_watching() -> None:
    """Undo one `start_watching`; after the last one, the recorded origins are dropped."""
    _watch.watchers -= 1
    if not _watch.watchers:
        watching.watcher = None
        _watch.origins, _watch.ends, _watch.sweep_at = {}, {}, _SWEEP_AT


def made_since(number: int) -> list[tuple[Handle, Origin]]:
    """The live counted tensors whose id is above a number, oldest first, with their origins."""
    found = [h for h in _reachable() if h.held is not None and h.id > number and h.id in _watch.origins]
    return [(h, _watch.origins[h.id]) for h in sorted(found, key=lambda h: h.id)]


def _reachable() -> Iterator[Handle]:
    gc.collect()
    return (h for h in all_of(Handle) if hasattr(h, "id"))
