"""Streams of what others make."""

from __future__ import annotations

from typing import Any

from tfpy.core.streams import elements_in
from tfpy.data.iterators import Items, LazyIterator


def elements_of(function: str, argument: str, expected: str, source: Any) -> LazyIterator:
    """The stream of what can be read, or an error that says what was expected of the function's argument."""
    return source if isinstance(source, LazyIterator) else Items(elements_in(function, argument, expected, source))
