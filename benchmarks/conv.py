"""The time of convolution and pooling, compared with the minimum for their arithmetic.

    python benchmarks/conv.py [convolutions] [depthwise] [pools]

A convolution is compared with a matrix product of the same number of operations plus one copy of its input; a
depthwise convolution with an addition and a multiplication of the output's size for each cell of the window; pooling
with one such operation for each cell, and with two for the gradient of max pooling. Times are the minimum of several
runs. Set OPENBLAS_NUM_THREADS=1 to measure one core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tfpy.engine.cpu import table
from tfpy.engine.windows import sliding_window

KERNELS = table.KERNELS

# name: input, filter, strides, pad
CONVOLUTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...], int, str]] = {
    "1 to 8 channels, 5x5": ((32, 28, 28, 1), (5, 5, 1, 8), 1, "valid"),
    "8 to 16 channels, 5x5": ((32, 12, 12, 8), (5, 5, 8, 16), 1, "valid"),
    "32 to 64 channels, 3x3": ((32, 16, 16, 32), (3, 3, 32, 64), 1, "valid"),
    "64 to 64 channels, 3x3 same": ((8, 56, 56, 64), (3, 3, 64, 64), 1, "same"),
    "3 to 32 channels, 3x3, stride 2": ((4, 224, 224, 3), (3, 3, 3, 32), 2, "same"),
    "64 to 128 channels, 1x1": ((32, 28, 28, 64), (1, 1, 64, 128), 1, "valid"),
    "256 to 256 channels, 3x3": ((8, 16, 16, 256), (3, 3, 256, 256), 1, "valid"),
    "8 to 16 channels, 3x3x3": ((2, 16, 16, 16, 8), (3, 3, 3, 8, 16), 1, "same"),
}

# name: input, size of the window, strides, pad
DEPTHWISE: dict[str, tuple[tuple[int, ...], int, int, str]] = {
    "32 channels, 3x3": ((32, 28, 28, 32), 3, 1, "same"),
    "64 channels, 3x3": ((8, 56, 56, 64), 3, 1, "same"),
    "64 channels, 3x3, stride 2": ((8, 56, 56, 64), 3, 2, "same"),
}

# name: input, size of the window, strides, pad
POOLS: dict[str, tuple[tuple[int, ...], int, int, str]] = {
    "8 channels, 2x2": ((32, 24, 24, 8), 2, 2, "valid"),
    "32 channels, 3x3, stride 2": ((32, 28, 28, 32), 3, 2, "same"),
    "64 channels, 3x3, stride 1": ((8, 56, 56, 64), 3, 1, "same"),
}


def shortest(function: Callable[..., Any], *args: Any, **attrs: Any) -> float:
    """The minimum time of a call, in milliseconds."""
    function(*args, **attrs)
    times: list[float] = []
    end = time.perf_counter() + 0.4
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        function(*args, **attrs)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).random(shape, np.float32)


def kernel(name: str, *args: Any, **attrs: Any) -> float:
    return shortest(KERNELS[name], *args, **attrs)


Rows = Iterator[tuple[str, float, float]]


def convolutions() -> Rows:
    for name, (shape, filter_shape, stride, pad) in CONVOLUTIONS.items():
        window = sliding_window("conv", shape[1:-1], filter_shape[:-2], stride, pad)
        x, w, dy = numbers(*shape), numbers(*filter_shape), numbers(shape[0], *window.out, filter_shape[-1])
        rows, weights = dy.reshape(-1, dy.shape[-1]), w.reshape(-1, w.shape[-1])
        columns, across = numbers(len(rows), len(weights)), np.ascontiguousarray(weights.T)
        once = shortest(x.copy)
        least = once + shortest(np.matmul, columns, weights)
        yield f"convolution, {name}", kernel("Conv2D", x, w, window=window), least
        least = once + shortest(np.matmul, rows, across)
        yield "    by input", kernel("Conv2DBackpropInput", dy, w, window=window, input_shape=shape), least
        least = once + shortest(np.matmul, columns.T, rows)
        yield "    by filter", kernel("Conv2DBackpropFilter", x, dy, window=window), least


def depthwise() -> Rows:
    name = "DepthwiseConv2dNative"
    for title, (shape, size, stride, pad) in DEPTHWISE.items():
        window = sliding_window("conv", shape[1:-1], (size, size), stride, pad)
        x, w, dy = numbers(*shape), numbers(size, size, shape[-1], 1), numbers(shape[0], *window.out, shape[-1])
        least = window.cells * (shortest(np.multiply, dy, dy) + shortest(np.add, dy, dy))
        yield f"depthwise, {title}", kernel(name, x, w, window=window), least
        yield "    by input", kernel(f"{name}BackpropInput", dy, w, window=window, input_shape=shape), least
        yield "    by filter", kernel(f"{name}BackpropFilter", x, dy, window=window), least


def pools() -> Rows:
    for name, (shape, size, stride, pad) in POOLS.items():
        window = sliding_window("pool", shape[1:-1], (size, size), stride, pad)
        x, dy = numbers(*shape), numbers(shape[0], *window.out, shape[-1])
        y = KERNELS["MaxPool"](x, window=window)
        least = window.cells * shortest(np.maximum, y, dy)
        yield f"max pool, {name}", kernel("MaxPool", x, window=window), least
        yield "    by input", kernel("MaxPoolGrad", dy, x, y, window=window), 2 * least
        yield f"average pool, {name}", kernel("AvgPool", x, window=window), least
        yield "    by input", kernel("AvgPoolGrad", dy, window=window, input_shape=shape), least


def main(wanted: list[str]) -> None:
    print(f"{'':52}{'ms':>9}{'least':>9}{'ratio':>7}")
    for group in (convolutions, depthwise, pools):
        if wanted and group.__name__ not in wanted:
            continue
        for name, time_taken, least in group():
            print(f"{name:52}{time_taken:9.3f}{least:9.3f}{time_taken / least:7.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
