"""Sorting: the largest elements of rows, and sums of rows by an id. A bitonic network (Batcher 1968) on pairs.

A pair is (key, position): keys are unsigned numbers in the wanted order, and the position makes every pair unique, so
that the result is that of a stable sort. Rows are padded to a power of two. Blocks are sorted in shared memory; passes
with larger distances exchange pairs in the buffer.
"""

from __future__ import annotations

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import BUFFER_GLSL, FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_BLOCK_PAIRS = 1024  # in shared memory
_LAST = "0xffffffffu"
PAIRS = "buffer PAIRS { uvec2 pairs[]; };\n"

# Keys of which the smallest is the largest element; NaN comes last, and -0 is 0.
_DESCENDING = {
    "float32": f"(m_isnan(x) ? {_LAST} : (x == 0. ? 0x7fffffffu : (floatBitsToInt(x) < 0 ? floatBitsToUint(x) : "
    "~(floatBitsToUint(x) | 0x80000000u))))",
    "int32": "~(uint(x) ^ 0x80000000u)",
    "bool": "1u - uint(x)",
}
SEGMENT = f"(uint(x) < {word(3)} ? uint(x) : {_LAST})"


def sorted_pairs(device: Device, source: Lease, dtype: str, rows: int, length: int, key: str, limit: int) -> Lease:
    """The pairs of each row in order: a buffer of (rows, `padded(length)`) pairs.

    Args:
        key: the GLSL expression of an element x's key; `limit` is its parameter.
    """
    width = padded(length)
    count = rows * width
    pairs = device.take(8 * count)
    program = device.programs.get(("keys", dtype, key), _keys, dtype, key)
    device.dispatch(program, [source.buffer], [pairs.buffer], (count, width, length, limit), -(-count // GROUP))
    in_block = device.programs.get("sort blocks", _sort_blocks)
    across = device.programs.get("sort across", _sort_across) if width > _BLOCK_PAIRS else None
    blocks = -(-count // _BLOCK_PAIRS)
    device.dispatch(in_block, (), [pairs.buffer], (count, width, 2, min(width, _BLOCK_PAIRS)), blocks)
    run = 2 * _BLOCK_PAIRS
    while run <= width:
        reach = run // 2
        while reach >= _BLOCK_PAIRS:
            assert across is not None
            device.dispatch(across, (), [pairs.buffer], (count // 2, width, run, reach), -(-count // 2 // GROUP))
            reach //= 2
        device.dispatch(in_block, (), [pairs.buffer], (count, width, run, run), blocks)
        run *= 2
    return pairs


def padded(length: int) -> int:
    """The power of two that a row is padded to."""
    return 1 << max(length - 1, 1).bit_length()


def _keys(dtype: str, key: str) -> str:
    x = f"a[i / {word(1)} * {word(2)} + place]"
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(4)}
layout(std430, binding = 0) readonly buffer A {{ {BUFFER_GLSL[dtype]} a[]; }};
layout(std430, binding = 1) writeonly {PAIRS}
uint key_of({BUFFER_GLSL[dtype]} x) {{ return {key}; }}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, place = i % {word(1)};
  if (i >= {word(0)}) return;
  pairs[i] = place < {word(2)} ? uvec2(key_of({x}), place) : uvec2({_LAST});
}}
"""


_AFTER = "bool after(uvec2 a, uvec2 b) { return a.x > b.x || (a.x == b.x && a.y > b.y); }\n"


def _sort_blocks() -> str:
    """Parameters: pairs, those of a row, the sorted runs' lengths from the first to make to the last."""
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(4)}
layout(std430, binding = 0) {PAIRS}
shared uvec2 s[{_BLOCK_PAIRS}];
{_AFTER}
void main() {{
  uint t = gl_LocalInvocationIndex, start = {FLAT_INDEX} * {_BLOCK_PAIRS}u;
  for (uint k = t; k < {_BLOCK_PAIRS}u; k += {GROUP}u) s[k] = start + k < {word(0)} ? pairs[start + k] : uvec2({_LAST});
  barrier();
  for (uint run = {word(2)}; run <= {word(3)}; run <<= 1)
    for (uint reach = min(run, {_BLOCK_PAIRS}u) >> 1; reach > 0u; reach >>= 1) {{
      for (uint k = t; k < {_BLOCK_PAIRS // 2}u; k += {GROUP}u) {{
        uint low = (k / reach) * 2u * reach + k % reach, high = low + reach;
        bool up = ((start + low) & ({word(1)} - 1u) & run) == 0u;
        uvec2 a = s[low], b = s[high];
        if (after(a, b) == up) {{ s[low] = b; s[high] = a; }}
      }}
      barrier();
    }}
  for (uint k = t; k < {_BLOCK_PAIRS}u; k += {GROUP}u) if (start + k < {word(0)}) pairs[start + k] = s[k];
}}
"""


def _sort_across() -> str:
    """Parameters: exchanges, pairs of a row, the length of the sorted runs to make, the distance of the exchanged."""
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(4)}
layout(std430, binding = 0) {PAIRS}
{_AFTER}
void main() {{
  uint k = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (k >= {word(0)}) return;
  uint reach = {word(3)}, low = (k / reach) * 2u * reach + k % reach, high = low + reach;
  bool up = (low & ({word(1)} - 1u) & {word(2)}) == 0u;
  uvec2 a = pairs[low], b = pairs[high];
  if (after(a, b) == up) {{ pairs[low] = b; pairs[high] = a; }}
}}
"""


def _top_k(device: Device, values: tuple[Value, ...], attrs: Attrs, outs: list[Spec]) -> list[Value] | None:
    x = values[0]
    dtype = x.spec.dtype
    if dtype not in _DESCENDING or not outs[0].size or not attrs["sorted"]:
        return None  # the order that results from TF.js's selection is inherently sequential
    length, k = x.spec.shape[-1], attrs["k"]
    rows = x.spec.size // length
    source = ensure(device, x)
    pairs = sorted_pairs(device, source, dtype, rows, length, _DESCENDING[dtype], 0)
    program = device.programs.get(("top k", dtype), _picked, dtype)
    found = [device.take(stored_bytes(out)) for out in outs]
    words = (rows * k, k, length, padded(length))
    device.dispatch(program, [source.buffer, pairs.buffer], [f.buffer for f in found], words, -(-rows * k // GROUP))
    return [Value(out, lease=lease) for out, lease in zip(outs, found, strict=True)]


def _picked(dtype: str) -> str:
    kind = BUFFER_GLSL[dtype]
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(4)}
layout(std430, binding = 0) readonly buffer A {{ {kind} a[]; }};
layout(std430, binding = 1) readonly {PAIRS}
layout(std430, binding = 2) writeonly buffer C {{ {kind} c[]; }};
layout(std430, binding = 3) writeonly buffer D {{ int d[]; }};
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, row = i / {word(1)};
  if (i >= {word(0)}) return;
  uint place = pairs[row * {word(3)} + i % {word(1)}].y;
  c[i] = a[row * {word(2)} + place]; d[i] = int(place);
}}
"""


class SegmentSum:
    """The task: rows of the first input added up by the ids in the second."""

    takes_epilogue = False

    def __init__(self, segments: int) -> None:
        self.segments = segments

    def run(self, device: Device, value: Value) -> Lease:
        x, ids = value.inputs
        rows, dtype = ids.spec.size, x.spec.dtype
        source = ensure(device, x)
        pairs = sorted_pairs(device, ensure(device, ids), "int32", 1, rows, SEGMENT, self.segments)
        program = device.programs.get(("segment sum", dtype), _segments, dtype)
        lease = device.room(value)
        size = value.spec.size
        words = (size, size // self.segments, rows)
        device.dispatch(program, [source.buffer, pairs.buffer], [lease.buffer], words, -(-size // GROUP))
        return lease


# What a sum in single precision loses with each term is added to the next one (Kahan's summation): a segment may have
# many rows. Beyond the range of numbers nothing is lost any more.
_ADD: dict[str, str] = {
    "float32": "precise float y = x - lost, t = sum + y; lost = abs(t) <= 3.4e38 ? (t - sum) - y : 0.; sum = t;",
    "int32": "sum += x;",
    "complex64": "sum += x;",
}


def _segments(dtype: str) -> str:
    kind = BUFFER_GLSL[dtype]
    precise = "precise " if dtype != "int32" else ""
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(3)}
layout(std430, binding = 0) readonly buffer A {{ {kind} a[]; }};
layout(std430, binding = 1) readonly {PAIRS}
layout(std430, binding = 2) writeonly buffer C {{ {kind} c[]; }};
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, segment = i / {word(1)}, column = i % {word(1)};
  if (i >= {word(0)}) return;
  uint low = 0u, high = {word(2)};
  while (low < high) {{
    uint middle = (low + high) >> 1;
    if (pairs[middle].x < segment) low = middle + 1u; else high = middle;
  }}
  {precise}{kind} sum = {kind}(0), lost = {kind}(0);
  for (; low < {word(2)} && pairs[low].x == segment; low++) {{
    {kind} x = a[pairs[low].y * {word(1)} + column];
    {_ADD[dtype]}
  }}
  c[i] = sum;
}}
"""


def _segment_sum(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    rows = values[1].spec.size
    if out.dtype not in ("float32", "int32", "complex64") or not 0 < rows <= device.most_iterations:
        return None
    return defer(device, out, SegmentSum(attrs["num_segments"]), values)


KERNELS.update({"TopK": _top_k, "UnsortedSegmentSum": _segment_sum})
