"""How each graph op computes: for one example, or for a batch of them at once.

The inputs and the result of an op are of the class `Value`: a tensor, and whether its first axis is the batch axis.
Values that depend only on variables and constants have no batch axis; an op with inputs of both kinds broadcasts them.
The gradient with respect to a variable is then summed over the batch, since the tape undoes the broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfpy.core.ops import arith, join, reduce, shape
from tfpy.core.ops.activation import prelu as core_prelu
from tfpy.core.ops.activation import relu
from tfpy.core.ops.common import as_float, reshape_to
from tfpy.core.ops.compare import equal
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.ops.pool import max_pool as core_max_pool
from tfpy.core.ops.softmax import softmax as core_softmax
from tfpy.core.ops.unary import square
from tfpy.core.tensor import Tensor
from tfpy.engine.spec import Shape
from tfpy.legacy.graphs import costs
from tfpy.legacy.ops import conv, matrix
from tfpy.legacy.ops.reduce import arg_max
from tfpy.legacy.quirks import numbers_of


class Value(NamedTuple):
    """The result of a node.

    Attributes:
        tensor: the tensor.
        batched: whether its first axis counts the examples of a batch.
    """

    tensor: Tensor
    batched: bool

    @property
    def lead(self) -> int:
        """How many axes lie before those of one example."""
        return int(self.batched)

    @property
    def example(self) -> Shape:
        """The shape of one example."""
        return self.tensor.shape[self.lead :]

    def as_example(self, sizes: Sequence[int]) -> Tensor:
        """The tensor with each example under another shape."""
        return reshape_to(self.tensor, (*self.tensor.shape[: self.lead], *sizes))


class NotBatchedError(Exception):
    """The op computes one example at a time."""


Evaluate = Callable[..., Value]
_OF_ANY_DTYPE = (relu, square)  # the others compute in float32, even from the int32 result of argmax


def elementwise(function: Callable[..., Tensor]) -> Evaluate:
    """The evaluation of an op of one array, element by element."""

    def evaluate(x: Value, **attrs: Any) -> Value:
        given = x.tensor if function in _OF_ANY_DTYPE else as_float(x.tensor)
        return Value(numbers_of(function, "graph")(given, **attrs), x.batched)

    return evaluate


def _aligned(a: Value, b: Value) -> tuple[Tensor, Tensor]:
    """Two tensors that broadcast example by example; one of a single element takes the other's shape."""
    if math.prod(a.example) == 1:
        return a.as_example([1] * len(b.example) if a.batched else []), b.tensor
    if math.prod(b.example) == 1:
        return a.tensor, b.as_example([1] * len(a.example) if b.batched else [])
    rank = max(len(a.example), len(b.example))
    return _raised(a, rank), _raised(b, rank)


def _raised(x: Value, rank: int) -> Tensor:
    """`x` with examples of that rank: with axes of size 1 after the batch axis, if it has one."""
    missing = rank - len(x.example)
    return x.as_example([1] * missing + list(x.example)) if x.batched and missing else x.tensor


def _binary(function: Callable[..., Tensor]) -> Evaluate:
    def evaluate(x1: Value, x2: Value) -> Value:
        return Value(numbers_of(function, "graph")(*_aligned(x1, x2)), x1.batched or x2.batched)

    return evaluate


add = _binary(arith.add)
subtract = _binary(arith.sub)
multiply = _binary(arith.mul)
divide = _binary(arith.div)


def fused_linear_combination(x1: Value, x2: Value, c1: Value, c2: Value) -> Value:
    """c1 · x1 + c2 · x2."""
    return add(multiply(c1, x1), multiply(c2, x2))


def prelu(x: Value, alpha: Value) -> Value:
    """x where it is positive, else alpha · x."""
    return Value(numbers_of(core_prelu, "graph")(*_alike(x, alpha)), x.batched or alpha.batched)


def reduce_sum(x: Value) -> Value:
    """The sum of all elements of each example."""
    return Value(reduce.sum_(x.tensor, tuple(range(x.lead, x.tensor.rank))), x.batched)


def reshape(x: Value, shape: Shape) -> Value:
    """Each example under another shape, in float32."""
    return Value(as_float(x.as_example(shape)), x.batched)


def softmax(x: Value) -> Value:
    """The softmax of the last axis."""
    return Value(numbers_of(core_softmax, "graph")(x.tensor), x.batched)


def _together(values: Sequence[Value]) -> list[Tensor]:
    """Tensors that all have the batch axis if one of them has it."""
    size = next((v.tensor.shape[0] for v in values if v.batched), None)
    if size is None:
        return [v.tensor for v in values]
    return [v.tensor if v.batched else shape.broadcast_to(v.tensor, [size, *v.example]) for v in values]


def _alike(x1: Value, x2: Value) -> list[Tensor]:
    """Two float32 tensors of one shape. The result of argmax is an int32 scalar, although its node has shape [1]."""
    sizes = max(x1.example, x2.example, key=len)
    return [as_float(t) for t in _together([Value(x.as_example(sizes), x.batched) for x in (x1, x2)])]


def concat(x1: Value, x2: Value, axis: int) -> Value:
    """Two arrays joined along an axis of the examples."""
    batched = x1.batched or x2.batched
    return Value(join.concat(_together([x1, x2]), axis + int(batched)), batched)


def matmul(x1: Value, x2: Value) -> Value:
    """The product of matrices, or of a matrix and a vector."""
    ranks = len(x1.example), len(x2.example)
    if not (x1.batched or x2.batched):
        function = {(2, 1): matrix.matrix_times_vector, (1, 2): matrix.vector_times_matrix}.get(ranks, matrix.mat_mul)
        return Value(numbers_of(function, "graph")(x1.tensor, x2.tensor), False)
    if x1.batched and not x2.batched and ranks[1] == 2:
        return _rows_times_matrix(x1, x2.tensor, transpose=False)
    if ranks == (2, 1) and not x1.batched:
        return _rows_times_matrix(x2, x1.tensor, transpose=True)
    left = x1.as_example([1, *x1.example]) if ranks[0] == 1 else x1.tensor
    right = x2.as_example([*x2.example, 1]) if ranks[1] == 1 else x2.tensor
    rows, columns = x1.example[:-1], x2.example[1:]
    product = numbers_of(multiply_matrices)(left, right)
    return Value(reshape_to(product, (product.shape[0], *rows, *columns)), True)


def _rows_times_matrix(rows: Value, matrix_: Tensor, transpose: bool) -> Value:
    """All rows of all examples times one matrix: a single product of two matrices."""
    width = rows.example[-1]
    flat = reshape_to(rows.tensor, (rows.tensor.size // width, width))
    product = numbers_of(multiply_matrices)(flat, matrix_, False, transpose)
    return Value(reshape_to(product, (*rows.tensor.shape[:-1], product.shape[1])), True)


def conv2d(x: Value, w: Value, b: Value, stride: int, pad: int) -> Value:
    """The convolution of images with one filter."""
    if w.batched or b.batched:
        raise NotBatchedError
    return Value(numbers_of(conv.conv2d, "graph")(x.tensor, w.tensor, b.tensor, stride, pad), x.batched)


def max_pool(x: Value, field_size: int, stride: int, pad: int) -> Value:
    """The largest value in each window."""
    return Value(numbers_of(core_max_pool, "graph")(x.tensor, field_size, stride, pad), x.batched)


def argmax(x: Value) -> Value:
    """The index of the largest element of each example."""
    flat = x.as_example([math.prod(x.example)])
    return Value(numbers_of(arg_max)(flat, x.lead), x.batched)


def argmax_equals(x1: Value, x2: Value) -> Value:
    """Whether the largest elements of two examples have the same index."""
    return Value(equal(argmax(x1).tensor, argmax(x2).tensor), x1.batched or x2.batched)


def _cost(function: Callable[..., Tensor]) -> Evaluate:
    def evaluate(x1: Value, x2: Value) -> Value:
        batched = x1.batched or x2.batched
        return Value(numbers_of(function, "graph")(*_alike(x1, x2), int(batched)), batched)

    return evaluate


mean_squared_cost = _cost(costs.mean_squared_cost)
softmax_cross_entropy_cost = _cost(costs.softmax_cross_entropy_cost)
