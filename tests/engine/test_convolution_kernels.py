"""numpy's convolutions and their gradients, compared with sums computed position by position and cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tolerance import DOUBLE

from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window, slide

Index = tuple[Any, ...]

PADS = ["same", "valid", 1, ((3, 0), (0, 4)), ((-1, 0), (0, -1))]
SIZES = [(3, 3), (2, 3), (1, 1)]
STEPS = [(1, 1), (2, (1, 2)), ((2, 1), 1), (1, 2), ((1, 2), (2, 1))]  # strides, dilations


def _meetings(window: Window, sizes: Shape) -> Iterator[tuple[Index, Index, Index]]:
    """Indices of a place, of a cell, and of the element of the input that they meet in."""
    for place in np.ndindex(*window.out):
        for at in np.ndindex(*window.size):
            steps = zip(place, window.strides, at, window.dilations, window.pads, sizes, strict=True)
            met = [(p * s + c * d - before, size) for p, s, c, d, (before, _), size in steps]
            if all(0 <= i < size for i, size in met):
                yield (slice(None), *place), at, (slice(None), *[i for i, _ in met])


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape)


@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize(("strides", "dilations"), STEPS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("kernel", "filters"), [("DepthwiseConv2dNative", (3, 2)), ("Conv2D", (5, 4))])
def test_as_cell_by_cell(kernel: str, filters: Shape, size: Shape, strides: Any, dilations: Any, pad: Any) -> None:
    window = slide("op", (5, 7), size, strides, pad, dilations)
    x, w = _random(2, 5, 7, filters[0]), _random(*size, *filters)
    product = "bi,im->bim" if kernel.startswith("Depth") else "bi,im->bm"
    y = KERNELS[kernel](x, w, window=window)
    dy = _random(*y.shape)
    expected, dw, dx = np.zeros_like(y), np.zeros_like(w), np.zeros_like(x)
    kept = (3, 2) if kernel.startswith("Depth") else (4,)
    for place, at, met in _meetings(window, (5, 7)):
        expected[place] += np.einsum(product, x[met], w[at]).reshape(2, -1)
        slope = dy[place].reshape(2, *kept)
        into, rest = product.split("->")[0].split(","), product.split("->")[1]
        dw[at] += np.einsum(f"{into[0]},{rest}->{into[1]}", x[met], slope)
        dx[met] += np.einsum(f"{rest},{into[1]}->{into[0]}", slope, w[at])
    np.testing.assert_allclose(y, expected, atol=DOUBLE)
    np.testing.assert_allclose(KERNELS[f"{kernel}BackpropFilter"](x, dy, window=window), dw, atol=DOUBLE)
    found = KERNELS[f"{kernel}BackpropInput"](dy, w, window=window, input_shape=x.shape)
    np.testing.assert_allclose(found, dx, atol=DOUBLE)


@pytest.mark.parametrize("kernel", ["DepthwiseConv2dNative", "Conv2D"])
def test_a_filter_that_is_not_finite_does_not_reach_beyond_its_cells(kernel: str) -> None:
    """The gradient of the input, where products with the zeros around it would make NaN of what lies at the border."""
    window = slide("op", (4, 4), (3, 3), 1, "same")
    w = np.ones((3, 3, 4, 1 if kernel.startswith("Depth") else 4))
    w[0, 0] = np.inf
    dy = np.ones((1, 4, 4, 4))
    dx = KERNELS[f"{kernel}BackpropInput"](dy, w, window=window, input_shape=(1, 4, 4, 4))
    assert not np.isnan(dx).any()
    assert np.isfinite(dx[0, 3]).all()
