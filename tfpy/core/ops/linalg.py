"""Linear algebra on matrices in the last two axes: `tf.linalg`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor, to_tensors
from tfpy.core.ops.arith import div, mul, sub
from tfpy.core.ops.common import full, reshape_to, run_untracked
from tfpy.core.ops.create import zeros
from tfpy.core.ops.join import concat, stack, unstack
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.ops.norm import vector_norm
from tfpy.core.ops.reduce import sum_
from tfpy.core.ops.slice import slice_
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.handle import Handle


@op(namespace="linalg", doc="Operations / Linear Algebra")
def band_part(a: TensorLike, num_lower: TensorLike, num_upper: TensorLike) -> Tensor:
    """Matrices with zeros outside a band around the diagonal.

    Args:
        a: a tensor of rank 2 or more.
        num_lower: how many diagonals below the main one to keep, or an int32 scalar; all if negative.
        num_upper: how many above it.

    Returns:
        A tensor of a's shape and dtype.

    Raises:
        ValueError: a rank below 2, or more diagonals than rows or columns. TypeError: not integers.

    Source: TF.js `tf.linalg.bandPart`.
    """
    t = to_tensor("band_part", "a", a)
    if t.rank < 2:
        raise argument_error("band_part", "a", "of rank 2 or more", t)
    rows, columns = t.shape[-2:]
    lower = _diagonals("num_lower", num_lower, rows)
    upper = _diagonals("num_upper", num_upper, columns)
    below = _rows_minus_columns(rows, columns)
    in_band = run_untracked(
        "LogicalAnd", run_untracked("LessEqual", below, lower), run_untracked("GreaterEqual", below, run("Neg", upper))
    )
    return run("Select", in_band, t, zeros(t.shape, t.dtype))


def _diagonals(argument: str, count: TensorLike, most: int) -> Tensor:
    """A number of diagonals as an int32 scalar; a negative number means all."""
    if isinstance(count, Handle):
        given = to_tensor("band_part", argument, count, "int32")
        if given.size != 1:
            raise argument_error("band_part", argument, "one whole number", given)
        given = reshape_to(given, ())
        limit = full((), most, "int32")
        return run("Select", run_untracked("Less", given, full((), 0, "int32")), limit, run("Minimum", given, limit))
    wanted = as_int("band_part", argument, count)
    if wanted > most:
        raise argument_error("band_part", argument, f"at most {most}, the size of the matrix", count)
    return full((), most if wanted < 0 else wanted, "int32")


def _rows_minus_columns(rows: int, columns: int) -> Tensor:
    """For each position in a matrix, how far it lies below the diagonal."""
    i = run("Range", start=0, step=1, count=rows, dtype="int32")
    j = run("Range", start=0, step=1, count=columns, dtype="int32")
    return run("Sub", run("Reshape", i, shape=(rows, 1)), j)


@op(namespace="linalg", doc="Operations / Linear Algebra")
def gram_schmidt(xs: TensorLike | Sequence[TensorLike]) -> Any:
    """Vectors orthonormalized one after the other (Gram-Schmidt).

    Args:
        xs: a list of vectors of one size, or a matrix with them as rows; no more vectors than their size.

    Returns:
        A list of vectors or a matrix, as in xs.

    Raises:
        ValueError: no vectors, vectors of unequal size, or more of them than their size. TypeError: not float32.

    Source: TF.js `tf.linalg.gramSchmidt`.
    """
    listed = isinstance(xs, (list, tuple)) and (not xs or isinstance(xs[0], Handle))
    if listed:
        vectors = to_tensors("gram_schmidt", "xs", xs, "float32")
    else:
        matrix = to_tensor("gram_schmidt", "xs", xs, "float32")
        if matrix.rank != 2:
            raise argument_error("gram_schmidt", "xs", "a list of vectors or a tensor of rank 2", matrix)
        vectors = unstack(matrix, 0)
    if not vectors:
        raise argument_error("gram_schmidt", "xs", "at least one vector", xs)
    for i, x in enumerate(vectors):
        if x.rank != 1 or x.size != vectors[0].size:
            raise argument_error("gram_schmidt", f"xs[{i}]", f"a vector of {vectors[0].size} numbers", x)
    if len(vectors) > vectors[0].size:
        raise argument_error("gram_schmidt", "xs", f"at most {vectors[0].size} vectors, their size", xs)
    ys: list[Tensor] = []
    for x in vectors:
        for y in ys:
            x = sub(x, mul(sum_(mul(y, x)), y))
        ys.append(div(x, vector_norm(x, "euclidean", (0,))))
    return ys if listed else stack(ys, 0)


@op(namespace="linalg", doc="Operations / Linear Algebra")
def qr(x: TensorLike, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """The QR decomposition of matrices into an orthogonal and an upper triangular one.

    Args:
        x: a float32 tensor of rank 2 or more, of shape […, m, n].
        full_matrices: whether q has all m columns if m > n, not only the first n.

    Returns:
        (q, r), with q · r = x. If m > n, q has shape […, m, n] and r […, n, n], with full_matrices […, m, m]
        and […, m, n]; otherwise q has shape […, m, m] and r […, m, n].

    Raises:
        ValueError: a rank below 2. TypeError: not float32.

    Source: TF.js `tf.linalg.qr`, with its signs. The gradient is beyond TF.js: Walter and Lehmann (2012), "On
        algorithmic differentiation of QR". The columns of q beyond the first n are arbitrary within the space that
        they span; the gradient is right for results that do not depend on this choice.
    """
    t = to_tensor("qr", "x", x, "float32")
    if t.rank < 2:
        raise argument_error("qr", "x", "of rank 2 or more", t)
    rows, columns = t.shape[-2:]
    if rows >= columns:
        return tuple(run_multi("Qr", t, full_matrices=bool(full_matrices)))  # type: ignore[return-value]
    # The first columns determine q; the others only need to be rotated by it.
    lead = (0,) * (t.rank - 2)
    square = slice_(t, [*lead, 0, 0], [*t.shape[:-2], rows, rows])
    rest = slice_(t, [*lead, 0, rows], [*t.shape[:-2], rows, columns - rows])
    q, r = run_multi("Qr", square, full_matrices=False)
    return q, concat([r, multiply_matrices(q, rest, True)], -1)


def _qr_gradient(dys: list[Tensor], n: Any) -> list[Tensor]:
    """(dQ + Q · sym(R · dRᵀ - dQᵀ · Q)) · R⁻ᵀ, sym(M) being M with its lower triangle mirrored into the upper."""
    (dq, dr), (q, r) = dys, n.y
    columns = n.shape("x")[-1]
    if q.shape[-1] > columns:
        dq, q = _first_columns(dq, q, columns)
        head = [0] * dr.rank
        dr, r = (slice_(t, head, [*t.shape[:-2], columns, columns]) for t in (dr, r))
    m = sub(multiply_matrices(r, dr, False, True), multiply_matrices(dq, q, True))
    mirrored = mul(_swapped(m), _triangle(columns, strict=True, lower=False))
    symmetric = run("Add", mul(m, _triangle(columns, strict=False, lower=True)), mirrored)
    b = run("Add", dq, multiply_matrices(q, symmetric))
    return [_swapped(run("TriangularSolve", r, _swapped(b), lower=False, transposed=False))]


def _first_columns(dq: Tensor, q: Tensor, columns: int) -> tuple[Tensor, Tensor]:
    """The first columns of q, and a gradient for them alone: the others rotate with them to stay orthogonal."""
    lead, rows, others = q.shape[:-2], q.shape[-2], q.shape[-1] - columns
    start = [0] * q.rank
    middle = [*start[:-1], columns]
    first, dfirst = (slice_(t, start, [*lead, rows, columns]) for t in (q, dq))
    second, dsecond = (slice_(t, middle, [*lead, rows, others]) for t in (q, dq))
    turned = multiply_matrices(second, multiply_matrices(dsecond, first, True))
    return sub(dfirst, turned), first


gradient("Qr", saves="y", joint=_qr_gradient)


def _solve_gradient_b(dy: Tensor, n: Any) -> Tensor:
    return run("TriangularSolve", n.a, dy, lower=n.attrs["lower"], transposed=not n.attrs["transposed"])


def _solve_gradient_a(dy: Tensor, n: Any) -> Tensor:
    """-db · xᵀ, or its transpose, on the triangle that was read."""
    db = _solve_gradient_b(dy, n)
    left, right = (n.y, db) if n.attrs["transposed"] else (db, n.y)
    slope = run("Neg", multiply_matrices(left, right, False, True))
    return mul(slope, _triangle(slope.shape[-1], strict=False, lower=n.attrs["lower"]))


gradient("TriangularSolve", saves="a y", a=_solve_gradient_a, b=_solve_gradient_b)


def _swapped(t: Tensor) -> Tensor:
    """The matrices transposed."""
    return run("Transpose", t, perm=(*range(t.rank - 2), t.rank - 1, t.rank - 2))


# By `lower` and `strict`: the comparison of row minus column with 0.
_TRIANGLES = {
    (True, True): "Greater",
    (True, False): "GreaterEqual",
    (False, True): "Less",
    (False, False): "LessEqual",
}


def _triangle(size: int, strict: bool, lower: bool) -> Tensor:
    """1 in the lower or upper triangle, with the diagonal unless `strict`, and 0 elsewhere."""
    below = _rows_minus_columns(size, size)
    return run("Cast", run(_TRIANGLES[lower, strict], below, full((), 0, "int32")), dtype="float32")


@op(doc="Tensors / Creation")
def diag(x: TensorLike) -> Tensor:
    """A tensor with the given elements on its diagonal and 0 elsewhere.

    Args:
        x: a tensor of any shape; any dtype but string.

    Returns:
        A tensor of x's dtype whose shape is x's shape twice over.

    Raises:
        TypeError: strings.

    Source: TF.js `tf.diag`.
    """
    t = to_tensor("diag", "x", x)
    # Each element is followed by as many zeros as there are elements: the next one lands one column to the right.
    spread = run("PadV2", reshape_to(t, (t.size, 1)), paddings=((0, 0), (0, t.size)), constant_value=0)
    cells = run("Slice", run("Reshape", spread, shape=(spread.size,)), begin=(0,), size=(t.size * t.size,))
    return run("Reshape", cells, shape=t.shape * 2)
