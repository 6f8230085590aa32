"""Finds the nodes that keep a graph from being planned as a whole, and the boundary of the part that can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfpy.core.tensor import Tensor
from tfpy.engine.state import refusals
from tfpy.graph.graph_def import Node, Ref

_FEW = 3  # too few nodes to be worth a plan


class DynamicNodes:
    """Finds the nodes of a run that cannot be planned: their results depend on values that are read, or they have side
    effects.
    """

    def __init__(self) -> None:
        self._dynamic: set[str] = set()
        self._ran: set[str] = set()
        self._tensors: set[Ref] = set()
        self._seen = 0

    def __len__(self) -> int:
        return len(self._dynamic)

    def note(self, node: Node, results: Sequence[Any], in_loop: bool) -> None:
        """Note what a node has computed, inside a loop or not."""
        seen, self._seen = self._seen, refusals()
        if self._seen > seen:
            self._dynamic.add(node.name)
        self._ran.add(node.name)
        if not in_loop:
            self._tensors.update(Ref(node.name, i) for i, v in enumerate(results) if isinstance(v, Tensor))

    def bounds(self, nodes: Mapping[str, Node], given: Iterable[str], outputs: Sequence[Ref]) -> tuple[Ref, ...]:
        """The last values that can be planned: those needed after the dynamic nodes.

        Args:
            nodes: the nodes of the graph.
            given: the names of those whose values are given.
            outputs: the requested outputs.

        Returns:
            None of them if there is little to plan.
        """
        after = set(self._dynamic)
        while True:
            self._spread(after, nodes)
            planned = {name for name in self._ran if name not in after and nodes[name].op != "Const"}
            found = _last(nodes, planned, set(given), outputs)
            # Lists of tensors, values inside a loop, and values of a branch that was not taken are not
            # results of a plan. The condition of a loop is inside it, so that a loop is planned whole or not at all.
            others = {ref.node for ref in found if ref not in self._tensors}
            if not others:
                return found if len(planned) > _FEW else ()
            after |= others

    def _spread(self, after: set[str], nodes: Mapping[str, Node]) -> None:
        """Add what needs nodes that come after."""
        users = defaultdict(list)
        for name in self._ran:
            for needed in nodes[name].needs:
                users[needed].append(name)
        left = list(after)
        while left:
            reached = {*users[left.pop()]} - after
            after |= reached
            left += reached


def _last(nodes: Mapping[str, Node], planned: set[str], given: set[str], outputs: Sequence[Ref]) -> tuple[Ref, ...]:
    """The planned nodes that are reached first on all paths back from the outputs."""
    found: dict[Ref, None] = {}
    left, been = list(outputs), set(outputs)
    while left:
        ref = left.pop()
        if ref.node in planned:
            found[ref] = None
        elif ref.node not in given:
            node = nodes[ref.node]
            needed = {*node.inputs, *(Ref(name, 0) for name in node.after)} - been
            been |= needed
            left += needed
    return tuple(found)
