"""Matrix products: which shader for which sizes. Subsequent elementwise operations are the product's epilogue.

If a product has too few elements for all threads, its inner size is split into parts (split-K).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from tfpy.engine.gl import gemm, maps, templates
from tfpy.engine.gl.compilers import Compiler
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.elementwise import BINARY
from tfpy.engine.gl.epilogue import Epilogue, EpilogueTask, no_epilogue
from tfpy.engine.gl.fusion import defer, ensure, fuse, prepare, view
from tfpy.engine.gl.gemm import Tile, Variant
from tfpy.engine.gl.matrix_view import MatrixView, matrix_view
from tfpy.engine.gl.memory_pool import Buffer, Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.reduce import OPERATIONS, reduction
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP, Fused
from tfpy.engine.gl.trace import VIEW, Expression
from tfpy.engine.gl.value import Value
from tfpy.engine.spec import Shape, Spec, spec

SMALL_MULTIPLICATIONS = 1 << 15  # up to this many, one thread for each element, without tiles
_ENOUGH_GROUPS = 192
_FULL_GROUPS = 256  # of 256 threads
_SMALL_VIEW_ELEMENTS = 1 << 16  # a slice or transpose of at most this many is read in place, not copied first
_LARGE_PRODUCT = 1 << 29  # multiplications, from which on a view that is read often is copied in any case
_OFTEN = 1 << 12  # how often each of its elements is multiplied then
_LONG_INNER_SIZE = 512  # shorter ones are not split among groups, and this one only with large tiles
_MIN_PART_SIZE = 128  # of the inner size
_MIN_FREE_PART_SIZE = 64  # if adding up the parts costs nothing
_MAX_PARTS = 512
_PARTS_AT_A_TIME = 8  # that a thread reads before it adds them


class Sizes(NamedTuple):
    """A product of batches of matrices; the steps from one batch to the next are 0 for a repeated matrix."""

    batches: int
    m: int
    n: int
    k: int
    step_a: int
    step_b: int


class _OperandSource(NamedTuple):
    """The source of an operand.

    Attributes:
        values: the values in the buffers. They must live until the product has been dispatched: a view releases its
            source if it is computed on the way to the other operand, and the source's buffer would be reused.
        source: the steps to an element, or the view it is in, if it is not simply in one buffer.
        words: their parameters.
    """

    values: list[Value]
    buffers: list[Buffer]
    source: Fused | MatrixView | None
    words: Sequence[int]


class MatMul(EpilogueTask):
    """The task: the product of two inputs, either of them transposed or not.

    Attributes:
        sum_is_free: adding up parts of the inner size costs nothing, since another shader does it while reading them.
        small_words, small_groups: the parameters and groups of its shader, if it does not use tiles.
    """

    def __init__(self, sizes: Sizes, transpose_a: bool, transpose_b: bool, sum_is_free: bool = False) -> None:
        self.sizes = sizes
        self.sum_is_free = sum_is_free
        self.transpose_a, self.transpose_b = transpose_a, transpose_b
        s, size = sizes, sizes.batches * sizes.m * sizes.n
        steps_a = (1, s.m) if transpose_a else (s.k, 1)
        steps_b = (1, s.k) if transpose_b else (s.n, 1)
        self.small_words = s.m * s.n, s.n, s.k, s.step_a, s.step_b, *steps_a, *steps_b, size
        self.small_groups = -(-size // GROUP)
        self._is_small = s.m * s.n * s.k <= SMALL_MULTIPLICATIONS

    def compute(self, device: Device, value: Value, epilogue: Epilogue, leases: Sequence[Lease]) -> None:
        dtype, parts = value.spec.dtype, self.parts(device)
        writes = [lease.buffer for lease in leases]
        if parts > 1:
            partial = self.partial_products(device, value.inputs, dtype, parts)
            fused, words, others = epilogue
            size = self.sizes.m * self.sizes.n
            program = device.programs.get(("add parts", fused), _sum_of_parts, fused, len(words))
            device.dispatch(program, [partial.buffer, *others], writes, (size, parts, *words), -(-size // GROUP))
            return
        a, b = self._operands(device, value.inputs)
        if self._is_small:
            self._run_small(device, dtype, a, b, epilogue, writes)
        else:
            self._run_tiled(device, dtype, a, b, 1, epilogue, writes)

    def parts(self, device: Device) -> int:
        """How many parts the inner size is split into."""
        if self._is_small:
            return 1
        return _parts(self.sizes, tile_for(self.sizes, device.compiler, self.sum_is_free), self.sum_is_free)

    def partial_products(self, device: Device, inputs: tuple[Value, ...], dtype: str, parts: int) -> Lease:
        """The products of the parts of the inner size, (parts, m, n)."""
        a, b = self._operands(device, inputs)
        lease = device.take(parts * self.sizes.m * self.sizes.n * 4)
        self._run_tiled(device, dtype, a, b, parts, no_epilogue(dtype), [lease.buffer])
        return lease

    def _operands(self, device: Device, inputs: tuple[Value, ...]) -> tuple[_OperandSource, _OperandSource]:
        first, second = inputs
        s, whole = self.sizes, not self._is_small and self.sizes.batches == 1
        a = _reads(device, first, s, (s.m if self.transpose_a else s.k, not self.transpose_a) if whole else None)
        b = _reads(device, second, s, (s.k if self.transpose_b else s.n, self.transpose_b) if whole else None)
        return a, b

    def _variant(self, compiler: Compiler, dtype: str, a: _OperandSource, b: _OperandSource) -> Variant:
        s = self.sizes
        tile = tile_for(s, compiler, self.sum_is_free)
        first, second = (
            gemm.Operand(inner, _is_read_in_vectors(reads.source, inner, outer), reads.source)
            for inner, outer, reads in ((not self.transpose_a, s.m, a), (self.transpose_b, s.n, b))
        )
        exact = s.m % tile.m == 0 and s.n % tile.n == 0
        words = len(a.words), len(b.words)
        views = isinstance(a.source, MatrixView) or isinstance(b.source, MatrixView)
        exact_inner = s.k % tile.k == 0 and (exact or views)  # without views, the guard was faster
        return Variant(tile, first, second, words, exact, exact_inner, s.n % 4 == 0, compiler.unrolls, dtype)

    def _run_tiled(
        self,
        device: Device,
        dtype: str,
        a: _OperandSource,
        b: _OperandSource,
        parts: int,
        epilogue: Epilogue,
        writes: list[Buffer],
    ) -> None:
        s, variant = self.sizes, self._variant(device.compiler, dtype, a, b)
        fused, words, others = epilogue
        tile = variant.tile
        part = -(-s.k // (parts * tile.k)) * tile.k
        program = device.programs.get(("gemm", variant, fused), gemm.tiled, variant, fused, len(words))
        own = s.m, s.n, s.k, part, parts, s.step_a, s.step_b, s.batches
        groups = -(-s.m // tile.m) * -(-s.n // tile.n) * s.batches * parts
        reads = [*a.buffers, *b.buffers, *others]
        device.dispatch(program, reads, writes, (*own, *a.words, *b.words, *words), groups)

    def _run_small(
        self,
        device: Device,
        dtype: str,
        a: _OperandSource,
        b: _OperandSource,
        epilogue: Epilogue,
        writes: list[Buffer],
    ) -> None:
        fused, words, others = epilogue
        operands = (a.source, b.source), (len(a.words), len(b.words))
        key = ("small gemm", dtype, *operands, fused)
        program = device.programs.get(key, _small, dtype, *operands, fused, len(words))
        reads = [*a.buffers, *b.buffers, *others]
        device.dispatch(program, reads, writes, (*self.small_words, *a.words, *b.words, *words), self.small_groups)


product = functools.lru_cache(maxsize=4096)(MatMul)
"""The task for such a product, cached: the same object for the same sizes."""


def _is_read_in_vectors(source: Fused | MatrixView | None, inner_fastest: bool, outer: int) -> bool:
    """Whether an operand is read in vectors, four neighbors at a time."""
    if source is None:
        return not inner_fastest and outer % 4 == 0
    return isinstance(source, MatrixView) and source.vector


def _is_read_in_place(v: Value, s: Sizes) -> bool:
    """Whether an operand is a view that need not be stored: a small one, or one that would be much larger."""
    multiplications = s.batches * s.m * s.n * s.k
    if multiplications >= max(_LARGE_PRODUCT, _OFTEN * v.spec.size):
        return False
    return getattr(v.op, "spreads", False) or (v.op is VIEW and v.spec.size <= _SMALL_VIEW_ELEMENTS)


def _reads(device: Device, v: Value, s: Sizes, matrix: tuple[int, bool] | None) -> _OperandSource:
    """A view is read in place; any other operand is computed first.

    Args:
        matrix: the columns of a single matrix, and whether the inner index is theirs.
    """
    if not _is_read_in_place(v, s):
        return _OperandSource([v], [ensure(device, v).buffer], None, [])
    for source in v.inputs:
        ensure(device, source)
    where = v.maps[0] if v.maps is not None and len(v.inputs) == 1 else None
    if matrix is not None and where is not None and v.inputs[0].word is None:
        found = matrix_view(where, *matrix)
        if found is not None:
            source = v.inputs[0]
            return _OperandSource([source], [ensure(device, source).buffer], found, [*where.words, *v.words])
    recipe, values, _ = prepare(device, (v,), False)
    leaves = [values[place] for place in recipe.leaves]
    return _OperandSource(leaves, [ensure(device, leaf).buffer for leaf in leaves], recipe.plain, recipe.words(values))


_LARGE = Tile(128, 128, 8, 8, 8), Tile(128, 64, 8, 8, 4)
_MEDIUM = Tile(64, 64, 16, 4, 4)
_FLAT = Tile(32, 128, 16, 4, 4), Tile(32, 64, 16, 4, 4)
_NARROW = Tile(128, 32, 16, 4, 4)
_LEAST = Tile(32, 32, 16, 4, 4)
_LOW = Tile(16, 64, 16, 4, 4)


@functools.lru_cache(maxsize=4096)
def tile_for(s: Sizes, compiler: Compiler, sum_is_free: bool = False) -> Tile:
    """The tile of a product, from measurements on an NVIDIA H200 (docs/explanation/measured-gpu.md).

    The largest that fits the matrices and yields enough groups, if necessary with the inner size split into parts,
    whose sum may be free (see `MatMul`).
    """
    tiles = _well_filled_tiles(s.m, s.n, compiler.many_registers)
    for tile in tiles:
        if tile in _LARGE and _group_count(s, tile) >= _ENOUGH_GROUPS:
            return tile
    for tile in tiles:
        parts = _most_parts(s, sum_is_free) if sum_is_free or tile in _LARGE or s.k > _LONG_INNER_SIZE else 1
        if _group_count(s, tile) * parts >= _ENOUGH_GROUPS:
            return tile
    return tiles[-1]


def _well_filled_tiles(m: int, n: int, many_registers: bool) -> tuple[Tile, ...]:
    """The tiles that matrices of this size fill to a large part, the larger ones first."""
    if m <= 16:
        return (_LOW,)
    if n <= 32:
        return (_LEAST,) if m <= 32 else (_NARROW, _LEAST)
    if m <= 32:
        return _FLAT
    if m <= 64:
        return _MEDIUM, _FLAT[1], _LEAST
    large = _LARGE if many_registers and n > 64 else _LARGE[1:]
    return (*large, _MEDIUM, _FLAT[1], _LEAST)


def _group_count(s: Sizes, tile: Tile) -> int:
    return -(-s.m // tile.m) * -(-s.n // tile.n) * s.batches


def _most_parts(s: Sizes, sum_is_free: bool = False) -> int:
    if s.batches > 1 or (s.k < _LONG_INNER_SIZE and not sum_is_free):
        return 1
    return max(1, min(s.k // (_MIN_FREE_PART_SIZE if sum_is_free else _MIN_PART_SIZE), _MAX_PARTS))


@functools.lru_cache(maxsize=4096)
def _parts(s: Sizes, tile: Tile, sum_is_free: bool = False) -> int:
    """The number of parts that the inner size is split into, so that there are enough threads."""
    parts = min(_FULL_GROUPS * 256 // tile.threads() // _group_count(s, tile), _most_parts(s, sum_is_free))
    return max(1, -(-s.k // (-(-s.k // (parts * tile.k)) * tile.k))) if parts > 1 else 1


_SMALL_WORDS = 10


def _small(
    dtype: str, sources: tuple[Fused | None, Fused | None], counts: tuple[int, int], fused: Fused, words: int
) -> str:  # fmt: skip
    """One thread for each element of the result; transposed or not is a matter of steps.

    Args:
        sources: how the operands are read.
        counts: how many parameters each of them has.
        words: how many parameters the steps have.
    """
    a, b = (gemm.Operand(True, False, source) for source in sources)
    kind = templates.BUFFER_GLSL[dtype]
    plane, columns, inner, step_a, step_b, down_a, along_a, down_b, along_b, size = map(word, range(_SMALL_WORDS))
    first = _SMALL_WORDS + sum(counts)
    text = f"layout(local_size_x = {GROUP}) in;\n" + parameters(first + words)
    text += a.declaration("A", dtype, 0, _SMALL_WORDS)
    text += b.declaration("B", dtype, a.buffers(), _SMALL_WORDS + counts[0])
    text += templates.buffers_after(fused, a.buffers() + b.buffers()) + templates.element_function(fused, first)
    x, y = a.element("A", "a"), b.element("B", "b")
    product = f"fma({x}, {y}, base)" if kind == "float" else f"{x} * {y} + base"
    applied = "\n  ".join(templates.stored(fused, "base"))
    return f"""{text}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {size}) return;
  uint batch = i / {plane}, m = i % {plane} / {columns}, n = i % {columns};
  uint a = batch * {step_a} + m * {down_a}, b = batch * {step_b} + n * {along_b};
  {kind} base = {kind}(0);
  for (uint k = 0u; k < {inner}; k++) {{ base = {product}; a += {along_a}; b += {down_b}; }}
  {applied}
}}
"""


def _sum_of_parts(fused: Fused, words: int) -> str:
    """The second half of a product whose inner size was split: always in the same order, several parts on their way."""
    dtype = fused.base or "float32"
    text = f"layout(local_size_x = {GROUP}) in;\n" + parameters(2 + words)
    text += templates.buffer(0, "partial", dtype, "readonly") + templates.buffers_after(fused, 1)
    text += templates.element_function(fused, 2)
    kind = templates.BUFFER_GLSL[dtype]
    loads = " ".join(f"{kind} x{q} = partial[(k + {q}u) * {word(0)} + i];" for q in range(_PARTS_AT_A_TIME))
    adds = " ".join(f"base += x{q};" for q in range(_PARTS_AT_A_TIME))
    applied = "\n  ".join(templates.stored(fused, "base"))
    return f"""{text}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {word(0)}) return;
  {kind} base = partial[i];
  uint k = 1u;
  for (; k + {_PARTS_AT_A_TIME}u <= {word(1)}; k += {_PARTS_AT_A_TIME}u) {{ {loads} {adds} }}
  for (; k < {word(1)}; k++) base += partial[k * {word(0)} + i];
  {applied}
}}
"""


TIMES = {dtype: Expression(BINARY["Multiply"][dtype], dtype) for dtype in ("float32", "int32")}


def _batch_matmul(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    a, b = values
    if out.dtype not in TIMES or not a.spec.size:
        return None
    ta, tb = attrs["transpose_a"], attrs["transpose_b"]
    lead = out.shape[:-2]
    step_a = step_b = 0
    if lead:
        (a, step_a), (b, step_b) = (_batched(device, v, lead) for v in (a, b))
    m, n = out.shape[-2:]
    sizes = Sizes(math.prod(lead), m, n, a.spec.shape[-2 if ta else -1], step_a, step_b)
    if min(m, n) == 1 and sizes.k > 1 and (step_a or step_b or not lead):
        return _with_vector(device, a, b, sizes, (ta, tb), out)
    return defer(device, out, product(sizes, ta, tb), (a, b), leaves=3)


def _batched(device: Device, v: Value, lead: Shape) -> tuple[Value, int]:
    """An operand with the batches of the result, and the elements from one to the next: 0 if there is only one."""
    matrix = v.spec.shape[-2:]
    if math.prod(v.spec.shape[:-2]) == 1:
        return v, 0
    if v.spec.shape[:-2] != lead:
        to = spec((*lead, *matrix), v.spec.dtype)
        v = view(device, to, v, maps.broadcast(v.spec.shape, to.shape))
    return v, math.prod(matrix)


def _with_vector(device: Device, a: Value, b: Value, s: Sizes, transposed: tuple[bool, bool], out: Spec) -> Value:
    """A product with a vector, as a reduction of products of elements, in the memory order of the matrix."""
    ta, tb = transposed
    dims = (s.batches, s.m, s.n, s.k)
    strides_a = (s.step_a, *((1, 0, s.m) if ta else (s.k, 0, 1)))
    strides_b = (s.step_b, *((0, s.k, 1) if tb else (0, 1, s.n)))
    # The inner index runs fastest unless the matrix has its outer one fastest.
    outer_fastest = (ta and s.m > 1) or (not tb and s.n > 1)
    order = (0, 3, 1, 2) if outer_fastest else (0, 1, 2, 3)
    shape = tuple(dims[i] for i in order)
    where = tuple(maps.strided(shape, tuple(strides[i] for i in order)) for strides in (strides_a, strides_b))
    products = fuse(device, spec(shape, out.dtype), TIMES[out.dtype], (a, b), where)
    operation = OPERATIONS["Sum", out.dtype]
    outer, inner = (s.batches, s.m * s.n) if outer_fastest else (s.batches * s.m * s.n, 1)
    return defer(device, out, reduction("Sum", operation, outer, s.k, inner), (products,))


def matmul(
    device: Device, a: Value, b: Value, out: Spec, transpose_a: bool = False, transpose_b: bool = False
) -> Value:
    """The product, for kernels that contain one."""
    found: Value = KERNELS["BatchMatMul"](device, (a, b), {"transpose_a": transpose_a, "transpose_b": transpose_b}, out)
    return found


def split_k_matmul(device: Device, a: Value, b: Value, out: Spec, transpose_b: bool) -> tuple[Lease, int]:
    """The product before the parts of the inner size are added up, (parts, *out), and the number of parts.

    For a shader that reads each element once: it saves the shader that adds them.
    """
    m, n = out.shape
    task = product(Sizes(1, m, n, a.spec.shape[1], 0, 0), False, transpose_b, True)
    parts = task.parts(device) if m > 1 else 1
    if parts == 1:
        return ensure(device, matmul(device, a, b, out, transpose_b=transpose_b)), 1
    return task.partial_products(device, (a, b), out.dtype, parts), parts


KERNELS["BatchMatMul"] = _batch_matmul
