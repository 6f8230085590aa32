"""Ops on images and boxes."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.image import crop_and_resize, transform
from tfpy.core.ops.resize import resize_bilinear, resize_nearest_neighbor
from tfpy.core.ops.suppression import non_max_suppression, non_max_suppression_padded, non_max_suppression_with_score
from tfpy.graph.mappers import Call, Op, maps


def _resizes(name: str, resize: Op) -> None:
    maps(name)(
        lambda call: resize(
            call.tensor(0), call.sizes(1), call.attrs.flag("align_corners"), call.attrs.flag("half_pixel_centers")
        )
    )


_resizes("ResizeBilinear", resize_bilinear)
_resizes("ResizeNearestNeighbor", resize_nearest_neighbor)


@maps("CropAndResize")
def _crop_and_resize(call: Call) -> Any:
    method, outside = call.attrs.text("method", "bilinear").lower(), call.attrs.number("extrapolation_value")
    return crop_and_resize(call.tensor(0), call.tensor(1), call.tensor(2), call.sizes(3), method, outside)


@maps("ImageProjectiveTransformV3")
def _transform(call: Call) -> Any:
    interpolation, mode = (call.attrs.text(name).lower() for name in ("interpolation", "fill_mode"))
    return transform(call.tensor(0), call.tensor(1), interpolation, mode, call.number(3), call.sizes(2))


@maps("NonMaxSuppressionV2")
def _non_max_suppression_v2(call: Call) -> Any:
    return non_max_suppression(call.tensor(0), call.tensor(1), call.number(2), call.number(3))


@maps("NonMaxSuppressionV3")
def _non_max_suppression_v3(call: Call) -> Any:
    return non_max_suppression(call.tensor(0), call.tensor(1), call.number(2), call.number(3), call.number(4))


@maps("NonMaxSuppressionV4", outputs="selected_indices valid_outputs")
def _non_max_suppression_v4(call: Call) -> Any:
    padded = call.attrs.flag("pad_to_max_output_size")
    return list(
        non_max_suppression_padded(
            call.tensor(0), call.tensor(1), call.number(2), call.number(3), call.number(4), padded
        )
    )


@maps("NonMaxSuppressionV5", outputs="selected_indices selected_scores valid_outputs")
def _non_max_suppression_v5(call: Call) -> Any:
    numbers = [call.number(i) for i in range(2, 6)]
    return list(non_max_suppression_with_score(call.tensor(0), call.tensor(1), *numbers))
