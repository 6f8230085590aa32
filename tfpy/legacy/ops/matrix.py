"""Products of matrices and vectors under deeplearn.js's names."""

from __future__ import annotations

from enum import IntEnum

from tfpy.core.convert import TensorLike
from tfpy.core.ops.common import binary_operands, reshape_to
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank
from tfpy.legacy.quirks import numbers_of


class MatrixOrientation(IntEnum):
    """Whether a matrix is transposed in a product. Source: deeplearn.js `MatrixOrientation`."""

    REGULAR = 0
    TRANSPOSED = 1


@math_op()
def mat_mul(
    a: TensorLike,
    b: TensorLike,
    a_orientation: int | bool = 0,
    b_orientation: int | bool = 0,
) -> Tensor:
    """The product of two matrices.

    Args:
        a: a matrix.
        b: a matrix.
        a_orientation: a MatrixOrientation, or from 0.5 on a bool: `TRANSPOSED` or True to transpose a first.
        b_orientation: the same for b.

    Raises:
        ValueError: another rank, or the inner sizes differ.

    Source: deeplearn.js `math.matMul`.
    """
    x, y = binary_operands("mat_mul", of_rank("mat_mul", "a", a, 2), of_rank("mat_mul", "b", b, 2))
    return _product(x, y, _transposed(a_orientation), _transposed(b_orientation))


def _product(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    product: Tensor = numbers_of(multiply_matrices)(a, b, transpose_a, transpose_b)
    return product


def _transposed(orientation: int | bool) -> bool:
    if isinstance(orientation, bool):
        return orientation
    if as_int("mat_mul", "orientation", orientation) not in (0, 1):
        raise argument_error("mat_mul", "orientation", "a MatrixOrientation", orientation)
    return orientation == MatrixOrientation.TRANSPOSED


@math_op(eager="vector_times_matrix")
def vector_times_matrix(v: TensorLike, matrix: TensorLike) -> Tensor:
    """The product of a row vector and a matrix, as a vector.

    Raises:
        ValueError: another rank, or sizes that do not fit.

    Source: deeplearn.js `math.vectorTimesMatrix`.
    """
    name = "vector_times_matrix"
    x, y = binary_operands(name, of_rank(name, "v", v, 1), of_rank(name, "matrix", matrix, 2))
    if x.size != y.shape[0]:
        raise argument_error(name, "matrix", f"of {x.size} rows, the size of 'v'", y)
    return reshape_to(_product(reshape_to(x, (1, x.size)), y), (y.shape[1],))


@math_op(eager="matrix_times_vector")
def matrix_times_vector(matrix: TensorLike, v: TensorLike) -> Tensor:
    """The product of a matrix and a column vector, as a vector.

    Raises:
        ValueError: another rank, or sizes that do not fit.

    Source: deeplearn.js `math.matrixTimesVector`.
    """
    name = "matrix_times_vector"
    x, y = binary_operands(name, of_rank(name, "matrix", matrix, 2), of_rank(name, "v", v, 1))
    if y.size != x.shape[1]:
        raise argument_error(name, "v", f"of size {x.shape[1]}, the number of columns", y)
    return reshape_to(_product(x, reshape_to(y, (y.size, 1))), (x.shape[0],))


@math_op()
def dot_product(v1: TensorLike, v2: TensorLike) -> Tensor:
    """The dot product of two vectors.

    Raises:
        ValueError: another rank, or sizes that differ.

    Source: deeplearn.js `math.dotProduct`.
    """
    name = "dot_product"
    x, y = binary_operands(name, of_rank(name, "v1", v1, 1), of_rank(name, "v2", v2, 1))
    if x.size != y.size:
        raise argument_error(name, "v2", f"of size {x.size}, that of 'v1'", y)
    return reshape_to(_product(reshape_to(x, (1, x.size)), reshape_to(y, (y.size, 1))), ())
