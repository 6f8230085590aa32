"""Handles: what the engine knows of a tensor. Its values are a payload that only its backend understands."""

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
"""The id of what is made next; symbolic tensors and layers have theirs from here, too."""


class Share:
    """What handles on one data buffer have in common. Made only when a second handle joins the first."""

    __slots__ = ("held",)

    held: object


Member = tuple[Share, object]
"""A handle's part in a share, and what every such part refers to."""


class _Token:
    """Like `Spec.held`, an object whose reference count is the number of live shares, or members."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = object()


_shares, _members = _Token(), _Token()


class Accounting:
    """Live tensors and bytes of the process. `aliases` counts handles beyond the first on each buffer.

    A live handle refers to its spec's `held`; these references are what is counted, when somebody asks. An op pays for
    it with one assignment, where counters that go up and down, and a finalizer for it, took a sixth of its time. Shares
    and their members are counted alike.
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
        # `valuerefs` and not `values`: other threads may make specs meanwhile.
        return [s for ref in specs.valuerefs() if (s := ref()) is not None]


def _references(owner: Spec | _Token) -> int:
    """How many references there are to `owner.held` besides the owner's own.

    One owner at a time: a list of the `held` objects would be references, too, which other threads would count.
    """
    return getrefcount(owner.held) - ALONE


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


H = TypeVar("H", bound=Handle)


class Watcher(Protocol):
    """Is told of every handle that begins and ends, on all threads."""

    def made(self, handle: Handle) -> None:
        """A handle has its data and its id."""

    def disposed(self, handle: Handle) -> None:
        """A handle is about to lose its data."""

    def whereabouts(self, handle: Handle) -> str:
        """What an error says of where a handle was made and disposed; it follows other sentences."""


class Watching:
    """The watchers of handles; None nearly always.

    Asked in `attach`, `release` and the runner of `dispatch`, as `watching.watcher`: an attribute of an object that
    never changes, so that whoever imports the object sees who watches. Asking costs an op less than a hundredth.
    """

    __slots__ = ("watcher",)

    watcher: Watcher | None

    def __init__(self) -> None:
        self.watcher = None


watching = Watching()


def all_of(kind: type[H]) -> Iterator[H]:
    """All live handles of a class in the process."""
    for item in gc.get_objects():
        if issubclass(type(item), kind):  # `isinstance` would ask strange objects for a class, which may warn or fail
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
    """Put other data of the same spec in the place of a live handle's; with these it leaves their share."""
    handle.member = None
    handle.payload, handle.backend = payload, backend


def respecify(handle: Handle, spec: Spec) -> None:
    """Count a live handle by another spec: that of strings, of one shape and dtype, says how long they are."""
    handle.spec, handle.held = spec, spec.held


def leave_share(handle: Handle) -> None:
    """The data of a handle are about to be its own."""
    handle.member = None


def stop_counting(handle: Handle) -> None:
    """Leave a live handle out of the accounting: what the library keeps for itself."""
    handle.held = None


def hand_over(source: Handle, to: Handle) -> None:
    """Move everything from a handle to one that has nothing yet, the id included. The source is left disposed.

    Nobody is told of a disposal: what has the id lives on.
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
    """What a handle has in common with others on its data; None where there never was another one."""
    return None if handle.member is None else handle.member[0]


def check_live(handle: Handle, op: str) -> None:
    """Raise DisposedError, naming `op`, when the handle has been disposed."""
    if handle.backend is None:
        watcher = watching.watcher
        where = "" if watcher is None else watcher.whereabouts(handle)
        raise DisposedError(
            f"{op}: {type(handle).__name__} is disposed. A tensor of shape {list(handle.spec.shape)} was used after "
            f"dispose() or after the tidy that made it had ended; use keep() or return it to let it live on.{where}"
        )
