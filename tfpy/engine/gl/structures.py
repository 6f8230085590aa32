"""The form of a fused expression, without its operands and constants.

Structures are interned: equal ones are one object. So the cost of fusing is computed once for each, and they are
compared by identity.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from tfpy.engine.gl.maps import Access
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.trace import ROOT, Expression, Step

MAX_NODES = 24
_MAX_STRUCTURES = 1 << 14


class Structure:
    """The structure of a value: its dtype if it is computed, otherwise the operations that lead to it.

    Attributes:
        fuses: it is deferred, and computed by the shader that needs it.
        weight, leaves: upper bounds for the number of operations and buffers that fusing would combine.
        depth: how many tasks have to be run one after the other.
        large: that is too much for one shader.
        mapped: some elements are read at other positions.
        alone: the steps that compute it, if it is a single operation on stored values and numbers.
    """

    __slots__ = ("alone", "depth", "fuses", "large", "leaves", "mapped", "weight")

    def __init__(self, fuses: bool, weight: int, leaves: int, depth: int) -> None:
        self.fuses = fuses
        self.weight = weight
        self.leaves = leaves
        self.depth = depth
        self.large = self.mapped = False
        self.alone: Fused | None = None


_DTYPES = ("float32", "int32", "bool", "complex64", "string")
STORED = {dtype: Structure(False, 0, 1, 0) for dtype in _DTYPES}
"""The structures of values whose elements are stored, on the host or on the GPU."""

NUMBER = {dtype: Structure(False, 0, 0, 0) for dtype in _DTYPES}
"""The structures of values that are one number repeated."""

_DTYPE_OF = {structure: dtype for kind in (STORED, NUMBER) for dtype, structure in kind.items()}


class Cost(NamedTuple):
    """The cost of fusing all inputs of an operation, counting each of them once."""

    weight: int
    leaves: int


class Structures(dict[tuple[Any, ...], Structure]):
    """The structures of elementwise values by their parts.

    These are the operation; the inputs' structures; if any is mapped, how each is; and the `Cost`, if determined.
    """

    def __init__(self, most_leaves: int) -> None:
        super().__init__()
        self._most_leaves = most_leaves

    def __missing__(self, key: tuple[Any, ...]) -> Structure:
        if len(self) >= _MAX_STRUCTURES:
            self.clear()
        inputs = [part for part in key if type(part) is Structure]
        weight, leaves = sum(s.weight for s in inputs), sum(s.leaves for s in inputs)
        if type(key[-1]) is Cost:
            weight, leaves = key[-1]
        found = self[key] = Structure(True, weight + 1, leaves, max((s.depth for s in inputs), default=0))
        found.large = weight >= MAX_NODES or leaves > self._most_leaves
        found.mapped = any(s.mapped for s in inputs) or any(type(part) is Access for part in key)
        if type(key[0]) is Expression and inputs and all(part in _DTYPE_OF for part in key[1:]):
            found.alone = _unfused(key[0], inputs)
        return found


def _unfused(op: Expression, inputs: list[Structure]) -> Fused:
    """The steps of an operation on buffers and numbers; its own parameters come first, then the numbers."""
    steps: list[Step] = []
    leaves, words = 0, len(op.parameters)
    for structure in inputs:
        dtype = _DTYPE_OF[structure]
        if structure is STORED[dtype]:
            steps.append(("load", dtype, leaves, ROOT))
            leaves += 1
        else:
            steps.append(("const", dtype, words))
            words += 1
    count = len(steps)
    return interned((*steps, (op, 0, *range(count))), ((count, op.dtype),))


@functools.lru_cache(maxsize=1024)
def structure_of_task(takes_epilogue: bool, dtype: str, leaves: int, depth: int) -> Structure:
    """The structure of a value with a task, whose shader reads that number of buffers if it has an epilogue.

    All arguments distinguish structures, and so recipes: one that takes an epilogue, say, can be the base of others.
    """
    return Structure(False, 0, leaves, depth)
