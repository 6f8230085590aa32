"""Where tensors come from: the user's line and the op that made them, while somebody watches.

Nothing is recorded otherwise, and nothing costs anything: watching puts functions that record in place of those in
`handle`, and takes them away again.
"""

from __future__ import annotations

import gc
import linecache
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

from tfpy.engine import handle as handles
from tfpy.engine.handle import Handle, all_of
from tfpy.engine.package import PACKAGE, ROOT

_CORE = (f"{ROOT / 'core'}{os.sep}", f"{ROOT / 'engine'}{os.sep}")
_OPS = f"{ROOT / 'core' / 'ops'}{os.sep}"
_WRAPPERS = (str(ROOT / "core" / "options.py"), str(ROOT / "core" / "registry.py"))
_SWEEP_AT = 100_000  # recorded origins; beyond twice as many as are alive, those of dead tensors are forgotten


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
        """The text of the line; empty where there is none."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{self.op} at {self.file}:{self.line}" + (f" ({self.source})" if self.source else "")


def origin(frame: FrameType | None = None) -> Origin:
    """The user's line that the engine is working for, and the op that was called there or on its behalf."""
    frame = sys._getframe(1) if frame is None else frame
    op = called = ""
    in_core = True
    while frame.f_code.co_filename.startswith(PACKAGE):
        file = frame.f_code.co_filename
        called = called if file in _WRAPPERS else frame.f_code.co_name
        in_core = in_core and file.startswith(_CORE)
        if in_core and file.startswith(_OPS) and not called.startswith(("_", "<")):
            op = called
        if frame.f_back is None:
            break
        frame = frame.f_back
    return Origin(op or called.strip("_"), frame.f_code.co_filename, frame.f_lineno)


class _Watch:
    """What is recorded while at least one watcher is there."""

    def __init__(self) -> None:
        self.watchers = 0
        self.made: dict[int, Origin] = {}
        self.disposed: dict[int, Origin] = {}
        self.sweep_at = _SWEEP_AT
        self.plain = handles.next_id, handles.release

    def next_id(self) -> int:
        number = self.plain[0]()
        if len(self.made) >= self.sweep_at:  # before the tensor of this number, which nobody knows yet, is noted
            self._sweep()
        self.made[number] = origin(sys._getframe(1))
        return number

    def release(self, handle: Handle) -> None:
        self.disposed[handle.id] = origin(sys._getframe(1))
        self.plain[1](handle)

    def whereabouts(self, handle: Handle) -> str:
        """Where a handle was made and disposed, for the end of an error message."""
        told = ""
        for verb, origins in (("made by", self.made), ("disposed by", self.disposed)):
            if handle.id in origins:
                told += f" It was {verb} {origins[handle.id]}."
        return told

    def _sweep(self) -> None:
        alive = {h.id for h in _reachable()}
        self.made = {i: o for i, o in self.made.items() if i in alive}
        self.disposed = {i: o for i, o in self.disposed.items() if i in alive}
        self.sweep_at = max(_SWEEP_AT, 2 * len(self.made))


_watch = _Watch()


def start_watching() -> int:
    """Record where tensors are made and disposed, on all threads. Returns the id that the next tensor exceeds."""
    _watch.watchers += 1
    if _watch.watchers == 1:
        handles.next_id, handles.release, handles.whereabouts = _watch.next_id, _watch.release, _watch.whereabouts
    return _watch.plain[0]()


def stop_watching() -> None:
    """Stop what one `start_watching` began; after the last one, what was recorded is forgotten."""
    _watch.watchers -= 1
    if not _watch.watchers:
        (handles.next_id, handles.release), handles.whereabouts = _watch.plain, handles.whereabouts_unknown
        _watch.made, _watch.disposed, _watch.sweep_at = {}, {}, _SWEEP_AT


def made_since(number: int) -> list[tuple[Handle, Origin]]:
    """The counted tensors alive whose id is above a number, oldest first, with where they were made."""
    found = [h for h in _reachable() if h.held is not None and h.id > number and h.id in _watch.made]
    return [(h, _watch.made[h.id]) for h in sorted(found, key=lambda h: h.id)]


def _reachable() -> Iterator[Handle]:
    gc.collect()
    return (h for h in all_of(Handle) if hasattr(h, "id"))
