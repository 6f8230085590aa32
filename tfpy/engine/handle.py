"""Handles: what the engine knows about a tensor. Its values are a payload that only its backend understands."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from tfpy.engine.errors import DisposedError
from tfpy.engine.references import ALONE
from tfpy.engine.spec import Spec, specs

if TYPE_CHECKING:
    from tfpy.engine.backend import Backend

next_id: Callable[[], int] = itertools.count(1).__next__
"""Returns a new id, for handles and also for symbolic tensors and layers."""


class Share:
    """The shared state of handles on one data buffer, created only when a second handle joins the first."""

    __slots__ = ("held",)

    held: object


Member = tuple[Share, object]
"""A handle's share, and the object whose reference count is the number of members."""


class _Token:
    """Like `Spec.held`, an object whose reference count is the number of live shares, or members."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = object()


_shares, _members = _Token(), _Token()


class Accounting:
    """Live tensors and bytes of the process. `aliases` counts handles beyond the first on each buffer.

    A live handle refers to its spec's `held`; these references are counted on demand. This costs an op a single
    assignment, whereas incrementing and decrementing counters, with a finalizer, took a sixth of its time. Shares and
    their members are counted in the same way.
    """

    __slots__ = ()

    @property
    def tensors(self) -> int:
        return sum([_references(s) * s.tensors for s in self._specs()])

    @property
    def bytes(self) -> int:
        return sum([_references(s) * s.nbytes for s in self._specs()])

    @property
    def aliases(self) -> int:
        return _references(_members) - _references(_shares)

    @staticmethod
    def _specs() -> list[Spec]:
        # `valuerefs` and not `values`: other threads may create specs concurrently.
        return [s for ref in specs.valuerefs() if (s := ref()) is not None]


def _references(owner: Spec | _Token) -> int:
    """How many references there are to `owner.held` besides the owner's own.

    One owner at a time: a list of the `held` objects would itself hold references, which other threads would count.
    """
    return getrefcount(owner.held) - ALONE


accounting = Accounting()


kept: dict[int, Handle] = {}
"""The handles that `keep` keeps alive until they are disposed, by id."""


class Handle:
    """A reference to immutable data of a known shape and dtype, on a known backend.

    The data lives as long as some handle refers to it; the reference is dropped immediately on `dispose` or when the
    handle becomes unreachable. A disposed handle keeps its spec and id but has no backend.
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
        """Free the data now. Disposing twice is allowed; any other use afterwards raises DisposedError."""
        if self.backend is not None:
            release(self)
            if self.kept:
                kept.pop(self.id, None)


H = TypeVar("H", bound=Handle)


class Watcher(Protocol):
    """Notified of the creation and disposal of every handle, on all threads."""

    def made(self, handle: Handle) -> None:
        """Called when a handle has its data and its id."""

    def disposed(self, handle: Handle) -> None:
        """Called before a handle loses its data."""

    def whereabouts(self, handle: Handle) -> str:
        """Text for an error about where a handle was created and disposed; appended to other sentences."""


class Watching:
    """The watcher of handles; almost always None.

    `attach`, `release` and the runner of `dispatch` check `watching.watcher`: an attribute of an object that is never
    replaced, so that modules that import the object see changes. The check costs less than a hundredth of an op.
    """

    __slots__ = ("watcher",)

    watcher: Watcher | None

    def __init__(self) -> None:
        self.watcher = None


watching = Watching()


def all_of(kind: type[H]) -> Iterator[H]:
    """All live handles of a class in the process."""
    for item in gc.get_objects():
        if issubclass(type(item), kind):  # `isinstance` reads `__class__` of foreign objects, which may warn or fail
            yield cast("H", item)


def attach(handle: Handle, spec: Spec, payload: Any, backend: Backend) -> None:
    """Give a new handle its data and count it."""
    handle.spec = spec
    handle.payload = payload
    handle.backend = backend
    handle.id = next_id()
    handle.kept = False
    handle.member = None
    handle.held = spec.held
    if (watcher := watching.watcher) is not None:
        watcher.made(handle)


def release(handle: Handle) -> None:
    """Drop a live handle's reference to its data and stop counting it."""
    if (watcher := watching.watcher) is not None:
        watcher.disposed(handle)
    handle.backend = handle.payload = handle.member = handle.held = None


def swap_data(handle: Handle, payload: Any, backend: Backend) -> None:
    """Replace a live handle's data by other data of the same spec; it leaves the share of the old data."""
    handle.member = None
    handle.payload, handle.backend = payload, backend


def respecify(handle: Handle, spec: Spec) -> None:
    """Count a live handle under another spec: specs of strings with equal shape and dtype may differ in bytes."""
    handle.spec, handle.held = spec, spec.held


def leave_share(handle: Handle) -> None:
    """Remove a handle from its share, before it gets data of its own."""
    handle.member = None


def stop_counting(handle: Handle) -> None:
    """Exclude a live handle from the accounting: for what the library keeps internally."""
    handle.held = None


def hand_over(source: Handle, to: Handle) -> None:
    """Move everything, including the id, from a handle to an empty one. The source is left disposed.

    The watcher is not notified of a disposal, since the handle with this id lives on.
    """
    to.spec, to.id, to.kept, to.member, to.held = source.spec, source.id, source.kept, source.member, source.held
    to.payload, to.backend = source.payload, source.backend
    source.backend = source.payload = source.member = source.held = None
    if to.kept and to.id in kept:
        kept[to.id] = to


def join_share(source: Handle, alias: Handle) -> None:
    """Count `alias` as another handle on the data of `source`."""
    member = source.member
    if member is None:
        share = Share()
        share.held = _shares.held
        source.member = (share, _members.held)
    else:
        share = member[0]
    alias.member = (share, _members.held)


def share_of(handle: Handle) -> Share | None:
    """The state that a handle shares with others on its data; None if there never was another one."""
    return None if handle.member is None else handle.member[0]


def check_live(handle: Handle, op: str) -> None:
    """Raise DisposedError, naming `op`, if the handle has been disposed."""
    if handle.backend is None:
        watcher = watching.watcher
        where = "" if watcher is None else watcher.whereabouts(handle)
        name = getattr(handle, "name", None)
        which = f"{type(handle).__name__} {name!r}" if name else type(handle).__name__
        raise DisposedError(
            f"{op}: {which} is disposed. A tensor of shape {list(handle.spec.shape)} was used after "
            f"dispose() or after the tidy that made it had ended; use keep() or return it to let it live on.{where}"
        )
