"""Complex numbers and their parts."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import cast_to, full
from tfpy.core.ops.common import real as real_numbers
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(doc="Tensors / Creation")
def complex_(real: TensorLike, imag: TensorLike) -> Tensor:
    """A complex64 tensor of two float32 tensors of one shape.

    Args:
        real: the real parts.
        imag: the imaginary parts.

    Returns:
        A complex64 tensor of their shape.

    Raises:
        ValueError: the shapes differ. TypeError: strings or complex numbers.

    Source: TF.js `tf.complex`. Its gradient, and those of `real` and `imag`, are beyond TF.js.
    """
    x = real_numbers("complex", real, "float32", "real")
    y = real_numbers("complex", imag, "float32", "imag")
    if x.spec.shape != y.spec.shape:
        raise argument_error("complex", "imag", f"of shape {list(x.shape)}, that of the real part", y)
    return run("Complex", x, y)


@op(doc="Tensors / Creation")
def real(input: TensorLike) -> Tensor:
    """The real parts of a tensor, in float32; real numbers are unchanged.

    Args:
        input: a numeric tensor of any shape, complex or not.

    Returns:
        A float32 tensor of the input's shape.

    Source: TF.js `tf.real`.
    """
    t = to_tensor("real", "input", input)
    if t.dtype == "complex64":
        return run("Real", t)
    return run("Identity", t) if t.dtype == "float32" else cast_to(t, "float32")


@op(doc="Tensors / Creation")
def imag(input: TensorLike) -> Tensor:
    """The imaginary parts of a tensor, in float32; those of real numbers are 0.

    Args:
        input: a numeric tensor of any shape, complex or not.

    Returns:
        A float32 tensor of the input's shape.

    Source: TF.js `tf.imag`.
    """
    t = to_tensor("imag", "input", input)
    return run("Imag", t) if t.dtype == "complex64" else full(t.shape, 0)


# A complex number's gradient holds the derivatives with respect to its real and imaginary parts.
gradient("Complex", real=lambda dy, n: run("Real", dy), imag=lambda dy, n: run("Imag", dy))
gradient("Real", x=lambda dy, n: run("Complex", dy, full(dy.shape, 0)))
gradient("Imag", x=lambda dy, n: run("Complex", full(dy.shape, 0), dy))
