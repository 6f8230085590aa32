"""numpy kernels that add a bias and apply an activation in place, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch, window_rows
from tfpy.engine.cpu.conv import convolved, result_shape
from tfpy.engine.cpu.elementwise import positive_part, relu6
from tfpy.engine.cpu.lines import along_line, widened
from tfpy.engine.cpu.matmul import is_sharded, product, sharded_product, transposed_if
from tfpy.engine.cpu.pool import fill_max
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.cpu.threads import run_split, spans_in_turns
from tfpy.engine.rows.fused import ACTIVATIONS
from tfpy.engine.spec import Shape, broadcasts_to
from tfpy.engine.windows import Window

_SMALL_ELEMENTS = 1 << 13
_BLOCK_ELEMENTS = 1 << 17
_SHARD_ELEMENTS = 1 << 17


def _finished(y: Array, extras: tuple[Array, ...], activation: str, leakyrelu_alpha: float) -> Array:
    if len(extras) > (activation == "prelu"):
        bias = widened(extras[0], y.shape)
        y = np.add(y, bias, out=y if broadcasts_to(bias.shape, y.shape) else None)
    if activation == "relu":
        return positive_part(y, out=y)
    if activation == "relu6":
        return relu6(y, out=y)
    if activation == "leakyrelu":
        return KERNELS["LeakyRelu"](y, alpha=leakyrelu_alpha)
    if activation == "prelu":
        return KERNELS["Prelu"](y, extras[-1])
    kernel = ACTIVATIONS[activation]
    return y if kernel is None else KERNELS[kernel](y)


def _finish(y: Array, extras: tuple[Array, ...], activation: str, leakyrelu_alpha: float) -> None:
    """Add the bias and apply the activation in place."""
    found = _finished(y, extras, activation, leakyrelu_alpha)
    if found is not y:
        y[...] = found


def _fused(kernel: str) -> Callable[..., Array]:
    def run(a: Array, b: Array, *extras: Array, activation: str, leakyrelu_alpha: float, **attrs: Any) -> Array:
        return _finished(KERNELS[kernel](a, b, **attrs), extras, activation, leakyrelu_alpha)

    return run


def _fill(
    y: Array, x: Array, filter: Array, *extras: Array, window: Window, activation: str, leakyrelu_alpha: float
) -> None:
    """Bias and activation on the lines of the convolution just computed, while they are in the cache."""
    finish = _by_line(extras, window.out[-1], activation, leakyrelu_alpha)
    for lines in convolved(y, x, filter, window):
        finish(lines)


def _fill_pooled(y: Array, x: Array, filter: Array, *extras: Array, window: Window, pool: Window, **attrs: Any) -> None:
    """Bias and activation only on the pooled values, since they are monotonic."""
    whole = np.empty(result_shape(x, filter, window=window), y.dtype)
    for _ in convolved(whole, x, filter, window):
        pass
    fill_max(y, whole, pool)
    if y.size:
        _by_line(extras, pool.out[-1], **attrs)(y.reshape(-1, y.shape[-2] * y.shape[-1]))


def _by_line(
    extras: tuple[Array, ...], places: int, activation: str, leakyrelu_alpha: float
) -> Callable[[Array], None]:
    """A function that adds a bias to lines (places · channels) and applies an activation, in place."""
    along = tuple([along_line(extra, places) for extra in extras])

    def finish(lines: Array) -> None:
        _finish(lines, along, activation, leakyrelu_alpha)

    return finish


def _pooled_shape(x: Array, filter: Array, *extras: Array, pool: Window, **attrs: Any) -> Shape:
    return (len(x), *pool.out, filter.shape[-1])


def _pooled_rows(attrs: Mapping[str, Any], rows: int, start: int, stop: int) -> tuple[dict[str, Window], slice]:
    """The input rows of the convolution, for the rows that pooling covers."""
    pool, pooled = attrs["pool"].along_rows(attrs["window"].out[0], start, stop)
    windows, met = window_rows(attrs, rows, pooled.start, pooled.stop)
    return {**windows, "pool": pool}, met


_lines = by_batch(_fill, (0,), result_shape, rows=window_rows)
_pooled_lines = by_batch(_fill_pooled, (0,), _pooled_shape, rows=_pooled_rows)
_whole = _fused("Conv2D")


def _by_channel(filter: Array, extras: tuple[Array, ...]) -> bool:
    return all(extra.shape == filter.shape[-1:] for extra in extras)


def _fused_conv(x: Array, filter: Array, *extras: Array, **attrs: Any) -> Array:
    return (_lines if _by_channel(filter, extras) else _whole)(x, filter, *extras, **attrs)


def _pooled_conv(x: Array, filter: Array, *extras: Array, pool: Window, **attrs: Any) -> Array:
    if _by_channel(filter, extras):
        return _pooled_lines(x, filter, *extras, pool=pool, **attrs)
    return KERNELS["MaxPool"](_whole(x, filter, *extras, **attrs), window=pool)


def _fused_matmul(
    a: Array,
    b: Array,
    *extras: Array,
    transpose_a: bool,
    transpose_b: bool,
    activation: str,
    leakyrelu_alpha: float,
    shape: Shape | None = None,
) -> Array:
    """The product with bias and activation; a given shape is that to which the bias is added."""
    a, b = transposed_if(a, transpose_a), transposed_if(b, transpose_b)
    if not (_is_large_product(a, b) and _by_channel(b, extras) and (shape is None or shape[-1] == b.shape[-1])):
        y = product(a, b)
        return _finished(y if shape is None else y.reshape(shape), extras, activation, leakyrelu_alpha)

    def finish(part: Array, columns: slice) -> None:
        """Finish a shard, in blocks that stay in the cache."""
        along = tuple([extra[columns] for extra in extras])
        step = max(1, _BLOCK_ELEMENTS // part.shape[1])
        for start in range(0, len(part), step):
            block = part[start : start + step]
            _finish(block, along, activation, leakyrelu_alpha)

    y = sharded_product(a, b, finish)
    return y if shape is None else y.reshape(shape)


def _is_large_product(a: Array, b: Array) -> bool:
    """Whether a product is split into shards, each with enough elements to be finished separately."""
    return is_sharded(a, b) and len(a) * b.shape[1] >= _SHARD_ELEMENTS


def _matmul_reshape(a: Array, b: Array, shape: Shape, **attrs: Any) -> Array:
    y: Array = KERNELS["BatchMatMul"](a, b, **attrs)
    return y.reshape(shape)


def _relu_grad(dy: Array, x: Array, out: Array | None = None) -> Array:
    """dy where x is above 0, in blocks that stay in the cache."""
    if dy.size < _SMALL_ELEMENTS or dy.shape != x.shape or not dy.flags.c_contiguous or not x.flags.c_contiguous:
        return np.multiply(dy, KERNELS["Step"](x, alpha=0.0), out=out)
    out = np.empty_like(dy) if out is None else out
    slopes, factors, products = x.reshape(-1), dy.reshape(-1), out.reshape(-1)

    def work(start: int, end: int) -> None:
        for begin in range(start, end, _BLOCK_ELEMENTS):
            block = slice(begin, min(begin + _BLOCK_ELEMENTS, end))
            above: Array = slopes[block] > 0
            if np.isnan(np.maximum.reduce(slopes[block])):
                above = KERNELS["Step"](slopes[block], alpha=0.0)
            slope = above.astype(dy.dtype)  # a product of floats and booleans takes 1.5 times as long
            np.multiply(factors[block], slope, out=products[block])

    run_split(work, spans_in_turns(out.size, out.size, _SHARD_ELEMENTS))
    return out


FUSED: dict[str, Callable[..., Array]] = {
    "FusedConv2D": _fused_conv,
    "FusedDepthwiseConv2D": _fused("DepthwiseConv2dNative"),
    "_FusedMatMul": _fused_matmul,
}
KERNELS.update(FUSED)

PLANNED["FusedConv2DMaxPool"] = _pooled_conv
PLANNED["FusedMatMulReshape"] = _fused_matmul
PLANNED["MatMulReshape"] = _matmul_reshape
PLANNED["ReluGrad"] = _relu_grad
