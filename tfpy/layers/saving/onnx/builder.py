"""The graph of an ONNX file under construction: the values of layers, and operations on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.package import is_ours
from tfpy.layers.base import Layer
from tfpy.layers.calling import keywords_of
from tfpy.layers.container import Container
from tfpy.layers.saving.onnx.nodes import Nodes, Shared
from tfpy.layers.shapes import shapes_of_all
from tfpy.layers.symbolic import PartialShape, one_or_list, to_list

# The position of each stored axis among the axes of the shape.
Order = tuple[int, ...]


class UnsupportedError(Exception):
    """A layer that cannot be expressed in ONNX; the message has the reason."""


@dataclass(frozen=True)
class Value:
    """An output of a node.

    Layers use channels-last images, ONNX's nodes channels-first ones. A value may be stored in another order than its
    shape says, and is transposed only where a layer needs a different order.

    Attributes:
        name: its name in the graph.
        shape: its shape in the layers' order.
        dtype: its dtype in tfpy.
        order: how its axes are stored: `order[i]` is the i-th stored axis. None if they are in the order of the shape.
    """

    name: str
    shape: PartialShape
    dtype: str = "float32"
    order: Order | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    def stored(self, axis: int) -> int:
        """The axis of the stored value for an axis of the shape."""
        axis %= self.rank
        return axis if self.order is None else self.order.index(axis)


Size = int | tuple[Value, int]
"""A size of a shape: a number, or the size of a value along an axis."""


def _number_if_known(size: Size) -> Size:
    """A size as a number, unless it is known only when the graph is run."""
    number = size[0].shape[size[1]] if isinstance(size, tuple) else size
    return size if number is None else number


class Call(NamedTuple):
    """The arguments of a layer's call besides its inputs.

    Attributes:
        arguments: keywords of the call that are not None, by their snake_case names.
        mask: the mask of the inputs, a list of masks if the layer takes them all, or None.
        shapes: the shapes of the outputs.
    """

    arguments: Mapping[str, Any]
    mask: Any
    shapes: list[PartialShape]


Exporter = Callable[["Builder", Any, list[Value], Call], "Value | list[Value]"]


class Kind(NamedTuple):
    """How a type of layer is exported.

    Attributes:
        export: adds the nodes.
        any_dtype: whether it accepts inputs of any dtype; other layers get float32.
        keywords: the supported keywords of the call.
    """

    export: Exporter
    any_dtype: bool = False
    keywords: frozenset[str] = frozenset()


class Builder(Nodes):
    """A graph to which layers add their nodes."""

    def __init__(self, kinds: Mapping[type[Layer], Kind], shared: Shared) -> None:
        super().__init__(shared)
        self._kinds = kinds
        self._moved: dict[tuple[str, Order], str] = {}

    def inner(self) -> Builder:
        """A graph for the body of a loop, which can use the values of this one."""
        return Builder(self._kinds, self.shared)

    def tensor(self, tensor: Tensor, dtype: str) -> Value:
        """A tensor argument of a layer's call."""
        values = dispatch.read(tensor, "save").reshape(tensor.shape)
        return Value(self.constant(values, np.dtype(dtype)), tuple(tensor.shape), dtype)

    def graph(self, name: str, inputs: Sequence[Value], outputs: Sequence[Value], **more: Any) -> Any:
        """The nodes as a graph, or as the body of a loop. Inputs and outputs are stored as their shapes say."""
        ends = ([self._described(value) for value in values] for values in (inputs, outputs))
        return self._helper.make_graph(self.nodes, name, *ends, **more)

    def _described(self, value: Value) -> Any:
        return self._helper.make_tensor_value_info(value.name, self.element_type(value.dtype), value.shape)

    # Values

    def cast(self, value: Value, dtype: str) -> Value:
        """A value of a dtype."""
        if value.dtype == dtype:
            return value
        return replace(value, name=self.node("Cast", value.name, to=self.element_type(dtype)), dtype=dtype)

    def arranged(self, value: Value, order: Order | None) -> str:
        """The name of a value whose axes are stored in a given order."""
        now = value.order or tuple(range(value.rank))
        turn = tuple(now.index(axis) for axis in order or range(value.rank))
        if turn == tuple(range(value.rank)):
            return value.name
        if (value.name, turn) not in self._moved:
            self._moved[value.name, turn] = self.node("Transpose", value.name, perm=turn)
        return self._moved[value.name, turn]

    def plain(self, value: Value) -> str:
        """The name of a value that is stored in the order of its shape."""
        return self.arranged(value, None)

    def each(self, kind: str, value: Value, *others: str, dtype: str | None = None, **attributes: Any) -> Value:
        """A value after a node that keeps its axes; other inputs are scalars, or stored in the same order."""
        return replace(value, name=self.node(kind, value.name, *others, **attributes), dtype=dtype or value.dtype)

    def with_weight(self, kind: str, value: Value, weight: Any, shape: Sequence[int]) -> Value:
        """A value combined with a weight, in a shape that broadcasts to the value's."""
        order = value.order or tuple(range(value.rank))
        sizes = [1] * (value.rank - len(shape)) + list(shape)
        label = "" if value.order is None and sizes == list(weight.shape) else f"{'x'.join(map(str, sizes))}:{order}"
        name = self.weight(weight, lambda w: w.reshape(sizes).transpose(order), label.replace(" ", ""))
        return self.each(kind, value, name)

    def together(self, values: Sequence[Value]) -> tuple[list[str], Order | None]:
        """The names of values of the same rank that are stored in a common order, and that order."""
        orders = {value.order for value in values}
        if len(orders) == 1:
            return [value.name for value in values], orders.pop()
        return [self.plain(value) for value in values], None

    def reduced(self, kind: str, value: Value, axes: Sequence[int], keep: bool = False) -> Value:
        """Sums, means or maxima over axes."""
        listed = [axis % value.rank for axis in axes]
        where = sorted(value.stored(axis) for axis in listed)
        if kind == "ReduceSum":  # only this node takes its axes as an input in this version of ONNX
            name = self.node(kind, value.name, self.integers(*where), keepdims=int(keep))
        else:
            name = self.node(kind, value.name, axes=where, keepdims=int(keep))
        if keep:
            return replace(value, name=name, shape=tuple(1 if i in listed else n for i, n in enumerate(value.shape)))
        rest = [axis for axis in range(value.rank) if axis not in listed]
        order = None if value.order is None else tuple(rest.index(axis) for axis in value.order if axis in rest)
        return Value(name, tuple(value.shape[axis] for axis in rest), value.dtype, as_order(order))

    def sizes(self, sizes: Sequence[Size]) -> str:
        """A shape as a vector."""
        given = [_number_if_known(size) for size in sizes]
        numbers = [size for size in given if isinstance(size, int)]
        if len(numbers) == len(given):
            return self.integers(*numbers)
        names = [self.integers(size) if isinstance(size, int) else self._size(*size) for size in given]
        return self.node("Concat", *names, axis=0) if len(names) > 1 else names[0]

    def _size(self, value: Value, axis: int) -> str:
        """A vector with the size of a value along an axis, computed when the graph is run."""
        where = value.stored(axis)
        return self.node("Slice", self.node("Shape", value.name), self.integers(where), self.integers(where + 1))

    def reshaped(self, value: Value, sizes: Sequence[Size], shape: PartialShape) -> Value:
        """A value in another shape; one size may be -1, which stands for what is left."""
        given = [_number_if_known(size) for size in sizes]
        if -1 not in given and sum(isinstance(size, tuple) for size in given) == 1:
            given = [-1 if isinstance(size, tuple) else size for size in given]
        return Value(self.node("Reshape", self.plain(value), self.sizes(given)), shape, value.dtype)

    # Layers

    def kind_of(self, layer: Layer) -> Kind | None:
        """How a layer is exported, by its class; all of tfpy's own models in the same way."""
        return self._kinds.get(Container if isinstance(layer, Container) and is_ours(type(layer)) else type(layer))

    def call(
        self, layer: Layer, inputs: Sequence[Value], arguments: Mapping[str, Any], mask: Any = None
    ) -> list[Value]:
        """The outputs of a layer. If it cannot be exported, that is recorded and the shapes are correct."""
        shapes = layer.shapes_of_call(one_or_list([value.shape for value in inputs]), arguments)
        listed = shapes_of_all(shapes)
        with self.within(layer.name):
            try:
                found = to_list(self._exported(layer, inputs, arguments, mask, listed))
            except UnsupportedError as reason:
                path = "/".join(self.shared.path)
                self.shared.refused.setdefault(f"{path} ({layer.get_class_name()})", str(reason))
                found = [Value("", shape) for shape in listed]
        return [replace(value, shape=shape) for value, shape in zip(found, listed, strict=True)]

    def _exported(
        self, layer: Layer, inputs: Sequence[Value], arguments: Mapping[str, Any], mask: Any, shapes: list[PartialShape]
    ) -> Value | list[Value]:
        kind = self.kind_of(layer)
        if kind is None:
            raise UnsupportedError(
                "has no counterpart in ONNX" if is_ours(type(layer)) else "its class is not one of tfpy's"
            )
        names = keywords_of(type(layer).call)[0] or {}
        given = {names[key]: v for key, v in arguments.items() if key in names and v is not None}
        given.pop("training", None)
        unknown = sorted(given.keys() - kind.keywords)
        if unknown:
            raise UnsupportedError(f"is called with {', '.join(unknown)}")
        values = inputs if kind.any_dtype else [self.cast(value, "float32") for value in inputs]
        return kind.export(self, layer, list(values), Call(given, mask, shapes))


def as_order(order: Sequence[int] | None) -> Order | None:
    """An order; None if it is that of the shape."""
    return None if order is None or list(order) == list(range(len(order))) else tuple(order)


def channels_in_front(rank: int, axis: int) -> Order | None:
    """The order with an axis moved to the second position, where image nodes expect the channels."""
    first, *others = (i for i in range(rank) if i != axis % rank)
    return as_order([first, axis % rank, *others])
