"""Ops that find the positions of extreme values, and the cross entropy, under deeplearn.js's names."""

from __future__ import annotations

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops import reduce, search
from tfpy.core.ops.common import as_float, reshape_to
from tfpy.core.ops.compare import equal
from tfpy.core.ops.losses import softmax_cross_entropy_rows
from tfpy.core.results import TensorRecord
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import same_shape


class TopK(TensorRecord):
    """The result of `top_k`."""

    values: Tensor
    indices: Tensor


def flat(op: str, x: TensorLike) -> Tensor:
    """The elements as a vector."""
    t = to_tensor(op, "x", x)
    return reshape_to(t, (t.size,))


@math_op(eager="arg_max")
def arg_max(x: TensorLike, axis: int | None = None) -> Tensor:
    """The int32 index of the largest element along an axis, or of all elements; the first one if tied.

    Source: deeplearn.js `math.argMax`.
    """
    return reduce.arg_max(flat("arg_max", x), 0) if axis is None else reduce.arg_max(x, axis)


@math_op(eager="arg_min")
def arg_min(x: TensorLike, axis: int | None = None) -> Tensor:
    """The int32 index of the smallest element along an axis, or of all elements; the first one if tied.

    Source: deeplearn.js `math.argMin`.
    """
    return reduce.arg_min(flat("arg_min", x), 0) if axis is None else reduce.arg_min(x, axis)


@math_op()
def arg_max_equals(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether the largest elements of two arrays of the same shape are at the same position, as a bool Scalar.

    Source: deeplearn.js `math.argMaxEquals`.
    """
    a, b = same_shape("arg_max_equals", x1, x2, ("x1", "x2"))
    return equal(arg_max(a), arg_max(b))


@math_op()
def top_k(x: TensorLike, k: int) -> TopK:
    """The k largest of all elements, largest first, and their indices in the flat array.

    Returns:
        A record (values, indices).

    Raises:
        ValueError: k is larger than the array.

    Source: deeplearn.js `math.topK`.
    """
    values = flat("top_k", x)
    if not 0 <= as_int("top_k", "k", k) <= values.size:
        raise argument_error("top_k", "k", f"from 0 to {values.size}, the number of elements", k)
    found = search.topk(values, k)
    return TopK(found.values, found.indices)


@math_op(also="softmax_cross_entropy", eager="losses.softmax_cross_entropy")
def softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, dim: int = -1) -> Tensor:
    """The cross entropy of labels and the softmax of logits, for each row of the last axis.

    Args:
        labels: the true probabilities.
        logits: the scores, of the same shape.
        dim: the last axis.

    Raises:
        ValueError: shapes that differ, a scalar, or another axis.

    Source: deeplearn.js `math.softmaxCrossEntropyWithLogits`.
    """
    return softmax_cross_entropy_rows(*labels_and_logits(labels, logits, dim))


def labels_and_logits(labels: TensorLike, logits: TensorLike, dim: int) -> tuple[Tensor, Tensor]:
    """The arguments of `softmax_cross_entropy_with_logits`, checked, in float32."""
    name = "softmax_cross_entropy_with_logits"
    a, b = same_shape(name, labels, logits, ("labels", "logits"))
    if not a.rank or as_int(name, "dim", dim) not in (-1, a.rank - 1):
        raise argument_error(name, "dim", "the last axis of arrays of rank 1 or more", dim)
    return as_float(a), as_float(b)
