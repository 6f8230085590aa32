"""Shapes of which sizes may be unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy.engine.arguments import as_int, as_list
from tfpy.engine.errors import argument_error
from tfpy.layers.symbolic import PartialShape


def check_partial_shape(name: str, shape: Any) -> PartialShape:
    """A shape in which sizes may be None, as a tuple; a number stands for a shape of rank 1."""
    several = isinstance(shape, Iterable) and not isinstance(shape, (str, bytes))
    given = as_list(name, "input_shape", shape, "sizes") if several else [shape]
    sizes = [None if n is None else as_int(name, "input_shape", n) for n in given]
    if any(n is not None and n < 0 for n in sizes):
        raise argument_error(name, "input_shape", "sizes of 0 or more, or None", list(sizes))
    return tuple(sizes)


def shapes_agree(a: PartialShape, b: PartialShape) -> bool:
    """Whether two shapes are the same where both are known."""
    return len(a) == len(b) and all(m == n or m is None or n is None for m, n in zip(a, b, strict=True))


def are_several(shapes: Any) -> bool:
    """Whether there are several shapes in a list, and not one shape that is a list itself."""
    return isinstance(shapes, list) and all(isinstance(shape, (list, tuple)) for shape in shapes)


def shapes_of_all(shapes: Any) -> list[PartialShape]:
    """The shapes of all outputs, of what `compute_output_shape` gave."""
    return [tuple(shape) for shape in shapes] if are_several(shapes) else [tuple(shapes)]
