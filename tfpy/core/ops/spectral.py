"""Fourier transforms along the last axis: `tf.spectral`."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import Kind, TensorLike, number, to_tensor
from tfpy.core.ops.arith import div, mul
from tfpy.core.ops.common import cast_to, conjugated, reshape_to
from tfpy.core.ops.join import concat
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(chain=True, namespace="spectral", doc="Operations / Spectral", aliases="fft")
def fft(input: TensorLike) -> Tensor:
    """The discrete Fourier transform along the last axis.

    Args:
        input: a complex64 tensor of rank 1 or more; the last axis may have any length.

    Returns:
        A complex64 tensor of the same shape.

    Raises:
        ValueError: a scalar. TypeError: not complex64.

    Source: TF.js `tf.spectral.fft`. Its gradient is beyond TF.js.
    """
    return run("FFT", _signal("fft", input, "complex64"))


@op(chain=True, namespace="spectral", doc="Operations / Spectral", aliases="ifft")
def ifft(input: TensorLike) -> Tensor:
    """The inverse of `fft`.

    Args:
        input: a complex64 tensor of rank 1 or more; the last axis may have any length.

    Returns:
        A complex64 tensor of the same shape.

    Raises:
        ValueError: a scalar. TypeError: not complex64.

    Source: TF.js `tf.spectral.ifft`. Its gradient is beyond TF.js.
    """
    return run("IFFT", _signal("ifft", input, "complex64"))


# The transform is a matrix F with F · F* = n. A gradient is propagated by its conjugate, which is n times the inverse.
gradient("FFT", x=lambda dy, n: mul(run("IFFT", dy), number(n.shape("x")[-1])))
gradient("IFFT", x=lambda dy, n: div(run("FFT", dy), number(n.shape("x")[-1])))


@op(chain=True, namespace="spectral", doc="Operations / Spectral", aliases="rfft")
def rfft(input: TensorLike, fft_length: int | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last axis, without the half that mirrors the other.

    Args:
        input: a float32 tensor of rank 1 or more.
        fft_length: the length to which the last axis is first truncated or zero-padded; its own by default.

    Returns:
        A complex64 tensor with fft_length // 2 + 1 values in the last axis.

    Raises:
        ValueError: a scalar, or a length below 1. TypeError: not float32.

    Source: TF.js `tf.spectral.rfft`. Its gradient is beyond TF.js.
    """
    t = _signal("rfft", input, "float32")
    length = t.shape[-1] if fft_length is None else as_int("rfft", "fft_length", fft_length)
    if length < 1:
        raise argument_error("rfft", "fft_length", "1 or more", length)
    whole = run("FFT", cast_to(_of_length(t, length), "complex64"))
    return _part(whole, 0, length // 2 + 1)


@op(chain=True, namespace="spectral", doc="Operations / Spectral", aliases="irfft")
def irfft(input: TensorLike) -> Tensor:
    """The inverse of `rfft` for an even length: n values become 2 · (n - 1), but 1 becomes 1 and 2 become 2.

    Args:
        input: a complex64 tensor of rank 1 or more.

    Returns:
        A float32 tensor of the input's rank; rank 2 for a vector.

    Raises:
        ValueError: a scalar. TypeError: strings.

    Source: TF.js `tf.spectral.irfft`, which returns rank 2 also for rank 4 and more. Its gradient is beyond TF.js.
    """
    t = cast_to(_signal("irfft", input, "numeric"), "complex64")
    half = t.shape[-1]
    if half > 2:
        inner = run("Reverse", _part(t, 1, half - 2), axes=(t.rank - 1,))
        t = concat([t, conjugated(inner)], -1)
    out = run("Real", run("IFFT", t))
    return reshape_to(out, (1, *out.shape)) if out.rank == 1 else out


def _signal(op_name: str, input: TensorLike, kind: Kind) -> Tensor:
    t = to_tensor(op_name, "input", input, kind)
    if t.rank == 0 or t.shape[-1] == 0:
        raise argument_error(op_name, "input", "of rank 1 or more, with a number in the last axis", t)
    return t


def _part(t: Tensor, start: int, count: int) -> Tensor:
    """A part of the last axis."""
    begin = (*[0] * (t.rank - 1), start)
    return run("Slice", t, begin=begin, size=(*t.shape[:-1], count))


def _of_length(t: Tensor, length: int) -> Tensor:
    """The last axis truncated or zero-padded."""
    missing = length - t.shape[-1]
    if missing <= 0:
        return _part(t, 0, length) if missing else t
    return run("PadV2", t, paddings=(*[(0, 0)] * (t.rank - 1), (0, missing)), constant_value=0)
