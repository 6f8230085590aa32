"""Rows of the convolution and pooling layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.references import Array, channels_first, conv, conv_transpose, depthwise, pool
from layers.table import Row, row

SEQUENCE, IMAGE, VOLUME = (2, 7, 3), (2, 6, 5, 3), (2, 4, 5, 3, 2)


def separable(x: Array, d: Array, p: Array, b: Array = 0.0, **steps: Any) -> Array:
    return conv(depthwise(x, d, **steps), p, b)


def causal(x: Array, k: Array, b: Array = 0.0, dilation: int = 1, **steps: Any) -> Array:
    return conv(np.pad(x, ((0, 0), ((len(k) - 1) * dilation, 0), (0, 0))), k, b, dilation=dilation, **steps)


def pooling(factory: str, shape: tuple[int, ...], reduce: Any) -> list[Row]:
    n = len(shape) - 2
    small = [2] * n
    return [
        row(factory, {}, shape, reference=lambda x: pool(x, small, reduce)),
        row(factory, {"pool_size": [3, 2, 2][:n], "strides": 1, "padding": "same"}, shape,
            reference=lambda x: pool(x, [3, 2, 2][:n], reduce, 1, "same")),
        row(factory, {"pool_size": 2, "strides": [2, 1, 1][:n], "data_format": "channelsFirst"}, shape,
            reference=channels_first(lambda x: pool(x, small, reduce, [2, 1, 1][:n]))),
    ]  # fmt: skip


def global_pooling(factory: str, shape: tuple[int, ...], reduce: Any) -> list[Row]:
    axes = tuple(range(1, len(shape) - 1))
    channels_first_axes = tuple(axis + 1 for axis in axes)
    return [
        row(factory, {}, shape, reference=lambda x: reduce(x, axis=axes)),
        row(factory, {"data_format": "channelsFirst"}, shape, reference=lambda x: reduce(x, axis=channels_first_axes)),
        row(factory, {"keepdims": True}, shape, reference=lambda x: reduce(x, axis=axes, keepdims=True)),
    ]


CONVOLUTIONS: list[Row] = [
    row("conv1d", {"filters": 4, "kernel_size": 3}, SEQUENCE, weights=[(3, 3, 4), (4,)], reference=conv),
    row("conv1d", {"filters": 4, "kernel_size": [2], "strides": 2, "padding": "same", "use_bias": False}, SEQUENCE,
        weights=[(2, 3, 4)], reference=lambda x, k: conv(x, k, strides=2, padding="same")),
    row("conv1d", {"filters": 4, "kernel_size": 2, "dilation_rate": 2, "padding": "causal", "activation": "tanh"}, SEQUENCE,
        weights=[(2, 3, 4), (4,)], reference=lambda *a: np.tanh(causal(*a, dilation=2))),
    row("conv1d", {"filters": 4, "kernel_size": 3, "strides": 2, "padding": "causal"}, SEQUENCE, weights=[(3, 3, 4), (4,)],
        reference=lambda *a: causal(*a, strides=2)),
    row("conv2d", {"filters": 4, "kernel_size": 3}, IMAGE, weights=[(3, 3, 3, 4), (4,)], reference=conv),
    row("conv2d", {"filters": 4, "kernel_size": [3, 2], "strides": [2, 1], "padding": "same", "activation": "relu"}, IMAGE,
        weights=[(3, 2, 3, 4), (4,)], reference=lambda *a: np.maximum(conv(*a, strides=[2, 1], padding="same"), 0)),
    row("conv2d", {"filters": 4, "kernel_size": 2, "dilation_rate": 2, "use_bias": False, "activation": "softplus"}, IMAGE,
        weights=[(2, 2, 3, 4)], reference=lambda x, k: np.log1p(np.exp(conv(x, k, dilation=2)))),
    row("conv2d", {"filters": 4, "kernel_size": 2, "data_format": "channelsFirst"}, (2, 3, 6, 5),
        weights=[(2, 2, 3, 4), (4,)], reference=channels_first(conv)),
    row("conv2d", {"filters": 2, "kernel_size": 2, "kernel_regularizer": "l2", "bias_constraint": "nonNeg"}, IMAGE,
        weights=[(2, 2, 3, 2), (2,)], positive=[1], reference=conv),
    row("conv3d", {"filters": 3, "kernel_size": 2}, VOLUME, weights=[(2, 2, 2, 2, 3), (3,)], reference=conv),
    row("conv3d", {"filters": 3, "kernel_size": [2, 3, 2], "strides": 2, "padding": "same", "activation": "sigmoid"}, VOLUME,
        weights=[(2, 3, 2, 2, 3), (3,)], reference=lambda *a: 1 / (1 + np.exp(-conv(*a, strides=2, padding="same")))),
    row("conv2d_transpose", {"filters": 2, "kernel_size": 3}, (2, 3, 2, 3), weights=[(3, 3, 2, 3), (2,)],
        reference=conv_transpose),
    row("conv2d_transpose", {"filters": 2, "kernel_size": [3, 4], "strides": 2, "padding": "same"}, (2, 3, 2, 3),
        weights=[(3, 4, 2, 3), (2,)], reference=lambda *a: conv_transpose(*a, strides=2, padding="same")),
    row("conv2d_transpose", {"filters": 2, "kernel_size": 2, "strides": [2, 3], "data_format": "channelsFirst"}, (2, 3, 2, 3),
        weights=[(2, 2, 2, 3), (2,)], reference=channels_first(lambda *a: conv_transpose(*a, strides=[2, 3]))),
    row("conv3d_transpose", {"filters": 2, "kernel_size": 2, "strides": 2}, (2, 2, 3, 2, 3),
        weights=[(2, 2, 2, 2, 3), (2,)], reference=lambda *a: conv_transpose(*a, strides=2)),
    row("conv3d_transpose", {"filters": 2, "kernel_size": 3, "padding": "same", "use_bias": False}, (2, 2, 3, 2, 3),
        weights=[(3, 3, 3, 2, 3)], reference=lambda *a: conv_transpose(*a, padding="same")),
    row("depthwise_conv2d", {"kernel_size": 2, "depth_multiplier": 2}, IMAGE, weights=[(2, 2, 3, 2), (6,)],
        reference=lambda x, k, b: depthwise(x, k) + b),
    row("depthwise_conv2d", {"kernel_size": 3, "strides": 2, "padding": "same", "use_bias": False}, IMAGE,
        weights=[(3, 3, 3, 1)], reference=lambda x, k: depthwise(x, k, strides=2, padding="same")),
    row("depthwise_conv1d", {"kernel_size": 3, "depth_multiplier": 2, "strides": 2}, SEQUENCE,
        weights=[(3, 3, 2), (6,)], reference=lambda x, k, b: depthwise(x, k, strides=2) + b),
    row("separable_conv2d", {"filters": 4, "kernel_size": 2, "depth_multiplier": 2}, IMAGE,
        weights=[(2, 2, 3, 2), (1, 1, 6, 4), (4,)], reference=separable),
    row("separable_conv2d", {"filters": 4, "kernel_size": 3, "padding": "same", "strides": 2, "use_bias": False}, IMAGE,
        weights=[(3, 3, 3, 1), (1, 1, 3, 4)], reference=lambda *a: separable(*a, padding="same", strides=2)),
    row("separable_conv1d", {"filters": 4, "kernel_size": 2, "padding": "same", "activation": "tanh"}, SEQUENCE,
        weights=[(2, 3, 1), (1, 3, 4), (4,)], reference=lambda *a: np.tanh(separable(*a, padding="same"))),
    row("separable_conv1d", {"filters": 4, "kernel_size": 2, "padding": "causal"}, SEQUENCE,
        weights=[(2, 3, 1), (1, 3, 4), (4,)],
        reference=lambda x, *w: separable(np.pad(x, ((0, 0), (1, 0), (0, 0))), *w)),
]  # fmt: skip

ROWS: list[Row] = [
    *CONVOLUTIONS,
    *(
        row
        for n, shape in ((1, SEQUENCE), (2, IMAGE), (3, (2, 4, 5, 4, 3)))
        for kind, reduce, over in (("max", np.nanmax, np.max), ("average", np.nanmean, np.mean))
        for row in (
            *pooling(f"{kind}_pooling{n}d", shape, reduce),
            *global_pooling(f"global_{kind}_pooling{n}d", shape, over),
        )
    ),
]
