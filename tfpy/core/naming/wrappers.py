"""Functions that only pass on their arguments, so that they are ignored when looking for the called function."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_codes: set[CodeType] = set()


def handing_on(function: F) -> F:
    """Mark a function that passes on its arguments; all functions from one `def` are marked together."""
    _codes.add(cast("Any", function).__code__)
    return function


def hands_on(code: CodeType) -> bool:
    """Whether the code is that of a marked function."""
    return code in _codes
