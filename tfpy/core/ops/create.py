"""Creating tensors: from values, filled, spaced, one-hot; and printing them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.buffer import TensorBuffer
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, host_values, to_tensor
from tfpy.core.ops.common import as_constant_of, full
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_dtype, as_int, as_number, as_shape
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Shape

_PLAIN = (float, int, bool, str)
ShapeLike = Sequence[int] | int


def make_tensor(op_name: str, values: Any, shape: Any, dtype: Any, rank: int | None = None) -> Tensor:
    """A tensor of given values, in a shape that they fill; `rank` is the rank that the op requires."""
    wanted = None if dtype is None else as_dtype(op_name, dtype)
    if wanted == "complex64":
        raise argument_error(op_name, "dtype", "a dtype of plain numbers; make complex64 with complex()", dtype)
    if isinstance(values, Handle):
        values = dispatch.read(values, op_name)
    array, found = host_values(op_name, "values", values, wanted)
    array = _shaped(op_name, array, shape, rank)
    return dispatch.make(Tensor, array, found)


def _shaped(op_name: str, array: Array, shape: Any, rank: int | None) -> Array:
    if rank is not None and array.ndim not in (1, rank):
        raise argument_error(op_name, "values", f"a flat list or one of rank {rank}", array)
    if shape is None:
        if rank is not None and array.ndim != rank:
            raise argument_error(op_name, "shape", "given, since the values are a flat list", None)
        return array
    wanted = as_shape(op_name, shape)
    if rank is not None and len(wanted) != rank:
        raise argument_error(op_name, "shape", f"of rank {rank}", list(wanted))
    if array.size != math.prod(wanted):
        expected = f"of as many elements as the values, {array.size}"
        raise argument_error(op_name, "shape", expected, list(wanted))
    if array.ndim > 1 and not _rows_fit(array.shape, wanted):
        expected = f"the shape of the nested values, {list(array.shape)}, of which the last size may be split"
        raise argument_error(op_name, "shape", expected, list(wanted))
    return array.reshape(wanted)


def _rows_fit(found: Shape, wanted: Shape) -> bool:
    """Whether nested values have a shape, or innermost rows that flatten its last axes, as TF.js allows."""
    outer = len(found) - 1
    return found == wanted or (found[:outer] == wanted[:outer] and found[outer] == math.prod(wanted[outer:]))


@op(doc="Tensors / Creation")
def tensor(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of given values.

    Args:
        values: a number, boolean, string, nested list of them, or numpy array. Python numbers become float32,
            even integers; numpy integers become int32.
        shape: the shape, if `values` or its innermost rows are flat.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of the given shape, or of the values' shape.

    Raises:
        ValueError: ragged rows, a shape that the values do not fill, or numpy integers beyond int32.
        TypeError: not numbers, booleans or strings.

    Source: TF.js `tf.tensor`.
    """
    return make_tensor("tensor", values, shape, dtype)


@op(doc="Tensors / Creation")
def scalar(value: TensorLike, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 0.

    Args:
        value: one number, boolean or string.
        dtype: the dtype; by default float32 for a number.

    Returns:
        A tensor of shape [].

    Raises:
        ValueError: more than one value. TypeError: not a number, boolean or string.

    Source: TF.js `tf.scalar`.
    """
    if type(value) not in _PLAIN and (isinstance(value, (list, tuple)) or np.ndim(value) > 0):  # type: ignore[arg-type]
        raise argument_error("scalar", "value", "one number, boolean or string", value)
    return make_tensor("scalar", value, (), dtype)


@op(doc="Tensors / Creation")
def tensor1d(values: TensorLike, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 1.

    Args:
        values: a flat list or array.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 1.

    Raises:
        ValueError: the values are not flat. TypeError: not numbers, booleans or strings.

    Source: TF.js `tf.tensor1d`.
    """
    return make_tensor("tensor1d", values, None, dtype, 1)


@op(doc="Tensors / Creation")
def tensor2d(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 2.

    Args:
        values: a list nested 2 deep, or a flat list together with `shape`.
        shape: the shape, of 2 sizes.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 2.

    Raises:
        ValueError: a wrong rank, or a shape that the values do not fill. TypeError: not numbers or strings.

    Source: TF.js `tf.tensor2d`.
    """
    return make_tensor("tensor2d", values, shape, dtype, 2)


@op(doc="Tensors / Creation")
def tensor3d(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 3.

    Args:
        values: a list nested 3 deep, or a flat list together with `shape`.
        shape: the shape, of 3 sizes.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: a wrong rank, or a shape that the values do not fill. TypeError: not numbers or strings.

    Source: TF.js `tf.tensor3d`.
    """
    return make_tensor("tensor3d", values, shape, dtype, 3)


@op(doc="Tensors / Creation")
def tensor4d(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 4.

    Args:
        values: a list nested 4 deep, or a flat list together with `shape`.
        shape: the shape, of 4 sizes.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: a wrong rank, or a shape that the values do not fill. TypeError: not numbers or strings.

    Source: TF.js `tf.tensor4d`.
    """
    return make_tensor("tensor4d", values, shape, dtype, 4)


@op(doc="Tensors / Creation")
def tensor5d(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 5.

    Args:
        values: a list nested 5 deep, or a flat list together with `shape`.
        shape: the shape, of 5 sizes.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: a wrong rank, or a shape that the values do not fill. TypeError: not numbers or strings.

    Source: TF.js `tf.tensor5d`.
    """
    return make_tensor("tensor5d", values, shape, dtype, 5)


@op(doc="Tensors / Creation")
def tensor6d(values: TensorLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor of rank 6.

    Args:
        values: a list nested 6 deep, or a flat list together with `shape`.
        shape: the shape, of 6 sizes.
        dtype: the dtype; inferred from the first value by default.

    Returns:
        A tensor of rank 6.

    Raises:
        ValueError: a wrong rank, or a shape that the values do not fill. TypeError: not numbers or strings.

    Source: TF.js `tf.tensor6d`.
    """
    return make_tensor("tensor6d", values, shape, dtype, 6)


@op(doc="Tensors / Creation")
def zeros(shape: ShapeLike, dtype: DType = "float32") -> Tensor:
    """A tensor of zeros.

    Args:
        shape: the shape.
        dtype: the dtype; zeros of dtype string are empty strings.

    Returns:
        A tensor of the given shape and dtype.

    Source: TF.js `tf.zeros`.
    """
    kind = as_dtype("zeros", dtype)
    return full(as_shape("zeros", shape), b"" if kind == "string" else 0, kind)


@op(doc="Tensors / Creation")
def ones(shape: ShapeLike, dtype: DType = "float32") -> Tensor:
    """A tensor of ones.

    Args:
        shape: the shape.
        dtype: the dtype; not string.

    Returns:
        A tensor of the given shape and dtype.

    Source: TF.js `tf.ones`.
    """
    kind = as_dtype("ones", dtype)
    if kind == "string":
        raise argument_error("ones", "dtype", "a dtype of numbers", dtype)
    return full(as_shape("ones", shape), 1, kind)


@op(doc="Tensors / Creation")
def fill(shape: ShapeLike, value: float | bool | str, dtype: DType | None = None) -> Tensor:
    """A tensor filled with one value.

    Args:
        shape: the shape.
        value: the value.
        dtype: the dtype; inferred from the value by default.

    Returns:
        A tensor of the given shape and dtype.

    Source: TF.js `tf.fill`.
    """
    array, found = host_values("fill", "value", value, None if dtype is None else as_dtype("fill", dtype))
    if array.ndim:
        raise argument_error("fill", "value", "one number, boolean or string", value)
    return full(as_shape("fill", shape), array.item(), found)


@op(chain=True, doc="Tensors / Creation")
def zeros_like(x: TensorLike) -> Tensor:
    """Zeros in the shape and dtype of another tensor.

    Args:
        x: a tensor of any shape and dtype.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.zerosLike`.
    """
    t = to_tensor("zeros_like", "x", x, "any")
    return as_constant_of(t, zeros(t.shape, t.dtype))


@op(chain=True, doc="Tensors / Creation")
def ones_like(x: TensorLike) -> Tensor:
    """Ones in the shape and dtype of another tensor.

    Args:
        x: a tensor of any shape and dtype.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.onesLike`.
    """
    t = to_tensor("ones_like", "x", x)
    return as_constant_of(t, full(t.shape, 1, t.dtype))


@op(doc="Tensors / Creation")
def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: Sequence[int] | None = None, dtype: DType = "float32"
) -> Tensor:
    """A matrix with ones on its diagonal, or a batch of them.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; num_rows by default.
        batch_shape: leading dimensions before those of the matrix.
        dtype: the dtype; not string.

    Returns:
        A tensor of shape [*batch_shape, num_rows, num_columns].

    Source: TF.js `tf.eye`.
    """
    rows = as_int("eye", "num_rows", num_rows)
    columns = rows if num_columns is None else as_int("eye", "num_columns", num_columns)
    lead = () if batch_shape is None else as_shape("eye", batch_shape, "batch_shape")
    indices = run("Range", start=0, step=1, count=as_shape("eye", rows, "num_rows")[0], dtype="int32")
    matrix = _one_hot_rows("eye", indices, as_shape("eye", columns, "num_columns")[0], 1, 0, dtype)
    return matrix if not lead else run("BroadcastTo", matrix, shape=(*lead, rows, columns))


@op(doc="Tensors / Creation")
def linspace(start: float, stop: float, num: int) -> Tensor:
    """Evenly spaced float32 numbers from start to stop, both included.

    Args:
        start: the first number.
        stop: the last number.
        num: how many; 1 returns only the first.

    Returns:
        A float32 tensor of shape [num].

    Raises:
        ValueError: num is 0 or less.

    Source: TF.js `tf.linspace`.
    """
    count = as_int("linspace", "num", num)
    if count <= 0:
        raise argument_error("linspace", "num", "1 or more", num)
    first, last = as_number("linspace", "start", start), as_number("linspace", "stop", stop)
    return run("LinSpace", start=first, stop=last, count=count, dtype="float32")


@op(doc="Tensors / Creation")
def range_(start: float, stop: float, step: float | None = None, dtype: DType = "float32") -> Tensor:
    """Numbers from start up to, but not including, stop.

    Args:
        start: the first number.
        stop: the end, exclusive.
        step: the spacing; 1 by default, which means -1 if stop is below start. In that case TF.js omits
            a last partial step, and so does this: from 2.5 to 0 yields 2.5 and 1.5.
        dtype: float32 or int32.

    Returns:
        A tensor of rank 1, empty when the step leads away from stop.

    Raises:
        ValueError: the step is 0, or an unsupported dtype.

    Source: TF.js `tf.range`.
    """
    if dtype not in ("float32", "int32"):
        raise argument_error("range", "dtype", "'float32' or 'int32'", dtype)
    first, end = as_number("range", "start", start), as_number("range", "stop", stop)
    by = 1.0 if step is None else as_number("range", "step", step)
    if by == 0:
        raise argument_error("range", "step", "other than 0", step)
    steps = (end - first) / by
    if not math.isfinite(steps):
        raise argument_error("range", "stop", "at a finite number of steps", stop)
    count = max(0, math.ceil(steps))
    if by == 1 and end < first:
        by, count = -1.0, math.floor(-steps)
    return run("Range", start=first, step=by, count=count, dtype=dtype)


@op(chain=True, doc="Tensors / Creation")
def one_hot(
    indices: TensorLike, depth: int, on_value: float = 1, off_value: float = 0, dtype: DType = "int32"
) -> Tensor:
    """A row for each index, with the on value at that index and the off value elsewhere.

    Args:
        indices: an int32 tensor of any shape; an index out of range yields a row without the on value.
        depth: the length of a row, at least 2.
        on_value: the value at the index.
        off_value: the value elsewhere.
        dtype: the dtype of the result; not string.

    Returns:
        A tensor of the indices' shape with one more dimension, of size depth.

    Raises:
        TypeError: the indices are not int32. ValueError: the depth is less than 2.

    Source: TF.js `tf.oneHot`; deeplearn.js `math.oneHot`. Its gradient is 0.
    """
    length = as_int("one_hot", "depth", depth)
    if length < 2:
        raise argument_error("one_hot", "depth", "2 or more", depth)
    places = to_tensor("one_hot", "indices", indices, "int32")
    return _one_hot_rows("one_hot", places, length, on_value, off_value, dtype)


def _one_hot_rows(op_name: str, indices: Tensor, depth: int, on_value: float, off_value: float, dtype: DType) -> Tensor:
    kind = as_dtype(op_name, dtype)
    if kind == "string":
        raise argument_error(op_name, "dtype", "a dtype of numbers", dtype)
    return run("OneHot", indices, depth=depth, on_value=on_value, off_value=off_value, dtype=kind)


gradient("OneHot", indices=lambda dy, n: full(n.shape("indices"), 0))


@op(doc="Tensors / Creation")
def buffer(shape: ShapeLike, dtype: DType = "float32", values: Any = None) -> TensorBuffer:
    """A mutable array of values, read and written element by element, from which a tensor is made.

    Args:
        shape: the shape.
        dtype: the dtype.
        values: a flat array of initial values; zeros by default.

    Returns:
        A buffer of the given shape and dtype; its `to_tensor` creates the tensor.

    Raises:
        ValueError: the number of values is not that of the shape's elements.

    Source: TF.js `tf.buffer`.
    """
    return TensorBuffer(shape, dtype, values)


@op(doc="Tensors / Creation")
def print_(x: TensorLike, verbose: bool = False) -> None:
    """Print a tensor's values.

    Args:
        x: the tensor.
        verbose: also print dtype, rank and shape.

    Source: TF.js `tf.print`.
    """
    to_tensor("print", "x", x, "any").print(verbose)
