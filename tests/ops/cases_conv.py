"""Op cases of convolution, pooling, normalization and recurrent cells."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from ops.table import Case, case, complexes, distinct, floats, ints, positive, raises

Pads = Sequence[Sequence[int]]


def geometry(sizes: Sequence[int], size: Sequence[int], strides: Any, pad: Any, dilations: Any = 1) -> tuple[Any, ...]:
    """Strides, dilations, leading padding and output size of each dimension, independent of the library's code."""
    n = len(sizes)
    strides = [strides] * n if isinstance(strides, int) else strides
    dilations = [dilations] * n if isinstance(dilations, int) else dilations
    reach = [(k - 1) * g + 1 for k, g in zip(size, dilations, strict=True)]
    if pad == "same":
        out = [math.ceil(m / s) for m, s in zip(sizes, strides, strict=True)]
        before = [max(0, (o - 1) * s + r - m) // 2 for o, s, r, m in zip(out, strides, reach, sizes, strict=True)]
    else:
        pairs = [(0, 0)] * n if pad == "valid" else [(pad, pad)] * n if isinstance(pad, int) else pad
        before = [p[0] for p in pairs]
        rest = [m + sum(p) - r for m, p, r in zip(sizes, pairs, reach, strict=True)]
        out = [q // s + 1 for q, s in zip(rest, strides, strict=True)]
    return strides, dilations, before, out


def extract_patches(
    x: np.ndarray, size: Sequence[int], strides: Any, pad: Any, dilations: Any = 1
) -> tuple[np.ndarray, np.ndarray]:
    """The patches, (batch, *out, cells, channels), and a mask of the cells that are not padding, (*out, cells)."""
    strides, dilations, before, out = geometry(x.shape[1:-1], size, strides, pad, dilations)
    values = np.zeros((len(x), *out, math.prod(size), x.shape[-1]))
    inside = np.zeros((*out, math.prod(size)), bool)
    for place in itertools.product(*map(range, out)):
        for number, cell in enumerate(itertools.product(*map(range, size))):
            at = [p * s - b + c * g for p, s, b, c, g in zip(place, strides, before, cell, dilations, strict=True)]
            if all(0 <= a < m for a, m in zip(at, x.shape[1:-1], strict=True)):
                values[(slice(None), *place, number)] = x[(slice(None), *at)]
                inside[(*place, number)] = True
    return values, inside


def batched(function: Callable[..., np.ndarray], n: int) -> Callable[..., np.ndarray]:
    """Let a reference for batches also take a single element."""

    def run(x: np.ndarray, *args: Any, **options: Any) -> np.ndarray:
        return function(x, *args, **options) if x.ndim == n + 2 else function(x[None], *args, **options)[0]

    return run


def _conv(x: Any, w: Any, strides: Any, pad: Any, data_format: str = "", dilations: Any = 1) -> np.ndarray:
    channels_first = data_format in ("NCW", "NCHW", "NCDHW")
    x = np.moveaxis(x, 1, -1) if channels_first else x
    values, _ = extract_patches(x, w.shape[:-2], strides, pad, dilations)
    y = np.einsum("...kc,kcf->...f", values, w.reshape(-1, *w.shape[-2:]))
    return np.moveaxis(y, -1, 1) if channels_first else y


def _depthwise(x: Any, w: Any, strides: Any, pad: Any, data_format: str = "", dilations: Any = 1) -> np.ndarray:
    channels_first = data_format == "NCHW"
    values, _ = extract_patches(np.moveaxis(x, 1, -1) if channels_first else x, w.shape[:2], strides, pad, dilations)
    y = np.einsum("...kc,kcm->...cm", values, w.reshape(-1, *w.shape[-2:]))
    y = y.reshape(*y.shape[:-2], -1)
    return np.moveaxis(y, -1, 1) if channels_first else y


def _transposed(x: Any, w: Any, output_shape: Any, strides: Any, pad: Any) -> np.ndarray:
    """The product with the transposed matrix of the convolution, which is built column by column."""
    basis = np.eye(math.prod(output_shape[1:])).reshape(-1, *output_shape[1:])
    matrix = _conv(basis, w, strides, pad).reshape(len(basis), -1)
    return (x.reshape(len(x), -1) @ matrix.T).reshape(output_shape)


def _pooled(kind: str, x: Any, size: Any, strides: Any, pad: Any, dilations: Any = 1) -> np.ndarray:
    n = x.ndim - 2
    values, inside = extract_patches(x, [size] * n if isinstance(size, int) else size, strides, pad, dilations)
    if kind == "max":
        return np.where(inside[..., None], values, -np.inf).max(-2)
    return values.sum(-2) / inside.sum(-1)[..., None]


def _max(x: Any, size: Any, strides: Any, pad: Any) -> np.ndarray:
    return _pooled("max", x, size, strides, pad)


def _avg(x: Any, size: Any, strides: Any, pad: Any) -> np.ndarray:
    return _pooled("avg", x, size, strides, pad)


def _pool(x: Any, size: Any, kind: str, pad: Any, dilations: Any = 1, strides: Any = 1) -> np.ndarray:
    return _pooled(kind, x, size, strides, pad, dilations)


def _dilation(x: Any, w: Any, strides: Any, pad: Any, dilations: Any = 1) -> np.ndarray:
    values, inside = extract_patches(x, w.shape[:2], strides, pad, dilations)
    return np.where(inside[..., None], values + w.reshape(-1, w.shape[-1]), -np.inf).max(-2)


def _norm(x: Any, m: Any, v: Any, offset: Any = 0, scale: Any = 1, epsilon: float = 0.001) -> np.ndarray:
    offset, scale = (0 if offset is None else offset), (1 if scale is None else scale)
    return scale * (x - m) / np.sqrt(v + epsilon) + offset


def _lrn(x: Any, radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5) -> np.ndarray:
    index = np.arange(x.shape[-1])
    sums = [np.square(x[..., abs(index - i) <= radius]).sum(-1) for i in index]
    return x / (bias + alpha * np.stack(sums, -1)) ** beta


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _lstm(forget: Any, w: Any, b: Any, x: Any, c: Any, h: Any) -> list[np.ndarray]:
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, 1)
    new = _sigmoid(i) * np.tanh(j) + c * _sigmoid(f + forget)
    return [new, np.tanh(new) * _sigmoid(o)]


conv1, conv2, conv3 = batched(_conv, 1), batched(_conv, 2), batched(_conv, 3)
depthwise, dilation = batched(_depthwise, 2), batched(_dilation, 2)
max2, avg2, max3, avg3 = batched(_max, 2), batched(_avg, 2), batched(_max, 3), batched(_avg, 3)

CONV: dict[str, list[Case]] = {
    "conv1d": [
        case(floats(2, 5, 2), floats(3, 2, 2), 1, "same", reference=conv1),
        case(floats(6, 2), floats(2, 2, 1), 2, "valid", reference=conv1),
        case(floats(1, 2, 6), floats(2, 2, 3), 1, "valid", "NCW", 2, reference=conv1),
        case(floats(1, 5, 1), floats(3, 1, 2), 1, [[0, 0], [2, 1], [0, 0]], reference=lambda x, w, s, p: conv1(x, w, s, [p[1]])),
        case(floats(1, 5, 1), floats(3, 1, 2), 1, [[0, 0], [0, 0], [2, 1], [0, 0]], reference=lambda x, w, s, p: conv1(x, w, s, [p[2]])),
        case(floats(1, 5, 1), floats(3, 1, 1), 1, 0, reference=lambda x, w, s, p: conv1(x, w, s, [(0, 2)])),
        raises(ValueError, floats(1, 5, 1), floats(3, 1, 1), 1, 1),
        raises(ValueError, floats(1, 5, 2), floats(3, 1, 1), 1, "same"),
        raises(ValueError, floats(1, 5, 1), floats(3, 1, 1), 2, "same", "NWC", 2),
        raises(ValueError, floats(1, 5, 1), floats(3, 1, 1), [1, 2], "same"),
        raises(ValueError, floats(5), floats(3, 1, 1), 1, "same"),
        raises(ValueError, floats(1, 5, 1), floats(3, 1, 1), 1, "same", "NHWC"),
        raises(TypeError, ints(1, 5, 1), floats(3, 1, 1), 1, "same"),
    ],
    "conv2d": [
        case(floats(2, 5, 4, 2), floats(3, 2, 2, 3), 1, "same", reference=conv2),
        case(floats(1, 6, 5, 5), floats(2, 3, 5, 2), [2, 1], "same", reference=conv2),
        case(floats(5, 6, 1), floats(3, 3, 1, 2), 2, "valid", reference=conv2),
        case(floats(2, 3, 4, 6), floats(1, 1, 6, 3), 1, "valid", reference=conv2),
        case(floats(1, 4, 4, 2), floats(1, 1, 2, 2), 2, "same", reference=conv2),
        case(floats(2, 2, 4, 5), floats(2, 2, 2, 2), 1, 1, "NCHW", reference=conv2),
        case(floats(1, 6, 6, 1), floats(2, 2, 1, 2), 1, "same", "NHWC", [2, 3], reference=conv2),
        case(floats(1, 5, 4, 2), floats(2, 2, 2, 1), [2, 1], [[0, 0], [1, 2], [0, 1], [0, 0]], reference=lambda x, w, s, p: conv2(x, w, s, p[1:3])),
        case(floats(1, 2, 5, 4), floats(2, 2, 2, 1), 1, [[0, 0], [0, 0], [1, 2], [0, 1]], "NCHW", reference=lambda x, w, s, p, f: conv2(x, w, s, p[2:], f)),
        case(floats(1, 5, 5, 1), floats(2, 2, 1, 1), 2, 1, "NHWC", 1, "floor", reference=lambda x, w, s, p, *_: conv2(x, w, s, p)),
        case(floats(1, 5, 5, 1), floats(2, 2, 1, 1), 2, 1, "NHWC", 1, "ceil", reference=lambda x, w, s, p, *_: conv2(x, w, s, [(1, 2), (1, 2)])),
        case(floats(1, 4, 4, 1), floats(2, 2, 1, 1), 2, 1, "NHWC", 1, "round", reference=lambda x, w, s, p, *_: conv2(x, w, s, p)),
        case(floats(1, 3, 4, 1), floats(1, 2, 1, 1), 1, 0, reference=lambda x, w, s, p: conv2(x, w, s, [(0, 0), (0, 1)])),
        case(floats(1, 4, 4, 1), floats(2, 2, 1, 1), 1, -1, reference=lambda x, w, s, p: conv2(x[:, 1:-1, 1:-1], w, s, 0)),
        case(floats(1, 2, 2, 1), floats(3, 3, 1, 1), 1, "valid", reference=lambda x, w, s, p: np.zeros((1, 0, 0, 1)), order=0),
        case(floats(0, 3, 3, 2), floats(2, 2, 2, 1), 1, "valid", reference=conv2, order=0),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 3, 2), 1, "same"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 2, "same", "NHWC", 2),
        raises(ValueError, floats(5, 5), floats(2, 2, 2, 2), 1, "same"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2), 1, "same"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 0, "same"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), [1, 1, 1], "same"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, "causal"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, 0.5),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, [[0, 0], [1, 1]]),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, [[0, 0], [1], [1], [0, 0]]),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, "same", "NHWC", 1, "floor"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, 0, "NHWC", 1, "up"),
        raises(ValueError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, "same", "NWHC"),
        raises(ValueError, floats(1, 2, 2, 1), floats(4, 4, 1, 1), 1, "valid"),
        raises(TypeError, ints(1, 5, 5, 2), floats(2, 2, 2, 2), 1, "same"),
        raises(TypeError, floats(1, 5, 5, 2), floats(2, 2, 2, 2), 1, None),
    ],
    "conv3d": [
        case(floats(1, 3, 4, 3, 2), floats(2, 2, 1, 2, 2), 1, "same", reference=conv3),
        case(floats(4, 3, 3, 1), floats(2, 1, 2, 1, 2), [2, 1, 1], "valid", reference=conv3),
        case(floats(1, 2, 3, 3, 3), floats(2, 2, 2, 2, 1), 1, "valid", "NCDHW", reference=conv3),
        case(floats(1, 5, 4, 3, 1), floats(2, 2, 2, 1, 1), 1, "valid", "NDHWC", [3, 2, 1], reference=conv3),
        raises(TypeError, floats(1, 2, 2, 2, 1), complexes(1, 1, 1, 1, 1), 1, "same"),
        case(floats(1, 4, 4, 4, 1), floats(1, 1, 1, 1, 1), 2, "same", reference=lambda x, w, s, p: x[:, 1::2, 1::2, 1::2] * w[0, 0, 0]),
        case(ints(1, 2, 2, 2, 1), floats(1, 1, 1, 1, 1), 1, "valid", reference=lambda x, w, s, p: np.trunc(x * w[0, 0, 0]), order=0),
        raises(ValueError, floats(1, 3, 3, 3, 2), floats(2, 2, 2, 1, 1), 1, "same"),
        raises(ValueError, floats(3, 3, 2), floats(2, 2, 2, 1, 1), 1, "same"),
    ],
    "conv2d_transpose": [
        case(floats(2, 3, 2, 2), floats(3, 2, 3, 2), [2, 5, 3, 3], 1, "valid", reference=_transposed),
        case(floats(1, 2, 3, 2), floats(3, 3, 5, 2), [1, 4, 6, 5], 2, "same", reference=_transposed),
        case(floats(2, 2, 1), floats(2, 2, 1, 1), [4, 4, 1], 2, "valid", reference=lambda x, w, o, s, p: _transposed(x[None], w, [1, *o], s, p)[0]),
        case(floats(1, 3, 3, 2), floats(1, 1, 2, 2), [1, 5, 5, 2], 2, "valid", reference=_transposed),
        raises(ValueError, floats(1, 3, 3, 2), floats(2, 2, 1, 3), [1, 4, 4, 1], 1, "valid"),
        raises(TypeError, floats(1, 3, 3, 2), complexes(2, 2, 1, 2), [1, 4, 4, 1], 1, "valid"),
        raises(ValueError, floats(1, 3, 3, 2), floats(2, 2, 1, 2), [1, 5, 5, 1], 1, "valid"),
        raises(ValueError, floats(1, 3, 3, 2), floats(2, 2, 1, 2), [1, 4, 4, 2], 1, "valid"),
        raises(ValueError, floats(1, 3, 3, 2), floats(2, 2, 1, 2), [4, 4], 1, "valid"),
    ],
    "conv3d_transpose": [
        case(floats(1, 2, 2, 2, 2), floats(2, 2, 1, 3, 2), [1, 3, 3, 2, 3], 1, "valid", reference=_transposed),
        case(floats(2, 1, 2, 1), floats(1, 2, 2, 1, 1), [4, 2, 4, 1], 2, "same", reference=None),
        raises(ValueError, floats(1, 2, 2, 2, 2), floats(2, 2, 1, 3, 2), [1, 3, 3, 3, 3], 1, "valid"),
    ],
    "depthwise_conv2d": [
        case(floats(2, 5, 4, 2), floats(3, 2, 2, 1), 1, "same", reference=depthwise),
        case(floats(4, 5, 3), floats(2, 2, 3, 2), 2, "valid", reference=depthwise),
        case(floats(1, 2, 4, 5), floats(2, 2, 2, 2), 1, "same", "NCHW", reference=depthwise),
        case(floats(1, 5, 6, 2), floats(2, 3, 2, 1), 1, "valid", "NHWC", [2, 1], reference=depthwise),
        case(floats(1, 4, 4, 1), floats(2, 2, 1, 3), 1, 1, reference=depthwise),
        case(floats(1, 5, 6, 0), floats(3, 3, 0, 2), 1, "same", reference=lambda x, *_: x),
        case(floats(2, 1, 3, 4), floats(4, 1, 4, 1), 2, [[0, 0], [0, 0], [2, 0], [0, 0]], reference=lambda *_: np.zeros((2, 0, 3, 4))),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 1, 1), 1, "same"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 2), 1, "same"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 2, 1), 2, "same", "NHWC", 2),
        raises(TypeError, ints(1, 4, 4, 2), floats(2, 2, 2, 1), 1, "same"),
    ],
    "separable_conv2d": [
        case(floats(1, 4, 5, 2), floats(2, 2, 2, 2), floats(1, 1, 4, 3), 1, "same", reference=lambda x, d, p, s, pad: conv2(depthwise(x, d, s, pad), p, 1, "valid")),
        case(floats(5, 5, 1), floats(3, 3, 1, 2), floats(1, 1, 2, 1), 2, "valid", reference=lambda x, d, p, s, pad: conv2(depthwise(x, d, s, pad), p, 1, "valid")),
        case(floats(1, 2, 4, 4), floats(2, 2, 2, 1), floats(1, 1, 2, 2), 1, "same", 2, "NCHW"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 2, 2), floats(1, 1, 2, 3), 1, "same"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 1, 2), floats(1, 1, 2, 3), 1, "same"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 2, 2), floats(2, 1, 4, 3), 1, "same"),
    ],
    "dilation2d": [
        case(distinct(2, 4, 4, 2), distinct(2, 3, 2, low=-0.31, high=0.3), 1, "same", reference=dilation),
        case(distinct(5, 4, 1), distinct(2, 2, 1, low=-0.31, high=0.3), 2, "valid", reference=dilation),
        case(distinct(1, 5, 5, 1), distinct(2, 2, 1, low=-0.31, high=0.3), 1, "same", 2, reference=dilation),
        case(distinct(1, 3, 3, 1), distinct(2, 2, 1, low=-0.31, high=0.3), 1, 1, reference=dilation),
        case(ints(1, 3, 3, 1), ints(2, 2, 1), 1, "valid", reference=dilation, order=0),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 1), 1, "same"),
        raises(ValueError, floats(4, 4), floats(2, 2, 1), 1, "same"),
        raises(ValueError, floats(1, 4, 4, 2), floats(2, 2, 2), 1, "same", 1, "NCHW"),
    ],
    "max_pool": [
        case(distinct(2, 5, 4, 2), 2, 1, "same", reference=max2),
        case(distinct(6, 5, 3), [3, 2], 2, "valid", reference=max2),
        case(distinct(1, 4, 4, 1), 2, 2, 1, reference=max2),
        case(distinct(1, 5, 5, 1), 2, 2, 0, "ceil", reference=lambda x, f, s, p, r: max2(x, f, s, "same")),
        case(distinct(1, 4, 4, 1), 2, 2, [[0, 0], [1, 1], [0, 1], [0, 0]], reference=lambda x, f, s, p: max2(x, f, s, p[1:3])),
        case(distinct(1, 3, 3, 2), 1, 1, "same", reference=lambda x, *_: x),
        case(distinct(1, 5, 5, 2), 1, 2, "valid", reference=max2),
        case(ints(1, 4, 4, 1), 2, 2, "valid", reference=max2, order=0),
        case(ints(1, 2, 2, 1), 1, 1, 1, reference=lambda x, *_: np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), order=0),
        raises(ValueError, floats(4, 4), 2, 2, "same"),
        raises(ValueError, floats(1, 4, 4, 1), 0, 2, "same"),
        raises(ValueError, floats(1, 4, 4, 1), 2, 2, "same", "floor"),
        raises(ValueError, floats(1, 4, 4, 1), 6, 1, "valid"),
    ],
    "avg_pool": [
        case(floats(2, 5, 4, 2), 2, 1, "same", reference=avg2),
        case(floats(6, 5, 3), [3, 2], 2, "valid", reference=avg2),
        case(floats(1, 4, 4, 1), 2, 2, 1, reference=avg2),
        case(floats(1, 5, 5, 1), 3, 2, "same", reference=avg2),
        raises(ValueError, floats(4, 4), 2, 2, "same"),
        raises(TypeError, ints(1, 4, 4, 1), 2, 2, "valid"),
    ],
    "max_pool3d": [
        case(distinct(1, 3, 4, 3, 2), 2, 1, "same", reference=max3),
        case(distinct(4, 3, 4, 1), [2, 1, 3], [2, 1, 1], "valid", reference=max3),
        case(distinct(1, 2, 3, 3, 3), 2, 1, "valid", None, "NCDHW", reference=lambda x, f, s, p, *_: np.moveaxis(max3(np.moveaxis(x, 1, -1), f, s, p), -1, 1)),
        case(ints(1, 3, 3, 3, 1), 2, 1, "valid", reference=max3, order=0),
        case(distinct(3, 2, 1, 2), 3, 2, 0, "round", reference=lambda *_: np.zeros((1, 0, 0, 2))),
        raises(ValueError, floats(3, 3, 3), 2, 1, "same"),
    ],
    "avg_pool3d": [
        case(floats(1, 3, 4, 3, 2), 2, 1, "same", reference=avg3),
        case(floats(4, 3, 4, 1), [2, 1, 3], [2, 1, 1], "valid", reference=avg3),
        case(floats(1, 3, 3, 2, 1), 2, 2, 1, reference=avg3),
        raises(TypeError, ints(1, 3, 3, 3, 1), 2, 1, "valid"),
    ],
    "pool": [
        case(distinct(1, 5, 6, 2), 2, "max", "same", 1, 2, reference=batched(_pool, 2)),
        case(floats(5, 6, 2), [2, 3], "avg", "valid", reference=batched(_pool, 2)),
        case(distinct(1, 6, 6, 1), 2, "max", 0, [2, 3], reference=batched(_pool, 2)),
        case(floats(1, 5, 5, 1), 3, "avg", "same", 2, reference=lambda x, f, k, p, g: _pool(np.pad(x, ((0, 0), (2, 2), (2, 2), (0, 0))), f, k, "valid", g)),
        raises(ValueError, floats(1, 4, 4, 1), 2, "min", "same"),
        raises(ValueError, floats(1, 4, 4, 1), 2, "max", "same", 2, 2),
        raises(ValueError, floats(1, 4, 4, 1), 2, "max", "same", 2, 1, "floor"),
    ],
    "max_pool_with_argmax": [
        case(distinct(2, 4, 5, 2), 2, 2, "same"),
        case(distinct(4, 5, 2), [2, 3], 1, "valid"),
        case(distinct(2, 3, 3, 1), 2, 1, "same", True),
        case(np.ones((1, 2, 2, 1), np.float32), 1, 2, 1, reference=lambda x, *_: [np.float32([[[[-np.inf]] * 2, [[-np.inf], [1]]]]), np.int32([[[[-1], [-1]], [[-1], [3]]]])], order=0),
        raises(ValueError, floats(4, 4), 2, 2, "same"),
    ],
    "batch_norm": [
        case(floats(3, 2), floats(2), positive(2), reference=_norm),
        case(floats(2, 3, 2), floats(2), positive(2), floats(2), floats(2), 0.1, reference=_norm),
        case(floats(2, 3), floats(2, 3), positive(2, 3), None, floats(2, 3), reference=_norm),
        case(floats(2, 3, 2), floats(2, 1, 1), positive(2, 1, 1), floats(1, 3, 1), reference=_norm),
        case(floats(1, 2, 1, 2, 3), floats(3), positive(3), reference=_norm),
        case(ints(2, 3), floats(3), positive(3), reference=_norm),
        raises(ValueError, floats(3, 2), floats(2), positive(1, 2)),
        raises(ValueError, floats(3, 2), floats(3), positive(3)),
        raises(ValueError, floats(3, 2), floats(2), positive(2), floats(3, 2)),
    ],
    "batch_norm2d": [
        case(floats(3, 2), floats(2), positive(2), floats(2), floats(2), reference=_norm),
        raises(ValueError, floats(2, 3, 2), floats(2), positive(2)),
    ],
    "batch_norm3d": [
        case(floats(2, 2, 2), floats(2, 2, 2), positive(2, 2, 2), reference=_norm),
        raises(ValueError, floats(2, 2), floats(2), positive(2)),
    ],
    "batch_norm4d": [
        case(floats(1, 2, 2, 2), floats(2), positive(2), None, floats(2), reference=_norm),
        raises(ValueError, floats(1, 2, 2, 2), floats(2, 2), positive(2, 2)),
    ],
    "local_response_normalization": [
        case(floats(1, 2, 1, 5), reference=_lrn),
        case(floats(2, 1, 6), 1, 1.5, 0.7, 0.8, reference=_lrn),
        case(floats(1, 1, 2, 3), 0, 1, 0.5, 0.5, reference=_lrn),
        case(np.array([[[np.nan, 1.0, 2.0, -1.0]]]), 1, reference=_lrn, order=0),
        raises(ValueError, floats(2, 3)),
        raises(ValueError, floats(1, 1, 1, 3), 1.5),
        raises(ValueError, floats(1, 1, 1, 3), -1),
    ],
    "basic_lstm_cell": [
        case(floats(), floats(5, 8), floats(8), floats(2, 3), floats(2, 2), floats(2, 2), reference=_lstm),
        raises(ValueError, floats(), floats(5, 9), floats(8), floats(2, 3), floats(2, 2), floats(2, 2)),
        raises(ValueError, floats(), floats(5, 8), floats(4), floats(2, 3), floats(2, 2), floats(2, 2)),
        raises(ValueError, floats(), floats(5, 8), floats(8), floats(3, 3), floats(2, 2), floats(2, 2)),
        raises(ValueError, floats(), floats(5, 8), floats(8), floats(3), floats(2, 2), floats(2, 2)),
    ],
}  # fmt: skip
