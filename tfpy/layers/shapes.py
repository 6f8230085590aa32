"""Shapes with unknown sizes, of one or several inputs; and options that are axes of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy.engine.arguments import array_as_list, as_int, as_list
from tfpy.engine.errors import argument_error, show
from tfpy.engine.spec import MAX_RANK, MAX_SIZE, is_possible
from tfpy.engine.warn import warn_user
from tfpy.layers.symbolic import PartialShape, to_list


def check_partial_shape(name: str, shape: Any) -> PartialShape:
    """A shape in which sizes may be None, as a tuple; a number means a shape of rank 1."""
    several = isinstance(shape, Iterable) and not isinstance(shape, (str, bytes))
    given = as_list(name, "input_shape", shape, "sizes") if several else [shape]
    sizes = [None if n is None else as_int(name, "input_shape", n) for n in given]
    if any(n is not None and n < 0 for n in sizes):
        raise argument_error(name, "input_shape", "sizes of 0 or more, or None", list(sizes))
    return tuple(sizes)


def as_tuples(name: str, shapes: Any) -> PartialShape | list[PartialShape]:
    """A shape as a tuple, or a list of several as a list of tuples."""
    if are_several(shapes):
        return [check_partial_shape(name, shape) for shape in shapes]
    return check_partial_shape(name, shapes)


def check_input_shape(name: str, shape: Any) -> PartialShape:
    """The input shape that a layer is created for: a partial shape that tensors can have."""
    sizes = check_partial_shape(name, shape)
    if not is_possible(tuple(1 if n is None else n for n in sizes)):
        expected = f"at most {MAX_RANK} sizes, for at most {MAX_SIZE} elements"
        raise argument_error(name, "input_shape", expected, list(sizes))
    return sizes


def shapes_agree(a: PartialShape, b: PartialShape) -> bool:
    """Whether two shapes agree where both are known."""
    return len(a) == len(b) and all(m == n or m is None or n is None for m, n in zip(a, b, strict=True))


def warn_of_other_shape(layer: str, made_for: PartialShape | None, shape: PartialShape) -> None:
    """Warn about a layer called on a shape that differs from the input shape it was created for, if any."""
    if made_for is not None and not shapes_agree(made_for, shape):
        warn_user(f"Layer {layer} was built for inputs of shape {list(made_for)}, but is called on {list(shape)}.")


def are_several(shapes: Any) -> bool:
    """Whether a list holds several shapes, instead of being one shape itself."""
    return isinstance(shapes, list) and bool(shapes) and all(isinstance(shape, (list, tuple)) for shape in shapes)


def shapes_of_all(shapes: Any) -> list[PartialShape]:
    """The shapes of all outputs, from the result of `compute_output_shape`."""
    return [tuple(shape) for shape in shapes] if are_several(shapes) else [tuple(shapes)]


def computed_shapes(layer: str, shapes: Any) -> tuple[bool, list[PartialShape]]:
    """Whether a result of `compute_output_shape` is a list of shapes, and the shapes.

    Raises:
        TypeError: it is neither a shape nor a list of them.
    """
    if not isinstance(shapes, (list, tuple)):
        expected = "a shape, which is a list or tuple, or a list of shapes"
        raise TypeError(f"{layer}: compute_output_shape must return {expected}, but returned {show(shapes)}.")
    return are_several(shapes), shapes_of_all(shapes)


def whole_shape(layer: str, shape: Any) -> PartialShape:
    """The shape of an input including its batch size."""
    sizes = None if shape is None else check_partial_shape(layer, shape)
    if not sizes:
        raise argument_error(layer, "input_shape", "a shape that starts with the batch size, or None for it", shape)
    return sizes


def one_shape(layer: str, input_shape: Any, rank: int | None = None) -> PartialShape:
    """The shape of a layer's only input, which may be passed in a list; of the given rank, if any."""
    if are_several(input_shape):
        if len(input_shape) != 1:
            raise argument_error(layer, "input_shape", "that of a single input", input_shape)
        input_shape = input_shape[0]
    shape = whole_shape(layer, input_shape)
    if rank is not None and len(shape) != rank:
        raise argument_error(layer, "input_shape", f"of rank {rank}", list(shape))
    return shape


def known_last_size(layer: str, input_shape: Any) -> int:
    """The last size of the shape of a layer's only input, which must be known."""
    size = one_shape(layer, input_shape)[-1]
    if size is None:
        raise argument_error(layer, "input_shape", "a shape whose last size is known", input_shape)
    return size


def axis_or_axes(layer: str, value: Any) -> int | list[int]:
    """An option that is one axis or a list of axes, as integers."""
    value = array_as_list(value)
    listed = [as_int(layer, "axis", axis) for axis in to_list(value)]
    return listed if isinstance(value, (list, tuple)) else listed[0]
