"""Products of matrices and vectors, and the transpose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import binary_operands, conjugated, factor, inverse_order, reshape_to, unbroadcast
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_ints
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


def multiply_matrices(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """The matrix product of two tensors of one dtype.

    Batches of rows times one matrix are computed as one product: the gradient of that matrix is then also a product,
    not a sum over the batches.
    """
    batches = a.shape[:-1]
    if len(b.shape) != 2 or len(batches) < 2 or transpose_a or a.shape[-1] != b.shape[1 if transpose_b else 0]:
        return run("BatchMatMul", a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    rows = reshape_to(a, (math.prod(batches), a.shape[-1]))
    product = run("BatchMatMul", rows, b, transpose_a=False, transpose_b=transpose_b)
    return reshape_to(product, (*batches, product.shape[1]))


@op(chain=True, doc="Operations / Matrices")
def mat_mul(a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """The product of two matrices, or of batches of them.

    Args:
        a: a tensor of rank 2 or more; its last two dimensions are the matrices.
        b: a tensor of rank 2 or more; the dimensions before the last two broadcast with a's.
        transpose_a: whether a's matrices are transposed first.
        transpose_b: whether b's matrices are transposed first.

    Returns:
        A tensor of shape [..., rows of a, columns of b], after transposing; the leading axes are broadcast.

    Raises:
        ValueError: the inner sizes differ, or a rank is below 2. TypeError: strings.

    Source: TF.js `tf.matMul`.
    """
    x, y = binary_operands("mat_mul", a, b)
    return multiply_matrices(x, y, bool(transpose_a), bool(transpose_b))


def _matmul_gradient_a(dy: Tensor, n: Any) -> Tensor:
    ta, tb = n.attrs["transpose_a"], n.attrs["transpose_b"]
    b = factor(n.b)
    da = multiply_matrices(b, dy, tb, True) if ta else multiply_matrices(dy, b, False, not tb)
    return unbroadcast(da, n.shape("a"))


def _matmul_gradient_b(dy: Tensor, n: Any) -> Tensor:
    ta, tb = n.attrs["transpose_a"], n.attrs["transpose_b"]
    a = factor(n.a)
    db = multiply_matrices(dy, a, True, ta) if tb else multiply_matrices(a, dy, not ta, False)
    return unbroadcast(db, n.shape("b"))


gradient("BatchMatMul", saves="a b", a=_matmul_gradient_a, b=_matmul_gradient_b)


@op(chain=True, doc="Operations / Matrices")
def dot(t1: TensorLike, t2: TensorLike) -> Tensor:
    """The product of two vectors, a matrix and a vector, or two matrices.

    Args:
        t1: a tensor of rank 1 or 2.
        t2: a tensor of rank 1 or 2, whose first size is the last of t1.

    Returns:
        A scalar for two vectors, a vector for a matrix and a vector, a matrix for two matrices.

    Raises:
        ValueError: a wrong rank, or the inner sizes differ. TypeError: strings.

    Source: TF.js `tf.dot`.
    """
    x, y = binary_operands("dot", t1, t2)
    for name, t in (("t1", x), ("t2", y)):
        if t.rank not in (1, 2):
            raise argument_error("dot", name, "of rank 1 or 2", t)
    if x.shape[-1] != y.shape[0]:
        raise argument_error("dot", "t2", f"of first size {x.shape[-1]}, the last of t1", y)
    return python_matmul(x, y)


def python_matmul(a: TensorLike, b: TensorLike) -> Tensor:
    """Python's a @ b: the matrix product, where a vector is a row on the left and a column on the right."""
    x, y = binary_operands("@", a, b)
    for name, t in (("a", x), ("b", y)):
        if t.rank == 0:
            raise argument_error("@", name, "of rank 1 or more", t)
    left = reshape_to(x, (1, *x.shape)) if x.rank == 1 else x
    right = reshape_to(y, (*y.shape, 1)) if y.rank == 1 else y
    out = multiply_matrices(left, right)
    shape = list(out.shape)
    if y.rank == 1:
        del shape[-1]
    if x.rank == 1:
        del shape[-1 if y.rank == 1 else -2]
    return reshape_to(out, tuple(shape))


@op(legacy="outer_product", doc="Operations / Matrices")
def outer_product(v1: TensorLike, v2: TensorLike) -> Tensor:
    """The outer product of two vectors.

    Args:
        v1: a tensor of rank 1.
        v2: a tensor of rank 1.

    Returns:
        A tensor of shape [size of v1, size of v2].

    Raises:
        ValueError: a wrong rank. TypeError: strings.

    Source: TF.js `tf.outerProduct`; deeplearn.js `math.outerProduct`.
    """
    x, y = binary_operands("outer_product", v1, v2)
    for name, t in (("v1", x), ("v2", y)):
        if t.rank != 1:
            raise argument_error("outer_product", name, "of rank 1", t)
    return multiply_matrices(reshape_to(x, (x.size, 1)), reshape_to(y, (1, y.size)))


@op(chain=True, legacy="transpose switch_dim", doc="Operations / Matrices")
def transpose(x: TensorLike, perm: Sequence[int] | None = None, conjugate: bool = False) -> Tensor:
    """A tensor with its dimensions permuted.

    Args:
        x: a tensor of any shape and dtype.
        perm: the old axes in their new order; reversed by default.
        conjugate: whether to conjugate complex numbers as well.

    Returns:
        A tensor of x's dtype, whose axis i is axis perm[i] of x.

    Raises:
        ValueError: perm is not a permutation of the axes.

    Source: TF.js `tf.transpose`; deeplearn.js `math.transpose`, `math.switchDim`.
    """
    t = to_tensor("transpose", "x", x, "any")
    rank = len(t.spec.shape)
    order = tuple(range(rank))[::-1] if perm is None else _permutation(perm, rank)
    out = run("Transpose", t, perm=order)
    return conjugated(out) if conjugate else out


def _permutation(perm: Sequence[int], rank: int) -> tuple[int, ...]:
    order = tuple(as_ints("transpose", "perm", perm))
    if sorted(order) != [*range(rank)]:
        expected = f"an order of the axes 0 to {rank - 1}" if rank else "empty, since the tensor is a scalar"
        raise argument_error("transpose", "perm", expected, [*order])
    return order


gradient("Transpose", x=lambda dy, n: run("Transpose", dy, perm=inverse_order(n.attrs["perm"])))
