"""Signals cut into frames, windows for them, and their spectrum over time: `tf.signal`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike
from tfpy.core.ops.arith import mul
from tfpy.core.ops.common import int_tensor, real, stored_number, tensor_of_rank
from tfpy.core.ops.spectral import rfft
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_function, as_int_within, as_number
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import MAX_SIZE


@op(doc="Operations / Signal")
def enclosing_power_of_two(value: float) -> int:
    """The smallest power of two not below a positive number.

    Args:
        value: a positive number.

    Returns:
        An integer.

    Raises:
        ValueError: 0 or a negative number.

    Source: TF.js `tf.enclosingPowerOfTwo`.
    """
    if not 0 < as_number("enclosing_power_of_two", "value", value) <= 2.0**1023:
        raise argument_error("enclosing_power_of_two", "value", "above 0, and at most 2^1023", value)
    return math.floor(2.0 ** math.ceil(math.log(value) / math.log(2.0)))


@op(doc="Operations / Signal")
def cosine_window(window_length: int, a: float, b: float) -> Tensor:
    """One period of a - b · cos, without its end point.

    Args:
        window_length: the number of values. An odd length includes the end point, so 1 yields NaN.
        a: the middle.
        b: the amplitude.

    Returns:
        A float32 tensor of shape [window_length].

    Raises:
        ValueError: a negative length.

    Source: TF.js `tf.cosineWindow`.
    """
    count = as_int_within("cosine_window", "window_length", window_length, 0, MAX_SIZE)
    period = count - count % 2
    with np.errstate(invalid="ignore"):
        angles = 2.0 * math.pi * np.arange(count) / np.float64(period)
    return dispatch.make(Tensor, a - b * np.cos(angles), "float32")


@op(namespace="signal", doc="Operations / Signal")
def hann_window(window_length: int) -> Tensor:
    """The Hann window: ½ - ½ · cos.

    Args:
        window_length: the number of values.

    Returns:
        A float32 tensor of shape [window_length].

    Raises:
        ValueError: a negative length.

    Source: TF.js `tf.signal.hannWindow`.
    """
    return cosine_window(window_length, 0.5, 0.5)


@op(namespace="signal", doc="Operations / Signal")
def hamming_window(window_length: int) -> Tensor:
    """The Hamming window: 0.54 - 0.46 · cos.

    Args:
        window_length: the number of values.

    Returns:
        A float32 tensor of shape [window_length].

    Raises:
        ValueError: a negative length.

    Source: TF.js `tf.signal.hammingWindow`.
    """
    return cosine_window(window_length, 0.54, 0.46)


@op(namespace="signal", doc="Operations / Signal")
def frame(
    signal: TensorLike, frame_length: int, frame_step: int, pad_end: bool = False, pad_value: float = 0
) -> Tensor:
    """Frames of a signal, which may overlap.

    Args:
        signal: a vector.
        frame_length: the length of a frame.
        frame_step: the distance between the starts of consecutive frames.
        pad_end: whether to include frames that start inside the signal and end beyond it, padded.
        pad_value: what they are padded with.

    Returns:
        A matrix with a frame in each row; there may be none.

    Raises:
        ValueError: not a vector, or a length or step below 1.

    Source: TF.js `tf.signal.frame`.
    """
    t = tensor_of_rank("frame", "signal", signal, 1)
    length = as_int_within("frame", "frame_length", frame_length, 1, MAX_SIZE)
    step = as_int_within("frame", "frame_step", frame_step, 1, MAX_SIZE)
    count = max(0, (t.size - length) // step + 1)
    if pad_end:
        count = max(count, -(-t.size // step))
    missing = max(0, (count - 1) * step + length - t.size) if count else 0
    value = stored_number("frame", "pad_value", pad_value, t.dtype)
    padded = run("PadV2", t, paddings=((0, missing),), constant_value=value) if missing else t
    if max(count, 1) * length > MAX_SIZE:
        raise argument_error(
            "frame", "frame_length", f"such that the result has at most {MAX_SIZE} elements", frame_length
        )
    places = np.arange(count)[:, None] * step + np.arange(length) if count else np.zeros((0, length))
    return run("GatherV2", padded, int_tensor(places), axis=0, batch_dims=0)


@op(namespace="signal", doc="Operations / Signal")
def stft(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[[int], Tensor] = hann_window,
) -> Tensor:
    """The spectrum of a signal over time: the Fourier transforms of windowed frames.

    Args:
        signal: a vector of real numbers.
        frame_length: the length of a frame.
        frame_step: the distance between the starts of consecutive frames.
        fft_length: the length of the transform; the power of two that encloses frame_length by default.
        window_fn: returns the window of a given length.

    Returns:
        A complex64 matrix with a spectrum of fft_length // 2 + 1 values in each row.

    Raises:
        ValueError: not a vector, or a length or step below 1. TypeError: strings or complex numbers.

    Source: TF.js `tf.signal.stft`. Its gradient is beyond TF.js.
    """
    t = real("stft", signal, "float32", "signal")
    frames = frame(t, frame_length, frame_step)
    as_function("stft", "window_fn", window_fn)
    length = enclosing_power_of_two(frame_length) if fft_length is None else fft_length
    return rfft(mul(frames, window_fn(frames.shape[1])), length)
