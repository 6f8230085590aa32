"""Functions that only forward their arguments, and so are ignored when looking for the called function."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_codes: set[CodeType] = set()


def forwarding(function: F) -> F:
    """Mark a function that forwards its arguments; all functions from one `def` are marked together."""
    _codes.add(cast("Any", function).__code__)
    return function


def forwards(code: CodeType) -> bool:
    """Whether the code is that of a marked function."""
    return code in _codes
