"""Rows of image kernels. Images are (batch, height, width, channels); sizes are (height, width)."""

from __future__ import annotations

from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Shape, Spec, spec

Size = tuple[int, int]


def _of_size(images: Handle, size: Size) -> Spec:
    batch, _, _, channels = images.spec.shape
    return spec((batch, *size, channels), images.spec.dtype)


def _resized(images: Handle, *, size: Size, align_corners: bool, half_pixel_centers: bool) -> Spec:
    return _of_size(images, size)


# The size of a gradient is that of the images that were resized to dy's size.
for _name, _label in (("ResizeBilinear", "resize_bilinear"), ("ResizeNearestNeighbor", "resize_nearest_neighbor")):
    kernel(_name, "images", _resized, attrs="size align_corners half_pixel_centers", label=_label)
    kernel(f"{_name}Grad", "dy", _resized, attrs="size align_corners half_pixel_centers")


def _crops(
    image: Handle, boxes: Handle, box_ind: Handle, *, crop_size: Size, method: str, extrapolation_value: float
) -> Spec:
    return spec((boxes.spec.shape[0], *crop_size, image.spec.shape[3]), image.spec.dtype)


def _crops_to_image(dy: Handle, boxes: Handle, box_ind: Handle, *, image_shape: Shape, method: str) -> Spec:
    return spec(image_shape, dy.spec.dtype)


def _crops_to_boxes(dy: Handle, image: Handle, boxes: Handle, box_ind: Handle, *, method: str) -> Spec:
    return boxes.spec


kernel(
    "CropAndResize",
    "image boxes box_ind",
    _crops,
    attrs="crop_size method extrapolation_value",
    label="crop_and_resize",
)
kernel(
    "CropAndResizeGradImage",
    "dy boxes box_ind",
    _crops_to_image,
    attrs="image_shape method",
    label="crop_and_resize (gradient of the image)",
)
kernel(
    "CropAndResizeGradBoxes",
    "dy image boxes box_ind",
    _crops_to_boxes,
    attrs="method",
    label="crop_and_resize (gradient of boxes)",
)


def _transformed(
    image: Handle, transforms: Handle, *, interpolation: str, fill_mode: str, fill_value: float, output_shape: Size
) -> Spec:
    return _of_size(image, output_shape)


kernel("Transform", "image transforms", _transformed, attrs="interpolation fill_mode fill_value output_shape")
