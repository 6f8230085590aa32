"""The graph of layers: symbolic tensors, which know their shape and source layer, and the calls between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.naming.hints import Hints
from tfpy.engine import handle
from tfpy.engine.arguments import as_dtype, as_list
from tfpy.engine.dtypes import DType
from tfpy.layers._camel import NodeCamel, SymbolicTensorCamel
from tfpy.layers.naming import scoped, unique

if TYPE_CHECKING:
    from tfpy.layers.base import Layer

PartialShape: TypeAlias = "tuple[int | None, ...]"


@export(doc="Models / Classes")
class SymbolicTensor(SymbolicTensorCamel, Hints):
    """The future output of a layer: a dtype and a shape, in which the batch size and other sizes may be None.

    Layers and `tf.input` create them. One created directly belongs to no model; a layer called on it returns its
    symbolic output.

    Attributes:
        name: its unique name.
        original_name: the name before a number was appended.
        dtype: the dtype.
        shape: the shape, with None for unknown sizes.
        id: a unique number.
        source_layer: the layer that it comes from; None if created directly.
        inputs: the inputs of that layer's call.
        call_args: the further arguments of the call.
        output_tensor_index: which of its outputs this is, if it has several.
        node_index: which of the layer's calls made it.
        tensor_index: which of that call's outputs it is.

    Source: TF.js `tf.SymbolicTensor`.
    """

    name: str | None
    original_name: str | None
    shape: PartialShape
    source_layer: Layer | None
    inputs: list[SymbolicTensor]
    call_args: dict[str, Any]
    output_tensor_index: int | None
    node_index: int
    tensor_index: int

    @accepts_options()
    def __init__(
        self,
        dtype: DType,
        shape: Sequence[int | None],
        source_layer: Layer | None = None,
        inputs: Sequence[SymbolicTensor] = (),
        call_args: Mapping[str, Any] | None = None,
        name: str | None = None,
        output_tensor_index: int | None = None,
    ) -> None:
        self.id = handle.next_id()
        self.dtype = as_dtype("SymbolicTensor", dtype)
        sizes: list[Any] = as_list("SymbolicTensor", "shape", shape, "sizes")
        self.shape = tuple(sizes)
        self.source_layer = source_layer
        self.inputs = list(inputs)
        self.call_args = dict(call_args or {})
        self.output_tensor_index = output_tensor_index
        self.original_name = None if name is None else scoped(name)
        self.name = None if self.original_name is None else unique(self.original_name)
        self.node_index = 0
        self.tensor_index = 0

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def _no_attribute(self, name: str) -> AttributeError:
        why = "" if name.startswith("__") else f" It is symbolic: {_USE_LAYERS}."
        return AttributeError(f"'SymbolicTensor' object has no attribute {name!r}.{why}", name=name)

    def __repr__(self) -> str:
        return f"SymbolicTensor(name={self.name!r}, shape={list(self.shape)}, dtype={self.dtype})"


_USE_LAYERS = "use layers, not ops, on symbolic tensors (tf.layers.lambda_ makes a layer of a function)"


def _refused(what: str) -> Callable[..., NoReturn]:
    def refuse(self: SymbolicTensor, *others: object, **options: object) -> NoReturn:
        raise TypeError(f"{self!r} {what}: it is symbolic; {_USE_LAYERS}.")

    return refuse


# What people do to tensors. numpy asks for `__array__`, and so do ops.
for _name, _what in {
    "len": "has no length",
    "bool": "has no boolean",
    "iter": "cannot be iterated over",
    "array": "has no values",
    "float": "has no value",
    "int": "has no value",
    "getitem": "has no values",
}.items():
    setattr(SymbolicTensor, f"__{_name}__", _refused(_what))
for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]:
    for _side in ("", "r"):
        setattr(SymbolicTensor, f"__{_side}{_name}__", _refused("cannot be computed with"))
for _name in ["neg", "abs", "lt", "le", "gt", "ge"]:
    setattr(SymbolicTensor, f"__{_name}__", _refused("cannot be computed with"))


class Node(NodeCamel):
    """One call of a layer on symbolic tensors.

    Attributes:
        outbound_layer: the layer that was called.
        input_tensors: the inputs of the call.
        output_tensors: the outputs of the call.
        call_args: the further arguments of the call.

    Source: TF.js's `Node`.
    """

    outbound_layer: Layer
    input_tensors: list[SymbolicTensor]
    output_tensors: list[SymbolicTensor]
    call_args: dict[str, Any]

    def __init__(
        self,
        layer: Layer,
        inputs: Sequence[SymbolicTensor],
        outputs: Sequence[SymbolicTensor],
        arguments: dict[str, Any],
    ) -> None:
        self.outbound_layer = layer
        self.input_tensors = list(inputs)
        self.output_tensors = list(outputs)
        self.call_args = arguments
        layer.inbound_nodes.append(self)
        for source in self.input_tensors:
            if source.source_layer is not None:
                source.source_layer.outbound_nodes.append(self)
        for i, tensor in enumerate(self.output_tensors):
            tensor.source_layer, tensor.node_index, tensor.tensor_index = layer, len(layer.inbound_nodes) - 1, i

    @classmethod
    def around(cls, layer: Layer, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]) -> Node:
        """A container's own node, from its inputs to its outputs, which stay those of the layers inside."""
        node = cls.__new__(cls)
        node.outbound_layer, node.call_args = layer, {}
        node.input_tensors, node.output_tensors = list(inputs), list(outputs)
        return node

    def __repr__(self) -> str:
        return f"Node(layer={self.outbound_layer.name!r}, inputs={self.input_shapes}, outputs={self.output_shapes})"

    @property
    def inbound_layers(self) -> list[Layer | None]:
        """The layers that the inputs come from."""
        return [t.source_layer for t in self.input_tensors]

    @property
    def node_indices(self) -> list[int]:
        """Which of their calls made the inputs."""
        return [t.node_index for t in self.input_tensors]

    @property
    def tensor_indices(self) -> list[int]:
        """Which of those calls' outputs the inputs are."""
        return [t.tensor_index for t in self.input_tensors]

    @property
    def input_shapes(self) -> list[PartialShape]:
        return [t.shape for t in self.input_tensors]

    @property
    def output_shapes(self) -> list[PartialShape]:
        return [t.shape for t in self.output_tensors]


def node_of(tensor: SymbolicTensor) -> Node:
    """The call that made a symbolic tensor.

    Raises:
        ValueError: it was made by hand.
    """
    if tensor.source_layer is None:
        raise ValueError(f"{tensor!r} does not come from a layer: a model starts with the results of tf.input.")
    return tensor.source_layer.inbound_nodes[tensor.node_index]


def to_list(value: Any) -> list[Any]:
    """A list of what may be one thing or a list of them."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def one_or_list(values: Sequence[Any]) -> Any:
    """The only one of the values, or a list of them."""
    return values[0] if len(values) == 1 else list(values)
