"""User functions, called as in JavaScript: arguments beyond their parameters are ignored."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from tfpy.engine.declarations import signature_of


def call_with_as_many(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function with as many of the arguments as it accepts."""
    return function(*args[: positional_count(function, len(args))])


def positional_count(function: Callable[..., Any], most: int) -> int:
    """The number of positional arguments that a function accepts, up to `most`."""
    plain = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(plain, FunctionType) and not plain.__dict__:  # it cannot have a signature of its own
        code = plain.__code__
        return most if code.co_flags & inspect.CO_VARARGS else min(code.co_argcount - (plain is not function), most)
    try:
        parameters = signature_of(function).parameters.values()
    except (TypeError, ValueError):
        return most
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return most
    taken = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    return min(taken, most)
