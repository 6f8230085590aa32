"""Arrays as matrices of long rows, processed in blocks that stay in the cache, on all cores.

numpy's inner loops run along rows: with a few elements in each, such as an image's channels, they are many times
slower. So neighboring rows are combined. The blocks, and sums over them, do not depend on the number of cores.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.threads import run_sharded, spans_in_turns
from tfpy.engine.spec import Shape

_BLOCK_ELEMENTS = 1 << 18
_SHARD_ELEMENTS = 1 << 20
_LINE_ELEMENTS = 8192
_FEW_CHANNELS = 64


def as_lines(x: Array, channels: int) -> Array:
    """x as long rows, (lines, places · channels)."""
    together = _rows_in_line(x.size // channels, channels)
    return np.ascontiguousarray(x).reshape(-1, together * channels)


@functools.lru_cache(maxsize=4096)
def _rows_in_line(rows: int, width: int) -> int:
    """How many neighboring rows make a long one, so that they divide evenly."""
    most = max(1, min(rows, _LINE_ELEMENTS // width))
    return max(n for n in range(1, most + 1) if rows % n == 0)


def along_line(values: Array, places: int) -> Array:
    """Values (…, channels) repeated for each position of a line, (…, places · channels)."""
    repeated = np.repeat(values[..., None, :], places, axis=-2)
    return repeated.reshape(*values.shape[:-1], places * values.shape[-1])


def widened(values: Array, shape: Shape) -> Array:
    """A short vector of one number for each channel, repeated for each position of a line.

    It broadcasts to the shape as before, but numpy's inner loops run over lines, which is several times faster.
    """
    if values.ndim != 1 or len(shape) < 3 or values.size != shape[-1] or values.size > _FEW_CHANNELS:
        return values
    return np.repeat(values[None], shape[-2], axis=0)


def block_count(rows: Array, block_elements: int = _BLOCK_ELEMENTS) -> int:
    """How many blocks a matrix is split into."""
    return -(-len(rows) // _step(rows, block_elements))


def each_block(
    rows: Array,
    work: Callable[[int, slice], None],
    block_elements: int = _BLOCK_ELEMENTS,
    shard_elements: int = _SHARD_ELEMENTS,
) -> None:
    """Call work(number, part) for each block of a matrix, `rows[part]`.

    Args:
        rows: the matrix.
        work: processes a block.
        block_elements: the size of a block. The defaults of this and the next suit lines.
        shard_elements: how many elements make another core worthwhile.
    """
    step = _step(rows, block_elements)

    def shard(a: int, b: int) -> None:
        for number in range(a, b):
            work(number, slice(number * step, min(len(rows), (number + 1) * step)))

    count = block_count(rows, block_elements)
    if count == 1:
        work(0, slice(0, len(rows)))
    else:
        run_sharded(shard, spans_in_turns(count, rows.size, shard_elements))


def _step(rows: Array, block_elements: int) -> int:
    """How many rows are in a block."""
    return max(1, block_elements // max(1, rows.shape[1]))
