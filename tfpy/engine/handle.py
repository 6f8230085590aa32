"""Handles: what the engine knows of a tensor. Its values are a payload that only its backend understands."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfpy.engine.errors import DisposedError

if TYPE_CHECKING:
    from tfpy.engine.backend import Backend
    from tfpy.engine.spec import Spec

next_id: Callable[[], int] = itertools.count(1).__next__


class Share:
    """How many live handles refer to one data buffer. Made only when a second handle joins the first."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 1


class Accounting:
    """Live tensors and bytes of the process. `aliases` counts handles beyond the first on each buffer.

    Plain `+=` on these counters is atomic under CPython's interpreter lock: nothing between the load and the store
    can switch threads.
    """

    __slots__ = ("aliases", "bytes", "tensors")

    def __init__(self) -> None:
        self.tensors = 0
        self.bytes = 0
        self.aliases = 0


accounting = Accounting()


kept: dict[int, Handle] = {}
"""What `keep` holds until it is disposed, by id."""


class Handle:
    """A reference to immutable data of a known shape and dtype, on a known backend.

    The data lives as long as some handle refers to it: `dispose`, or the handle becoming unreachable, drops the
    reference at once. A disposed handle keeps its spec and id and has no backend.
    """

    __slots__ = ("__weakref__", "backend", "id", "kept", "payload", "share", "spec")

    spec: Spec
    payload: Any
    backend: Backend | None
    id: int
    kept: bool
    share: Share | None

    def __del__(self) -> None:
        try:
            if self.backend is None:
                return
        except AttributeError:  # its construction failed
            return
        # As `release`, written out: this runs for every op.
        accounting.tensors -= self.spec.tensors
        accounting.bytes -= self.spec.nbytes
        if self.share is not None:
            leave_share(self)

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
    handle.share = None
    accounting.tensors += spec.tensors
    accounting.bytes += spec.nbytes


def release(handle: Handle) -> None:
    """Drop a live handle's reference to its data and stop counting it."""
    leave_share(handle)
    handle.backend = None
    handle.payload = None
    accounting.tensors -= handle.spec.tensors
    accounting.bytes -= handle.spec.nbytes


def leave_share(handle: Handle) -> None:
    share = handle.share
    if share is not None:
        handle.share = None
        share.count -= 1
        if share.count:
            accounting.aliases -= 1


def join_share(source: Handle, alias: Handle) -> None:
    """Count `alias` as another handle on the data of `source`."""
    share = source.share
    if share is None:
        share = source.share = Share()
    share.count += 1
    accounting.aliases += 1
    alias.share = share


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
