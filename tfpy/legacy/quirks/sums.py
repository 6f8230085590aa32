"""Sums of products: deeplearn.js's CPU kernels compute them in double precision and round the sum once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.core.grads import custom_grad, grads
from tfpy.core.ops.common import unbroadcast
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import Array, current
from tfpy.engine.dispatch import make, read
from tfpy.legacy.quirks import quirk

Save = Callable[[list[Tensor]], None]


@quirk(
    "math.matMul, vectorTimesMatrix, matrixTimesVector, dotProduct",
    "products are summed in double precision, and the sum is rounded once. TF.js: after every 48 products.",
    instead_of=multiply_matrices,
)
def products_in_double(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    if current().symbolic:
        return multiply_matrices(a, b, transpose_a, transpose_b)

    def value(x: Tensor, y: Tensor, save: Save) -> Any:
        save([x, y])

        def gradients(dy: Tensor, saved: list[Tensor]) -> list[Tensor]:
            (x, y), ta, tb = saved, transpose_a, transpose_b
            by_x = products_in_double(y, dy, tb, True) if ta else products_in_double(dy, y, False, not tb)
            by_y = products_in_double(dy, x, True, ta) if tb else products_in_double(x, dy, not ta, False)
            return [unbroadcast(by_x, x.shape), unbroadcast(by_y, y.shape)]

        left = doubles(x).swapaxes(-1, -2) if transpose_a else doubles(x)
        right = doubles(y).swapaxes(-1, -2) if transpose_b else doubles(y)
        return _rounded(np.matmul, left, right), gradients

    return custom_grad(value)(a, b)


def in_double(compute: Callable[..., Array], op: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """The result of `compute` for the inputs in double precision, rounded once; the gradient is that of `op`."""
    if current().symbolic:
        return op(*inputs)

    def value(*given: Any) -> Any:
        *tensors, save = given
        save(tensors)
        return _rounded(compute, *map(doubles, tensors)), lambda dy, saved: grads(op)(saved, dy)

    return custom_grad(value)(*inputs)


def _rounded(compute: Callable[..., Array], *inputs: Array) -> Tensor:
    """The result of a computation in double precision, as a tensor; numpy does not warn of NaN and infinity."""
    with np.errstate(all="ignore"):
        return make(Tensor, compute(*inputs), "float32")


def doubles(t: Tensor) -> Array:
    """The values of a tensor in double precision."""
    values: Array = read(t, "quirk").astype(np.float64)
    return values
