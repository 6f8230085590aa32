"""Scopes: everything created inside one is disposed at its end, except what is returned or kept.

`tidy` and the `math.scope` of the legacy API are both faces of this stack. A scope holds weak references to its
handles: what becomes unreachable inside it is freed immediately, not at its end.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Set, ValuesView
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from tfpy.engine.handle import Handle, kept
from tfpy.engine.state import local
from tfpy.engine.warn import warn_user

H = TypeVar("H", bound=Handle)
T = TypeVar("T")

# Searching results must not descend into values that cannot contain tensors, or that reference the whole program.
_LEAVES = (str, bytes, int, float, complex, bool, type(None), type, FunctionType, ModuleType)


_MANY_HANDLES = 1 << 12


class Scope:
    """The handles created since it was opened, as weak references.

    Attributes:
        most: beyond this number of handles, freed ones are removed.
        shared: whether other tasks have run while it was open, so that some handles may be theirs.
    """

    __slots__ = ("handles", "most", "name", "shared")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.handles: list[weakref.ref[Handle]] = []
        self.most = _MANY_HANDLES
        self.shared = False

    def share(self) -> None:
        """Note that other tasks run."""
        self.shared = True

    def forget_freed(self) -> None:
        """Remove the references to freed handles: a scope may be open as long as the program runs."""
        self.handles = [ref for ref in self.handles if ref() is not None]
        self.most = max(_MANY_HANDLES, 2 * len(self.handles))


def open_scope(scope: Scope) -> None:
    """Make a scope the innermost of this thread.

    Call it inside the `try` whose `finally` closes it: otherwise an interrupt would leave the scope open.
    """
    trim_scope()
    local.state.scopes.append(scope)


def trim_scope() -> None:
    """Remove references to freed handles from the innermost scope, if it has many."""
    scopes = local.state.scopes
    if scopes and len(scopes[-1].handles) > scopes[-1].most:
        scopes[-1].forget_freed()


def open_block(scope: Scope) -> None:
    """`open_scope` for a user's block: with an `await` in it, it stays open while other tasks run."""
    events = sys.modules.get("asyncio.events")  # there is no task without it
    loop = None if events is None else events._get_running_loop()
    if loop is not None:
        loop.call_soon(scope.share)  # runs before the block continues after an `await`, and not earlier
    open_scope(scope)


def start_scope(name: str = "") -> Scope:
    """Open a new scope, which the caller has to close."""
    scope = Scope(name)
    open_scope(scope)
    return scope


def run_in_scope(function: Callable[[], T], name: str) -> T:
    """The result of a function, called in its own scope."""
    scope, result = Scope(name), None
    try:
        open_scope(scope)
        result = function()
        return result
    finally:
        try:
            close_scope(scope, result)
        except BaseException:  # an interrupt may come here, too
            close_scope(scope, result)
            raise


def end_scope(result: Any = None) -> None:
    """Close the innermost scope: dispose its handles, except those in `result`, which the parent scope takes over."""
    scopes = local.state.scopes
    if not scopes:
        raise RuntimeError("end_scope: no scope is open on this thread.")
    close_scope(scopes[-1], result)


def close_scope(scope: Scope, result: Any) -> None:
    """End a function's scope, after any scopes that an exception or a generator left open inside it."""
    scopes = local.state.scopes
    while scope in scopes:
        innermost = scopes.pop()
        if innermost.handles:
            _hand_over(innermost, result, scopes[-1] if scopes else None)


def leave_scope(scope: Scope, result: Any) -> None:
    """End only a block's scope, unless it has been closed.

    A block may be inside a generator that is closed while unrelated scopes are the innermost: they stay open.
    """
    scopes = local.state.scopes
    if scope in scopes:
        at = scopes.index(scope)
        del scopes[at]
        if scope.shared:
            warn_user(
                f"{scope.name}: the block contains an `await` during which other tasks have run; its tensors are "
                "freed when nothing refers to them, and not at the end of the block."
            )
        else:
            _hand_over(scope, result, scopes[at - 1] if at else None)


def _hand_over(scope: Scope, result: Any, parent: Scope | None) -> None:
    """Dispose a scope's handles, except those in `result`, which the parent takes over."""
    left = [handle for ref in scope.handles if (handle := ref()) is not None]  # the others have been freed already
    if not left:
        return
    # Nearly all results are a tensor or None; searching them for tensors takes longer than everything else.
    returned = {id(result)} if result is None or isinstance(result, Handle) else {id(h) for h in handles_in(result)}
    for handle in left:
        if handle.kept:
            continue
        if id(handle) not in returned:
            handle.dispose()
        elif parent is not None:
            parent.handles.append(weakref.ref(handle))


def track(handle: Handle) -> None:
    """Register a handle in the innermost scope, if any, which disposes it at its end."""
    scopes = local.state.scopes
    if scopes:
        scopes[-1].handles.append(weakref.ref(handle))


def keep(handle: Handle) -> None:
    """Protect a handle from the scope it was created in and from all outer ones.

    A handle kept inside a scope lives until it is disposed, even if nothing else refers to it, as in TF.js.
    """
    handle.kept = True
    if local.state.scopes:
        kept[handle.id] = handle


def outlive_scopes(handle: H) -> H:
    """Exclude a handle from all scopes: it lives as long as something refers to it. For tensors held by objects."""
    handle.kept = True
    return handle


def handles_in(container: Any) -> Iterator[Handle]:
    """Every handle in any nesting of lists, tuples, sets, mappings, arrays of objects and plain objects, each once."""
    if isinstance(container, Handle):
        yield container
        return
    seen: dict[int, Any] = {}  # not only their ids: a view creates new items, which may reuse the ids of freed ones
    stack = [container]
    while stack:
        item = stack.pop()
        if isinstance(item, _LEAVES) or id(item) in seen:
            continue
        seen[id(item)] = item
        if isinstance(item, Handle):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(reversed([*item.values()]))
        elif isinstance(item, (list, tuple, deque)):
            stack.extend(reversed(item))
        elif isinstance(item, (Set, ValuesView)):
            stack.extend(item)
        elif isinstance(item, np.ndarray):
            stack.extend(item.flat if item.dtype == object else ())
        else:
            stack.extend(_attributes(item))


def _attributes(item: Any) -> Iterator[Any]:
    """The values of an object's attributes, from its `__dict__` and its slots."""
    if hasattr(item, "__dict__"):
        yield from vars(item).values()
    for kind in type(item).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            yield getattr(item, f"_{kind.__name__.lstrip('_')}{name}" if private else name, None)
