"""Shaders of matrix products, specialized for a tile size, each operand's memory layout, and whether the tiles fit.

A group of threads computes a tile of the result. It walks along the inner size in steps: the next step's blocks of both
operands are loaded from memory to registers while the current ones, in shared memory, are multiplied. There both are
stored with their outer index running fastest: of an operand whose inner index runs fastest, a thread reads four numbers
from four rows, its neighbors those next to them. (On an NVIDIA H200 this was faster than vectors that are transposed
in registers or by writing single components of shared vectors, and than rows in shared memory.)
"""

from __future__ import annotations

from typing import NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.matrix_view import MatrixView
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.templates import FLAT_INDEX, VECTOR_GLSL, Fused

OWN_WORDS = 8
"""The number of the shader's own parameters: rows, columns, the inner size, that of a part, the number of parts, the
strides of A and B from batch to batch, and the number of batches."""

M, N, K, PART, PARTS, STEP_A, STEP_B, BATCHES = (word(i) for i in range(OWN_WORDS))


class Tile(NamedTuple):
    """The block of the result that a group computes, the inner step, and the block of each thread."""

    m: int
    n: int
    k: int
    tm: int
    tn: int

    def threads(self) -> int:
        """How many threads a group has."""
        return self.m // self.tm * (self.n // self.tn)


class Operand(NamedTuple):
    """How an operand is read.

    Attributes:
        inner_fastest: the inner index runs fastest in memory.
        vector: four elements are read at a time; then the outer index runs fastest.
        source: the steps that compute an element, or the view it is in, if it is not simply in a buffer.
    """

    inner_fastest: bool
    vector: bool
    source: Fused | MatrixView | None = None

    def buffers(self) -> int:
        """How many buffers it is read from."""
        return len(self.source.leaves) if isinstance(self.source, Fused) else 1

    def declaration(self, name: str, dtype: str, first_binding: int, first_word: int) -> str:
        """The buffers, and the function that returns an element if it has to be computed."""
        if isinstance(self.source, Fused):
            return templates.reader(f"read{name}", self.source, first_word, first_binding)
        return templates.buffer(first_binding, name, dtype, "readonly", self.vector)

    def element(self, name: str, index: str) -> str:
        """The GLSL expression of an element."""
        return f"{name}[{index}]" if self.source is None else f"read{name}({index})"


class Variant(NamedTuple):
    """What a shader is compiled for.

    Attributes:
        words: the number of parameters of the operands' steps.
        exact: every tile is full along both outer indices.
        exact_inner: so is every inner step.
        vector_result: the result is written four elements at a time.
        unrolled: an inner step is unrolled completely.
        dtype: float32 or int32.
    """

    tile: Tile
    a: Operand
    b: Operand
    words: tuple[int, int]
    exact: bool
    exact_inner: bool
    vector_result: bool
    unrolled: bool
    dtype: str

    def declarations(self) -> str:
        """The buffers of both operands, and what computes their elements."""
        text = self.a.declaration("A", self.dtype, 0, OWN_WORDS)
        return text + self.b.declaration("B", self.dtype, self.a.buffers(), OWN_WORDS + self.words[0])


class _OperandTile(NamedTuple):
    """One operand in a shader: its name, its outer size's parameter, its extent in the tile, its first parameter."""

    name: str
    outer: str
    extent: int
    operand: Operand
    variant: Variant
    first_word: int

    @property
    def is_view(self) -> bool:
        return isinstance(self.operand.source, MatrixView)

    @property
    def inner_fastest(self) -> bool:
        return self.operand.inner_fastest

    def row(self) -> int:
        """Vectors from one shared row, of an inner index, to the next; written across, rows begin in other banks."""
        return self.extent // 4 + self.inner_fastest

    def rows(self) -> int:
        return self.variant.tile.k

    def vectors(self) -> int:
        return self.extent * self.variant.tile.k // 4

    def per_thread(self) -> int:
        """How many vectors a thread loads."""
        return -(-self.vectors() // self.variant.tile.threads())

    def load(self) -> str:
        """The function that reads a vector of the block: of four outer indices from o on, at the inner index k.

        Out of range it reads the edge, replaced by zeros past the last inner index; other results are discarded.
        """
        vec, name, exact = VECTOR_GLSL[self.variant.dtype], self.name, self.variant.exact
        if isinstance(self.operand.source, MatrixView):
            fits = exact, self.variant.exact_inner
            text = self.operand.source.functions(name, self.variant.dtype, self.first_word, self.outer, *fits)
            return f"{text}shared Outer{name} outers{name}[{self.extent // 4}];\n"
        step, along = (K, "1u") if self.inner_fastest else ("1u", self.outer)
        lines = [] if self.variant.exact_inner else ["bool inside = k < to; k = min(k, to - 1u);"]
        if self.operand.vector:
            first = "o" if exact else f"min(o, {self.outer} - 4u)"
            lines.append(f"{vec} v = {name}[(from{name} + {first} + k * {along}) >> 2];")
        else:
            lines.append(f"uint at = from{name} + k * {along}{f' + o * {step}' if exact else ''};")
            away = [f"{q}u" if exact else f"min(o + {q}u, {self.outer} - 1u)" for q in range(4)]
            lines.append(
                f"{vec} v = {vec}({', '.join(self.operand.element(name, f'at + {n} * {step}') for n in away)});"
            )
        lines.append("return v;" if self.variant.exact_inner else f"return inside ? v : {vec}(0);")
        body = "\n  ".join(lines)
        return f"{vec} load{name}(uint o, uint k) {{\n  {body}\n}}\n"

    def begin(self) -> str:
        """The statement that computes what a view needs once for the outer indices of the tile."""
        outers = f"outers{self.name}[t] = outer{self.name}({self._first()} + t * 4u);"
        return f"  if (t < {self.extent // 4}u) {outers}\n" if self.is_view else ""

    def fetch(self, k: str) -> str:
        """Load the block at an inner index to registers."""
        outwards, inwards = self._place()
        outer = f"outers{self.name}[{outwards}]" if self.is_view else f"{self._first()} + {outwards} * 4u"
        return self._each(f"p{self.name}[{{i}}] = load{self.name}({outer}, {k} + {inwards});")

    def _first(self) -> str:
        """The block's first outer index."""
        return "m0" if self.name == "A" else "n0"

    def put(self, half: str) -> str:
        """Store it from registers to shared memory."""
        outwards, inwards = self._place()
        return self._each(f"s{self.name}[{half}][{inwards} * {self.row()}u + {outwards}] = p{self.name}[{{i}}];")

    def _place(self) -> tuple[str, str]:
        """The position of vector {t} in the block, outwards in vectors and inwards; neighbors stay neighbors."""
        if self.inner_fastest:
            return f"{{t}} / {self.variant.tile.k}u", f"{{t}} % {self.variant.tile.k}u"
        return f"{{t}} % {self.extent // 4}u", f"{{t}} / {self.extent // 4}u"

    def _each(self, statement: str) -> str:
        """A statement for each vector that a thread loads; {i} is its number, {t} its position in the block."""
        threads, lines = self.variant.tile.threads(), []
        for i in range(self.per_thread()):
            t = f"(t + {i * threads}u)" if i else "t"
            guard = f"if ({t} < {self.vectors()}u) " if (i + 1) * threads > self.vectors() else ""
            lines.append(f"    {guard}{statement.format(i=i, t=t)}\n")
        return "".join(lines)


def tiled(variant: Variant, fused: Fused, words: int) -> str:
    """The shader of a product. The steps of `fused`, which have `words` parameters, are applied to each element."""
    a = _OperandTile("A", M, variant.tile.m, variant.a, variant, OWN_WORDS)
    b = _OperandTile("B", N, variant.tile.n, variant.b, variant, OWN_WORDS + variant.words[0])
    vector = variant.vector_result and fused.vectorizable
    first_word = OWN_WORDS + sum(variant.words)
    text = "#pragma optionNV(unroll all)\n"
    text += f"layout(local_size_x = {variant.tile.threads()}) in;\n" + parameters(first_word + words)
    text += variant.declarations()
    text += templates.buffers_after(fused, variant.a.buffers() + variant.b.buffers(), vector)
    vec = VECTOR_GLSL[variant.dtype]
    text += f"shared {vec} sA[2][{a.rows() * a.row()}], sB[2][{b.rows() * b.row()}];\n"
    text += "uint fromA, fromB, to;\n" + a.load() + b.load() + templates.element_function(fused, first_word)
    return text + _main(variant, a, b, _store(variant, fused, vector))


def _main(variant: Variant, a: _OperandTile, b: _OperandTile, store: str) -> str:
    tile, vec, scalar = variant.tile, VECTOR_GLSL[variant.dtype], templates.BUFFER_GLSL[variant.dtype]
    across = tile.n // tile.tn
    begin = a.begin() + b.begin()
    begin += "  barrier();\n" if begin else ""
    fetched = "\n".join(f"  {vec} p{o.name}[{o.per_thread()}];" for o in (a, b))
    return f"""
void main() {{
  uint t = gl_LocalInvocationIndex, tx = t % {across}u, ty = t / {across}u;
  uint gm = ({M} + {tile.m - 1}u) / {tile.m}u, gn = ({N} + {tile.n - 1}u) / {tile.n}u, g = {FLAT_INDEX};
  uint layer = g / (gm * gn), part = layer % {PARTS}, batch = layer / {PARTS};
  g %= gm * gn;
  // eight rows of tiles go together, so that they find each other's columns of B in the cache
  uint strip = g / (8u * gn), h = min(gm - strip * 8u, 8u), r = g - strip * 8u * gn;
  uint m0 = (strip * 8u + r % h) * {tile.m}u, n0 = r / h * {tile.n}u;
  fromA = batch * {STEP_A}; fromB = batch * {STEP_B};
  uint from = part * {PART}; to = min({K}, from + {PART});
  uint fromC = layer * {M} * {N};
  if (batch >= {BATCHES}) return;
  {scalar} acc[{tile.tm}][{tile.tn}];
  for (int i = 0; i < {tile.tm}; i++) for (int j = 0; j < {tile.tn}; j++) acc[i][j] = {scalar}(0);
{fetched}
{begin}{a.fetch("from")}{b.fetch("from")}{a.put("0u")}{b.put("0u")}
  barrier();
  uint cur = 0u;
  for (uint k0 = from; k0 < to; k0 += {tile.k}u) {{
    bool more = k0 + {tile.k}u < to;
    if (more) {{
{a.fetch(f"k0 + {tile.k}u")}{b.fetch(f"k0 + {tile.k}u")}    }}
{_multiply(variant, a, b)}
    if (more) {{
{a.put("cur ^ 1u")}{b.put("cur ^ 1u")}    }}
    barrier();
    cur ^= 1u;
  }}
{store}}}
"""


def _multiply(variant: Variant, a: _OperandTile, b: _OperandTile) -> str:
    """The products of the blocks in shared memory, inner index by inner index."""
    tile, vec, scalar = variant.tile, VECTOR_GLSL[variant.dtype], templates.BUFFER_GLSL[variant.dtype]
    sides = (a, "ty", tile.tm, tile.m // tile.tm), (b, "tx", tile.tn, tile.n // tile.tn)
    depth = f"{tile.k}u" if variant.unrolled else f"min({tile.k}u, to - k0)"
    lines = [f"    for (uint kk = 0u; kk < {depth}; kk += 4u) for (uint c = 0u; c < 4u; c++) {{"]
    lines.append(f"      {scalar} fA[{tile.tm}], fB[{tile.tn}];")
    for o, lane, count, step in sides:
        for i in range(count // 4):
            lines.append(f"      {{ {vec} v = s{o.name}[cur][(kk + c) * {o.row()}u + {lane} + {i * step}u];")
            lines.append("        " + " ".join(f"f{o.name}[{4 * i + q}] = v[{q}];" for q in range(4)) + " }")
    product = "fma(fA[i], fB[j], acc[i][j])" if variant.dtype == "float32" else "fA[i] * fB[j] + acc[i][j]"
    lines.append(f"      for (int i = 0; i < {tile.tm}; i++) for (int j = 0; j < {tile.tn}; j++)")
    lines.append(f"        acc[i][j] = {product};")
    return "\n".join([*lines, "    }"])


def _store(variant: Variant, fused: Fused, vector: bool) -> str:
    """Apply the further steps to each element of the tile, and write the results; with `vector` four at a time.

    Sums stay in the registers of their thread: on an NVIDIA H200 a large product whose sums went through shared memory
    took 1.5 times as long.
    """
    tile = variant.tile
    four = _store_vector(fused) if vector else "\n      ".join(_store_number(fused, q) for q in range(4))
    return f"""  for (uint r = 0u; r < {tile.tm}u; r++) {{
    uint m = m0 + (ty + r / 4u * {tile.m // tile.tm}u) * 4u + r % 4u;
    if (m < {M}) for (uint j = 0u; j < {tile.tn // 4}u; j++) {{
      uint n = n0 + (tx + j * {tile.n // tile.tn}u) * 4u, first = fromC + m * {N} + n;
      {four}
    }}
  }}
"""


def _store_vector(fused: Fused) -> str:
    lines = templates.stored_in_vectors(fused, "first", [f"acc[r][4u * j + {q}u]" for q in range(4)])
    return f"if (n < {N}) {{ " + "\n        ".join(lines) + " }"


def _store_number(fused: Fused, q: int) -> str:
    lines = [f"if (n + {q}u < {N}) {{ uint i = first + {q}u;", *templates.stored(fused, f"acc[r][4u * j + {q}u]"), "}"]
    return " ".join(lines)
