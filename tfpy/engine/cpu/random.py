"""numpy kernel of random numbers that are a function of a key and their position, reproducible on any device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_split, spans_in_turns

_FACTOR, _SUMMAND = np.uint32(1664525), np.uint32(1013904223)
_PIECE_ELEMENTS = 1 << 15
_SHARD_ELEMENTS = 1 << 18


def _uniform(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Numbers of 24 bits in [0, 1): pcg3d (Jarzynski & Olano 2020, Hash Functions for GPU Rendering) of position, key.

    It yields three numbers, one for each third of the result, at the same position.
    """
    count = math.prod(shape)
    third = -(-count // 3)
    out = np.empty((3, third), dtype)
    words = key.view(np.uint32) * _FACTOR + _SUMMAND
    first, second = words[:1], words[1:]  # arrays, since numpy warns when scalars overflow

    def work(start: int, end: int) -> None:
        for begin in range(start, end, _PIECE_ELEMENTS):
            piece = slice(begin, min(begin + _PIECE_ELEMENTS, end))
            for part, found in zip(out[:, piece], _pcg3d(piece, first, second), strict=True):
                found >>= 8
                part[...] = found.view(np.int32)  # which numpy converts faster than unsigned ones
                part *= 2.0**-24

    run_split(work, spans_in_turns(third, count, _SHARD_ELEMENTS))
    return out.reshape(-1)[:count].reshape(shape)


def _pcg3d(places: slice, first: Array, second: Array) -> tuple[Array, Array, Array]:
    x = np.arange(places.start, places.stop, dtype=np.uint32)
    x *= _FACTOR
    x += _SUMMAND + first * second
    y = x * second
    y += first
    z = x * y
    z += second
    spare = np.empty_like(x)
    for v in (x, y, z):
        v ^= np.right_shift(v, 16, out=spare)
    x += np.multiply(y, z, out=spare)
    y += np.multiply(z, x, out=spare)
    z += np.multiply(x, y, out=spare)
    return x, y, z


KERNELS["RandomUniform"] = _uniform
