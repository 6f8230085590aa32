"""Finished results that may also be awaited: `model.fit(…)` and `await model.fit(…)` give the same."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Ready:
    """The work is done; awaiting the object gives the object itself."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield  # makes this a generator, one that never suspends


class ReadyList(list[T], Ready):
    """A list that may be awaited."""


class ReadyFloat(float, Ready):
    """A number that may be awaited."""


class ReadyNone(Ready):
    """Nothing, to be awaited: the result of what TF.js does asynchronously and returns nothing from."""

    def __await__(self) -> Generator[Any, None, None]:  # type: ignore[override]
        return None
        yield
