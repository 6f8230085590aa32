"""Checks of input values, for kernels of all backends; on the GPU only values that the host has are checked."""

from __future__ import annotations

import math

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.spec import Shape


def check_indices(indices: Array, shape: Shape, axis: int) -> None:
    """Raise ValueError if a gather index is out of range."""
    # Negative numbers viewed as unsigned are large: one comparison instead of two.
    if indices.size and np.maximum.reduce(indices.view(np.uint32), None) >= shape[axis]:
        wrong = indices[(indices < 0) | (indices >= shape[axis])].flat[0]
        raise ValueError(
            f"gather: argument 'indices' must be from 0 to {shape[axis] - 1}, for axis {axis} of shape "
            f"{list(shape)}, but got {wrong}."
        )


def check_nd_indices(op: str, indices: Array, shape: Shape) -> None:
    """Raise ValueError if an index into the first axes of a shape is out of range."""
    depth = indices.shape[-1]
    rows = indices.reshape(math.prod(indices.shape[:-1]), depth)
    outside = ((rows < 0) | (rows >= np.array(shape[:depth], np.int64))).any(axis=1)
    if outside.any():
        wrong = rows[outside][0].tolist()
        raise ValueError(f"{op}: argument 'indices' must point into shape {list(shape)}, but got {wrong}.")


def check_counted(x: Array) -> None:
    """Raise ValueError if a number to count is negative."""
    if x.size and x.min() < 0:
        raise ValueError(f"dense_bincount: argument 'x' must be of numbers of 0 or more, but got {x.min()}.")


def check_images(box_ind: Array) -> None:
    """Raise ValueError if an image index is negative."""
    if box_ind.size and box_ind.min() < 0:
        raise ValueError(f"crop_and_resize: argument 'box_ind' must be 0 or more, but got {box_ind.min()}.")
