"""Streams of what others make."""

from __future__ import annotations

from typing import Any

from tfpy.core.streams import elements_in
from tfpy.data.iterators import Items, LazyIterator
from tfpy.engine.errors import argument_error


def elements_of(function: str, argument: str, expected: str, source: Any) -> LazyIterator:
    """The stream of what can be read, or an error that says what was expected of the function's argument."""
    if isinstance(source, LazyIterator):
        return source
    elements = elements_in(source)
    if elements is None:
        raise argument_error(function, argument, expected, source, TypeError)
    return Items(elements)
