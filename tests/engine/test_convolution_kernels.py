"""The numpy convolution kernels and their gradients, compared with explicit loops over positions and cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tolerance import DOUBLE

from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window, sliding_window

Index = tuple[Any, ...]

PADS = ["same", "valid", 1, ((3, 0), (0, 4)), ((-1, 0), (0, -1))]
SIZES = [(3, 3), (2, 3), (1, 1)]
STEPS = [(1, 1), (2, (1, 2)), ((2, 1), 1), (1, 2), ((1, 2), (2, 1))]  # strides, dilations


def _visited_elements(window: Window, sizes: Shape) -> Iterator[tuple[Index, Index, Index]]:
    """The indices of each output position, each filter cell, and the input element that they combine."""
    for place in np.ndindex(*window.out):
        for cell in np.ndindex(*window.size):
            steps = zip(place, window.strides, cell, window.dilations, window.pads, sizes, strict=True)
            element = [(p * s + c * d - before, size) for p, s, c, d, (before, _), size in steps]
            if all(0 <= i < size for i, size in element):
                yield (slice(None), *place), cell, (slice(None), *[i for i, _ in element])


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape)


@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize(("strides", "dilations"), STEPS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("kernel", "filters"), [("DepthwiseConv2dNative", (3, 2)), ("Conv2D", (5, 4))])
def test_kernels_match_explicit_loops(
    kernel: str, filters: Shape, size: Shape, strides: Any, dilations: Any, pad: Any
) -> None:
    window = sliding_window("op", (5, 7), size, strides, pad, dilations)
    x, w = _random(2, 5, 7, filters[0]), _random(*size, *filters)
    product = "bi,im->bim" if kernel.startswith("Depth") else "bi,im->bm"
    y = KERNELS[kernel](x, w, window=window)
    dy = _random(*y.shape)
    expected, dw, dx = np.zeros_like(y), np.zeros_like(w), np.zeros_like(x)
    kept = (3, 2) if kernel.startswith("Depth") else (4,)
    for place, cell, element in _visited_elements(window, (5, 7)):
        expected[place] += np.einsum(product, x[element], w[cell]).reshape(2, -1)
        slope = dy[place].reshape(2, *kept)
        into, rest = product.split("->")[0].split(","), product.split("->")[1]
        dw[cell] += np.einsum(f"{into[0]},{rest}->{into[1]}", x[element], slope)
        dx[element] += np.einsum(f"{rest},{into[1]}->{into[0]}", slope, w[cell])
    np.testing.assert_allclose(y, expected, atol=DOUBLE)
    np.testing.assert_allclose(KERNELS[f"{kernel}BackpropFilter"](x, dy, window=window), dw, atol=DOUBLE)
    found = KERNELS[f"{kernel}BackpropInput"](dy, w, window=window, input_shape=x.shape)
    np.testing.assert_allclose(found, dx, atol=DOUBLE)


@pytest.mark.parametrize("kernel", ["DepthwiseConv2dNative", "Conv2D"])
def test_nonfinite_filter_does_not_spread_in_input_gradient(kernel: str) -> None:
    """Products with padding zeros must not make the gradient at the border NaN."""
    window = sliding_window("op", (4, 4), (3, 3), 1, "same")
    w = np.ones((3, 3, 4, 1 if kernel.startswith("Depth") else 4))
    w[0, 0] = np.inf
    dy = np.ones((1, 4, 4, 4))
    dx = KERNELS[f"{kernel}BackpropInput"](dy, w, window=window, input_shape=(1, 4, 4, 4))
    assert not np.isnan(dx).any()
    assert np.isfinite(dx[0, 3]).all()
