"""Nodes and constants of an ONNX file under construction, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.engine import dispatch
from tfpy.layers.naming import UniqueNames

Array = npt.NDArray[Any]


class Shared:
    """The state that a graph shares with the graphs of loops inside it.

    Attributes:
        package: the module onnx.
        constants: the constants by name.
        path: the names of the layers whose nodes are being added, outermost first.
        refused: the reasons why layers cannot be exported, by layer name.
    """

    def __init__(self, package: Any) -> None:
        self.package = package
        self.constants: dict[str, Array] = {}
        self.known: dict[Any, str] = {}
        self.names = UniqueNames()
        self.path: list[str] = []
        self.refused: dict[str, str] = {}


class Nodes:
    """A graph to which nodes are added; its values are represented by their names."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.nodes: list[Any] = []
        self._helper = shared.package.helper

    def unique(self, name: str) -> str:
        """A unique name in the file."""
        return self.shared.names.add(name)

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """A context whose nodes belong to the layer of that name."""
        self.shared.path.append(name)
        try:
            yield
        finally:
            self.shared.path.pop()

    def outputs(self, count: int, kind: str, *inputs: str, **attributes: Any) -> list[str]:
        """The names of the outputs of a new node. An input that is left out is the empty string, as in ONNX."""
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        name = self.unique("/".join([*self.shared.path, kind]))
        names = [name, *(self.unique(f"{name}:{i}") for i in range(1, count))]
        self.nodes.append(self._helper.make_node(kind, inputs, names, name, **attributes))
        return names

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of the only output of a new node."""
        return self.outputs(1, kind, *inputs, **attributes)[0]

    # Constants

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        """The name of a small constant."""
        array = np.asarray(values, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        return self._once(key, f"constant_{len(self.shared.constants)}", lambda: array)

    def integers(self, *values: int) -> str:
        """The name of a constant int64 vector, the type of axes and sizes in nodes."""
        return self.constant(values, np.int64)

    def weight(self, weight: Any, change: Callable[[Array], Array] | None = None, label: str = "") -> str:
        """The name of a weight, converted for a node; the empty string for a weight that a layer does not have.

        Args:
            weight: the weight, or None.
            change: converts its values.
            label: describes the conversion, and is part of the name.
        """
        if weight is None:
            return ""

        def values() -> Array:
            array = dispatch.read(weight, "save").astype(np.float32)
            return array if change is None else np.ascontiguousarray(change(array))

        return self._once((weight.id, label), f"{weight.original_name}{label and f':{label}'}", values)

    def _once(self, key: Any, name: str, values: Callable[[], Array]) -> str:
        if key not in self.shared.known:
            self.shared.known[key] = found = self.unique(name)
            self.shared.constants[found] = values()
        return self.shared.known[key]

    # The whole graph

    def element_type(self, dtype: str) -> int:
        """The ONNX element type for a dtype."""
        found: int = self._helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return found

    def renamed(self, found: Sequence[str], names: Sequence[str]) -> None:
        """Give values external names; an input, or a value that has one already, gets a node for it."""
        own = {output for node in self.nodes for output in node.output}
        new: dict[str, str] = {}
        for old, name in zip(found, names, strict=True):
            if old in own and old not in new:
                new[old] = name
            else:
                self.nodes.append(self._helper.make_node("Identity", [old], [name], name))
        for node in self.nodes:
            node.input[:] = [new.get(name, name) for name in node.input]
            node.output[:] = [new.get(name, name) for name in node.output]

    def keep_needed(self, outputs: Iterable[str]) -> None:
        """Remove nodes and constants that the outputs do not need, such as unused masks."""
        needed, kept = set(outputs), []
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(_used(node))
        self.nodes = kept[::-1]
        self.shared.constants = {name: array for name, array in self.shared.constants.items() if name in needed}


def _used(node: Any) -> Iterator[str]:
    """The names that a node refers to, including those in nested loops."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from _used(inner)
