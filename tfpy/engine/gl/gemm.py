"""Shaders of matrix products, made for a tile size, the way each operand lies in memory, and whether the tiles fit.

A group of threads computes a tile of the result. It walks along the inner size in steps: the next step's blocks of both
operands are on their way from memory to registers while the current ones, in shared memory, are multiplied. There both
lie with their outer index running fastest: a thread that reads an operand whose inner index runs fastest takes blocks
of four by four and turns them on the way. (Left as they were, with rows in shared memory, such operands were multiplied
at two thirds of the speed on an NVIDIA H200.)
"""

from __future__ import annotations

from typing import NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.templates import FLAT_INDEX, Fused

OWN_WORDS = 8
"""Parameters: rows, columns, inner size, that of a part, parts, elements from batch to batch of A and B, batches."""

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
        vector: four elements are read at a time.
        source: the steps that give an element, when it is not simply in a buffer.
    """

    inner_fastest: bool
    vector: bool
    source: Fused | None = None

    def buffers(self) -> int:
        """How many buffers it is read from."""
        return 1 if self.source is None else len(self.source.leaves())

    def declaration(self, name: str, dtype: str, first_binding: int, first_word: int) -> str:
        """The buffers, and the function that gives an element if it has to be computed."""
        if self.source is None:
            return templates.buffer(first_binding, name, dtype, "readonly", self.vector)
        return templates.reader(f"read{name}", self.source, first_word, first_binding)

    def element(self, name: str, index: str) -> str:
        """The GLSL expression of an element."""
        return f"{name}[{index}]" if self.source is None else f"read{name}({index})"


class Form(NamedTuple):
    """What a shader is made for.

    Attributes:
        words: how many parameters the operands' steps have.
        exact: every tile is full.
        vector_result: the result is written four elements at a time.
        dtype: float32 or int32.
    """

    tile: Tile
    a: Operand
    b: Operand
    words: tuple[int, int]
    exact: bool
    vector_result: bool
    dtype: str

    def declarations(self) -> str:
        """The buffers of both operands, and what computes their elements."""
        text = self.a.declaration("A", self.dtype, 0, OWN_WORDS)
        return text + self.b.declaration("B", self.dtype, self.a.buffers(), OWN_WORDS + self.words[0])


class _Side(NamedTuple):
    """One operand in a shader: its name, its outer size's parameter, its extent in the tile."""

    name: str
    outer: str
    extent: int
    operand: Operand
    form: Form

    @property
    def inner_fastest(self) -> bool:
        return self.operand.inner_fastest

    def row(self) -> int:
        """Vectors from one shared row, of an inner index, to the next."""
        return self.extent // 4

    def rows(self) -> int:
        return self.form.tile.k

    def pieces(self) -> int:
        """What threads bring: vectors of four, or blocks of four by four where they have to be turned."""
        return self.extent * self.form.tile.k // (16 if self.inner_fastest else 4)

    def per_thread(self) -> int:
        """How many of them a thread brings."""
        return -(-self.pieces() // self.form.tile.threads())

    def registers(self) -> int:
        return self.per_thread() * (4 if self.inner_fastest else 1)

    def load(self) -> str:
        """The function that reads the vector at (outer index o, inner index k) of the block's origin, t vectors on."""
        vec, name = _vector(self.form.dtype), self.name
        if self.inner_fastest:
            where = f"uint r = o, c = k, at = from{name} + r * {K} + c;"
            row, column = f"r < {self.outer}", "to"
        else:
            where = f"uint r = k, c = o, at = from{name} + r * {self.outer} + c;"
            row, column = "r < to", self.outer
        head = f"{vec} load{name}(uint o, uint k) {{\n  {where}\n"
        if self.operand.vector:
            read = f"{name}[at >> 2]"
            return f"{head}  return {read if self.form.exact else f'{row} && c < {column} ? {read} : {vec}(0)'};\n}}\n"
        lines = [f"if (c + {q}u < {column}) v[{q}] = {self.operand.element(name, f'at + {q}u')};" for q in range(4)]
        guarded = "\n    ".join(lines)
        return f"{head}  {vec} v = {vec}(0);\n  if ({row}) {{\n    {guarded}\n  }}\n  return v;\n}}\n"

    def fetch(self, outer: str, k: str) -> str:
        """Bring the block at an outer and an inner index to registers."""
        width = self.form.tile.k // 4 if self.inner_fastest else self.extent // 4
        if not self.inner_fastest:
            return self._each(
                f"p{self.name}[{{i}}] = load{self.name}({outer} + {{t}} % {width}u * 4u, {k} + {{t}} / {width}u);"
            )
        return "".join(
            self._each(
                f"p{self.name}[4 * {{i}} + {q}] = "
                f"load{self.name}({outer} + {{t}} / {width}u * 4u + {q}u, {k} + {{t}} % {width}u * 4u);"
            )
            for q in range(4)
        )

    def put(self, half: str) -> str:
        """Bring it from registers to shared memory."""
        if not self.inner_fastest:
            width = self.extent // 4
            return self._each(
                f"s{self.name}[{half}][{{t}} / {width}u * {self.row()}u + {{t}} % {width}u] = p{self.name}[{{i}}];"
            )
        width, vec = self.form.tile.k // 4, _vector(self.form.dtype)
        text = ""
        for q in range(4):
            turned = ", ".join(f"p{self.name}[4 * {{i}} + {j}][{q}]" for j in range(4))
            place = f"({{t}} % {width}u * 4u + {q}u) * {self.row()}u + {{t}} / {width}u"
            text += self._each(f"s{self.name}[{half}][{place}] = {vec}({turned});")
        return text

    def _each(self, statement: str) -> str:
        """A statement for each piece that a thread brings; {i} is its number, {t} its place in the block."""
        threads, lines = self.form.tile.threads(), []
        for i in range(self.per_thread()):
            t = f"(t + {i * threads}u)" if i else "t"
            guard = f"if ({t} < {self.pieces()}u) " if (i + 1) * threads > self.pieces() else ""
            lines.append(f"    {guard}{statement.format(i=i, t=t)}\n")
        return "".join(lines)


def _vector(dtype: str) -> str:
    return {"float32": "vec4", "int32": "ivec4"}[dtype]


def tiled(form: Form, fused: Fused, words: int) -> str:
    """The shader of a product; the steps of `fused`, with so many parameters, are applied to each of its elements."""
    a = _Side("A", M, form.tile.m, form.a, form)
    b = _Side("B", N, form.tile.n, form.b, form)
    plain = len(fused.steps) == 1 and len(fused.outputs) == 1
    first_word = OWN_WORDS + sum(form.words)
    text = "#pragma optionNV(unroll all)\n"
    text += f"layout(local_size_x = {form.tile.threads()}) in;\n" + parameters(first_word + words)
    text += form.declarations() + _results(form, fused, plain and form.vector_result)
    vec, scalar = _vector(form.dtype), templates.STORED[form.dtype]
    text += f"shared {vec} sA[2][{a.rows() * a.row()}], sB[2][{b.rows() * b.row()}];\n"
    text += "" if plain else f"shared {scalar} staged[{_stage_rows(form) * form.tile.n}];\n"
    text += "uint fromA, fromB, to;\n" + a.load() + b.load()
    text += "" if plain else templates.element_function(fused, first_word)
    return text + _main(form, a, b, _store(form) if plain else _store_fused(form, fused))


def _results(form: Form, fused: Fused, vector: bool) -> str:
    """The buffers that the steps after the product read, and those of the results."""
    first, kinds = form.a.buffers() + form.b.buffers(), fused.leaves()
    text = "".join(templates.buffer(first + i, f"a{i}_", dtype, "readonly") for i, dtype in enumerate(kinds))
    first += len(kinds)
    return text + "".join(
        templates.buffer(first + k, f"o{k}", dtype, "writeonly", vector) for k, (_, dtype) in enumerate(fused.outputs)
    )


def _main(form: Form, a: _Side, b: _Side, store: str) -> str:
    tile, vec, scalar = form.tile, _vector(form.dtype), templates.STORED[form.dtype]
    across = tile.n // tile.tn
    fetched = "\n".join(f"  {vec} p{o.name}[{o.registers()}];" for o in (a, b))
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
{a.fetch("m0", "from")}{b.fetch("n0", "from")}{a.put("0u")}{b.put("0u")}
  barrier();
  uint cur = 0u;
  for (uint k0 = from; k0 < to; k0 += {tile.k}u) {{
    bool more = k0 + {tile.k}u < to;
    if (more) {{
{a.fetch("m0", f"k0 + {tile.k}u")}{b.fetch("n0", f"k0 + {tile.k}u")}    }}
{_multiply(form, a, b)}
    if (more) {{
{a.put("cur ^ 1u")}{b.put("cur ^ 1u")}    }}
    barrier();
    cur ^= 1u;
  }}
{store}}}
"""


def _multiply(form: Form, a: _Side, b: _Side) -> str:
    """The products of the blocks in shared memory, inner index by inner index."""
    tile, vec, scalar = form.tile, _vector(form.dtype), templates.STORED[form.dtype]
    sides = (a, "ty", tile.tm, tile.m // tile.tm), (b, "tx", tile.tn, tile.n // tile.tn)
    lines = [f"    for (uint kk = 0u; kk < {tile.k}u; kk += 4u) for (uint c = 0u; c < 4u; c++) {{"]
    lines.append(f"      {scalar} fA[{tile.tm}], fB[{tile.tn}];")
    for o, lane, count, step in sides:
        for i in range(count // 4):
            lines.append(f"      {{ {vec} v = s{o.name}[cur][(kk + c) * {o.row()}u + {lane} + {i * step}u];")
            lines.append("        " + " ".join(f"f{o.name}[{4 * i + q}] = v[{q}];" for q in range(4)) + " }")
    product = "fma(fA[i], fB[j], acc[i][j])" if form.dtype == "float32" else "fA[i] * fB[j] + acc[i][j]"
    lines.append(f"      for (int i = 0; i < {tile.tm}; i++) for (int j = 0; j < {tile.tn}; j++)")
    lines.append(f"        acc[i][j] = {product};")
    return "\n".join([*lines, "    }"])


def _row(form: Form, i: str, lane: str = "ty") -> str:
    """The row of the tile that is the i-th of a thread in that row of threads."""
    return f"({lane} + {i} / 4u * {form.tile.m // form.tile.tm}u) * 4u + {i} % 4u"


def _column(form: Form, j: str) -> str:
    return f"(tx + {j} / 4u * {form.tile.n // form.tile.tn}u) * 4u + {j} % 4u"


def _store(form: Form) -> str:
    """Write the tile as it is."""
    tile, vec = form.tile, _vector(form.dtype)
    head = f"  for (uint i = 0u; i < {tile.tm}u; i++) {{ uint m = m0 + {_row(form, 'i')}; if (m < {M})\n"
    if form.vector_result:
        step = tile.n // tile.tn
        parts = ", ".join(f"acc[i][4u * j + {q}u]" for q in range(4))
        return (
            f"{head}    for (uint j = 0u; j < {tile.tn // 4}u; j++) {{ uint n = n0 + (tx + j * {step}u) * 4u;\n"
            f"      if (n < {N}) o0[(fromC + m * {N} + n) >> 2] = {vec}({parts}); }} }}\n"
        )
    return (
        f"{head}    for (uint j = 0u; j < {tile.tn}u; j++) {{ uint n = n0 + {_column(form, 'j')};\n"
        f"      if (n < {N}) o0[fromC + m * {N} + n] = acc[i][j]; }} }}\n"
    )


def _stage_rows(form: Form) -> int:
    return form.tile.m // form.tile.tm


def _store_fused(form: Form, fused: Fused) -> str:
    """Go on computing with each element. Rows pass through shared memory, so that neighbours are written together."""
    tile, rows = form.tile, _stage_rows(form)
    kinds = fused.leaves()
    lines = [f"{templates.STORED[kinds[leaf]]} x{leaf} = a{leaf}_[i];" for leaf in fused.direct()]
    lines += [f"{templates.PLAIN[dtype]} y{k};" for k, (_, dtype) in enumerate(fused.outputs)]
    lines += templates.calls(fused, [""], "staged[e]")
    lines += [f"o{k}[i] = {templates.saved(f'y{k}', dtype)};" for k, (_, dtype) in enumerate(fused.outputs)]
    body = "\n      ".join(lines)
    return f"""  for (uint s = 0u; s < {tile.tm}u; s++) {{
    for (uint j = 0u; j < {tile.tn}u; j++) staged[ty * {tile.n}u + {_column(form, "j")}] = acc[s][j];
    barrier();
    for (uint e = t; e < {rows * tile.n}u; e += {tile.threads()}u) {{
      uint ry = e / {tile.n}u, m = m0 + {_row(form, "s", "ry")}, n = n0 + e % {tile.n}u;
      if (m >= {M} || n >= {N}) continue;
      uint i = fromC + m * {N} + n;
      {body}
    }}
    barrier();
  }}
"""
