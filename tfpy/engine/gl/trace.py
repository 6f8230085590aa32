"""The computation of one element of a value: the fused operations as a flat list of steps.

The list, without parameter values, is the key of the shader: equal lists are computed by one program. A step is a
tuple, and its id is its index in the list:

    ("load", dtype, leaf, index)      an element of a buffer
    ("const", dtype, word)            a parameter
    ("map", form, word, index)        another index
    ("base", dtype)                   what the shader has computed itself, in the epilogue of a matrix product, say
    (operation, word, *arguments)     an `Expression` of earlier steps; its own parameters start at `word`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from tfpy.engine.gl.value import Pointwise, Task, Value

ROOT = -1
"""The index of the element that is being computed."""

OWN = -1
"""The parameters of a value itself, not those of one of its maps."""

Step = tuple[Any, ...]


class Expression:
    """An operation in GLSL.

    Attributes:
        text: a format: {0}, {1}, … are the arguments, {p}, {q}, … the parameters.
        dtype: of the result; 'uint' when it is an index.
        parameters: the dtypes of the parameters.
    """

    __slots__ = ("dtype", "parameters", "text")

    def __init__(self, text: str, dtype: str, parameters: tuple[str, ...] = ()) -> None:
        self.text = text
        self.dtype = dtype
        self.parameters = parameters

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        return trace.add(self, trace.words_of(v), *trace.arguments(v, index))


class Indexed:
    """An expression whose last argument is the index of the element."""

    def __init__(self, text: str, dtype: str, parameters: tuple[str, ...] = ()) -> None:
        self.expression = Expression(text, dtype, parameters)

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        return trace.add(self.expression, trace.words_of(v), *trace.arguments(v, index), index)


class View:
    """An operation that only reads elsewhere: the element is that of the input at the mapped index.

    Attributes:
        spreads: an element of the input may occur at many positions: a product reads it in place.
    """

    def __init__(self, spreads: bool = False) -> None:
        self.spreads = spreads

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        return trace.arguments(v, index)[0]


VIEW = View()
SPREAD = View(spreads=True)


class Trace:
    """The steps for values of one size, and their operands.

    Attributes:
        size: how many elements there are.
        leaves: the values whose buffers are read.
        sources: the sources of the parameters: a value, and which of its maps, or OWN.
        count: the number of parameters.
        seen: the deferred values that are computed as a whole, at ROOT, each with its step.
        base: the value of whose task these steps are the epilogue, or None.
        tasks: the values with tasks that have to be run first; here they are leaves.
    """

    def __init__(self, size: int, epilogue: bool) -> None:
        self.steps: list[Step] = []
        self.size = size
        self.leaves: list[Value] = []
        self.sources: list[tuple[Value, int]] = []
        self.count = 0
        self.seen: list[tuple[Value, int]] = []
        self.base: Value | None = None
        self.tasks: list[Value] = []
        self._epilogue = epilogue
        self._memo: dict[Any, int] = {}

    def value(self, v: Value, index: int) -> int:
        """The step that computes an element of a value."""
        key = id(v), index
        found = self._memo.get(key)
        if found is None:
            if v.op is None:
                found = self._ready(v, index)
            elif v.structure.fuses:
                found = cast("Pointwise", v.op).trace(self, v, index)
                if index == ROOT and v.spec.size == self.size:  # a larger one is computed only in part
                    self.seen.append((v, found))
            else:
                found = self._task(v, index)
            self._memo[key] = found
        return found

    def arguments(self, v: Value, index: int) -> list[int]:
        """The steps that compute the elements of a value's inputs."""
        arguments = []
        for i, x in enumerate(v.inputs):  # inlined, since nested calls use up Python's stack
            arguments.append(self.value(x, self.map(v, i, index)))
        return arguments

    def map(self, v: Value, which: int, index: int) -> int:
        """The step that computes an index, as a value maps it for one of its inputs."""
        where = None if v.maps is None else v.maps[which]
        if where is None:
            return index
        key = "map", id(where), index
        found = self._memo.get(key)
        if found is None:
            self.steps.append(("map", where.form, self._words(v, which, len(where.words)), index))
            found = self._memo[key] = len(self.steps) - 1
        return found

    def words_of(self, v: Value) -> int:
        """The index of a value's first parameter."""
        return self._words(v, OWN, len(v.words))

    def add(self, operation: Expression, word: int, *arguments: int) -> int:
        """A step of an operation on earlier steps, whose parameters start at `word`."""
        self.steps.append((operation, word, *arguments))
        return len(self.steps) - 1

    def _words(self, v: Value, which: int, count: int) -> int:
        if not count:
            return 0
        key = "words", id(v), which
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self.count
            self.sources.append((v, which))
            self.count += count
        return found

    def _task(self, v: Value, index: int) -> int:
        """A value with its own shader, which is run first, unless these steps are its epilogue."""
        if v is self.base:  # it is needed at another index, too
            self.tasks.append(v)
        elif self._is_base(v, index):
            self.base = v
            self.steps.append(("base", v.spec.dtype))
            self.seen.append((v, len(self.steps) - 1))
            return len(self.steps) - 1
        else:
            self.tasks.append(v)
        return self._ready(v, index)

    def _is_base(self, v: Value, index: int) -> bool:
        """Whether these steps can be the epilogue of a value's task."""
        first = self._epilogue and index == ROOT and self.base is None and v.spec.size == self.size
        return first and cast("Task", v.op).takes_epilogue

    def _ready(self, v: Value, index: int) -> int:
        if v.word is not None:
            if index != ROOT:
                return self.value(v, ROOT)
            self.steps.append(("const", v.spec.dtype, self.words_of(v)))
            return len(self.steps) - 1
        if v not in self.leaves:
            self.leaves.append(v)
        self.steps.append(("load", v.spec.dtype, self.leaves.index(v), index))
        return len(self.steps) - 1
