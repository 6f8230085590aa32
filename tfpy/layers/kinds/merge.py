"""Merge layers, which combine several inputs into one output."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, ClassVar

from tfpy.core.ops.arith import add, maximum, minimum, mul, sub
from tfpy.core.ops.common import full
from tfpy.core.ops.join import concat
from tfpy.core.ops.logic import logical_and
from tfpy.core.ops.matmul import mat_mul
from tfpy.core.ops.metrics import l2_normalized
from tfpy.core.ops.reduce import all_, sum_
from tfpy.core.ops.shape import expand_dims, squeeze
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int, resolve_axis
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.layers.one_output import OneOutput
from tfpy.layers.shapes import are_several, whole_shape
from tfpy.layers.symbolic import PartialShape, to_list


class Merge(OneOutput):
    """A layer on several inputs, whose shapes broadcast to each other after the batch dimension.

    Source: TF.js's `Merge`.
    """

    per_sample = True
    max_inputs: ClassVar[int | None] = None

    def configure(self) -> None:
        self.supports_masking = True

    def shapes(self, input_shape: Any) -> list[PartialShape]:
        """The shapes of the inputs, whose number is checked."""
        found = [whole_shape(self.name, s) for s in (input_shape if are_several(input_shape) else [input_shape])]
        if len(found) < 2 or (self.max_inputs is not None and len(found) > self.max_inputs):
            expected = f"a list of {self.max_inputs or '2 or more'} inputs"
            raise argument_error(self.name, "inputs", expected, Unquoted(f"shapes {[list(s) for s in found]}"))
        return found

    def build(self, input_shape: Any) -> None:
        self.compute_output_shape(input_shape)
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = self.shapes(input_shape)
        sizes = {shape[0] for shape in shapes if shape[0] is not None}
        if len(sizes) > 1:
            raise argument_error(self.name, "inputs", "inputs with the same batch size", [list(s) for s in shapes])
        inner = reduce(self._broadcast, (shape[1:] for shape in shapes))
        return (sizes.pop() if sizes else None, *inner)

    def _broadcast(self, a: PartialShape, b: PartialShape) -> PartialShape:
        if len(a) < len(b):
            a, b = b, a
        tail = []
        for m, n in zip(a[len(a) - len(b) :], b, strict=True):
            if m is not None and n is not None and m != n and 1 not in (m, n):
                expected = "shapes that broadcast to each other, except for the batch size"
                raise argument_error(self.name, "inputs", expected, Unquoted(f"{list(a)} and {list(b)}"))
            tail.append(None if m is None or n is None else n if m == 1 else m)
        return (*a[: len(a) - len(b)], *tail)

    def call(self, inputs: Any) -> Tensor:
        listed = to_list(inputs)
        rank = max(x.rank for x in listed)
        if not all(x.rank for x in listed):
            raise argument_error(self.name, "inputs", "tensors whose first size is the batch size", inputs)
        return self.merged([x.reshape([x.shape[0], *[1] * (rank - x.rank), *x.shape[1:]]) for x in listed])

    def merged(self, inputs: list[Tensor]) -> Tensor:
        """Several tensors of the same rank combined into one."""
        raise TypeError(f"{self.class_name}: a layer of this kind must define merged(inputs).")

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """True where the masks of all inputs are. TF.js combines them into one that no layer can use."""
        given = [m for m in self.masks(inputs, mask) if m is not None]
        return reduce(logical_and, given) if given else None

    def masks(self, inputs: Any, mask: Any) -> list[Tensor | None]:
        """The mask of each input; None for one without a mask."""
        count = len(to_list(inputs))
        given = [None] * count if mask is None else to_list(mask)
        if len(given) != count:
            raise argument_error(self.name, "mask", f"a list of {count} masks, one for each input", mask)
        return given


class Add(Merge, class_name="Add", factory="layers.add"):
    """The sum of the inputs."""

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return reduce(add, inputs)


class Subtract(Merge, class_name="Subtract", factory="layers.subtract"):
    """The first of two inputs minus the second.

    Source: Keras `Subtract` (beyond TF.js).
    """

    max_inputs = 2

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return sub(*inputs)


class Multiply(Merge, class_name="Multiply", factory="layers.multiply"):
    """The elementwise product of the inputs."""

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return reduce(mul, inputs)


class Average(Merge, class_name="Average", factory="layers.average"):
    """The mean of the inputs."""

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return mul(1 / len(inputs), reduce(add, inputs))


class Maximum(Merge, class_name="Maximum", factory="layers.maximum"):
    """The elementwise maximum of the inputs."""

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return reduce(maximum, inputs)


class Minimum(Merge, class_name="Minimum", factory="layers.minimum"):
    """The elementwise minimum of the inputs."""

    def merged(self, inputs: list[Tensor]) -> Tensor:
        return reduce(minimum, inputs)


def along(mask: Tensor, x: Tensor) -> Tensor:
    """A mask of steps, expanded to all elements that a tensor has at each step."""
    return expand_dims(mask, -1) if mask.rank < x.rank else mask


class Concatenate(Merge, class_name="Concatenate", factory="layers.concatenate"):
    """The inputs concatenated along an axis."""

    axis: int = -1

    def configure(self) -> None:
        super().configure()
        self.axis = as_int(self.class_name, "axis", self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = self.shapes(input_shape)
        rank = len(shapes[0])
        axis = resolve_axis(self.name, self.axis, rank)
        if any(len(s) != rank for s in shapes):
            self._refuse(shapes)
        columns = list(zip(*shapes, strict=True))
        joined = columns.pop(axis)
        others = [{n for n in sizes if n is not None} for sizes in columns]
        if any(len(sizes) > 1 for sizes in others):
            self._refuse(shapes)
        known = [sizes.pop() if sizes else None for sizes in others]
        known.insert(axis, None if None in joined else sum(joined))
        return tuple(known)

    def _refuse(self, shapes: Sequence[PartialShape]) -> None:
        expected = f"shapes that agree except along axis {self.axis}"
        raise argument_error(self.name, "inputs", expected, [list(s) for s in shapes])

    def call(self, inputs: Any) -> Tensor:
        return concat(to_list(inputs), self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        joined = self.joined_masks(inputs, mask)
        return None if joined is None else all_(joined, -1)

    def joined_masks(self, inputs: Any, mask: Any) -> Tensor | None:
        """The masks of the inputs, concatenated likewise; inputs without a mask count as true."""
        masks = self.masks(inputs, mask)
        if all(m is None for m in masks):
            return None
        parts = []
        for x, m in zip(to_list(inputs), masks, strict=True):
            if m is None:
                m = full((*x.shape[:-1], 1), 1, "bool")
            parts.append(along(m, x))
        return concat(parts, self.axis)


class Dot(Merge, class_name="Dot", factory="layers.dot"):
    """Products summed over an axis of each of two inputs of rank 2 or 3.

    With axes 2, of [batch, a, n] and [batch, b, n]: [batch, a, b]; with axes 1, of [batch, n] twice: [batch, 1].
    """

    axes: int | list[int]
    normalize: bool = False

    max_inputs = 2

    def configure(self) -> None:
        super().configure()
        self.axes = array_as_list(self.axes)
        given = to_list(self.axes)
        if len(given) not in (1, 2):
            raise argument_error(self.class_name, "axes", "an axis, or one for each input", self.axes)
        listed = [as_int(self.class_name, "axes", axis) for axis in given]
        self.axes = listed if isinstance(self.axes, (list, tuple)) else listed[0]

    def axes_of(self, shapes: Sequence[PartialShape]) -> list[int]:
        """The axis of each input, counted from the front."""
        given = self.axes if isinstance(self.axes, list) else [self.axes]
        given = given * 2 if len(given) == 1 else given
        found = []
        for shape, axis in zip(shapes, given, strict=True):
            rank = len(shape)
            if rank not in (2, 3):
                raise argument_error(self.name, "inputs", "of rank 2 or 3", list(shape))
            if not -rank <= axis < rank or axis % rank == 0:
                raise argument_error(self.name, "axes", f"an axis of {list(shape)} after the batch size", axis)
            found.append(axis % rank)
        return found

    def compute_output_shape(self, input_shape: Any) -> Any:
        a, b = self.shapes(input_shape)
        i, j = self.axes_of((a, b))
        if a[i] is not None and b[j] is not None and a[i] != b[j]:
            expected = f"inputs that agree in axes {i} and {j}"
            raise argument_error(self.name, "inputs", expected, Unquoted(f"shapes {list(a)} and {list(b)}"))
        found = (*a[:i], *a[i + 1 :], *b[1:j], *b[j + 1 :])
        return (*found, 1) if len(found) == 1 else found

    def call(self, inputs: Any) -> Tensor:
        a, b = to_list(inputs)
        i, j = self.axes_of((a.shape, b.shape))
        if self.normalize:
            a, b = l2_normalized(a, i), l2_normalized(b, j)
        return batch_dot(a, b, i, j)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


def batch_dot(a: Tensor, b: Tensor, i: int, j: int) -> Tensor:
    """For each sample, the products summed over axis i of a and axis j of b, both of rank 2 or 3."""
    if a.rank == b.rank == 2:
        return expand_dims(sum_(mul(a, b), 1), 1)
    short = [k for k, x in enumerate((a, b)) if x.rank == 2]
    a, b = (expand_dims(x, 2) if x.rank == 2 else x for x in (a, b))
    y = mat_mul(a, b, i == 1, j == 2)
    return squeeze(y, [1 + k for k in short]) if short else y
