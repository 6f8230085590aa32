"""Functions that only hand on what they are called with: whoever asks which function was called looks past them."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_codes: set[CodeType] = set()


def handing_on(function: F) -> F:
    """Mark a function that hands on what it is called with; all that come of one `def` are marked together."""
    _codes.add(cast("Any", function).__code__)
    return function


def hands_on(code: CodeType) -> bool:
    """Whether the code is that of a marked function."""
    return code in _codes
