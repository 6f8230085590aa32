"""Norms of vectors and matrices."""

from __future__ import annotations

import math

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.common import full, real, reshape_to
from tfpy.core.ops.reduce import Axis, max_, min_, sum_, with_kept_axes
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number, resolve_axes
from tfpy.engine.errors import argument_error
from tfpy.engine.state import local


@op(chain=True, legacy="norm", doc="Operations / Matrices")
def norm(x: TensorLike, ord: str | float = "euclidean", axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        x: a tensor of any shape; float32 for the Euclidean and Frobenius norms, any real dtype for the others and for a
            scalar.
        ord: 'euclidean' or 2 (vectors), 'fro' (matrices) or 'euclidean', 1, ∞ or -∞; for matrices 1 is the largest
            column sum, ∞ the largest and -∞ the smallest row sum of absolute values.
        axis: one axis for vectors, two for matrices; by default the whole tensor is one vector. With no axis,
            `[]`, each element of a vector is a vector of its own.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A float32 tensor without the axes, or with size 1 there if `keep_dims`.

    Raises:
        ValueError: an order or a number of axes without a norm. TypeError: a dtype without such a norm.

    The gradient of a Euclidean or Frobenius norm that is 0 is 0, one of its subgradients; TF.js gives NaN.

    Source: TF.js `tf.norm`; deeplearn.js `math.norm`.
    """
    t = real("norm", x)
    if t.rank == 0 and not keep_dims:  # as in TF.js, whatever the axis
        return run("Abs", t)
    axes = resolve_axes("norm", axis, t.rank)
    if t.rank == 0:
        return run("Abs", t)
    if not isinstance(ord, str):
        ord = as_number("norm", "ord", ord)
    if ord in ("euclidean", "fro", 2):
        t = to_tensor("norm", "x", t, "float32")
    if axis is None:
        out = vector_norm(reshape_to(t, (t.size,)), ord, (0,))
    elif len(axes) == 1 or (t.rank == 1 and not axes):
        out = vector_norm(t, ord, axes)
    elif len(axes) == 2:
        first, second = (int(a) % t.rank for a in axis)  # type: ignore[union-attr]
        out = _matrix_norm(t, ord, first, second)
    else:
        raise argument_error("norm", "axis", "one axis (vectors) or two (matrices)", axis)
    return with_kept_axes(out, t.shape, axes) if keep_dims else out


@op(chain=True, doc="Operations / Reduction")
def euclidean_norm(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The square root of the sum of squares along axes.

    Args:
        x: a float32 tensor of any shape.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A float32 tensor without the axes, or with size 1 there if `keep_dims`.

    Raises:
        ValueError: an axis is out of range. TypeError: not float32.

    Source: TF.js `tf.euclideanNorm`.
    """
    return norm(x, "euclidean", axis, keep_dims)


def vector_norm(t: Tensor, ord: str | float, axes: tuple[int, ...]) -> Tensor:
    """A norm of vectors along one axis."""
    if ord in ("euclidean", 2):
        return _root(sum_(run("Pow", run("Abs", t), number(2)), axes))
    if ord == 1:
        return sum_(run("Abs", t), axes)
    if ord == math.inf:
        return max_(run("Abs", t), axes)
    if ord == -math.inf:
        return min_(run("Abs", t), axes)
    raise argument_error("norm", "ord", "'euclidean', 1, 2, ∞ or -∞ for vectors", ord)


def _matrix_norm(t: Tensor, ord: str | float, rows: int, columns: int) -> Tensor:
    """A norm of matrices in two axes."""
    if ord in ("fro", "euclidean"):
        return _root(sum_(run("Square", t), (rows, columns)))
    # The second axis has shifted down after the first sum if it came after it.
    if ord == 1:
        return max_(sum_(run("Abs", t), rows), columns - (columns > rows))
    if ord in (math.inf, -math.inf):
        sums = sum_(run("Abs", t), columns)
        extreme = max_ if ord == math.inf else min_
        return extreme(sums, rows - (rows > columns))
    raise argument_error("norm", "ord", "'fro', 'euclidean', 1, ∞ or -∞ for matrices", ord)


def _root(squares: Tensor) -> Tensor:
    """The square root of a sum of squares, with the gradient 0 where all of them are 0; in TF.js it is NaN there."""
    if not local.state.tapes:
        return run("Sqrt", squares)
    nothing = run("Equal", squares, number(0))
    root = run("Sqrt", run("Select", nothing, full(squares.shape, 1), squares))
    return run("Select", nothing, full(squares.shape, 0), root)
