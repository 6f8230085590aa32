"""Shader source: a function that computes one element by the steps of a trace, and the loops over the elements."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tfpy.engine.gl.maps import statements
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.trace import ROOT, Step

LOCAL = {
    "float32": "precise float",
    "int32": "int",
    "bool": "bool",
    "complex64": "precise vec2",
    "uint": "uint",
}
BUFFER_GLSL = {"float32": "float", "int32": "int", "bool": "int", "complex64": "vec2"}
VECTOR_GLSL = {"float32": "vec4", "int32": "ivec4", "bool": "ivec4"}
"""The types of four elements of a buffer."""
PLAIN = {"float32": "float", "int32": "int", "bool": "bool", "complex64": "vec2"}
WIDTH = {"float32": 4, "int32": 4, "bool": 4, "complex64": 8}
"""The bytes of an element in a buffer."""

GROUP = 256  # threads
FLAT_INDEX = "(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)"
"""The number of the group; groups beyond the limit of one axis are laid out in two."""


class Fused:
    """The steps of a trace and their wanted results: the part of a shader's key that says what it computes.

    Equal ones are one object (see `interned`), since they are looked up for each dispatch.

    Attributes:
        outputs: (step, dtype) of each result.
        widths: the bytes of an element of each result.
        leaves: the dtypes of the buffers read.
        direct: the buffers read at the computed index.
        base: the dtype of the shader's own result, from which these steps continue.
        mixed: whether a buffer is read both at the computed index and elsewhere.
        vectorizable: whether neighbors can be read and written four at a time.
    """

    __slots__ = ("base", "direct", "leaves", "mixed", "outputs", "steps", "vectorizable", "widths")

    def __init__(self, steps: tuple[Step, ...], outputs: tuple[tuple[int, str], ...]) -> None:
        self.steps = steps
        self.outputs = outputs
        self.widths = [WIDTH[dtype] for _, dtype in outputs]
        loads = [s for s in steps if s[0] == "load"]
        kinds = {leaf: dtype for _, dtype, leaf, _ in loads}
        self.leaves = [kinds[leaf] for leaf in range(len(kinds))]
        self.direct = sorted({leaf for _, _, leaf, index in loads if index == ROOT})
        self.base: str | None = next((s[1] for s in steps if s[0] == "base"), None)
        self.mixed = any(leaf in self.direct for _, _, leaf, index in loads if index != ROOT)
        self.vectorizable = not self.mixed and "complex64" not in (*self.leaves, *[dtype for _, dtype in outputs])


@functools.cache
def interned(steps: tuple[Step, ...], outputs: tuple[tuple[int, str], ...]) -> Fused:
    """The `Fused` of these steps and results."""
    return Fused(steps, outputs)


def buffer(binding: int, name: str, dtype: str, access: str, vector: bool = False) -> str:
    """The declaration of a buffer."""
    kind = (VECTOR_GLSL if vector else BUFFER_GLSL)[dtype]
    return f"layout(std430, binding = {binding}) {access} buffer B{binding} {{ {kind} {name}[]; }};\n"


def loaded(text: str, dtype: str) -> str:
    """The GLSL that converts a stored number to a local one."""
    return f"({text} != 0)" if dtype == "bool" else text


def saved(text: str, dtype: str) -> str:
    """The GLSL that converts a local number to a stored one."""
    return f"int({text})" if dtype == "bool" else text


def element_function(fused: Fused, first_word: int, name: str = "element", leaf_name: str = "a") -> str:
    """`void element(uint i, …)`: the steps for the element i.

    Its further arguments are the elements of the direct leaves, x0, …; then the base; then the results, y0, ….
    """
    kinds = fused.leaves
    arguments = ["uint i", *(f"{PLAIN[kinds[leaf]]} x{leaf}" for leaf in fused.direct)]
    base = fused.base
    if base is not None:
        arguments.append(f"{PLAIN[base]} base")
    arguments += [f"out {PLAIN[dtype]} y{k}" for k, (_, dtype) in enumerate(fused.outputs)]
    lines = [_line(k, step, first_word, leaf_name) for k, step in enumerate(fused.steps)]
    lines += [f"y{k} = v{step};" for k, (step, _) in enumerate(fused.outputs)]
    return f"void {name}({', '.join(arguments)}) {{\n  " + "\n  ".join(lines) + "\n}\n"


def reader(name: str, fused: Fused, first_word: int, first_binding: int, extras_after: int = 0) -> str:
    """The buffers that the steps read, and the function of that name that returns the element i.

    The additional results of the steps are written to the buffers after binding `extras_after`.
    """
    kinds = fused.leaves
    text = ""
    for leaf, dtype in enumerate(kinds):
        text += buffer(first_binding + leaf, f"{name}{leaf}_", dtype, "readonly")
    for k, (_, dtype) in enumerate(fused.outputs[1:], 1):
        text += buffer(extras_after + k, f"{name}_out{k}", dtype, "writeonly")
    text += element_function(fused, first_word, f"element_of_{name}", name)
    lines = [f"{BUFFER_GLSL[kinds[leaf]]} x{leaf} = {name}{leaf}_[i];" for leaf in fused.direct]
    lines += [f"{PLAIN[dtype]} y{k};" for k, (_, dtype) in enumerate(fused.outputs)]
    lines += calls(fused, [""], name=f"element_of_{name}")
    lines += [f"{name}_out{k}[i] = {saved(f'y{k}', d)};" for k, (_, d) in enumerate(fused.outputs) if k]
    return f"{text}{PLAIN[fused.outputs[0][1]]} {name}(uint i) {{\n  " + "\n  ".join(lines) + "\n  return y0;\n}\n"


def _line(k: int, step: Step, first_word: int, leaf_name: str) -> str:
    """The GLSL statement of a step, which declares v{k}."""
    kind = step[0]
    if kind == "load":
        _, dtype, leaf, index = step
        text = f"x{leaf}" if index == ROOT else loaded(f"{leaf_name}{leaf}_[v{index}]", dtype)
    elif kind == "const":
        _, dtype, place = step
        text = word(first_word + place, dtype)
    elif kind == "base":
        dtype, text = step[1], "base"
    elif kind == "map":
        _, form, place, index = step
        return statements(form, f"v{k}", "i" if index == ROOT else f"v{index}", first_word + place)
    else:
        dtype = kind.dtype
        named = {
            n: word(first_word + step[1] + j, d)
            for j, (n, d) in enumerate(zip("pqrstuvw", kind.parameters, strict=False))
        }
        arguments = ["i" if a == ROOT else f"v{a}" for a in step[2:]]
        text = kind.text.format(*arguments, **named)
    return f"{LOCAL[dtype]} v{k} = {text};"


def calls(
    fused: Fused, lanes: Sequence[str], base: str = "", name: str = "element", results: Sequence[str] = ("",)
) -> list[str]:
    """Calls of `element` from index i on.

    Args:
        lanes: for each call, what is appended to the names of the leaves' elements, x0, ….
        results: and to those of the results, y0, ….
    """
    kinds = fused.leaves
    out = []
    for n, lane in enumerate(lanes):
        given = [f"min(i + {n}u, {word(0)} - 1u)" if n else "i"]
        given += [loaded(f"x{leaf}{lane}", kinds[leaf]) for leaf in fused.direct]
        given += [base] if base else []
        given += [f"y{k}{results[n]}" for k in range(len(fused.outputs))]
        out.append(f"{name}({', '.join(given)});")
    return out


def pointwise(fused: Fused, words: int, vectors: int) -> str:
    """The shader that computes every element; its first parameter is their number, `words` more are the steps'.

    A thread computes one element, or this many vectors of four neighbors, which it reads and writes as a whole.
    """
    text = f"layout(local_size_x = {GROUP}) in;\n" + parameters(1 + words) + buffers_after(fused, 0, vectors > 0)
    text += element_function(fused, 1)
    return text + (_vector_main(fused, vectors) if vectors else _scalar_main(fused))


def _scalar_main(fused: Fused) -> str:
    lines = [f"uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;", f"if (i >= {word(0)}) return;"]
    return "void main() {\n  " + "\n  ".join([*lines, *stored(fused)]) + "\n}\n"


def stored(fused: Fused, base: str = "") -> list[str]:
    """Statements that read what the steps need for the element i, apply them, and write their results."""
    kinds = fused.leaves
    lines = [f"{BUFFER_GLSL[kinds[leaf]]} x{leaf} = a{leaf}_[i];" for leaf in fused.direct]
    lines += [f"{PLAIN[dtype]} y{k};" for k, (_, dtype) in enumerate(fused.outputs)]
    lines += calls(fused, [""], base)
    return lines + [f"o{k}[i] = {saved(f'y{k}', dtype)};" for k, (_, dtype) in enumerate(fused.outputs)]


def stored_in_vectors(fused: Fused, first: str, bases: Sequence[str]) -> list[str]:
    """Like `stored`, for four elements that are read and written as vectors.

    Args:
        first: the index of the first element.
        bases: as `base` of `stored`, for each element.
    """
    kinds = fused.leaves
    lines = [f"{VECTOR_GLSL[kinds[leaf]]} x{leaf} = a{leaf}_[{first} >> 2];" for leaf in fused.direct]
    for k, (_, dtype) in enumerate(fused.outputs):
        lines.append(f"{PLAIN[dtype]} " + ", ".join(f"y{k}{c}" for c in "xyzw") + ";")
    for q, (c, base) in enumerate(zip("xyzw", bases, strict=True)):
        lines.append(f"{{ uint i = {first} + {q}u; {calls(fused, [f'.{c}'], base, results=c)[0]} }}")
    for k, (_, dtype) in enumerate(fused.outputs):
        parts = ", ".join(saved(f"y{k}{c}", dtype) for c in "xyzw")
        lines.append(f"o{k}[{first} >> 2] = {VECTOR_GLSL[dtype]}({parts});")
    return lines


def buffers_after(fused: Fused, first: int, vector: bool = False) -> str:
    """The buffers that the steps read, from that binding on, then those of the results.

    Args:
        vector: those at the computed index are accessed four elements at a time.
    """
    text = ""
    for leaf, dtype in enumerate(fused.leaves):
        text += buffer(first + leaf, f"a{leaf}_", dtype, "readonly", vector and leaf in fused.direct)
    first += len(fused.leaves)
    for k, (_, dtype) in enumerate(fused.outputs):
        text += buffer(first + k, f"o{k}", dtype, "writeonly", vector)
    return text


def _vector_main(fused: Fused, count: int) -> str:
    """A group processes a stretch of vectors, `count` per thread at a time, strided so that accesses are coalesced.

    All are read before the first is computed. The groups share the vectors evenly; usually one iteration suffices.
    """
    kinds = fused.leaves
    step = GROUP * count
    lines = []
    for n in range(count):
        at = f"min(g + {n * GROUP}u, to - 1u)"
        lines += [f"{VECTOR_GLSL[kinds[leaf]]} x{leaf}_{n} = a{leaf}_[{at}];" for leaf in fused.direct]
    for n in range(count):
        lines.append(f"if (g + {n * GROUP}u < to) {{ uint i = 4u * (g + {n * GROUP}u);")
        for k, (_, dtype) in enumerate(fused.outputs):
            lines.append(f"{PLAIN[dtype]} " + ", ".join(f"y{k}{c}" for c in "xyzw") + ";")
        lines += calls(fused, [f"_{n}.{c}" for c in "xyzw"], results="xyzw")
        for k, (_, dtype) in enumerate(fused.outputs):
            parts = ", ".join(saved(f"y{k}{c}", dtype) for c in "xyzw")
            lines.append(f"o{k}[g + {n * GROUP}u] = {VECTOR_GLSL[dtype]}({parts});")
        lines.append("}")
    body = "\n    ".join(lines)
    return f"""void main() {{
  uint all = ({word(0)} - 1u) / 4u + 1u, groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  uint stretch = ((all - 1u) / (groups * {step}u) + 1u) * {step}u, from = {FLAT_INDEX} * stretch;
  uint to = min(from + stretch, all);
  for (uint g = from + gl_LocalInvocationIndex; g < to; g += {step}u) {{
    {body}
  }}
}}
"""
