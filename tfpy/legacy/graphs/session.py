"""Session: evaluates and trains graphs.

There is a single autodiff: training runs the graph's ops under the core's tape and then the backward pass. A batch is
evaluated at once, with a leading batch axis, if the graph's ops allow it, and example by example otherwise; the results
are the same up to the order of summation. In deeplearn.js numerics the sums are computed in deeplearn.js's order,
example by example, unless `batched=True` is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from itertools import chain
from operator import attrgetter, is_
from types import FunctionType
from typing import Any, TypeVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.contents import Contents
from tfpy.core.convert import number
from tfpy.core.naming.hints import Hints
from tfpy.core.naming.names import in_both_spellings
from tfpy.core.ops.arith import add, div
from tfpy.core.ops.common import full
from tfpy.core.ops.reduce import mean, sum_
from tfpy.core.optimizers.base import Optimizer as CoreOptimizer
from tfpy.core.plans import Holds, Plans, Result
from tfpy.core.results import Record
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.abstract import placeholder, shapes_only
from tfpy.engine.arguments import as_int
from tfpy.engine.backprop import backprop
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.package import is_ours
from tfpy.engine.scope import run_in_scope
from tfpy.engine.spec import spec
from tfpy.engine.tape import recorded
from tfpy.legacy import quirks
from tfpy.legacy.arrays.ndarray import NDArray, adopt, as_tensor
from tfpy.legacy.graphs._camel import SessionCamel
from tfpy.legacy.graphs.feeds import Feed, as_it_is_now, read_feeds
from tfpy.legacy.graphs.graph import Graph
from tfpy.legacy.graphs.maps import SummedTensorArrayMap, TensorArrayMap
from tfpy.legacy.graphs.nodes import NotBatchedError, Value
from tfpy.legacy.graphs.optimizers import FunctionsOptimizer, Optimizer
from tfpy.legacy.graphs.symbolic import Node, Tensor
from tfpy.legacy.math import NDArrayMath
from tfpy.legacy.quirks import training

T = TypeVar("T")

# In deeplearn.js the public maps of a run; here only what is asked for is kept.
_MAPS = in_both_spellings(
    {
        "activation_array_map": "session.eval(tensor, feed_entries)",
        "gradient_array_map": (
            "the argument gradient_array_map of an optimizer's after_example, for variables; math.gradients for arrays"
        ),
    }
)


class CostReduction(IntEnum):
    """How `Session.train` reduces the costs of the examples: to 0, to their sum, or to their mean."""

    NONE = 0
    SUM = 1
    MEAN = 2


class SessionRuntime(Record):
    """The nodes that a run evaluates, in order, as passed to optimizers."""

    nodes: list[Node]


class Session(SessionCamel, Hints):
    """Evaluates and trains a graph.

    Args:
        graph: the graph.
        math: the math whose backend computes.

    Source: deeplearn.js `Session`.
    """

    _elsewhere = _MAPS

    def __init__(self, graph: Graph, math: NDArrayMath) -> None:
        if not isinstance(graph, Graph):
            raise argument_error("Session", "graph", "a Graph", graph, TypeError)
        if not isinstance(math, NDArrayMath):
            raise argument_error("Session", "math", "an NDArrayMath", math, TypeError)
        self.graph = graph
        self.math = math
        self._orders: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Node]] = {}
        self._batches: dict[tuple[int, tuple[int, ...]], bool] = {}
        self._plans = Plans()
        self._optimizers: dict[CoreOptimizer, Optimizer] = {}

    def __repr__(self) -> str:
        return f"Session({self.graph!r}, {self.math!r})"

    def dispose(self) -> None:
        """Drop what was cached for repeated runs."""
        self._orders.clear()
        self._batches.clear()
        self._plans.clear()

    # Evaluation

    def eval(self, tensor: Tensor, feed_entries: Sequence[Any] = ()) -> NDArray:
        """The value of a tensor.

        Args:
            tensor: any tensor of the graph.
            feed_entries: a value for each placeholder that it depends on, as arrays or providers. Any other tensor may
                be fed too; its inputs are not evaluated then.

        Raises:
            ValueError: a placeholder without a value, or a value of another shape than its tensor.
        """
        return self.eval_all([tensor], feed_entries)[0]

    def eval_all(self, tensors: Sequence[Tensor], feed_entries: Sequence[Any] = ()) -> list[NDArray]:
        """The values of several tensors, each evaluated once; otherwise as `eval`."""
        if not isinstance(tensors, (list, tuple)):
            raise argument_error("eval_all", "tensors", "a list of tensors of the graph", tensors, TypeError)
        feeds = read_feeds("eval", feed_entries, self.graph, self.math)
        for tensor in tensors:
            self.graph._own("eval", "tensor", tensor)
        nodes = self._order(tensors, feeds)

        def evaluate(values: dict[int, Value]) -> Result:
            _evaluate(nodes, values)
            return [values[tensor.id].tensor for tensor in tensors], None

        def compute() -> list[CoreTensor]:
            fed = [(feed, feed.next_copy()) for feed in feeds]
            values = {feed.tensor.id: Value(feed.value(array), False) for feed, array in fed}
            _read(nodes, values)
            found, _ = self._from_plan(("eval", *[tensor.id for tensor in tensors]), nodes, values, evaluate)
            # A variable or fed value is returned under a new id.
            results = [tensor.clone() for tensor in found]
            for feed, array in fed:
                feed.dispose_copy(array)
            return results

        return [adopt(result) for result in self._in_scope("eval", compute)]

    # Training

    @accepts_options()
    def train(
        self,
        cost_tensor: Tensor,
        feed_entries: Sequence[Any],
        batch_size: int,
        optimizer: Optimizer | CoreOptimizer,
        cost_reduction: CostReduction = CostReduction.NONE,
        batched: bool | None = None,
    ) -> NDArray:
        """One step: compute the gradients of the costs of the next `batch_size` examples and update the variables.

        Args:
            cost_tensor: the tensor to minimize, of one element.
            feed_entries: a provider for each placeholder; each is called once per example, in the order in which their
                tensors were created.
            batch_size: the number of examples.
            optimizer: updates the variables: a `dl.SGDOptimizer` and the like, or one of `dl.train`.
            cost_reduction: the result to return.
            batched: True evaluates all examples at once, False one by one; by default at once if there are several and
                the graph's ops allow it (one by one in deeplearn.js numerics).

        Returns:
            A Scalar that belongs to the caller's scope: 0, or the sum or mean of the costs before the step.

        Raises:
            ValueError: a cost of several elements, a placeholder without a provider, a cost that depends on no
                variable, or batched=True for a graph that does not allow it. TypeError: an array instead of a provider.

        Source: deeplearn.js `Session.train`. Beyond it: `batched`.
        """
        feeds = self._training_feeds(cost_tensor, feed_entries)
        reduction = _as_reduction(cost_reduction)
        count = as_int("train", "batch_size", batch_size)
        if count < 1:
            raise argument_error("train", "batch_size", "1 or more", batch_size)
        optimizer = self._of_graphs(optimizer)
        wanted = False if batched is None and count == 1 else batched  # stacking a single example only costs time
        at_once = self._at_once(cost_tensor, feeds, wanted)
        work = _TrainingRun(self, cost_tensor, feeds, optimizer)

        def step() -> CoreTensor:
            optimizer.before_batch(self.math, count, work.runtime, work.activations, work.gradients)
            costs = work.batch(count) if at_once else work.examples(count)
            optimizer.after_batch(self.math, count, work.runtime, work.activations, work.gradients)
            return _reduced(costs, reduction, count)

        return adopt(self._in_scope("train", step))

    def _of_graphs(self, optimizer: Optimizer | CoreOptimizer) -> Optimizer:
        """The optimizer, or the one that trains this graph for an optimizer of `dl.train`."""
        if isinstance(optimizer, CoreOptimizer):
            if optimizer not in self._optimizers:
                self._optimizers[optimizer] = FunctionsOptimizer(optimizer)
            return self._optimizers[optimizer]
        if not isinstance(optimizer, Optimizer):
            raise argument_error("train", "optimizer", "an optimizer such as dl.SGDOptimizer", optimizer, TypeError)
        return optimizer

    def _training_feeds(self, cost: Tensor, feed_entries: Sequence[Any]) -> list[Feed]:
        if self.graph._own("train", "cost_tensor", cost).shape:
            raise argument_error("train", "cost_tensor", "a scalar", cost)
        feeds = read_feeds("train", feed_entries, self.graph, self.math)
        for feed in feeds:
            if not feed.provides:
                expected = (
                    f"an InputProvider for {feed.tensor.node.name!r}, such as "
                    "InCPUMemoryShuffledInputProviderBuilder gives; session.eval takes arrays. (In the new API: "
                    "optimizer.minimize with a function of the arrays.)"
                )
                raise argument_error("train", "feed_entries", expected, feed.data, TypeError)
        return feeds

    def _at_once(self, cost: Tensor, feeds: Sequence[Feed], batched: bool | None) -> bool:
        """Whether to evaluate all examples of a batch together."""
        if batched is False or (batched is None and training.EXAMPLE_BY_EXAMPLE.active):
            return False
        key = cost.id, tuple(feed.tensor.id for feed in feeds)
        if key not in self._batches:
            self._batches[key] = self._allows_batches(cost, feeds)
        if batched and not self._batches[key]:
            raise argument_error("train", "batched", "False: an op of this graph computes one example at a time", True)
        return self._batches[key]

    def _allows_batches(self, cost: Tensor, feeds: Sequence[Feed]) -> bool:
        """Whether every op accepts a batch, tested in the shape-only mode."""
        nodes = self._order([cost], feeds)
        with shapes_only():
            values = {
                feed.tensor.id: Value(placeholder(CoreTensor, spec((2, *feed.tensor.shape), "float32")), True)
                for feed in feeds
            }
            try:
                _evaluate(nodes, values, symbolic=True)
            except NotBatchedError:
                return False
        return values[cost.id].batched

    # Shared by evaluation and training

    def _from_plan(
        self,
        key: tuple[Any, ...],
        nodes: Sequence[Node],
        values: Mapping[int, Value],
        compute: Callable[[dict[int, Value]], Result],
    ) -> Result:
        """The result of `compute` for the initial values of a step, replayed from a plan if there is one.

        The plan depends on the nodes, and on the numerics, which are in its key.
        """
        kinds = tuple([(ident, value.batched) for ident, value in values.items()])
        inputs = [value.tensor for value in values.values()]
        key = (*key, kinds, quirks.active())
        return self._plans.run(key, inputs, lambda: [], lambda: compute(dict(values)), lambda: _watch(nodes))

    def _order(self, outputs: Sequence[Tensor], feeds: Sequence[Feed]) -> list[Node]:
        """The nodes to evaluate, inputs before their results; cached."""
        key = tuple(t.id for t in outputs), tuple(feed.tensor.id for feed in feeds)
        if key not in self._orders:
            self._orders[key] = _ordered(outputs, set(key[1]))
        return self._orders[key]

    def _in_scope(self, op: str, function: Callable[[], T]) -> T:
        """Call a function on this session's math in its own scope and return its result."""
        self.math.check_scope(op)

        def compute() -> T:
            with self.math.computing():
                return function()

        return run_in_scope(compute, op)


_parts = attrgetter("evaluate", "inputs", "attrs")


def _watch(nodes: Sequence[Node]) -> Holds | None:
    """A function that returns whether nodes still compute the same; None if a custom one runs code outside tfpy."""
    own = all(
        node.evaluate is None or (isinstance(node.evaluate, FunctionType) and is_ours(node.evaluate)) for node in nodes
    )
    if not own:
        return None
    ops = [node for node in nodes if node.evaluate is not None]
    parts = [*chain.from_iterable(map(_parts, ops))]
    contents = Contents([part for part in parts if isinstance(part, dict)])
    return lambda: all(map(is_, chain.from_iterable(map(_parts, ops)), parts)) and contents.are_same()


def _ordered(outputs: Sequence[Tensor], fed: set[int]) -> list[Node]:
    found: dict[int, Node] = {}
    stack = [t.node for t in outputs if t.id not in fed]
    while stack:
        node = stack.pop()
        if node.id in found:
            continue
        found[node.id] = node
        stack.extend([x.node for x in node.inputs.values() if x.id not in fed])
    nodes = [found[i] for i in sorted(found)]
    for node in nodes:
        if node.is_placeholder:
            raise ValueError(
                f"Session: placeholder {node.name!r} of shape {list(node.output.shape)} has no entry in feed_entries. "
                "(In the new API: an argument of the function.)"
            )
    return nodes


def _evaluate(nodes: Sequence[Node], values: dict[int, Value], symbolic: bool = False) -> None:
    """Compute the nodes' outputs, in order, from the existing values."""
    for node in nodes:
        out = node.output
        if out.id in values:
            continue
        if node.evaluate is not None:
            values[out.id] = node.evaluate(*[values[x.id] for x in node.inputs.values()], **node.attrs)
        elif symbolic:
            values[out.id] = Value(placeholder(CoreTensor, spec(out.shape, out.dtype)), False)
        else:
            assert node.data is not None
            values[out.id] = Value(as_tensor(node.data), False)


def _read(nodes: Sequence[Node], values: dict[int, Value]) -> None:
    """Add the values of variables and constants."""
    _evaluate([node for node in nodes if node.evaluate is None], values)


def _as_reduction(value: Any) -> CostReduction:
    try:
        return CostReduction(value)
    except (ValueError, TypeError):
        expected = "a CostReduction: NONE, SUM or MEAN"
        raise argument_error("train", "cost_reduction", expected, value) from None


def _reduced(costs: CoreTensor, reduction: CostReduction, count: int) -> CoreTensor:
    """The result of `train`, from the costs of the examples: a vector, or their sum."""
    if reduction == CostReduction.NONE:
        return full((), 0)
    if costs.rank:
        return mean(costs) if reduction == CostReduction.MEAN else sum_(costs)
    return div(costs, number(count)) if reduction == CostReduction.MEAN else costs.clone()


class _TrainingRun:
    """The forward and backward passes of one call of `train`."""

    def __init__(self, session: Session, cost: Tensor, feeds: Sequence[Feed], optimizer: Optimizer) -> None:
        self.session = session
        self.math = session.math
        self.cost = cost
        self.feeds = feeds
        self.optimizer = optimizer
        self.nodes = session._order([cost], feeds)
        self.runtime = SessionRuntime(self.nodes)
        self.activations = TensorArrayMap()
        self.gradients = SummedTensorArrayMap()

    def batch(self, count: int) -> CoreTensor:
        """Run all examples at once; return their costs as a vector."""
        taken: list[list[Handle]] = [[] for _ in self.feeds]
        columns: list[list[Handle]] = [[] for _ in self.feeds]
        for _ in range(count):
            for feed, arrays, column in zip(self.feeds, taken, columns, strict=True):
                arrays.append(feed.next_copy())
                column.append(as_it_is_now(arrays[-1]))
        fed = {
            feed.tensor.id: Value(feed.batch(column), True) for feed, column in zip(self.feeds, columns, strict=True)
        }
        costs = self._pass(fed, averaged=self.optimizer.averages)
        for feed, arrays in zip(self.feeds, taken, strict=True):
            for array in arrays:
                feed.dispose_copy(array)
        return costs

    def examples(self, count: int) -> CoreTensor:
        """Run the examples one by one; return the sum of their costs."""
        total = full((), 0)
        for _ in range(count):
            copies = [feed.next_copy() for feed in self.feeds]
            fed = {
                feed.tensor.id: Value(feed.value(array), False) for feed, array in zip(self.feeds, copies, strict=True)
            }
            total = add(total, self._pass(fed, averaged=False))
            for feed, array in zip(self.feeds, copies, strict=True):
                feed.dispose_copy(array)
        return total

    def _pass(self, fed: dict[int, Value], averaged: bool) -> CoreTensor:
        """Run the forward pass, the backward pass and the optimizer; return the cost, or a vector of costs."""
        values = dict(fed)
        _read(self.nodes, values)
        variables = [node for node in self.nodes if node.trainable]

        def compute(values: dict[int, Value]) -> Result:
            sources = [values[node.output.id].tensor for node in variables]

            def forward() -> tuple[CoreTensor, CoreTensor]:
                _evaluate(self.nodes, values)
                cost = values[self.cost.id]
                costs = cost.as_example([])
                return costs, costs if not cost.batched else mean(costs) if averaged else sum_(costs)

            (costs, total), tape = recorded(forward, sources)
            found = backprop(tape, total, lambda: full((), 1), sources, CoreTensor)
            reached = [node.output for node, s in zip(variables, sources, strict=True) if s.id in found]
            gradients: list[Any] = [found[values[output.id].tensor.id] for output in reached]
            return [costs, *gradients], reached

        key = "train", self.cost.id, averaged
        (costs, *gradients), reached = self.session._from_plan(key, self.nodes, values, compute)
        for node in variables:
            self.activations.set(node.output, node.data)  # not a copy: an optimizer may dispose it
            self.gradients.delete(node.output)
        for output, gradient in zip(reached, gradients, strict=True):
            self.gradients.add(output, gradient)
        self.optimizer.after_example(self.math, self.runtime, self.activations, self.gradients)
        return costs
