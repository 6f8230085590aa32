"""The geometry of convolution and pooling: how a window slides over the inner dimensions of a tensor.

Everything here is a pure function of sizes, for any number of inner dimensions (TF.js `computeConv2DInfo`,
`computePool2DInfo`, `computeConv3DInfo` and similar functions combined).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy.engine.arguments import array_as_list, as_int
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import MAX_SIZE, Shape

Pads = tuple[tuple[int, int], ...]

ROUNDING_MODES = ("floor", "round", "ceil")


class Window(NamedTuple):
    """A window and its positions on the input; each field has an entry for each inner dimension.

    Attributes:
        size: the number of its cells.
        strides: the distance from one position of the window to the next.
        dilations: the distance between its cells.
        pads: how much the input is extended before and after. Negative: cropped by this much.
        out: the number of positions. If the last ones reach beyond the padded input, there is padding, too.
    """

    size: Shape
    strides: Shape
    dilations: Shape
    pads: Pads
    out: Shape

    @property
    def reach(self) -> Shape:
        """The number of input elements from the first to the last cell."""
        return tuple([reach(k, d) for k, d in zip(self.size, self.dilations, strict=True)])

    @property
    def covered(self) -> Shape:
        """The number of elements of the padded input from the first to the last cell of all positions."""
        return tuple([(o - 1) * s + r if o else 0 for o, s, r in zip(self.out, self.strides, self.reach, strict=True)])

    @property
    def cells(self) -> int:
        """The number of cells."""
        return math.prod(self.size)

    @property
    def is_identity(self) -> bool:
        """Whether it is one cell that visits each element of the input once, in order."""
        return self.cells == 1 and set(self.strides) <= {1} and not any(p for pair in self.pads for p in pair)

    def lies_inside(self, sizes: Sequence[int]) -> bool:
        """Whether all positions lie within an input of these sizes, without padding."""
        return not any(map(any, self.pads)) and all(c <= n for c, n in zip(self.covered, sizes, strict=True))

    def along_rows(self, rows: int, start: int, stop: int) -> tuple[Window, slice]:
        """The window at positions from start to stop along the first dimension, and the input rows that it covers.

        It is a window over only these rows; `rows` is the number of rows of the input.
        """
        (before, after), *others = self.pads
        first = start * self.strides[0] - before
        low = min(max(0, first), rows)
        high = min(max(low, first + (stop - start - 1) * self.strides[0] + self.reach[0]), rows)
        part = self._replace(pads=((low - first, after), *others), out=(stop - start, *self.out[1:]))
        return part, slice(low, high)

    def flipped(self, sizes: Sequence[int]) -> Window:
        """The window that computes the gradient of an input of these inner sizes from the output's, for strides of 1.

        It is a convolution with the cells in reverse order, with a position for each element of the input.
        """
        pads = [(r - 1 - before, r - 1 - after) for r, (before, after) in zip(self.reach, self.pads, strict=True)]
        return self._replace(pads=tuple(pads), out=tuple(sizes))

    def trimmed(self, sizes: Sequence[int]) -> Window:
        """Without the outer cells that lie outside of an input of these inner sizes at all positions; one is kept."""
        ends = []
        for k, s, d, (before, after), o, m in zip(
            self.size, self.strides, self.dilations, self.pads, self.out, sizes, strict=True
        ):
            first = min(max(0, -(((o - 1) * s - before) // d)), k - 1) if o else 0
            last = min(max(first, (m - 1 + before) // d), k - 1)
            ends.append((last - first + 1, (before - first * d, after - (k - 1 - last) * d)))
        return self._replace(size=tuple([k for k, _ in ends]), pads=tuple([pair for _, pair in ends]))


def reach(size: int, dilation: int) -> int:
    """The number of elements from the first to the last of `size` cells that lie `dilation` apart."""
    return (size - 1) * dilation + 1 if size else 0


def sliding_window(
    op: str,
    sizes: Sequence[int],
    size: Sequence[int],
    strides: Any,
    pad: Any,
    dilations: Any = 1,
    rounding: Any = None,
) -> Window:
    """The window of an op, with explicit padding and its number of positions.

    Args:
        op: the op's name, for errors.
        sizes: the inner sizes of the input, one to three.
        size: the size of the window.
        strides: one number for all dimensions, or one for each.
        pad: 'same' (one position per stride, with an odd extension at the end), 'valid' (no padding), a number
            for both ends of every dimension, or a pair (before, after) for each dimension.
        dilations: one number for all dimensions, or one for each.
        rounding: 'floor', 'round' or 'ceil', for a numeric pad with which the positions do not come out even;
            truncated when None.

    Raises:
        ValueError: an argument that is none of these, a stride or dilation below 1, a rounding together with 'same'
            or 'valid', or a window larger than the padded input. TypeError: no number where one is needed.

    Source: TF.js `conv_util`. As there, a pad given as one number counts the places in both of two dimensions with
    the window and stride of the first; truncated, a window that is larger than the padded input by less than two
    strides has no places; in three dimensions no larger one has, and 'same' leaves elements out where the stride is
    larger than the window.
    """
    try:
        return _sliding_window(op, sizes, size, strides, pad, dilations, rounding)
    except TypeError:  # an unhashable value, such as a list, or an invalid one
        given = op, *map(_hashable, (sizes, size, strides, pad, dilations)), rounding
    try:
        return _sliding_window(*given)
    except TypeError:
        return _sliding_window.__wrapped__(*given)


def _hashable(value: Any) -> Any:
    if type(value) in (list, tuple):
        return tuple([_hashable(v) for v in value])
    return _hashable(value.tolist()) if type(value) is np.ndarray else value


# A program uses few windows on few sizes, and counting positions takes longer than a small kernel.
@functools.lru_cache(maxsize=512, typed=True)
def _sliding_window(
    op: str, sizes: Shape, size: Shape, strides: Any, pad: Any, dilations: Any, rounding: str | None
) -> Window:
    n = len(sizes)
    steps = per_dimension(op, "strides", strides, n)
    gaps = per_dimension(op, "dilations", dilations, n)
    check_rounding(op, pad, rounding)
    spans = [reach(k, d) for k, d in zip(size, gaps, strict=True)]
    if isinstance(pad, str) and pad == "same":
        pads, out = _same(sizes, spans, steps)
    elif isinstance(pad, (str, bytes)):
        if pad != "valid":
            raise argument_error(op, "pad", "'same', 'valid', a number, or pairs of numbers", pad)
        pads = ((0, 0),) * n
        out = tuple([places(m - k, s) for m, k, s in zip(sizes, spans, steps, strict=True)])
    elif isinstance(pad, Sequence):
        pads = _pairs(op, pad, n)
        rest = [m - k + a + b for m, k, (a, b) in zip(sizes, spans, pads, strict=True)]
        out = tuple([places(r, s, rounding) for r, s in zip(rest, steps, strict=True)])
    else:
        pads = ((as_int(op, "pad", pad),) * 2,) * n
        out = _with_one_pad(sizes, spans, steps, pads[0][0], rounding)
    if n == 3:
        padded = [m + before + after for m, (before, after) in zip(sizes, pads, strict=True)]
        out = tuple([o if m >= k else 0 for o, m, k in zip(out, padded, spans, strict=True)])
    if min(out) < 0:
        expected = f"of inner sizes that the window, {[*spans]}, fits into with padding {[*pads]}"
        raise argument_error(op, "x", expected, [*sizes])
    return Window(tuple(size), steps, gaps, pads, out)


def per_dimension(op: str, argument: str, value: Any, n: int) -> Shape:
    """A number above 0 for each of n dimensions, given as one for all or as a list."""
    value = array_as_list(value)
    given = value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else [value] * n
    numbers = tuple([as_int(op, argument, v) for v in given])
    if len(numbers) != n or min(numbers) < 1 or max(numbers) > MAX_SIZE:
        expected = f"a number above 0, or one for each of {n} dimensions, up to {MAX_SIZE}"
        raise argument_error(op, argument, expected, value)
    return numbers


def check_rounding(op: str, pad: Any, rounding: Any) -> None:
    """Raise ValueError if there is no such rounding mode, or the pad leaves nothing to round."""
    if rounding is None:
        return
    if rounding not in ROUNDING_MODES:
        raise argument_error(op, "dim_rounding_mode", "'floor', 'round' or 'ceil'", rounding)
    if isinstance(pad, str):
        raise argument_error(op, "pad", f"given as numbers if dim_rounding_mode is {rounding!r}", pad)


def _same(sizes: Sequence[int], spans: Sequence[int], steps: Shape) -> tuple[Pads, Shape]:
    out = tuple([places(m - 1, s) for m, s in zip(sizes, steps, strict=True)])
    total = [(o - 1) * s + k - m for o, s, k, m in zip(out, steps, spans, sizes, strict=True)]
    if len(sizes) < 3:
        total = [max(0, t) for t in total]
    return tuple([(t // 2, t - t // 2) for t in total]), out


def _with_one_pad(sizes: Sequence[int], spans: list[int], steps: Shape, pad: int, rounding: str | None) -> Shape:
    if len(sizes) == 2:
        spans, steps = spans[:1] * 2, steps[:1] * 2
    rest = [m - k + 2 * pad for m, k in zip(sizes, spans, strict=True)]
    return tuple([places(r, s, rounding) for r, s in zip(rest, steps, strict=True)])


def places(rest: int, stride: int, rounding: str | None = "floor") -> int:
    """How many positions there are if the window can be moved by `rest` elements; below 0 if it does not fit."""
    if rounding == "round":
        return (2 * rest + stride) // (2 * stride) + 1
    if rounding == "ceil" or (rounding is None and rest + stride < 0):
        return -(-rest // stride) + 1
    return rest // stride + 1


def output_size(size: int | None, window: int, pad: str, stride: int, dilation: int = 1) -> int | None:
    """The number of positions of a window along a dimension, at most 0 if it does not fit; None for an unknown size.

    With a pad other than 'valid' there is one position per stride.
    """
    if size is None:
        return None
    return places(size - reach(window, dilation) if pad == "valid" else size - 1, stride)


def transposed_size(size: int | None, window: int, pad: str, stride: int) -> int | None:
    """The size along a dimension that a convolution with this window reduces to the given one."""
    if size is None:
        return None
    return size * stride + (max(window - stride, 0) if pad == "valid" else 0)


def _pairs(op: str, pad: Sequence[Any], n: int) -> Pads:
    pairs = tuple([tuple([as_int(op, "pad", v) for v in p]) if isinstance(p, Sequence) else () for p in pad])
    if len(pairs) != n or any(len(p) != 2 for p in pairs):
        raise argument_error(op, "pad", f"a pair (before, after) for each of {n} inner dimensions", pad)
    return tuple([(p[0], p[1]) for p in pairs])


@functools.lru_cache(maxsize=256)
def cell_counts(window: Window, sizes: Shape) -> Array:
    """How many cells lie on the input at each position."""
    total: Array = np.ones(())
    fields = zip(window.size, window.strides, window.dilations, window.pads, window.out, sizes, strict=True)
    for size, stride, dilation, (before, _), out, n in fields:
        at = np.arange(out)[:, None] * stride - before + np.arange(size) * dilation
        total = np.multiply.outer(total, ((at >= 0) & (at < n)).sum(1))
    return total


def divisor(sizes: Shape, window: Window, least: int, dtype: np.dtype[Any]) -> Array:
    """The counts of `cell_counts`, at least `least`: a single number if they are all equal."""
    counts = cell_counts(window, sizes)
    found: Array = np.maximum(counts, least).astype(dtype)
    same = counts.size and counts.min() == counts.max()
    return found.reshape(-1)[0] if same else found[..., None]
