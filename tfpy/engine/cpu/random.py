"""numpy kernel of random numbers that are a function of a key and their position, reproducible on any device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_split, spans_in_turns

_FACTOR, _SUMMAND, _MASK = 1664525, 1013904223, 2**32 - 1
_PIECE_ELEMENTS = 1 << 15
_SHARD_ELEMENTS = 1 << 18


def _uniform(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Numbers of 24 bits in [0, 1): pcg3d (Jarzynski & Olano 2020, Hash Functions for GPU Rendering) of position, key.

    It yields three numbers, one for each third of the result, at the same position.
    """
    count = math.prod(shape)
    third = -(-count // 3)
    out = np.empty((3, third), dtype)
    first, second = [(word * _FACTOR + _SUMMAND) & _MASK for word in key.tolist()]

    def work(start: int, end: int) -> None:
        for begin in range(start, end, _PIECE_ELEMENTS):
            piece = slice(begin, min(begin + _PIECE_ELEMENTS, end))
            words = _pcg3d(piece, first, second)
            words >>= 8
            part = out[:, piece]
            part[...] = words.view(np.int32)  # which numpy converts faster than unsigned integers
            part *= 2.0**-24

    run_split(work, [(0, third)] if count < _SHARD_ELEMENTS else spans_in_turns(third, count, _SHARD_ELEMENTS))
    return out.reshape(-1)[:count].reshape(shape)


def _pcg3d(places: slice, first: int, second: int) -> Array:
    """Three words for each place, (3, places), of it and two more words that the generator's first step was done on."""
    words = np.empty((3, places.stop - places.start), np.uint32)
    x, y, z = words
    np.multiply(np.arange(places.start, places.stop, dtype=np.uint32), _FACTOR, out=x)
    x += (_SUMMAND + first * second) & _MASK
    np.multiply(x, second, out=y)
    y += first
    np.multiply(x, y, out=z)
    z += second
    words ^= words >> 16
    x += y * z
    y += z * x
    z += x * y
    return words


KERNELS["RandomUniform"] = _uniform
