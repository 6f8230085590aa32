"""3 x 3 convolutions with less than half of the multiplications: Winograd's minimal filtering F(2 x 2, 3 x 3).

A tile of 4 x 4 elements gives 2 x 2 results by 16 products, where each result by itself takes 9. With the transforms B
of tiles, G of filters and A of results, one for each axis, these are y = Aᵀ [(G w Gᵀ) ∘ (Bᵀ x B)] A, and the products
over all channels are 16 matrix products (Lavin and Gray 2016, Fast algorithms for convolutional neural networks). The
filter's gradient is Gᵀ [(Bᵀ x B) ∘ (A dy Aᵀ)] G. Sums take the place of the products that are saved: few channels gain
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.windows import blocks, padded
from tfpy.engine.windows import Window

_LEAST = 64  # channels, and filters
_TILES = 128  # for fewer, it takes longer to transform the filters
_BYTES = 1 << 21  # of a block of tiles and products


def tiled(window: Window, batch: int, channels: int, filters: int) -> Window | None:
    """The window of tiles for a convolution that is faster with them; None for any other."""
    if (window.size, window.strides, window.dilations) != ((3, 3), (1, 1), (1, 1)) or min(channels, filters) < _LEAST:
        return None
    out = tuple([-(-n // 2) for n in window.out])
    tiles = math.prod(out)
    if batch * tiles < _TILES or 16 * tiles > 5 * math.prod(window.out):  # a quarter more results than needed
        return None
    return window._replace(size=(4, 4), strides=(2, 2), out=out)


def turned(window: Window, sizes: Sequence[int]) -> Window:
    """The convolution of the output's gradient, with the filters turned round, that gives the input's."""
    pads = tuple([(2 - before, 2 - after) for before, after in window.pads])
    return window._replace(pads=pads, out=tuple(sizes))


def convolved(y: Array, x: Array, filter: Array, tiles: Window) -> Iterator[Array]:
    """Fill y with the convolution, and give it line by line: blocks (lines, places · filters), fresh in the cache."""
    weights = _of_filter(filter)
    width, filters = y.shape[-2:]
    for at, first, last, block in _blocks(x, tiles, filters):
        products = np.matmul(block, weights)
        target = y[at, 2 * first : 2 * last]
        shape = (len(target), last - first, 2, tiles.out[1], 2, filters)
        if target.size == math.prod(shape):
            _results(products, target.reshape(shape))
        else:  # the last tiles reach beyond
            whole = np.empty(shape, y.dtype)
            _results(products, whole)
            target[...] = whole.reshape(len(target), -1, shape[3] * 2, filters)[:, : target.shape[1], :width]
        yield target.reshape(-1, width * filters)


def filter_gradient(x: Array, dy: Array, tiles: Window) -> Array:
    """The gradient of the filter."""
    channels, filters = x.shape[-1], dy.shape[-1]
    total = np.zeros((16, channels, filters), dy.dtype)
    for at, first, last, block in _blocks(x, tiles, filters):
        own = dy[at, 2 * first : 2 * last]
        shape = (len(own), last - first, 2, tiles.out[1], 2, filters)
        if own.size < math.prod(shape):
            whole = np.zeros((len(own), shape[1] * 2, shape[3] * 2, filters), dy.dtype)
            whole[:, : own.shape[1], : own.shape[2]] = own
            own = whole
        total += np.matmul(block.swapaxes(1, 2), _of_results(own.reshape(shape)))
    return _to_filter(total)


def _blocks(x: Array, tiles: Window, filters: int) -> Iterator[tuple[slice, int, int, Array]]:
    """Which of the batch, from which to which line of tiles, and these tiles, transformed: (16, tiles, channels)."""
    array, extent = padded(x, tiles)
    (top, left), columns = extent.start, tiles.out[1]
    for at, *rows in blocks(len(x), tiles.out, 16 * (x.shape[-1] + filters) * x.itemsize, _BYTES):
        first, last = (rows[0].start, min(rows[0].stop, tiles.out[0])) if rows else (0, tiles.out[0])
        part = array[at, top + 2 * first : top + 2 * last + 2, left : left + 2 * columns + 2]
        across = _sums_of_tile([part[:, :, k : k + 2 * columns : 2] for k in range(4)])
        down = _sums_of_tile([across[:, :, k : k + 2 * (last - first) : 2] for k in range(4)])
        yield at, first, last, down.reshape(16, -1, x.shape[-1])


def _sums_of_tile(d: Sequence[Array]) -> Array:
    """Bᵀ along one axis."""
    out = np.empty((4, *d[0].shape), d[0].dtype)
    np.subtract(d[0], d[2], out=out[0])
    np.add(d[1], d[2], out=out[1])
    np.subtract(d[2], d[1], out=out[2])
    np.subtract(d[1], d[3], out=out[3])
    return out


def _of_filter(filter: Array) -> Array:
    """G w Gᵀ: (16, channels, filters)."""
    across = _sums_of_filter([filter[:, k] for k in range(3)])
    down = _sums_of_filter([across[:, k] for k in range(3)])
    return down.reshape(16, *filter.shape[2:])


def _sums_of_filter(w: Sequence[Array]) -> Array:
    outer = w[0] + w[2]
    return np.stack([w[0], (outer + w[1]) / 2, (outer - w[1]) / 2, w[2]])


def _to_filter(products: Array) -> Array:
    """Gᵀ u G: (3, 3, channels, filters)."""
    u = products.reshape(4, 4, *products.shape[1:])
    down = _sums_to_filter([u[k] for k in range(4)])
    across = _sums_to_filter([down[:, k] for k in range(4)])
    return np.ascontiguousarray(across.swapaxes(0, 1))


def _sums_to_filter(u: Sequence[Array]) -> Array:
    inner = (u[1] + u[2]) / 2
    return np.stack([u[0] + inner, (u[1] - u[2]) / 2, inner + u[3]])


def _results(products: Array, y: Array) -> None:
    """Aᵀ m A, put into y: (batch, tiles down, 2, tiles across, 2, filters)."""
    batch, rows, _, columns, _, filters = y.shape
    m = products.reshape(4, 4, batch, rows, columns, filters)
    down = np.empty((2, *m.shape[1:]), m.dtype)
    _sums_of_results(m, down[0], down[1])
    for i in range(2):
        _sums_of_results(down[i], y[:, :, i, :, 0], y[:, :, i, :, 1])


def _sums_of_results(m: Array, first: Array, second: Array) -> None:
    inner = np.add(m[1], m[2])
    np.add(inner, m[0], out=first)
    np.subtract(m[1], m[2], out=inner)
    np.subtract(inner, m[3], out=second)


def _of_results(y: Array) -> Array:
    """A y Aᵀ: (16, tiles, filters)."""
    across = _spread(y[:, :, :, :, 0], y[:, :, :, :, 1])
    down = _spread(across[:, :, :, 0], across[:, :, :, 1])
    return down.reshape(16, -1, y.shape[-1])


def _spread(first: Array, second: Array) -> Array:
    out = np.empty((4, *first.shape), first.dtype)
    out[0] = first
    np.add(first, second, out=out[1])
    np.subtract(first, second, out=out[2])
    np.negative(second, out=out[3])
    return out
