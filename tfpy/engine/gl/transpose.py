"""Large arrays with two axes exchanged: through shared memory, so that both reads and writes are contiguous.

Very large arrays are processed in bands of tiles, down and then across: concurrent writes touch fewer pages of memory
than row by row.
"""

from __future__ import annotations

import math

from tfpy.engine.gl import fusion, templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure, view
from tfpy.engine.gl.maps import transposed
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP, WIDTH
from tfpy.engine.gl.value import Value
from tfpy.engine.spec import Shape, Spec

_LARGE_ELEMENTS = 1 << 18  # smaller ones are read in place
_TILE_SIDE = 32  # elements
_BAND_TILES = 256  # this many go down before the next ones across, if the array is very large


class _TransposeTask:
    """The task: matrices (rows, columns), `batches` of them, each transposed."""

    takes_epilogue = False

    def __init__(self, batches: int, rows: int, columns: int) -> None:
        self.batches, self.rows, self.columns = batches, rows, columns

    def run(self, device: Device, value: Value) -> Lease:
        dtype = value.spec.dtype
        program = device.programs.get(("transpose", dtype), _source, dtype)
        source = ensure(device, value.inputs[0])
        lease = device.room(value)
        tiles = -(-self.rows // _TILE_SIDE) * -(-self.columns // _TILE_SIDE)
        moved = 2 * value.spec.size * WIDTH[dtype]
        words = (self.rows, self.columns, self.batches, _BAND_TILES if moved > fusion.STRETCH_BYTES else 1)
        device.dispatch(program, [source.buffer], [lease.buffer], words, tiles * self.batches)
        return lease


def _source(dtype: str) -> str:
    kind, (rows, columns, batches, high) = templates.BUFFER_GLSL[dtype], map(word, range(4))
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(4)}
{templates.buffer(0, "a", dtype, "readonly")}{templates.buffer(1, "b", dtype, "writeonly")}
shared {kind} s[{_TILE_SIDE}][{_TILE_SIDE + 1}];
void main() {{
  uint t = gl_LocalInvocationIndex, x = t % {_TILE_SIDE}u, y = t / {_TILE_SIDE}u;
  uint across = ({columns} + {_TILE_SIDE - 1}u) / {_TILE_SIDE}u, down = ({rows} + {_TILE_SIDE - 1}u) / {_TILE_SIDE}u;
  uint g = {FLAT_INDEX}, batch = g / (across * down), tile = g % (across * down);
  if (batch >= {batches}) return;
  uint band = tile / ({high} * across), height = min(down - band * {high}, {high});
  tile -= band * {high} * across;
  uint r0 = (band * {high} + tile % height) * {_TILE_SIDE}u, c0 = tile / height * {_TILE_SIDE}u;
  uint first = batch * {rows} * {columns};
  for (uint k = y; k < {_TILE_SIDE}u; k += {GROUP // _TILE_SIDE}u)
    if (r0 + k < {rows} && c0 + x < {columns}) s[k][x] = a[first + (r0 + k) * {columns} + c0 + x];
  barrier();
  for (uint k = y; k < {_TILE_SIDE}u; k += {GROUP // _TILE_SIDE}u)
    if (c0 + k < {columns} && r0 + x < {rows}) b[first + (c0 + k) * {rows} + r0 + x] = s[x][k];
}}
"""


def _as_matrices(shape: Shape, perm: tuple[int, ...]) -> tuple[int, int, int] | None:
    """(batches, rows, columns) if the axes, ignoring size 1, are two exchanged blocks after unchanged ones."""
    order = [axis for axis in perm if shape[axis] > 1]
    kept = sorted(order)
    start = next((i for i, (a, b) in enumerate(zip(order, kept, strict=True)) if a != b), len(order))
    moved, block = order[start:], kept[start:]
    if not moved:
        return None
    cut = moved.index(block[0])
    if moved[cut:] + moved[:cut] != block:
        return None
    batches, rows, columns = (
        math.prod(shape[axis] for axis in axes) for axes in (order[:start], moved[cut:], moved[:cut])
    )
    return batches, rows, columns


def _transpose(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    x, perm = values[0], attrs["perm"]
    if out.dtype not in WIDTH:
        return None
    matrices = _as_matrices(x.spec.shape, perm) if out.size >= _LARGE_ELEMENTS else None
    if matrices is None or min(matrices[1:]) < _TILE_SIDE // 2:
        return view(device, out, x, transposed(x.spec.shape, perm))
    return defer(device, out, _TransposeTask(*matrices), (x,))


KERNELS["Transpose"] = _transpose
