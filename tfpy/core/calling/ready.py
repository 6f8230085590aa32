"""Finished results that may also be awaited: `model.fit(…)` and `await model.fit(…)` return the same value."""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import CoroutineType
from typing import Any, Self, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class Ready:
    """The work is done; awaiting the object gives the object itself."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield  # makes this a generator, one that never suspends


class ReadyList(list[T], Ready):
    """A list that may be awaited."""


class ReadyDict(dict[K, T], Ready):
    """A dict that may be awaited."""


class ReadyFloat(float, Ready):
    """A number that may be awaited."""


class ReadyBool(int, Ready):
    """A boolean that may be awaited."""

    def __repr__(self) -> str:
        return repr(bool(self))


class ReadyNone(Ready):
    """None that may be awaited: the result of functions that are asynchronous in TF.js and return nothing."""

    def __await__(self) -> Generator[Any, None, None]:  # type: ignore[override]
        return None
        yield

    def __repr__(self) -> str:
        return "done"


def as_ready(result: Any) -> Any:
    """The same result, awaitable: a list or dict as one of these, anything else as it is."""
    if type(result) is list:
        return ReadyList(result)
    return ReadyDict(result) if type(result) is dict else result


def finish(result: Any) -> Any:
    """The result of a user's function; for an `async` function, the awaited result."""
    if not isinstance(result, CoroutineType):
        return result
    import asyncio  # slow to import, and rarely needed

    return away_from_loop(lambda: asyncio.run(result))


def away_from_loop(work: Callable[[], T]) -> T:
    """Do work that runs an event loop: directly, or on a separate thread if a loop is running, as in a notebook."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
