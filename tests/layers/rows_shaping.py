"""Rows of the reshaping, cropping, padding, upsampling and preprocessing layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.references import Array, channels_first
from layers.table import Row, row

IMAGE, VOLUME = (2, 5, 6, 3), (2, 4, 5, 3, 2)


def upsampled(x: Array, *times: int) -> Array:
    for axis, n in enumerate(times, 1):
        x = np.repeat(x, n, axis)
    return x


def encoded(x: Array, n: int, binary: bool = False) -> Array:
    y = np.stack([np.bincount(sample.astype(int), minlength=n) for sample in x])
    return np.minimum(y, 1) if binary else y


def padded(*margins: tuple[int, int]) -> Any:
    return lambda x: np.pad(x, ((0, 0), *margins, (0, 0)))


ROWS: list[Row] = [
    row("reshape", {"target_shape": [4, 3]}, (2, 3, 4), reference=lambda x: x.reshape(2, 4, 3)),
    row("permute", {"dims": [2, 1]}, (2, 3, 4), reference=lambda x: x.transpose(0, 2, 1)),
    row("permute", {"dims": [3, 1, 2]}, IMAGE, reference=lambda x: x.transpose(0, 3, 1, 2)),
    row("cropping1d", {}, (2, 5, 3), reference=lambda x: x[:, 1:-1]),
    row("cropping1d", {"cropping": [0, 2]}, (2, 5, 3), reference=lambda x: x[:, :-2]),
    row("cropping2d", {"cropping": 1}, IMAGE, reference=lambda x: x[:, 1:-1, 1:-1]),
    row("cropping2d", {"cropping": [[1, 0], [2, 1]]}, IMAGE, reference=lambda x: x[:, 1:, 2:-1]),
    row("cropping2d", {"cropping": [1, 2], "data_format": "channelsFirst"}, (2, 3, 5, 6),
        reference=lambda x: x[:, :, 1:-1, 2:-2]),
    row("cropping3d", {"cropping": [[1, 0], [2, 1], [0, 0]]}, VOLUME, reference=lambda x: x[:, 1:, 2:-1]),
    row("zero_padding1d", {"padding": [2, 1]}, (2, 5, 3), reference=padded((2, 1))),
    row("zero_padding2d", {}, IMAGE, reference=padded((1, 1), (1, 1))),
    row("zero_padding2d", {"padding": [[0, 1], [2, 3]], "data_format": "channelsFirst"}, IMAGE,
        reference=channels_first(padded((0, 1), (2, 3)))),
    row("zero_padding3d", {"padding": [1, 0, 2]}, VOLUME, reference=padded((1, 1), (0, 0), (2, 2))),
    row("up_sampling1d", {"size": 3}, (2, 5, 3), reference=lambda x: upsampled(x, 3)),
    row("up_sampling2d", {}, IMAGE, reference=lambda x: upsampled(x, 2, 2)),
    row("up_sampling2d", {"size": [3, 1], "data_format": "channelsFirst"}, IMAGE, reference=channels_first(lambda x: upsampled(x, 3, 1))),
    row("up_sampling2d", {"size": [1, 2], "interpolation": "bilinear"}, (2, 2, 2, 1),
        reference=lambda x: np.stack([x[:, :, 0], x.mean(2), x[:, :, 1], x[:, :, 1]], 2)),
    row("up_sampling3d", {"size": [2, 1, 3]}, VOLUME, reference=lambda x: upsampled(x, 2, 1, 3)),
    row("rescaling", {"scale": 0.5}, (2, 3), reference=lambda x: 0.5 * x),
    row("rescaling", {"scale": 2, "offset": -1}, IMAGE, reference=lambda x: 2 * x - 1),
    row("resizing", {"height": 3, "width": 11}, IMAGE,
        reference=lambda x: np.stack([x[:, ::2, j // 2] if j % 2 == 0 else (x[:, ::2, j // 2] + x[:, ::2, j // 2 + 1]) / 2
                                      for j in range(11)], 2)),
    row("resizing", {"height": 10, "width": 6, "interpolation": "nearest", "crop_to_aspect_ratio": True}, IMAGE,
        reference=lambda x: upsampled(x, 2)),
    row("center_crop", {"height": 3, "width": 2}, IMAGE, reference=lambda x: x[:, 1:4, 2:4], differentiable=False),
    row("category_encoding", {"num_tokens": 5}, (3, 4), integers=5, differentiable=False,
        reference=lambda x: encoded(x, 5, binary=True)),
    row("category_encoding", {"num_tokens": 5, "output_mode": "count"}, (3, 4), integers=5, differentiable=False,
        reference=lambda x: encoded(x, 5)),
    row("category_encoding", {"num_tokens": 5, "output_mode": "oneHot"}, (3, 1), integers=5, differentiable=False,
        reference=lambda x: np.eye(5)[x[:, 0].astype(int)]),
]  # fmt: skip
