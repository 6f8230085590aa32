"""Streams of what is read in other ways: TF.js's objects with `next()`, Python's iterators, async ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfpy.core.ready import away_from_loop, finish
from tfpy.data.iterators import Calls, Items, LazyIterator, element_in
from tfpy.engine.errors import argument_error

if TYPE_CHECKING:
    import asyncio


def elements_of(function: str, argument: str, expected: str, source: Any) -> LazyIterator:
    """The stream of what may be read, or an error that says what was expected of the function's argument."""
    if isinstance(source, LazyIterator):
        return source
    if hasattr(source, "__aiter__"):
        return Items(_AsyncElements(source))
    following = source.get("next") if isinstance(source, Mapping) else getattr(source, "next", None)
    if callable(following) and not hasattr(source, "__next__"):
        return Calls(lambda: element_in(finish(following())))
    if not hasattr(source, "__iter__"):
        raise argument_error(function, argument, expected, source, TypeError)
    return Items(source)


class _AsyncElements(Iterator[Any]):
    """The elements of an async generator, each waited for. They share an event loop, as such a generator needs."""

    def __init__(self, source: Any) -> None:
        import asyncio

        self._runner: asyncio.Runner | None = None
        self._source = source.__aiter__()
        self._runner = asyncio.Runner()

    def __next__(self) -> Any:
        runner = self._runner
        if runner is None:  # stages may ask again after the end
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
