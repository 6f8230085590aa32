"""Moving averages."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, div, mul, pow_, sub
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error


@op(doc="Operations / Moving Average")
def moving_average(
    v: TensorLike, x: TensorLike, decay: TensorLike, step: TensorLike | None = None, zero_debias: bool = True
) -> Tensor:
    """The next value of an exponential moving average: v + (x - v) · (1 - decay).

    Args:
        v: the average so far.
        x: the new values, of the same shape and dtype.
        decay: the share of the old average that is kept, a number or scalar.
        step: the number of values including the new one, a number or scalar; required by zero_debias.
        zero_debias: whether to divide the change by 1 - decay ** step, which corrects the bias of starting at 0.

    Returns:
        A tensor of v's shape and dtype.

    Raises:
        ValueError: shapes that differ, or a missing step. TypeError: dtypes that differ.

    Source: TF.js `tf.movingAverage`.
    """
    old, new = to_tensor("moving_average", "v", v), to_tensor("moving_average", "x", x)
    if old.dtype != new.dtype:
        raise argument_error("moving_average", "x", f"of dtype {old.dtype}", new, TypeError)
    if old.shape != new.shape:
        raise argument_error("moving_average", "x", f"of shape {list(old.shape)}", new)
    kept = to_tensor("moving_average", "decay", decay)
    update = mul(sub(new, old), sub(number(1), kept))
    if zero_debias:
        if step is None:
            raise argument_error("moving_average", "step", "given if zero_debias is set", None)
        steps = to_tensor("moving_average", "step", step)
        update = div(update, sub(number(1), pow_(kept, steps)))
    return add(old, update)
