"""Functions that only forward their arguments, and so are ignored when looking for the called function."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_codes: set[CodeType] = set()


def forwarding(function: F) -> F:
    """Mark a function that forwards its arguments; all functions from one `def` are marked together."""
    _codes.add(cast("Any", function).__code__)
    return function


def name_methods_of(public: type, base: type) -> None:
    """Let Python's own errors about calls of a base class's methods name the public class that inherits them."""
    for member in vars(base).values():
        if isinstance(member, FunctionType):
            member.__module__, member.__qualname__ = public.__module__, f"{public.__qualname__}.{member.__name__}"


def forwards(code: CodeType) -> bool:
    """Whether the code is that of a marked function."""
    return code in _codes
