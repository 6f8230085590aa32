"""Streams of elements from TF.js's objects with `next()`, and from Python's iterators, async ones included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfpy.core.calling.ready import away_from_loop, finish
from tfpy.core.results import field
from tfpy.engine.errors import argument_error

if TYPE_CHECKING:
    import asyncio


def elements_in(function: str, argument: str, expected: str, source: Any) -> Iterator[Any]:
    """The elements of a source, or an error that says what the function's argument must be."""
    if hasattr(source, "__aiter__"):
        return _AsyncElements(source)
    following = source.get("next") if isinstance(source, Mapping) else getattr(source, "next", None)
    if callable(following) and not hasattr(source, "__next__"):
        return FunctionResults(following)
    if not hasattr(source, "__iter__"):
        raise argument_error(function, argument, expected, source, TypeError)
    return iter(source)


def element_in(result: Any) -> Any:
    """The element in a TF.js-style result, which may be awaitable; StopIteration when there is none left."""
    result = finish(result)
    what = "tf.data: what a function returns for an element"
    if field(result, "done", 1, what):
        raise StopIteration
    return field(result, "value", 0, what)


class FunctionResults(Iterator[Any]):
    """The elements that a function returns, one per call, as {value, done} like TF.js's `next`.

    Not a generator: reading may continue after an error.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function

    def __next__(self) -> Any:
        return element_in(self._function())


class _AsyncElements(Iterator[Any]):
    """The elements of an async generator, each awaited. They share one event loop, as such a generator requires."""

    def __init__(self, source: Any) -> None:
        import asyncio

        self._runner: asyncio.Runner | None = None
        self._source = source.__aiter__()
        self._runner = asyncio.Runner()

    def __next__(self) -> Any:
        runner = self._runner
        if runner is None:  # stages may read again after the end
            raise StopIteration
        try:
            return away_from_loop(lambda: runner.run(self._source.__anext__()))
        except StopAsyncIteration:
            self.close()
            raise StopIteration from None

    def close(self) -> None:
        """End the event loop, and the generator with it."""
        runner, self._runner = self._runner, None
        if runner is not None:
            away_from_loop(runner.close)

    def __del__(self) -> None:
        self.close()
