"""A TensorFlow GraphDef in JSON, read and checked: nodes, functions, inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from tfpy.core.io.errors import ModelFileError, field_error, list_in, object_in
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import nearest
from tfpy.graph.attributes import Attributes, dtype_of
from tfpy.graph.mappers import mapper_of

ENTER = frozenset({"Enter", "RefEnter"})
EXIT = frozenset({"Exit", "RefExit"})
MERGE = frozenset({"Merge", "RefMerge"})
NEXT_ITERATION = frozenset({"NextIteration", "RefNextIteration"})
FRAME_OPS = frozenset({*ENTER, *EXIT, *MERGE, *NEXT_ITERATION, "LoopCond", "Switch", "RefSwitch"})
"""In a graph with these, every node runs when its inputs are available, in frames; without them the order is known."""


# No node has more than a few thousand outputs, and values are listed up to the named one.
_MAX_DIGITS = 5


class Ref(NamedTuple):
    """An output of a node."""

    node: str
    output: int

    def __str__(self) -> str:
        return self.node if self.output == 0 else f"{self.node}:{self.output}"


class Node:
    """A node of a graph.

    Attributes:
        name: its name.
        op: the TensorFlow op.
        inputs: the outputs of other nodes that it uses.
        after: its control dependencies, which must be computed before.
        attrs: its attributes.
        label: its name in messages.
    """

    __slots__ = ("after", "attrs", "inputs", "label", "name", "op")

    def __init__(self, name: str, op: str, inputs: list[Ref], after: list[str], attrs: Attributes) -> None:
        self.name, self.op = name, op
        self.inputs, self.after = inputs, after
        self.attrs = attrs
        self.label = f"{op} {name!r}"

    @property
    def needs(self) -> list[str]:
        """The names of the nodes that it needs."""
        return [*(ref.node for ref in self.inputs), *self.after]

    @property
    def is_input(self) -> bool:
        """Whether its value is fed from outside."""
        return self.op.startswith("Placeholder")


class Port(NamedTuple):
    """An input or output of a graph.

    Attributes:
        key: its name in the signature; the node's name without a signature.
        ref: the node's output.
        shape: -1 for unknown sizes; None when nothing is.
        dtype: None if unknown.
        resource: the number of the resource it stands for.
    """

    key: str
    ref: Ref
    shape: tuple[int, ...] | None = None
    dtype: DType | None = None
    resource: Any = None


class Graph:
    """A graph, or the body of a function.

    Attributes:
        source: its name in messages.
        nodes: by name.
        inputs: its inputs.
        outputs: its outputs.
    """

    def __init__(self, source: str, nodes: Mapping[str, Node]) -> None:
        self.source = source
        self.nodes = dict(nodes)
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []
        self._check_references()

    @cached_property
    def has_frames(self) -> bool:
        """Whether it has TensorFlow 1 loops and branches."""
        return any(node.op in FRAME_OPS for node in self.nodes.values())

    def _check_references(self) -> None:
        for node in self.nodes.values():
            for name in node.needs:
                if name not in self.nodes:
                    hint = nearest(name, self.nodes)
                    raise ModelFileError(
                        f"{self.source}: {node.label} has an input {name!r} that does not exist.{hint}"
                    )

    def needed_for(self, names: Sequence[str], given: Sequence[str] = ()) -> list[Node]:
        """The nodes that some nodes need, including themselves but not given ones, in topological order.

        Raises:
            ModelFileError: a cycle of nodes outside a loop.
        """
        done: dict[str, bool] = dict.fromkeys(given, True)
        order: list[Node] = []
        # With an explicit stack, since a graph may be deeper than Python's recursion limit.
        stack = [(name, False) for name in reversed(list(names))]
        while stack:
            name, left = stack.pop()
            if left:
                done[name] = True
                order.append(self.nodes[name])
            elif done.get(name) is False and self.nodes[name].op not in NEXT_ITERATION:
                if not self.has_frames:
                    raise ModelFileError(f"{self.source}: node {name!r} depends on itself.")
            elif name not in done:
                done[name] = False
                stack.append((name, True))
                stack.extend((n, False) for n in reversed(self.nodes[name].needs) if not done.get(n))
        return order


def read_graph(graph: Any, signature: Any, source: str) -> Graph:
    """The graph of a GraphDef.

    Args:
        graph: {'node': […], 'library': …}.
        signature: {'inputs': {key: {'name', 'dtype', 'tensorShape'}}, 'outputs': …}; None where there is none.
        source: the name of the file in messages.

    Raises:
        ModelFileError: naming the node and what is wrong.
    """
    definition = object_in(source, "modelTopology", graph)
    read = Graph(source, _nodes(definition.get("node"), source, "node"))
    given = object_in(source, "signature", signature or {})
    inputs = _signature_ports(read, given.get("inputs"), source, "inputs")
    outputs = _signature_ports(read, given.get("outputs"), source, "outputs")
    read.inputs = inputs or [_port(node) for node in read.nodes.values() if node.is_input]
    read.outputs = outputs or _leaves(read)
    return read


def _leaves(graph: Graph) -> list[Port]:
    """The nodes that no other node needs."""
    used = {name for node in graph.nodes.values() for name in node.needs}
    return [_port(node) for node in graph.nodes.values() if node.name not in used]


def _port(node: Node) -> Port:
    return Port(node.name, Ref(node.name, 0), node.attrs.shape("shape"), node.attrs.dtype("dtype"))


def _signature_ports(graph: Graph, entries: Any, source: str, kind: str) -> list[Port]:
    """The inputs or outputs that a signature names, omitting those that are not in the graph, as in TF.js."""
    found = []
    for key, entry in object_in(source, f"signature.{kind}", entries or {}).items():
        info = object_in(source, f"signature.{kind}.{key}", entry)
        ref = read_ref(info.get("name"), source, f"signature.{kind}.{key}.name")
        if ref.node in graph.nodes:
            own = _port(graph.nodes[ref.node])
            resource = info.get("resourceId")
            if not isinstance(resource, (int, float, str, type(None))):
                raise field_error(source, f"signature.{kind}.{key}.resourceId", "a number", resource)
            found.append(Port(key, ref, own.shape, own.dtype, resource))
    return found


def read_functions(graph: Any, source: str) -> dict[str, Graph]:
    """The functions of a GraphDef's library, by name."""
    library = object_in(source, "library", object_in(source, "modelTopology", graph).get("library") or {})
    functions: dict[str, Graph] = {}
    for i, entry in enumerate(list_in(source, "library.function", library.get("function") or [])):
        definition = object_in(source, f"library.function[{i}]", entry)
        signature = object_in(source, f"library.function[{i}].signature", definition.get("signature"))
        name = _name(signature.get("name"), source, f"library.function[{i}].signature.name")
        if name in functions:
            raise ModelFileError(f"{source}: library has two functions named {name!r}.")
        functions[name] = _function(definition, signature, f"{source}: function {name}")
    return functions


def _function(definition: Mapping[str, Any], signature: Mapping[str, Any], source: str) -> Graph:
    arguments = [
        object_in(source, "signature.inputArg", a)
        for a in list_in(source, "signature.inputArg", signature.get("inputArg") or [])
    ]
    names = [_name(a.get("name"), source, "signature.inputArg.name") for a in arguments]
    nodes = {n: Node(n, "Placeholder", [], [], Attributes({}, source)) for n in names}
    for name, node in _nodes(definition.get("nodeDef") or [], source, "nodeDef").items():
        if name in nodes:
            raise ModelFileError(f"{source}: a node has the same name as the argument {name!r}.")
        nodes[name] = node
    graph = Graph(source, nodes)
    graph.inputs = [Port(n, Ref(n, 0), None, dtype_of(a.get("type"))) for n, a in zip(names, arguments, strict=True)]
    returned = object_in(source, "ret", definition.get("ret") or {})
    for result in list_in(source, "signature.outputArg", signature.get("outputArg") or []):
        key = _name(object_in(source, "signature.outputArg", result).get("name"), source, "signature.outputArg.name")
        ref = read_ref(returned.get(key), source, f"ret.{key}", graph.nodes)
        if ref.node not in graph.nodes:
            raise ModelFileError(f"{source}: ret.{key} refers to a node {ref.node!r} that does not exist.")
        graph.outputs.append(Port(key, ref))
    return graph


def _nodes(entries: Any, source: str, field: str) -> dict[str, Node]:
    """Nodes by name; the named outputs that bodies of functions refer to are numbered when all nodes are known."""
    read: dict[str, Node] = {}
    texts: dict[str, Sequence[Any]] = {}
    for i, entry in enumerate(list_in(source, field, entries)):
        node = object_in(source, f"{field}[{i}]", entry)
        name = _name(node.get("name"), source, f"{field}[{i}].name")
        op = _name(node.get("op"), source, f"{field}[{i}] ({name}).op")
        if name in read:
            raise ModelFileError(f"{source}: {field} has two nodes named {name!r}.")
        where = f"{source}: {op} {name!r}"
        texts[name] = list_in(source, f"{field}[{i}] ({name}).input", node.get("input") or [])
        attrs = object_in(source, f"{field}[{i}] ({name}).attr", node.get("attr") or {})
        read[name] = Node(name, op, [], [], Attributes(attrs, where))
    for name, inputs in texts.items():
        for text in inputs:
            if isinstance(text, str) and text.startswith("^"):
                read[name].after.append(text[1:])
            else:
                read[name].inputs.append(read_ref(text, source, f"the input of node {name!r}", read))
    return read


def read_ref(text: Any, source: str, field: str, nodes: Mapping[str, Node] | None = None) -> Ref:
    """'node', 'node:1' or, in the bodies of functions, 'node:output:0'."""
    if not isinstance(text, str) or not text:
        raise field_error(source, field, "the name of a node", text)
    name, *rest = text.split(":")
    if not rest:
        return Ref(name, 0)
    if not rest[-1].isdecimal() or len(rest) > 2 or len(rest[-1]) > _MAX_DIGITS:
        raise field_error(source, field, "'node', 'node:number' or 'node:output:number'", text)
    index = int(rest[-1])
    node = (nodes or {}).get(name)
    mapper = mapper_of(node.op) if node is not None and len(rest) == 2 else None
    if mapper is not None and rest[0] in mapper.outputs:
        # An output by name; a list output has its own numbering and is the only output.
        index += mapper.outputs.index(rest[0])
    return Ref(name, index)


def _name(value: Any, source: str, field: str) -> str:
    if not isinstance(value, str) or not value:
        raise field_error(source, field, "text", value)
    return value
