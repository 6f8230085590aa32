"""numpy kernels that crop boxes from images and resize them. Positions are computed in double, as in TF.js."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.javascript_numbers import round_half_up
from tfpy.engine.spec import Shape
from tfpy.engine.value_checks import check_images

Size = tuple[int, int]


class _Samples(NamedTuple):
    """The positions of the elements of each crop in its image, along one dimension; arrays (boxes, crop size).

    Attributes:
        first: the element at or before the position. second: the element at or after it.
        fraction: the position between the first and the second.
        inside: whether the position is in the image.
        slopes: the derivatives of the position with respect to the box's first and second edge.
    """

    first: Array
    second: Array
    fraction: Array
    inside: Array
    slopes: tuple[Array, Array]


def _samples(low: Array, high: Array, size: int, count: int, method: str) -> _Samples:
    low, high = low.astype(np.float64)[:, None], high.astype(np.float64)[:, None]
    steps = np.arange(count)
    if count > 1:
        at = low * (size - 1) + steps * ((high - low) * (size - 1) / (count - 1))
        slopes = (size - 1) * (1 - steps / (count - 1)), (size - 1) * steps / (count - 1)
    else:
        at = 0.5 * (low + high) * (size - 1) + np.zeros(count)
        slopes = np.full(count, 0.5 * (size - 1)), np.full(count, 0.5 * (size - 1))
    inside = (at >= 0) & (at <= size - 1)
    at = np.where(inside, at, 0)
    if method == "nearest":
        at = round_half_up(at)
    first, second = np.floor(at), np.ceil(at)
    return _Samples(first.astype(np.intp), second.astype(np.intp), at - first, inside, slopes)


class _Grid:
    """The samples of all crops in both dimensions."""

    def __init__(self, boxes: Array, box_ind: Array, image_shape: Shape, crop_size: Size, method: str) -> None:
        batch, height, width, _ = image_shape
        check_images(box_ind)
        self.known = box_ind < batch
        self.image = np.where(self.known, box_ind, 0)[:, None, None]
        self.y = _samples(boxes[:, 0], boxes[:, 2], height, crop_size[0], method)
        self.x = _samples(boxes[:, 1], boxes[:, 3], width, crop_size[1], method)
        self.inside = (self.y.inside[:, :, None] & self.x.inside[:, None, :])[..., None]

    def corner(self, image: Array, below: bool, right: bool) -> Array:
        """The elements at one corner of each sample: (boxes, height, width, channels); 0 if there are no images."""
        if 0 in image.shape[:3]:
            image = np.zeros((*[max(1, n) for n in image.shape[:3]], image.shape[3]), image.dtype)
        return image[self.index(below, right)]

    def index(self, below: bool, right: bool) -> tuple[Array, Array, Array]:
        y = self.y.second if below else self.y.first
        x = self.x.second if right else self.x.first
        return self.image, y[:, :, None], x[:, None, :]

    def fractions(self, image: Array) -> tuple[Array, Array]:
        return (
            self.y.fraction[:, :, None, None].astype(image.dtype),
            self.x.fraction[:, None, :, None].astype(image.dtype),
        )


def _crop(
    image: Array, boxes: Array, box_ind: Array, crop_size: Size, method: str, extrapolation_value: float
) -> Array:
    """A box of a nonexistent image yields zeros, as in TF.js."""
    grid = _Grid(boxes, box_ind, image.shape, crop_size, method)
    out = grid.corner(image, False, False)
    if method == "bilinear":
        fy, fx = grid.fractions(image)
        out = out + (grid.corner(image, False, True) - out) * fx
        below = grid.corner(image, True, False)
        below = below + (grid.corner(image, True, True) - below) * fx
        out = out + (below - out) * fy
    out = np.where(grid.inside, out, np.asarray(extrapolation_value, image.dtype))
    out[~grid.known] = 0
    return out


def _crop_to_image(dy: Array, boxes: Array, box_ind: Array, image_shape: Shape, method: str) -> Array:
    grid = _Grid(boxes, box_ind, image_shape, (dy.shape[1], dy.shape[2]), method)
    dy = np.where(grid.inside & grid.known[:, None, None, None], dy, 0)
    batch, height, width, channels = image_shape
    fy, fx = grid.fractions(dy)
    total = np.zeros((batch * height * width, channels), dy.dtype)
    for below in (False, True):
        for right in (False, True):
            weight = (fy if below else 1 - fy) * (fx if right else 1 - fx)
            images, rows, columns = grid.index(below, right)
            ids = np.broadcast_to((images * height + rows) * width + columns, dy.shape[:3])
            total += KERNELS["UnsortedSegmentSum"](dy * weight, ids, num_segments=len(total))
            if method == "nearest":
                return total.reshape(image_shape)
    return total.reshape(image_shape)


def _crop_to_boxes(dy: Array, image: Array, boxes: Array, box_ind: Array, method: str) -> Array:
    """By the chain rule: from the samples to their positions, and from these to the edges of the boxes."""
    if method == "nearest":
        return np.zeros_like(boxes)
    grid = _Grid(boxes, box_ind, image.shape, (dy.shape[1], dy.shape[2]), method)
    dy = np.where(grid.inside & grid.known[:, None, None, None], dy, 0)
    fy, fx = grid.fractions(image)
    above, above_right = grid.corner(image, False, False), grid.corner(image, False, True)
    below, below_right = grid.corner(image, True, False), grid.corner(image, True, True)
    down = (below - above) * (1 - fx) + (below_right - above_right) * fx
    right = (above_right - above) * (1 - fy) + (below_right - below) * fy
    by_row, by_column = (dy * down).sum((2, 3)), (dy * right).sum((1, 3))
    edges = [by_row @ grid.y.slopes[0], by_column @ grid.x.slopes[0]]
    edges += [by_row @ grid.y.slopes[1], by_column @ grid.x.slopes[1]]
    return np.stack(edges, axis=1).astype(boxes.dtype)


KERNELS.update(
    {
        "CropAndResize": _crop,
        "CropAndResizeGradBoxes": _crop_to_boxes,
        "CropAndResizeGradImage": _crop_to_image,
    }
)
