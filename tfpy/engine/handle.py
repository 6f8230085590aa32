"""Handles: what the engine knows of a tensor. Its values are a payload that only its backend understands."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfpy.engine.errors import DisposedError
from tfpy.engine.spec import Spec, specs

if TYPE_CHECKING:
    from tfpy.engine.backend import Backend

next_id: Callable[[], int] = itertools.count(1).__next__


class Share:
    """How many live handles refer to one data buffer. Made only when a second handle joins the first."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Member:
    """A handle's part in a share; the share counts it as long as the handle refers to it."""

    __slots__ = ("share",)

    def __init__(self, share: Share) -> None:
        self.share = share
        share.count += 1
        accounting.aliases += share.count > 1

    def __del__(self) -> None:
        self.share.count -= 1
        accounting.aliases -= self.share.count > 0


_UNUSED = Spec((), "float32")
_NONE = sys.getrefcount(_UNUSED.held)
"""The count that stands for no handle."""


class Accounting:
    """Live tensors and bytes of the process. `aliases` counts handles beyond the first on each buffer.

    A live handle refers to its spec's `held`; these references are what is counted, when somebody asks. An op pays for
    it with one assignment, where counters that go up and down, and a finalizer for it, took a sixth of its time.

    Plain `+=` on `aliases` is atomic under CPython's interpreter lock: nothing between the load and the store can
    switch threads.
    """

    __slots__ = ("aliases",)

    def __init__(self) -> None:
        self.aliases = 0

    @property
    def tensors(self) -> int:
        return sum([(sys.getrefcount(s.held) - _NONE) * s.tensors for s in self._specs()])

    @property
    def bytes(self) -> int:
        return sum([(sys.getrefcount(s.held) - _NONE) * s.nbytes for s in self._specs()])

    @staticmethod
    def _specs() -> list[Spec]:
        # `valuerefs` and not `values`: other threads may make specs meanwhile.
        return [s for ref in specs.valuerefs() if (s := ref()) is not None]


accounting = Accounting()


kept: dict[int, Handle] = {}
"""What `keep` holds until it is disposed, by id."""


class Handle:
    """A reference to immutable data of a known shape and dtype, on a known backend.

    The data lives as long as some handle refers to it: `dispose`, or the handle becoming unreachable, drops the
    reference at once. A disposed handle keeps its spec and id and has no backend.
    """

    __slots__ = ("__weakref__", "backend", "held", "id", "kept", "member", "payload", "spec")

    spec: Spec
    payload: Any
    backend: Backend | None
    id: int
    kept: bool
    member: Member | None
    held: object

    def dispose(self) -> None:
        """Free the data now. Disposing twice is fine; any other use afterwards raises DisposedError."""
        if self.backend is not None:
            release(self)
            if self.kept:
                kept.pop(self.id, None)


def attach(handle: Handle, spec: Spec, payload: Any, backend: Backend) -> None:
    """Give a new handle its data and count it."""
    handle.spec = spec
    handle.payload = payload
    handle.backend = backend
    handle.id = next_id()
    handle.kept = False
    handle.member = None
    handle.held = spec.held


def release(handle: Handle) -> None:
    """Drop a live handle's reference to its data and stop counting it."""
    handle.backend = handle.payload = handle.member = handle.held = None


def join_share(source: Handle, alias: Handle) -> None:
    """Count `alias` as another handle on the data of `source`."""
    if source.member is None:
        source.member = Member(Share())
    alias.member = Member(source.member.share)


def whereabouts_unknown(handle: Handle) -> str:
    """What an error says of where a handle was made: nothing, unless `origins` watches."""
    return ""


whereabouts = whereabouts_unknown


def check_live(handle: Handle, op: str) -> None:
    """Raise DisposedError, naming `op`, when the handle has been disposed."""
    if handle.backend is None:
        raise DisposedError(
            f"{op}: {type(handle).__name__} is disposed. A tensor of shape {list(handle.spec.shape)} was used after "
            "dispose() or after the tidy that made it had ended; use keep() or return it to let it live on."
            + whereabouts(handle)
        )
