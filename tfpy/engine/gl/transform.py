"""Projective transformations of images. Positions are computed in double precision, as in TF.js."""

from __future__ import annotations

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, float_bits
from tfpy.engine.spec import Spec

SIZE, HEIGHT, WIDTH, CHANNELS, HIGH, WIDE, EACH = (word(i) for i in range(7))
FILL = word(7, "float32")

_MODES = {
    "constant": "",
    "nearest": "at = clamp(at, 0.0lf, last);",
    "reflect": """if (at < 0.0lf || at > last) {
    double period = 2.0lf * double(size);
    if (size <= 1u) at = 0.0lf;
    else if (at < 0.0lf) {
      at = period * trunc(-at / period) + at;
      at = at < -double(size) ? at + period : -at - 1.0lf;
    } else {
      at = at - period * trunc(at / period);
      if (at >= double(size)) at = period - at - 1.0lf;
    }
    at = clamp(at, 0.0lf, last);
  }""",
    "wrap": """if (at < 0.0lf || at > last) {
    if (size <= 1u) at = 0.0lf;
    else if (at < 0.0lf) at = at + double(size) * (trunc(-at / last) + 1.0lf);
    else at = at - double(size) * trunc(at / last);
    at = clamp(at, 0.0lf, last);
  }""",
}

_METHODS = {
    "nearest": "result[i] = pixel(floor(y + 0.5lf), floor(x + 0.5lf));",
    "bilinear": """double y0 = floor(y), x0 = floor(x);
  precise float fy = float(y - y0), fx = float(x - x0);
  precise float above = (1. - fx) * pixel(y0, x0) + fx * pixel(y0, x0 + 1.0lf);
  precise float below = (1. - fx) * pixel(y0 + 1.0lf, x0) + fx * pixel(y0 + 1.0lf, x0 + 1.0lf);
  precise float found = (1. - fy) * above + fy * below;
  result[i] = found;""",
}


class _Transform:
    """The task: each element is read from the position that its own is mapped to."""

    takes_epilogue = False

    def __init__(self, interpolation: str, fill_mode: str, fill_value: float) -> None:
        self.interpolation, self.fill_mode, self.fill_value = interpolation, fill_mode, fill_value

    def run(self, device: Device, value: Value) -> Lease:
        image, transforms = value.inputs
        key = ("transform", self.interpolation, self.fill_mode)
        program = device.programs.get(key, _source, self.interpolation, self.fill_mode)
        lease = device.room(value)
        each = 8 if transforms.spec.shape[0] > 1 else 0
        shape = value.spec.shape
        words = (value.spec.size, *image.spec.shape[1:], *shape[1:3], each, float_bits(self.fill_value))
        reads = [ensure(device, v).buffer for v in (image, transforms)]
        device.dispatch(program, reads, [lease.buffer], words, -(-value.spec.size // GROUP))
        return lease


def _source(interpolation: str, fill_mode: str) -> str:
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(8)}
layout(std430, binding = 0) readonly buffer A {{ float pixels[]; }};
layout(std430, binding = 1) readonly buffer T {{ float t[]; }};
layout(std430, binding = 2) writeonly buffer C {{ float result[]; }};
uint first;
float pixel(double row, double column) {{
  bool inside = row >= 0.0lf && row < double({HEIGHT}) && column >= 0.0lf && column < double({WIDTH});
  return inside ? pixels[first + (uint(row) * {WIDTH} + uint(column)) * {CHANNELS}] : {FILL};
}}
double mapped(double at, uint size) {{
  double last = double(size) - 1.0lf;
  {_MODES[fill_mode]}
  return at;
}}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {SIZE}) return;
  uint channel = i % {CHANNELS}, column = i / {CHANNELS} % {WIDE}, row = i / ({CHANNELS} * {WIDE}) % {HIGH};
  uint image = i / ({CHANNELS} * {WIDE} * {HIGH}), k = image * {EACH};
  first = image * {HEIGHT} * {WIDTH} * {CHANNELS} + channel;
  precise double c = double(column), r = double(row), p = double(t[k + 6u]) * c + double(t[k + 7u]) * r + 1.0lf;
  if (p == 0.0lf) {{ result[i] = {FILL}; return; }}
  precise double x = (double(t[k]) * c + double(t[k + 1u]) * r + double(t[k + 2u])) / p;
  precise double y = (double(t[k + 3u]) * c + double(t[k + 4u]) * r + double(t[k + 5u])) / p;
  x = mapped(x, {WIDTH}); y = mapped(y, {HEIGHT});
  {_METHODS[interpolation]}
}}
"""


def _transform(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    if any(v.spec.dtype != "float32" or not v.spec.size for v in values):
        return None
    return defer(device, out, _Transform(attrs["interpolation"], attrs["fill_mode"], attrs["fill_value"]), values)


KERNELS["Transform"] = _transform
