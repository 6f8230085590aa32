"""Runs of a graph model: from plans, up to where control flow depends on values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from tfpy.core.io.errors import ModelFileError
from tfpy.core.ops.create import scalar
from tfpy.core.plans import Plans, Result
from tfpy.core.tensor import Tensor
from tfpy.graph.dynamic_nodes import DynamicNodes
from tfpy.graph.graph_def import Ref
from tfpy.graph.lists import HashTable
from tfpy.graph.mappers import all_known
from tfpy.graph.run import Executor, Feeds, Resources, Values, put

Fed = Mapping[tuple[str, int], Any]

_MAX_BOUNDS = 64


class PlannedRuns:
    """The runs of one graph, replayed from a plan if possible. Everything before the first dynamic node is
    planned; the rest runs node by node.

    Attributes:
        executor: runs the graph.
        resources: the resources that its graphs share.
        plans: the plans made so far.
    """

    def __init__(self, executor: Executor, resources: Resources) -> None:
        self.plans = Plans()
        self.executor = executor
        self.resources = resources
        self._bounds: dict[Hashable, tuple[Ref, ...]] = {}

    def run(self, feeds: Feeds, wanted: Sequence[Ref], keep: Values | None = None) -> list[Tensor]:
        """The outputs, from a plan if there is one.

        Args:
            feeds: the given values of nodes.
            wanted: the requested outputs.
            keep: where to store the values of all nodes; disables plans.
        """
        fed = {(node, i): v for node, values in feeds.items() for i, v in enumerate(values) if v is not None}
        if keep is not None or not all(isinstance(value, Tensor) for value in fed.values()):
            return self._computed(feeds, wanted, keep)
        key = (tuple(wanted), *fed, *[value.spec for value in fed.values()])
        bounds = self._bounds.get(key)
        if bounds:
            given = {name: list(values) for name, values in feeds.items()}
            for ref, value in zip(bounds, self._planned(feeds, fed, bounds), strict=True):
                put(given, ref, value)
            return self._computed(given, wanted)
        dynamic = DynamicNodes()
        found = self._planned(feeds, fed, wanted, dynamic)
        if dynamic and len(self._bounds) < _MAX_BOUNDS:
            self._bounds[key] = dynamic.bounds(self.executor.graph.nodes, feeds, wanted)
        return found

    def _planned(
        self, feeds: Feeds, fed: Fed, wanted: Sequence[Ref], dynamic: DynamicNodes | None = None
    ) -> list[Tensor]:
        def compute() -> Result:
            return self._computed(feeds, wanted, None, dynamic), None

        return self.plans.run(
            (tuple(wanted), *fed),
            list(fed.values()),
            tuple,
            compute,
            lambda: all_known if all_known() else None,
            lambda: list(self.resources.weights.values()),
        )[0]

    def _computed(
        self, feeds: Feeds, wanted: Sequence[Ref], keep: Values | None = None, dynamic: DynamicNodes | None = None
    ) -> list[Tensor]:
        """The outputs, computed node by node: each a separate tensor, although nodes may return their inputs."""
        taken = {id(v) for values in (*feeds.values(), self.resources.weights.values()) for v in values}
        try:
            found = self.executor.run(feeds, wanted, self.resources, keep, dynamic)
        except RecursionError:
            source = self.executor.graph.source
            raise ModelFileError(f"{source}: has functions that call each other too deeply.") from None
        return [_of_its_own(value, taken) for value in map(_as_tensor, found, wanted)]


def _of_its_own(value: Tensor, taken: set[int]) -> Tensor:
    if id(value) in taken:
        return value.clone()
    taken.add(id(value))
    return value


def _as_tensor(value: Any, ref: Ref) -> Tensor:
    if isinstance(value, HashTable):
        return scalar(0)  # TF.js's placeholder for a table: a node that fills one can be run by its name
    if not isinstance(value, Tensor):
        raise ValueError(f"execute: the output {ref} is a {type(value).__name__}, not a tensor.")
    return value
