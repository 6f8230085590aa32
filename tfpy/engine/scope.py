"""Scopes: everything made inside one is disposed at its end, save what is returned or kept.

`tidy` and the `math.scope` of the legacy generation are both faces of this stack. A scope refers to its handles weakly:
what becomes unreachable inside it is freed at once, not at its end.
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

# Walking results must not descend into values that cannot hold tensors, or that hold the whole program.
_LEAVES = (str, bytes, int, float, complex, bool, type(None), type, FunctionType, ModuleType)


_MANY_HANDLES = 1 << 12


class Scope:
    """The handles made since it was opened, by weak reference.

    Attributes:
        most: with more handles than that it is time to look which of them have been freed.
        shared: whether other tasks have run while it was open, so that what it knows may be theirs.
    """

    __slots__ = ("handles", "most", "name", "shared")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.handles: list[weakref.ref[Handle]] = []
        self.most = _MANY_HANDLES
        self.shared = False

    def share(self) -> None:
        """Told that other tasks run."""
        self.shared = True

    def forget_freed(self) -> None:
        """Let go of the references to what has been freed: a scope may be open as long as a program runs."""
        self.handles = [ref for ref in self.handles if ref() is not None]
        self.most = max(_MANY_HANDLES, 2 * len(self.handles))


def open_scope(scope: Scope) -> None:
    """Make a scope the innermost of this thread.

    Inside the `try` whose `finally` closes it, where an interrupt may come: outside, it would leave the scope open.
    """
    scopes = local.state.scopes
    if scopes and len(scopes[-1].handles) > scopes[-1].most:
        scopes[-1].forget_freed()
    scopes.append(scope)


def open_block(scope: Scope) -> None:
    """`open_scope` for a block of the user's: with an `await` in it, it stays open while other tasks run."""
    events = sys.modules.get("asyncio.events")  # there is no task without it
    loop = None if events is None else events._get_running_loop()
    if loop is not None:
        loop.call_soon(scope.share)  # before the block goes on after an `await`, and not before that
    open_scope(scope)


def start_scope(name: str = "") -> Scope:
    """Open a new scope, which somebody else will close."""
    scope = Scope(name)
    open_scope(scope)
    return scope


def run_in_scope(function: Callable[[], T], name: str = "") -> T:
    """Call a function in a scope of its own, which ends with it; its result."""
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
    """Close the innermost scope: dispose what it made, except `result`'s handles, which the parent scope takes over."""
    scopes = local.state.scopes
    if not scopes:
        raise RuntimeError("end_scope: no scope is open on this thread.")
    close_scope(scopes[-1], result)


def close_scope(scope: Scope, result: Any = None) -> None:
    """End a function's scope, and before it what is open inside it: an exception or a generator may leave scopes so."""
    scopes = local.state.scopes
    while scope in scopes:
        innermost = scopes.pop()
        if innermost.handles:
            _hand_over(innermost, result, scopes[-1] if scopes else None)


def leave_scope(scope: Scope, result: Any = None) -> None:
    """End a block's scope alone, unless it has been closed.

    A generator may be in a block, and be closed when other scopes are the innermost: they are none of its business.
    """
    scopes = local.state.scopes
    if scope in scopes:
        at = scopes.index(scope)
        del scopes[at]
        if scope.shared:
            warn_user(
                f"{scope.name}: the block has an `await` in it, and other tasks have run meanwhile; what it made is "
                "freed when nothing refers to it, and not at the end of the block."
            )
        else:
            _hand_over(scope, result, scopes[at - 1] if at else None)


def _hand_over(scope: Scope, result: Any, parent: Scope | None) -> None:
    """Dispose what a scope made, except `result`'s handles, which the parent takes over."""
    left = [handle for ref in scope.handles if (handle := ref()) is not None]  # the others have been freed already
    if not left:
        return
    # Nearly all results are a tensor or nothing; looking for tensors in them takes longer than all the rest.
    returned = {id(result)} if result is None or isinstance(result, Handle) else {id(h) for h in handles_in(result)}
    for handle in left:
        if handle.kept:
            continue
        if id(handle) not in returned:
            handle.dispose()
        elif parent is not None:
            parent.handles.append(weakref.ref(handle))


def track(handle: Handle) -> None:
    """Let the innermost scope, if there is one, dispose this handle at its end."""
    scopes = local.state.scopes
    if scopes:
        scopes[-1].handles.append(weakref.ref(handle))


def keep(handle: Handle) -> None:
    """Protect a handle from the scope it was made in and from all outer ones.

    What is kept inside a scope lives until it is disposed, even when nothing else refers to it, as in TF.js.
    """
    handle.kept = True
    if local.state.scopes:
        kept[handle.id] = handle


def outlive_scopes(handle: H) -> H:
    """Leave a handle out of all scopes: it lives as long as something refers to it. For what objects hold on to."""
    handle.kept = True
    return handle


def handles_in(container: Any) -> Iterator[Handle]:
    """Every handle in any nesting of lists, tuples, sets, mappings, arrays of objects and plain objects, each once."""
    if isinstance(container, Handle):
        yield container
        return
    seen: dict[int, Any] = {}  # and not their ids alone: a view makes its items anew, where freed ones have been
    stack = [container]
    while stack:
        item = stack.pop()
        if isinstance(item, _LEAVES) or id(item) in seen:
            continue
        seen[id(item)] = item
        if isinstance(item, Handle):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, (list, tuple, deque)):
            stack.extend(reversed(item))
        elif isinstance(item, (Set, ValuesView)):
            stack.extend(item)
        elif isinstance(item, np.ndarray):
            stack.extend(item.flat if item.dtype == object else ())
        else:
            stack.extend(_attributes(item))


def _attributes(item: Any) -> Iterator[Any]:
    """The values of an object's attributes, whether it keeps them in a dict or in slots."""
    if hasattr(item, "__dict__"):
        yield from vars(item).values()
    for kind in type(item).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            yield getattr(item, f"_{kind.__name__.lstrip('_')}{name}" if private else name, None)
