"""From artifacts to an executor: the graph, its functions and its initializer, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.errors import ModelFileError
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import show, some_of
from tfpy.graph.graph_def import Graph, Node, read_functions, read_graph
from tfpy.graph.mappers import mapper_of
from tfpy.graph.run import Executor, Resources


def read_model(
    artifacts: ModelArtifacts, weights: Mapping[str, Tensor], source: str
) -> tuple[Executor, Executor | None, Resources]:
    """The executor of a model, that of its initializer if it has one, and the resources that both share.

    Raises:
        ModelFileError: an invalid graph, unknown ops, or constants without a value.
    """
    topology = artifacts.model_topology
    if not isinstance(topology, Mapping):
        raise ModelFileError(f"{source}: modelTopology must be an object, but is {show(topology)}.")
    if "node" not in topology:
        hint = " It is a model of layers; load it with tf.load_layers_model." if "class_name" in topology else ""
        raise ModelFileError(f"{source}: modelTopology has no nodes, so it is not a graph.{hint}")
    metadata = artifacts.user_defined_metadata
    signature = (metadata.get("signature") if isinstance(metadata, Mapping) else None) or artifacts.signature
    graph = read_graph(topology, signature, source)
    functions = read_functions(topology, source)
    initializer = None
    if isinstance(artifacts.model_initializer, Mapping) and artifacts.model_initializer.get("node"):
        initializer = read_graph(
            artifacts.model_initializer, artifacts.initializer_signature, f"{source}: modelInitializer"
        )
        functions = {**read_functions(artifacts.model_initializer, source), **functions}
    graphs = [graph, initializer] if initializer else [graph]
    _check([*graphs, *_called(graphs, functions)], weights, source)
    resources = Resources(weights, functions)
    return Executor(graph), Executor(initializer) if initializer else None, resources


def _called(graphs: Sequence[Graph], functions: Mapping[str, Graph]) -> Iterable[Graph]:
    """The functions that graphs call, directly or indirectly.

    The converter leaves others in the library, such as those for training, whose ops need not be supported.
    """
    called: dict[str, Graph] = {}
    waiting = [*graphs]
    while waiting:
        for node in _needed(waiting.pop()):
            for name in node.attrs.functions():
                if name in functions and name not in called:
                    called[name] = functions[name]
                    waiting.append(functions[name])
    return called.values()


def _needed(graph: Graph) -> list[Node]:
    return graph.needed_for([port.ref.node for port in graph.outputs])


def _check(graphs: Sequence[Graph], weights: Mapping[str, Tensor], source: str) -> None:
    """Raise ModelFileError for what is needed and missing: ops, and the values of constants."""
    needed = [node for graph in graphs for node in _needed(graph)]
    unknown = sorted({node.op for node in needed if mapper_of(node.op) is None})
    if unknown:
        raise ModelFileError(
            f"{source}: uses unknown ops: {', '.join(unknown)}. Register them with tf.register_op(name, function)."
        )
    empty = sorted({node.name for node in needed if node.op == "Const" and node.name not in weights})
    if empty:
        raise ModelFileError(f"{source}: weightsManifest has no values for the constants {some_of(empty)}.")
