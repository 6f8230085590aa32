"""Resizing images: forward, as fused gathers and blends; backward, as products with small matrices.

The positions of new rows and columns among the old ones are computed on the host, once for each pair of sizes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, fuse, view
from tfpy.engine.gl.matmul import Sizes, product
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.trace import Expression
from tfpy.engine.gl.value import Value, constant
from tfpy.engine.resizing import bilinear_interpolation, nearest_interpolation
from tfpy.engine.spec import Spec, spec

Values = tuple[Value, ...]
Interpolation = tuple[int, int, bool, bool]  # old size, new size, align_corners, half_pixel_centers

_BLEND = Expression("({1} - {0}) * {2} + {0}", "float32")


def _taken(device: Device, x: Value, axis: int, places: Value) -> Value:
    """Slices along an axis."""
    shape = x.spec.shape
    out = spec((*shape[:axis], places.spec.size, *shape[axis + 1 :]), x.spec.dtype)
    taken: Value = KERNELS["GatherV2"](device, (x, places), {"axis": axis, "batch_dims": 0}, out)
    return taken


def _lines(images: Value, attrs: Attrs) -> list[tuple[int, Interpolation]]:
    rest = attrs["align_corners"], attrs["half_pixel_centers"]
    return [(axis, (images.spec.shape[axis], attrs["size"][axis - 1], *rest)) for axis in (2, 1)]


def _nearest(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x = values[0]
    if out.dtype not in ("float32", "int32") or not x.spec.size:
        return None
    for axis, line in _lines(x, attrs):
        places = constant(device, ("nearest", line), "int32", partial(nearest_interpolation, *line))
        x = _taken(device, x, axis, places)
    return x


def _bilinear(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x = values[0]
    if out.dtype != "float32" or not x.spec.size:
        return None
    for axis, line in _lines(x, attrs):
        first, second, fraction = _between(device, line)
        a, b = _taken(device, x, axis, first), _taken(device, x, axis, second)
        shape = a.spec.shape
        along = maps.strided(shape, tuple([int(i == axis) for i in range(4)]))
        x = fuse(device, a.spec, _BLEND, (a, b, fraction), (None, None, along))
    return x


def _between(device: Device, line: Interpolation) -> tuple[Value, Value, Value]:
    """The two old elements that each new one lies between, and its distance from the first."""
    return (
        constant(device, ("first", line), "int32", lambda: bilinear_interpolation(*line).first),
        constant(device, ("second", line), "int32", lambda: bilinear_interpolation(*line).second),
        constant(device, ("fraction", line), "float32", lambda: bilinear_interpolation(*line).fraction),
    )


def _nearest_matrix(line: Interpolation) -> Array:
    """The matrix that computes the new elements (rows) from the old ones (columns)."""
    matrix = np.zeros((line[1], line[0]))
    matrix[np.arange(line[1]), nearest_interpolation(*line)] = 1
    return matrix


def _bilinear_matrix(line: Interpolation) -> Array:
    matrix = np.zeros((line[1], line[0]))
    first, second, fraction = bilinear_interpolation(*line)
    np.add.at(matrix, (np.arange(line[1]), first), 1 - fraction)
    np.add.at(matrix, (np.arange(line[1]), second), fraction)
    return matrix


def _backward(name: str, matrix_of: Any) -> Any:
    """dy times the transposed matrix of each dimension."""

    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        dy = values[0]
        if out.dtype != "float32" or not dy.spec.size or not out.size:
            return None
        batch, height, width, channels = dy.spec.shape
        rest = attrs["align_corners"], attrs["half_pixel_centers"]
        old_height, old_width = attrs["size"]
        lines = (old_height, height, *rest), (old_width, width, *rest)
        down, across = (constant(device, (name, line), "float32", partial(matrix_of, line)) for line in lines)
        rows = Sizes(batch, old_height, width * channels, height, 0, height * width * channels)
        part = spec((batch, old_height, width * channels), "float32")
        dy = defer(device, part, product(rows, True, False), (down, dy), leaves=3)
        columns = Sizes(batch * old_height, old_width, channels, width, 0, width * channels)
        whole = spec((batch * old_height, old_width, channels), "float32")
        return view(device, out, defer(device, whole, product(columns, True, False), (across, dy), leaves=3), None)

    return build


KERNELS.update(
    {
        "ResizeBilinear": _bilinear,
        "ResizeBilinearGrad": _backward("bilinear matrix", _bilinear_matrix),
        "ResizeNearestNeighbor": _nearest,
        "ResizeNearestNeighborGrad": _backward("nearest matrix", _nearest_matrix),
    }
)
