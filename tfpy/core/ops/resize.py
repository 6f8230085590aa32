"""Resizing images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike
from tfpy.core.ops.common import as_float
from tfpy.core.ops.spatial import Restore, to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(chain=True, namespace="image", doc="Operations / Images")
def resize_bilinear(
    images: TensorLike, size: Sequence[int], align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images by bilinear interpolation.

    Args:
        images: a tensor (batch, height, width, channels), or without the batch axis.
        size: the new height and width.
        align_corners: whether the centers of the corner pixels stay where they are.
        half_pixel_centers: whether positions refer to pixel centers; not together with align_corners.

    Returns:
        A float32 tensor of the new size.

    Raises:
        ValueError: a wrong rank, an invalid size, or both flags. TypeError: strings.

    Source: TF.js `tf.image.resizeBilinear`. The gradient follows half_pixel_centers, too, beyond TF.js.
    """
    t, restore, attrs = _arguments("resize_bilinear", images, size, align_corners, half_pixel_centers)
    return restore(run("ResizeBilinear", as_float(t), **attrs))


@op(chain=True, namespace="image", doc="Operations / Images")
def resize_nearest_neighbor(
    images: TensorLike, size: Sequence[int], align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images, using for each position the pixel that it lies in, or with align_corners the nearest one.

    Args:
        images: a float32 or int32 tensor (batch, height, width, channels), or without the batch axis.
        size: the new height and width.
        align_corners: whether the centers of the corner pixels stay where they are.
        half_pixel_centers: whether positions refer to pixel centers; not together with align_corners.

    Returns:
        A tensor of the new size and the same dtype.

    Raises:
        ValueError: a wrong rank, an invalid size, or both flags. TypeError: a wrong dtype.

    Source: TF.js `tf.image.resizeNearestNeighbor`. The gradient follows half_pixel_centers, too, beyond TF.js.
    """
    name = "resize_nearest_neighbor"
    t, restore, attrs = _arguments(name, images, size, align_corners, half_pixel_centers)
    if t.dtype not in ("float32", "int32"):
        raise argument_error(name, "images", "a float32 or int32 tensor", t, TypeError)
    return restore(run("ResizeNearestNeighbor", t, **attrs))


def _arguments(
    name: str, images: TensorLike, size: Sequence[int], align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor, Restore, dict[str, Any]]:
    t, restore = to_channels_last_batch(name, "images", images, 2, kind="numeric")
    sizes = as_shape(name, size, "size")
    if len(sizes) != 2:
        raise argument_error(name, "size", "a height and a width", size)
    if align_corners and half_pixel_centers:
        raise argument_error(name, "half_pixel_centers", "false when align_corners is true", half_pixel_centers)
    if 0 in t.shape[1:3] and 0 not in sizes:
        raise argument_error(name, "images", "images with pixels", t)
    flags = {"align_corners": bool(align_corners), "half_pixel_centers": bool(half_pixel_centers)}
    return t, restore, {"size": sizes, **flags}


def _resized_by(kernel: str, name: str) -> Any:
    """The rule that resizes dy to the size of the input with a kernel and the same flags."""
    return lambda dy, n: run(kernel, dy, **{**n.attrs, "size": n.shape(name)[1:3]})


for _kernel in ("ResizeBilinear", "ResizeNearestNeighbor"):
    gradient(_kernel, images=_resized_by(f"{_kernel}Grad", "images"))
    gradient(f"{_kernel}Grad", dy=_resized_by(_kernel, "dy"))
