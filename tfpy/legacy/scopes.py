"""math.scope: the engine's scopes with deeplearn.js's rules for what survives.

What a scope returns, kept arrays, and arrays that share the data of one of these survive (up to 0.3.17 deeplearn.js
knows arrays by their data: returning `a.as2D(2, 2)` keeps `a`, too).
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.ready import Ready
from tfpy.engine import scope as engine_scope
from tfpy.engine.block import Block
from tfpy.engine.handle import share_of
from tfpy.engine.scope import Scope
from tfpy.engine.state import local


def end_scope(result: Any) -> None:
    """Close the innermost scope; `result` and arrays that share its data or a kept array's survive."""
    scopes = local.state.scopes
    if not scopes:
        engine_scope.end_scope()  # raises that none is open
    handles = [h for ref in scopes[-1].handles if (h := ref()) is not None]
    returned = list(engine_scope.handles_in(result))
    living = [*returned, *[h for h in handles if h.kept]]
    shares = {share_of(h) for h in living} - {None}
    engine_scope.end_scope([*returned, *[h for h in handles if share_of(h) in shares]])


class ScopeBlock(Block):
    """A scope as a context manager: `with math.scope() as scope: scope.result = …` keeps the result alive."""

    name = "scope"

    def __init__(self, check: Callable[[Any], None]) -> None:
        super().__init__()
        self._check = check

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        super().__exit__(error, *rest)
        if error is None:
            self._check(self.result)

    def _leave(self, scope: Scope, result: Any) -> None:
        if scope.shared:
            super()._leave(scope, result)
        _close(scope, result)


def run_scope(function: Callable[..., Any], keep: Callable[..., Any], track: Callable[..., Any]) -> Any:
    """Call a function of (keep, track) in a scope. An async function's scope ends when it has finished."""
    scope = Scope("scope")
    result: Any = None
    try:
        engine_scope.open_scope(scope)
        result = call_with_as_many(function, keep, track)
        if inspect.isawaitable(result) and not isinstance(result, Ready):
            scopes = local.state.scopes
            scopes.remove(scope)
            return _finish(scope, result)
        _close(scope, result)
    except BaseException:
        _close(scope, None)
        raise
    return result


def _close(scope: Scope, result: Any) -> None:
    """End a scope and those left open inside it."""
    scopes = local.state.scopes
    while scope in scopes:
        end_scope(result)


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def _finish(scope: Scope, awaitable: Awaitable[Any]) -> Any:
    return await _Steps(scope, _await(awaitable))


class _Steps:
    """Runs a coroutine with its scope open only while it runs: while it waits, other tasks use their own scopes."""

    def __init__(self, scope: Scope, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._opened = [scope]
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        scope = self._opened[0]
        resume: Callable[[], Any] = partial(self._coroutine.send, None)
        while True:
            scopes = local.state.scopes
            depth = len(scopes)
            scopes.extend(self._opened)
            try:
                request = resume()
            except StopIteration as finished:
                _close(scope, finished.value)
                return finished.value
            except BaseException:
                _close(scope, None)
                raise
            self._opened = scopes[depth:]
            del scopes[depth:]
            resume = yield from self._answer(request)

    def _answer(self, request: Any) -> Generator[Any, Any, Callable[[], Any]]:
        """Wait; then what to do next: send the answer, or throw the exception, into the coroutine."""
        try:
            answer = yield request
        except BaseException as error:
            return partial(self._coroutine.throw, error)
        return partial(self._coroutine.send, answer)
