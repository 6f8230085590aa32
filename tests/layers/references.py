"""Reference implementations in numpy: activations, convolutions and pooling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = Any


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(x: Array) -> Array:
    return np.clip(0.2 * x + 0.5, 0, 1)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sizes(value: Any, n: int) -> tuple[int, ...]:
    """One value for each of n dimensions."""
    return (value,) * n if isinstance(value, int) else tuple(value)


def windows(
    x: Array, size: Sequence[int], strides: Any = 1, padding: str = "valid", dilation: Any = 1, fill: float = 0
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """For each position within a window: the values that all windows over (batch, …, channels) have there."""
    n = len(size)
    steps, rates = sizes(strides, n), sizes(dilation, n)
    reach = [(k - 1) * d + 1 for k, d in zip(size, rates, strict=True)]
    inner = x.shape[1:-1]
    count = [-(-(m if padding == "same" else m - r + 1) // s) for m, r, s in zip(inner, reach, steps, strict=True)]
    if padding == "same":
        total = [max((c - 1) * s + r - m, 0) for c, s, r, m in zip(count, steps, reach, inner, strict=True)]
        x = np.pad(x, [(0, 0), *((t // 2, t - t // 2) for t in total), (0, 0)], constant_values=fill)
    for place in itertools.product(*map(range, size)):
        cuts = [slice(p * d, p * d + (c - 1) * s + 1, s) for p, d, c, s in zip(place, rates, count, steps, strict=True)]
        yield place, x[(slice(None), *cuts)]


def conv(x: Array, k: Array, b: Array = 0.0, **steps: Any) -> Array:
    """The convolution of (batch, …, channels) with a kernel […, channels, filters]."""
    return sum(part @ k[place] for place, part in windows(x, k.shape[:-2], **steps)) + b


def depthwise(x: Array, k: Array, **steps: Any) -> Array:
    """The depthwise convolution with a kernel […, channels, multiplier]."""
    y = sum(part[..., None] * k[place] for place, part in windows(x, k.shape[:-2], **steps))
    return y.reshape(*y.shape[:-2], -1)


def conv_transpose(x: Array, k: Array, b: Array = 0.0, strides: Any = 1, padding: str = "valid") -> Array:
    """The transposed convolution with a kernel […, filters, channels]."""
    size = k.shape[:-2]
    steps = sizes(strides, len(size))
    full = [(m - 1) * s + max(n, s) for m, s, n in zip(x.shape[1:-1], steps, size, strict=True)]
    y = np.zeros((len(x), *full, k.shape[-2]))
    for place in itertools.product(*map(range, size)):
        cuts = [slice(p, p + (m - 1) * s + 1, s) for p, m, s in zip(place, x.shape[1:-1], steps, strict=True)]
        y[(slice(None), *cuts)] += x @ k[place].T
    if padding == "same":
        before = [max(n - s, 0) // 2 for n, s in zip(size, steps, strict=True)]
        cuts = [slice(a, a + m * s) for a, m, s in zip(before, x.shape[1:-1], steps, strict=True)]
        y = y[(slice(None), *cuts)]
    return y + b


def pool(x: Array, size: Sequence[int], reduce: Any, strides: Any = None, padding: str = "valid") -> Array:
    """Each window reduced to one value, ignoring padding."""
    parts = [part for _, part in windows(x, size, strides or size, padding, fill=np.nan)]
    return reduce(np.stack(parts), axis=0)


def channels_first(f: Any) -> Any:
    """Apply a channels-last formula to channels-first inputs."""
    return lambda x, *weights: np.moveaxis(f(np.moveaxis(x, 1, -1), *weights), -1, 1)
