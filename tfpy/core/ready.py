"""Finished results that may also be awaited: `model.fit(…)` and `await model.fit(…)` give the same."""

from __future__ import annotations

import inspect
from collections.abc import Generator
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


class ReadyNone(Ready):
    """Nothing, to be awaited: the result of what TF.js does asynchronously and returns nothing from."""

    def __await__(self) -> Generator[Any, None, None]:  # type: ignore[override]
        return None
        yield


def settle(result: Any) -> Any:
    """What a function of the user's returned, waited for if the function is `async`."""
    if not inspect.iscoroutine(result):
        return result
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(result)
    # A loop is running here already, as in a notebook: this one gets a thread of its own.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, result).result()
