"""Counting: how often each number occurs, and confusion matrices."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import as_float, cast_to, full, real, reshape_to, tensor_of_rank
from tfpy.core.ops.create import one_hot
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.tape import Node


@op(doc="Operations / Reduction")
def bincount(x: TensorLike, weights: TensorLike, size: int) -> Tensor:
    """How often each number from 0 to size - 1 occurs, or the sum of its weights.

    Args:
        x: an int32 tensor of non-negative numbers; those of size or more are ignored.
        weights: a tensor with a weight for each number; empty to count.
        size: how many numbers to count.

    Returns:
        A vector of that size, of the weights' dtype.

    Raises:
        ValueError: a negative number or size, or unequal counts of weights and numbers. TypeError: x is not int32.

    Source: TF.js `tf.bincount`. The gradient with respect to the weights is beyond TF.js.
    """
    t, factors, count = _checked("bincount", x, weights, size)
    flat = (t.size,)
    return run("DenseBincount", reshape_to(t, flat), reshape_to(factors, flat), size=count, binary_output=False)


@op(doc="Operations / Reduction")
def dense_bincount(x: TensorLike, weights: TensorLike, size: int, binary_output: bool = False) -> Tensor:
    """How often each number from 0 to size - 1 occurs in each row, or the sum of its weights.

    Args:
        x: an int32 vector or matrix of non-negative numbers; those of size or more are ignored.
        weights: a tensor with a weight for each number; empty to count.
        size: how many numbers to count.
        binary_output: whether to set 1 for each number that occurs in a row of a matrix, instead of counting.

    Returns:
        A vector of that size, or a matrix with one for each row; of the weights' dtype.

    Raises:
        ValueError: a wrong rank, a negative number or size, or unequal counts of weights and numbers. TypeError: x is
            not int32.

    Source: TF.js `tf.denseBincount`, where a vector is counted even if binary_output is set, as it is here. The
        gradient with respect to the weights is beyond TF.js.
    """
    t, factors, count = _checked("dense_bincount", x, weights, size)
    if t.rank not in (1, 2):
        raise argument_error("dense_bincount", "x", "of rank 1 or 2", t)
    binary = bool(binary_output) and t.rank == 2
    return run("DenseBincount", t, reshape_to(factors, t.shape), size=count, binary_output=binary)


def _checked(op_name: str, x: TensorLike, weights: TensorLike, size: int) -> tuple[Tensor, Tensor, int]:
    t = to_tensor(op_name, "x", x, "int32")
    factors = real(op_name, weights, argument="weights")
    count = as_int(op_name, "size", size)
    if count < 0:
        raise argument_error(op_name, "size", "0 or more", size)
    if factors.size not in (0, t.size):
        raise argument_error(op_name, "weights", f"{t.size} weights or none", factors)
    return t, factors if factors.size else full(t.shape, 1, factors.dtype), count


def _weight_gradient(dy: Tensor, n: Node) -> Tensor:
    """Each weight gets the gradient of its number's count; ignored ones, and all without counting, get 0."""
    x, size = n.x, n.attrs["size"]
    if n.attrs["binary_output"] or not size:
        return full(x.shape, 0)
    inside = run("Minimum", x, full((), size - 1, "int32"))
    picked = run("GatherV2", dy, inside, axis=dy.rank - 1, batch_dims=dy.rank - 1)
    return run("Multiply", picked, cast_to(run("Equal", x, inside), "float32"))


gradient("DenseBincount", saves="x", x=None, weights=_weight_gradient)


@op(namespace="math", doc="Operations / Evaluation")
def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int) -> Tensor:
    """The confusion matrix: how often each class was predicted for each true class.

    Args:
        labels: a vector of the true classes, from 0 to num_classes - 1.
        predictions: a vector of the predicted classes.
        num_classes: the number of classes, 2 or more.

    Returns:
        An int32 matrix: a row for each true class, a column for each predicted one.

    Raises:
        ValueError: not vectors of one size, or fewer than 2 classes. TypeError: strings.

    Source: TF.js `tf.math.confusionMatrix`.
    """
    classes = as_int("confusion_matrix", "num_classes", num_classes)
    if classes < 2:
        raise argument_error("confusion_matrix", "num_classes", "2 or more", num_classes)
    rows = []
    for name, value in (("labels", labels), ("predictions", predictions)):
        t = tensor_of_rank("confusion_matrix", name, value, 1)
        rows.append(one_hot(cast_to(t, "int32"), classes))
    if rows[0].shape != rows[1].shape:
        raise argument_error(
            "confusion_matrix", "predictions", f"of {rows[0].shape[0]} elements, as many as labels", predictions
        )
    return cast_to(multiply_matrices(as_float(rows[0]), as_float(rows[1]), True), "int32")
