"""Boxes cropped from images and resized. Positions are computed in double precision, as in TF.js."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.engine.gl import maps, templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure, fuse, is_on_host, read, view
from tfpy.engine.gl.matmul import TIMES
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.sort import SegmentSum
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, are_floats, float_bits
from tfpy.engine.spec import Shape, Spec, spec
from tfpy.engine.value_checks import check_images

Values = tuple[Value, ...]

_WORDS = 9  # crops, their height and width, channels; the images' number, height and width; nearest; outside's value
BOXES, HIGH, WIDE, CHANNELS, IMAGES, HEIGHT, WIDTH, NEAREST, OUTSIDE = (word(i) for i in range(_WORDS))

# Where element k of `count` lies between two edges of a box, in an image of that size.
_SAMPLE = f"""
struct Sample {{ int first, second; float fraction; bool inside; }};
Sample sampled(float from, float to, uint k, uint count, uint size) {{
  precise double last = double(size) - 1.0lf, low = double(from), high = double(to), at;
  if (count > 1u) at = low * last + double(k) * ((high - low) * last / (double(count) - 1.0lf));
  else at = 0.5lf * (low + high) * last;
  bool inside = at >= 0.0lf && at <= last;
  if (!inside) at = 0.0lf;
  if ({NEAREST} != 0u) at = floor(at + 0.5lf);
  double first = floor(at);
  return Sample(int(first), int(ceil(at)), float(at - first), inside);
}}
"""

# The crop's element that a thread has: box b, row y, column x, channel c; its samples in both directions.
_ELEMENT = f"""
  uint c = i % {CHANNELS}, x = i / {CHANNELS} % {WIDE}, y = i / ({CHANNELS} * {WIDE}) % {HIGH};
  uint b = i / ({CHANNELS} * {WIDE} * {HIGH});
  Sample down = sampled(boxes[4u * b], boxes[4u * b + 2u], y, {HIGH}, {HEIGHT});
  Sample across = sampled(boxes[4u * b + 1u], boxes[4u * b + 3u], x, {WIDE}, {WIDTH});
  uint image = uint(images[b]);
  bool known = image < {IMAGES}, inside = known && down.inside && across.inside;
  if (!known) image = 0u;
"""

_CORNER = f"pixels[((image * {HEIGHT} + uint({{0}})) * {WIDTH} + uint({{1}})) * {CHANNELS} + c]"
_CORNERS = "".join(
    f"  float {name} = {_CORNER.format(f'down.{row}', f'across.{column}')};\n"
    for name, row, column in (
        ("a", "first", "first"), ("b_", "first", "second"), ("c_", "second", "first"), ("d", "second", "second"),
    )
)  # fmt: skip

_CROP = f"""{_CORNERS}
  precise float above = a + (b_ - a) * across.fraction, below = c_ + (d - c_) * across.fraction;
  precise float found = above + (below - above) * down.fraction;
  result[i] = known ? (inside ? ({NEAREST} != 0u ? a : found) : uintBitsToFloat({OUTSIDE})) : 0.;
"""

# To which pixel each corner of a crop's element leads, and how much it counts; corner after corner.
_WEIGHTS = f"""
  uint count = {BOXES} * {HIGH} * {WIDE};
  for (uint k = 0u; k < 4u; k++) {{
    uint row = uint(k < 2u ? down.first : down.second), column = uint(k % 2u == 0u ? across.first : across.second);
    bool wanted = inside && (k == 0u || {NEAREST} == 0u);
    float tall = k < 2u ? 1. - down.fraction : down.fraction;
    precise float w = tall * (k % 2u == 0u ? 1. - across.fraction : across.fraction);
    ids[k * count + i] = wanted ? int((image * {HEIGHT} + row) * {WIDTH} + column) : -1;
    weights[k * count + i] = wanted ? ({NEAREST} != 0u ? 1. : w) : 0.;
  }}
"""

# How the element changes with each edge of its box, times its gradient; edge after edge.
_EDGES = f"""{_CORNERS}
  precise float by_row = dy[i] * ((c_ - a) * (1. - across.fraction) + (d - b_) * across.fraction);
  precise float by_column = dy[i] * ((b_ - a) * (1. - down.fraction) + (d - c_) * down.fraction);
  float tall = float({HEIGHT}) - 1., broad = float({WIDTH}) - 1.;
  float part_y = {HIGH} > 1u ? float(y) / (float({HIGH}) - 1.) : 0.5;
  float part_x = {WIDE} > 1u ? float(x) / (float({WIDE}) - 1.) : 0.5;
  uint count = {BOXES} * {HIGH} * {WIDE} * {CHANNELS};
  bool counts = inside && {NEAREST} == 0u;
  result[i] = counts ? by_row * tall * (1. - part_y) : 0.;
  result[count + i] = counts ? by_column * broad * (1. - part_x) : 0.;
  result[2u * count + i] = counts ? by_row * tall * part_y : 0.;
  result[3u * count + i] = counts ? by_column * broad * part_x : 0.;
"""


def _run(
    device: Device, body: str, reads: dict[str, Value], outs: Sequence[tuple[str, str, int]], image: Shape,
    crop: Shape, attrs: Attrs, channels: int,
) -> list[Lease]:  # fmt: skip
    """Run a shader on every element of the crops.

    Args:
        reads: the values that the body reads, by name.
        outs: (name, dtype, elements) of what it writes.
        image, crop: the shapes (…, height, width, channels).
    """

    def source() -> str:
        text = f"layout(local_size_x = {GROUP}) in;\n" + parameters(_WORDS)
        for binding, (name, value) in enumerate(reads.items()):
            text += templates.buffer(binding, name, value.spec.dtype, "readonly")
        for binding, (name, dtype, _) in enumerate(outs, len(reads)):
            text += templates.buffer(binding, name, dtype, "writeonly")
        return f"""{text}{_SAMPLE}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {BOXES} * {HIGH} * {WIDE} * {CHANNELS}) return;
{_ELEMENT}{body}}}
"""

    program = device.programs.get(("crop", body), source)
    leases = [device.take(4 * size) for _, _, size in outs]
    outside = float_bits(attrs.get("extrapolation_value", 0))
    words = (*crop[:3], channels, *image[:3], int(attrs["method"] == "nearest"), outside)
    groups = -(-crop[0] * crop[1] * crop[2] * channels // GROUP)
    buffers = [ensure(device, v).buffer for v in reads.values()]
    device.dispatch(program, buffers, [lease.buffer for lease in leases], words, groups)
    return leases


def _check(device: Device, box_ind: Value) -> None:
    """Image indices that the host has are checked; a nonexistent image yields zeros."""
    if is_on_host(box_ind):
        check_images(read(device, box_ind))


def _crop(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    image, boxes, box_ind = values
    if not are_floats(image, boxes) or box_ind.spec.dtype != "int32":
        return None
    _check(device, box_ind)
    reads = {"boxes": boxes, "images": box_ind, "pixels": image}
    outs = [("result", "float32", out.size)]
    lease = _run(device, _CROP, reads, outs, image.spec.shape, out.shape, attrs, image.spec.shape[-1])[0]
    return Value(out, lease=lease)


def _crop_to_image(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    dy, boxes, box_ind = values
    if not are_floats(dy, boxes) or box_ind.spec.dtype != "int32":
        return None
    _check(device, box_ind)
    pixels, channels = dy.spec.size // out.shape[-1], out.shape[-1]
    outs = [("ids", "int32", 4 * pixels), ("weights", "float32", 4 * pixels)]
    reads = {"boxes": boxes, "images": box_ind}
    found = _run(device, _WEIGHTS, reads, outs, out.shape, dy.spec.shape, attrs, 1)
    ids, weights = (Value(spec((4 * pixels,), dtype), lease=f) for f, (_, dtype, _) in zip(found, outs, strict=True))
    corners = spec((4, pixels, channels), "float32")
    where = maps.strided(corners.shape, (0, channels, 1)), maps.strided(corners.shape, (pixels, 1, 0))
    parts = fuse(device, corners, TIMES["float32"], (dy, weights), where)
    return defer(device, out, SegmentSum(out.size // channels), (parts, ids))


def _crop_to_boxes(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    dy, image, boxes, box_ind = values
    if not are_floats(dy, image, boxes) or box_ind.spec.dtype != "int32":
        return None
    _check(device, box_ind)
    reads = {"boxes": boxes, "images": box_ind, "pixels": image, "dy": dy}
    outs = [("result", "float32", 4 * dy.spec.size)]
    lease = _run(device, _EDGES, reads, outs, image.spec.shape, dy.spec.shape, attrs, image.spec.shape[-1])[0]
    count = dy.spec.shape[0]
    parts = Value(spec((4, count, dy.spec.size // count), "float32"), lease=lease)
    sums: Any = {"axes": (2,), "keep_dims": False}
    total = KERNELS["Sum"](device, (parts,), sums, spec((4, count), "float32"))
    return view(device, out, total, maps.transposed((4, count), (1, 0)))


KERNELS.update(
    {
        "CropAndResize": _crop,
        "CropAndResizeGradBoxes": _crop_to_boxes,
        "CropAndResizeGradImage": _crop_to_image,
    }
)
