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

    def trace(self, trace: Trace, node: Node, index: int) -> int:
        maps = node.maps
        if maps is None:
            arguments = [trace.value(v, index) for v in node.inputs]
        else:
            arguments = [trace.at(v, m, index) for v, m in zip(node.inputs, maps, strict=True)]
        return trace.add(self, node.words, *arguments)


class View:
    """An operation that only looks elsewhere: the element is that of the input at the mapped index."""

    fusable = True

    def trace(self, trace: Trace, node: Node, index: int) -> int:
        return trace.at(node.inputs[0], node.maps[0] if node.maps else None, index)


VIEW = View()


class Trace:
    """The steps for one value, and what they work on.

    Attributes:
        words: the parameters.
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
        self._size = size
        self._ensure = ensure
        self._extend = extend
        self._memo: dict[tuple[int, Any], int] = {}
        self._leaf_of: dict[int, int] = {}
        self._slots: dict[int, int] = {}

    @classmethod
    def of_base(cls, dtype: str) -> Trace:
        """The trace of a task's own result: nothing follows."""
        trace = cls(0, lambda needed: None, False)
        trace.steps.append(("base", dtype))
        return trace

    def value(self, v: Value, index: int) -> int:
        """The step that gives an element of a value."""
        key = (id(v), index)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._value(v, index)
        return found

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
        """Count the references of a node to its inputs, once; they do not make them needed."""
        slots = self._slots
        if id(node) not in slots:
            slots[id(node)] = 1
            for needed in node.inputs:
                slots[id(needed)] = slots.get(id(needed), 0) + 1

    def held(self) -> list[int]:
        """The places in `seen` of the values that something besides these steps refers to."""
        return [
            place
            for place, count in enumerate(_references(self.seen))
            if count > _ALONE + self._slots.get(id(self.seen[place]), 0)
        ]

    def _value(self, v: Value, index: int) -> int:
        node = v.node
        if node is None:
            return self._ready(v, index)
        if node.op.fusable:
            self.enter(node)
            step: int = node.op.trace(self, node, index)
            if index == ROOT and v.spec.size == self._size:  # a larger one is computed in part only
                self.seen.append(v)
                self.ids.append(step)
            return step
        if self.base is not None and self.seen[self.base] is v:
            raise BaseUsedElsewhere
        if self._extend and index == ROOT and self.base is None and node.op.extends and v.spec.size == self._size:
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
