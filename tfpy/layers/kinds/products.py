"""Products of inputs with the weights of layers."""

from __future__ import annotations

from tfpy.core.ops.arith import add
from tfpy.core.ops.common import reshape_to
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error


def dot(x: Tensor, kernel: Tensor) -> Tensor:
    """The product of the last axis of x with a matrix."""
    if x.spec.dtype != kernel.spec.dtype:
        x = x.cast(kernel.spec.dtype)
    if x.rank == 2:
        return multiply_matrices(x, kernel)
    if not x.rank:
        raise argument_error("layer", "inputs", "of rank 1 or more", x)
    rows = reshape_to(x, (x.size // x.shape[-1] if x.shape[-1] else 0, x.shape[-1]))
    return reshape_to(multiply_matrices(rows, kernel), (*x.shape[:-1], kernel.shape[-1]))


def affine(x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
    """x · kernel + bias."""
    y = dot(x, kernel)
    return y if bias is None else add(y, bias)
