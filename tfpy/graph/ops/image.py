"""Images and boxes in them."""

from __future__ import annotations

from typing import Any

from tfpy.graph.mappers import Call, maps


def _resizes(name: str, core: str) -> None:
    maps(name, core)(
        lambda call, resize: resize(
            call.tensor(0), call.sizes(1), call.attrs.flag("align_corners"), call.attrs.flag("half_pixel_centers")
        )
    )


_resizes("ResizeBilinear", "image.resize_bilinear")
_resizes("ResizeNearestNeighbor", "image.resize_nearest_neighbor")


@maps("CropAndResize", "image.crop_and_resize")
def _crop_and_resize(call: Call, crop_and_resize: Any) -> Any:
    method, outside = call.attrs.text("method", "bilinear").lower(), call.attrs.number("extrapolation_value")
    return crop_and_resize(call.tensor(0), call.tensor(1), call.tensor(2), call.sizes(3), method, outside)


@maps("ImageProjectiveTransformV3", "image.transform")
def _transform(call: Call, transform: Any) -> Any:
    interpolation, mode = (call.attrs.text(name).lower() for name in ("interpolation", "fill_mode"))
    return transform(call.tensor(0), call.tensor(1), interpolation, mode, call.number(3), call.sizes(2))


@maps("NonMaxSuppressionV2", "image.non_max_suppression")
def _non_max_suppression_v2(call: Call, suppress: Any) -> Any:
    return suppress(call.tensor(0), call.tensor(1), call.number(2), call.number(3))


@maps("NonMaxSuppressionV3", "image.non_max_suppression")
def _non_max_suppression_v3(call: Call, suppress: Any) -> Any:
    return suppress(call.tensor(0), call.tensor(1), call.number(2), call.number(3), call.number(4))


@maps("NonMaxSuppressionV4", "image.non_max_suppression_padded", "selected_indices valid_outputs")
def _non_max_suppression_v4(call: Call, suppress: Any) -> Any:
    padded = call.attrs.flag("pad_to_max_output_size")
    return list(suppress(call.tensor(0), call.tensor(1), call.number(2), call.number(3), call.number(4), padded))


@maps("NonMaxSuppressionV5", "image.non_max_suppression_with_score", "selected_indices selected_scores valid_outputs")
def _non_max_suppression_v5(call: Call, suppress: Any) -> Any:
    numbers = [call.number(i) for i in range(2, 6)]
    return list(suppress(call.tensor(0), call.tensor(1), *numbers))
