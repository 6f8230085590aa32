"""What has to be computed for one element of a value: the fused nodes as a flat list of steps.

The list, without the numbers in it, is the key of the shader: equal lists are computed by one program. A step is a
tuple, and its id is its place in the list:

    ("load", dtype, leaf, index)      an element of a buffer
    ("const", dtype, word)            a parameter
    ("map", form, word, index)        another index
    ("base", dtype)                   what the shader has computed itself, where a matrix product is extended
    (operation, word, *arguments)     an `Expression` of earlier steps; its own parameters start at `word`
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

from tfpy.engine.gl.maps import Map
from tfpy.engine.gl.value import Node, Value

ROOT = -1
"""The index of the element that is being computed."""

Step = tuple[Any, ...]

_NOT_MAPPED: tuple[Map | None, ...] = (None,) * 8


class BaseUsedElsewhere(Exception):
    """The value whose shader was to be extended is needed at another index, too."""


class Expression:
    """An operation in GLSL.

    Attributes:
        text: a format: {0}, {1}, … are the arguments, {p}, {q}, … the parameters.
        dtype: of the result; 'uint' when it is an index.
        parameters: the dtypes of the parameters.
    """

    __slots__ = ("dtype", "parameters", "text")

    fusable = True

    def __init__(self, text: str, dtype: str, parameters: tuple[str, ...] = ()) -> None:
        self.text = text
        self.dtype = dtype
        self.parameters = parameters


class Indexed:
    """An expression whose last argument is the index of the element."""

    fusable = True

    def __init__(self, text: str, dtype: str, parameters: tuple[str, ...] = ()) -> None:
        self.expression = Expression(text, dtype, parameters)

    def trace(self, trace: Trace, node: Node, index: int) -> int:
        where = node.maps or _NOT_MAPPED
        arguments = [trace.at(v, m, index) for v, m in zip(node.inputs, where, strict=False)]
        return trace.add(self.expression, node.words, *arguments, index)


class View:
    """An operation that only looks elsewhere: the element is that of the input at the mapped index.

    Attributes:
        spreads: an element of the input may be found at many places: a product reads it where it is.
    """

    fusable = True

    def __init__(self, spreads: bool = False) -> None:
        self.spreads = spreads

    def trace(self, trace: Trace, node: Node, index: int) -> int:
        return trace.at(node.inputs[0], node.maps[0] if node.maps else None, index)


VIEW = View()
SPREAD = View(spreads=True)


class Trace:
    """The steps for one value, and what they work on.

    Attributes:
        words: the parameters.
        size: how many elements there are.
        leaves: the values whose buffers are read.
        seen: the values still to do that are computed as a whole, at ROOT; each with its step in `ids`.
        base: the place in `seen` of the value whose task is extended, or None.
        ran: a task was run on the way.
    """

    def __init__(self, size: int, ensure: Callable[[Value], Any], extend: bool) -> None:
        self.steps: list[Step] = []
        self.words: list[int] = []
        self.leaves: list[Value] = []
        self.seen: list[Value] = []
        self.ids: list[int] = []
        self.base: int | None = None
        self.ran = False
        self.size = size
        self._ensure = ensure
        self._extend = extend
        self._memo: dict[Any, int] = {}
        self._leaf_of: dict[int, int] = {}
        self._nodes: list[Node] = []

    @classmethod
    def of_base(cls, dtype: str) -> Trace:
        """The trace of a task's own result: nothing follows."""
        trace = cls(0, lambda needed: None, False)
        trace.steps.append(("base", dtype))
        return trace

    def value(self, v: Value, index: int) -> int:
        """The step that gives an element of a value."""
        # The commonest case is written out: this runs for every op, and nested calls use up Python's stack.
        memo = self._memo
        key = id(v) if index == ROOT else (id(v), index)
        found = memo.get(key)
        if found is not None:
            return found
        node = v.node
        if node is None:
            step = self._ready(v, index)
        elif not node.op.fusable:
            step = self._task(v, node, index)
        else:
            self._nodes.append(node)
            if type(node.op) is Expression:
                arguments = [
                    self.value(x, index if m is None else self.map(m, index))
                    for x, m in zip(node.inputs, node.maps or _NOT_MAPPED, strict=False)
                ]
                steps, words = self.steps, self.words
                step = len(steps)
                steps.append((node.op, len(words), *arguments))
                if node.words:
                    words.extend(node.words)
            else:
                step = node.op.trace(self, node, index)
            if index == ROOT and v.spec.size == self.size:  # a larger one is computed in part only
                self.seen.append(v)
                self.ids.append(step)
        memo[key] = step
        return step

    def at(self, v: Value, where: Map | None, index: int) -> int:
        """The same at a mapped index."""
        return self.value(v, index if where is None else self.map(where, index))

    def map(self, where: Map, index: int) -> int:
        """The step that gives a mapped index."""
        key = (id(where), (index,))
        found = self._memo.get(key)
        if found is None:
            self.steps.append(("map", where.form, len(self.words), index))
            self.words.extend(where.words)
            found = self._memo[key] = len(self.steps) - 1
        return found

    def add(self, operation: Expression, words: Any, *arguments: int) -> int:
        """A step of an operation on earlier steps."""
        self.steps.append((operation, len(self.words), *arguments))
        self.words.extend(words)
        return len(self.steps) - 1

    def enter(self, node: Node) -> None:
        """Count this node among those whose references to its inputs do not make them needed."""
        self._nodes.append(node)

    def held(self, last: bool) -> list[int]:
        """The places in `seen` of the values that something besides these steps refers to, the last one's if asked."""
        counts = _references(self.seen)
        if not last and counts:
            counts.pop()
        several = [place for place, count in enumerate(counts) if count > _ALONE + 1]
        if not several:
            return []
        slots: dict[int, int] = {}
        for node in {id(node): node for node in self._nodes}.values():
            for needed in node.inputs:
                slots[id(needed)] = slots.get(id(needed), 0) + 1
        return [place for place in several if counts[place] > _ALONE + slots.get(id(self.seen[place]), 0)]

    def _task(self, v: Value, node: Node, index: int) -> int:
        """A value with a shader of its own: it is run now, unless these steps extend it."""
        if self.base is not None and self.seen[self.base] is v:
            raise BaseUsedElsewhere
        if self._extend and index == ROOT and self.base is None and node.op.extends and v.spec.size == self.size:
            self.base = len(self.seen)
            self.seen.append(v)
            self.steps.append(("base", v.spec.dtype))
            self.ids.append(len(self.steps) - 1)
            return self.ids[-1]
        self._ensure(v)
        self.ran = True
        return self._ready(v, index)

    def _ready(self, v: Value, index: int) -> int:
        if v.word is not None:
            key = (id(v), None)
            found = self._memo.get(key)
            if found is None:
                self.steps.append(("const", v.spec.dtype, len(self.words)))
                self.words.append(v.word)
                found = self._memo[key] = len(self.steps) - 1
            return found
        leaf = self._leaf_of.get(id(v))
        if leaf is None:
            self._ensure(v)
            leaf = self._leaf_of[id(v)] = len(self.leaves)
            self.leaves.append(v)
        self.steps.append(("load", v.spec.dtype, leaf, index))
        return len(self.steps) - 1


def _references(values: list[Value]) -> list[int]:
    return [getrefcount(v) for v in values]


# How often a value is referred to that only a list refers to, as this Python counts it.
_ALONE = _references([Value.__new__(Value)])[0]
