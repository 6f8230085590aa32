"""Marks for the math methods and functions of deeplearn.js that are no op of the core with the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tfpy.core.calling.options import accepts_options, parameters_of

F = TypeVar("F", bound=Callable[..., Any])


OWN_EAGER_OPS: dict[str, Callable[..., Any]] = {}


def eager_op(name: str) -> Callable[[F], F]:
    """Mark a function as `dl.name` and `array.name` of 0.5, where the math method takes other arguments."""

    def mark(function: F) -> F:
        public = accepts_options(where=name)(function)
        OWN_EAGER_OPS[function.__name__] = public
        return public

    return mark


class MathOp(NamedTuple):
    """A method of NDArrayMath.

    Attributes:
        function: tensors in, tensors out; the method calls it and makes NDArrays of the result.
        names: the method's names, in snake_case.
        eager: the names that it has as a function `dl.name` in deeplearn.js 0.5.
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    eager: tuple[str, ...]


MATH_OPS: dict[str, MathOp] = {}


def math_op(*, also: str = "", eager: str = "") -> Callable[[F], F]:
    """Mark a function as a method of NDArrayMath under its name, and under others given in `also`.

    The generator reads the marks from the source and writes the methods.
    """

    def mark(function: F) -> F:
        positional, _ = parameters_of(function)
        plain = not function.__defaults__ and not any("_" in name for name in positional)
        public = function if plain else accepts_options()(function)
        names = (function.__name__, *also.split())
        MATH_OPS[function.__name__] = MathOp(public, names, tuple(eager.split()))
        return public

    return mark
