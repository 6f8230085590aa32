"""Running graphs: the order in which nodes are computed, and their inputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tfpy.core.io.errors import ModelFileError
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import nearest
from tfpy.graph import ops  # noqa: F401  (fills the table)
from tfpy.graph.dynamic_nodes import DynamicNodes
from tfpy.graph.frames import Dataflow, run_in_frames
from tfpy.graph.graph_def import FRAME_OPS, Graph, Node, Ref
from tfpy.graph.lists import HashTable
from tfpy.graph.mappers import Call, Function, mapper_of, own_meanings

Values = dict[str, Sequence[Any]]
"""The values of the outputs of nodes, by the node's name."""

Feeds = Mapping[str, Sequence[Any]]
"""The values that are given to a run."""


class Resources:
    """The resources that the graphs of a model share.

    Attributes:
        weights: the values of constants, by node.
        functions: the bodies of functions, by name.
        tables: the hash tables, by the node that makes them.
    """

    def __init__(self, weights: Mapping[str, Tensor], functions: Mapping[str, Graph]) -> None:
        self.weights = dict(weights)
        self.functions = {name: Executor(graph) for name, graph in functions.items()}
        self.tables: dict[str, HashTable] = {}


class Step(NamedTuple):
    """A node, how it is computed, and whose values are no longer needed afterwards."""

    node: Node
    compute: Any
    finished: list[str]


class ExecutionOrder(NamedTuple):
    """The nodes to compute for some outputs of some inputs, each after those that it needs.

    Attributes:
        dataflow: how nodes follow each other where there are TensorFlow 1 loops or branches; else None.
    """

    steps: list[Step]
    dataflow: Dataflow | None


class Executor:
    """Runs one graph, caching the orders that it has found."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._orders: dict[Hashable, ExecutionOrder] = {}

    def call(self, arguments: Sequence[Any], resources: Resources) -> list[Any]:
        """The results of a function."""
        inputs = self.graph.inputs
        if len(arguments) != len(inputs):
            raise ModelFileError(f"{self.graph.source}: takes {len(inputs)} arguments, but is given {len(arguments)}.")
        feeds: Feeds = {port.ref.node: [value] for port, value in zip(inputs, arguments, strict=True)}
        return self.run(feeds, [port.ref for port in self.graph.outputs], resources)

    def run(
        self,
        feeds: Feeds,
        outputs: Sequence[Ref],
        resources: Resources,
        keep: Values | None = None,
        dynamic: DynamicNodes | None = None,
    ) -> list[Any]:
        """The values of outputs.

        Args:
            feeds: the given values of nodes.
            outputs: the requested outputs.
            resources: constants, functions and tables.
            keep: where to store the values of all computed nodes, for loops those of the last iteration.
            dynamic: where to record the nodes whose results depend on values that are read.

        Raises:
            ValueError: a missing input.
        """
        steps, dataflow = self.order(feeds, outputs)
        run = Run(resources, keep, dynamic)
        if dataflow is not None:
            values = run_in_frames(dataflow, self.graph.source, feeds, outputs, run)
            return [_output(values, ref, self.graph) for ref in outputs]
        values = dict(feeds)
        wanted = {ref.node for ref in outputs}
        for step in steps:
            if step.node.name not in values:
                values[step.node.name] = run.compute(step.node, values, step.compute)
            for name in step.finished:
                if name not in wanted:
                    values.pop(name, None)
        return [_output(values, ref, self.graph) for ref in outputs]

    def order(self, feeds: Iterable[str], outputs: Sequence[Ref]) -> ExecutionOrder:
        """The nodes to compute, each after those that it needs."""
        given = list(feeds)
        key = frozenset(given), tuple(outputs), own_meanings()
        order = self._orders.get(key)
        if order is None:
            order = self._orders[key] = self._ordered(given, outputs)
        return order

    def _ordered(self, given: list[str], outputs: Sequence[Ref]) -> ExecutionOrder:
        nodes = self.graph.needed_for([ref.node for ref in outputs], given)
        check_inputs(self.graph, nodes, given, outputs)
        last: dict[str, int] = {}
        for i, node in enumerate(nodes):
            last |= dict.fromkeys([node.name, *node.needs], i)
        finished: list[list[str]] = [[] for _ in nodes]
        for name, i in last.items():
            finished[i].append(name)
        steps = [Step(node, _function_of(node), done) for node, done in zip(nodes, finished, strict=True)]
        return ExecutionOrder(steps, Dataflow(steps) if any(node.op in FRAME_OPS for node in nodes) else None)


def check_inputs(graph: Graph, nodes: Sequence[Node], given: Sequence[str], outputs: Sequence[Ref]) -> None:
    """Raise ValueError if a required node is not given."""
    known = set(given)
    missing = [node.name for node in nodes if node.is_input and not node.inputs and node.name not in known]
    if missing:
        wanted = ", ".join(map(str, outputs))
        raise ValueError(
            f"{graph.source}: the outputs {wanted} need the inputs {', '.join(missing)}, which are missing "
            f"(given: {', '.join(given) or 'none'})."
        )


def _function_of(node: Node) -> Function:
    """How a node is computed."""
    mapper = mapper_of(node.op)
    if mapper is None:
        raise ValueError(f"{node.label}: unknown op; register it with tf.register_op.")
    return mapper.function


class Run:
    """One run of a graph.

    Attributes:
        resources: what the graphs of the model share.
    """

    def __init__(self, resources: Resources, keep: Values | None, dynamic: DynamicNodes | None) -> None:
        self.resources = resources
        self._keep = keep
        self._dynamic = dynamic

    def compute(self, node: Node, values: Values, function: Any) -> Sequence[Any]:
        """The values of a node's outputs, from those of its inputs."""
        inputs = [
            values[ref.node][ref.output] if ref.output < len(values[ref.node]) else _no_output(node, ref)
            for ref in node.inputs
        ]
        results = self.apply(node, inputs, function)
        self.note(node, results)
        return results

    def apply(self, node: Node, inputs: list[Any], function: Any) -> Sequence[Any]:
        """The values of a node's outputs for given inputs."""
        try:
            result = function(Call(node, inputs, self))
        except RecursionError:
            raise  # each of a thousand calls would add a note
        except (ValueError, TypeError, RuntimeError) as error:
            error.add_note(f"While computing {node.label}.")
            raise
        except Warning:
            raise
        except Exception as error:
            # The attributes in a file can be anything, and break an op in any way.
            raise ValueError(f"{node.label}: cannot be computed ({type(error).__name__}: {error}).") from error
        return result if isinstance(result, (list, tuple)) else [result]

    def note(self, node: Node, results: Sequence[Any], in_loop: bool = False) -> None:
        """Record what a node has computed, for kept values and for the search for dynamic nodes."""
        if self._keep is not None:
            self._keep[node.name] = results
        if self._dynamic is not None:
            self._dynamic.note(node, results, in_loop)

    def constant(self, node: Node) -> Tensor:
        """The value of a Const."""
        value = self.resources.weights.get(node.name)
        if value is None:
            raise ModelFileError(f"{node.label}: weightsManifest has no values for this constant.")
        return value

    def call_function(self, node: Node, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function of the library."""
        executor = self.resources.functions.get(name)
        if executor is None:
            hint = nearest(name, self.resources.functions)
            raise ModelFileError(f"{node.label}: the library has no function {name!r}.{hint}")
        return executor.call(arguments, self.resources)


def put(values: dict[str, list[Any]], ref: Ref, value: Any) -> None:
    """Set the value of one of a node's outputs; the others may have none."""
    outputs = values.setdefault(ref.node, [])
    outputs += [None] * (ref.output + 1 - len(outputs))
    outputs[ref.output] = value


def _no_output(node: Node, ref: Ref) -> Any:
    raise ModelFileError(f"{node.label}: needs {ref}, an output that does not exist.")


def _output(values: Values, ref: Ref, graph: Graph) -> Any:
    found = values.get(ref.node)
    if found is None or ref.output >= len(found) or found[ref.output] is None:
        raise ValueError(f"{graph.source}: has no value for the output {ref}.")
    return found[ref.output]
