"""Loops and branches of TensorFlow's first kind: Switch, Merge, Enter, Exit, NextIteration.

A node runs when its inputs are there, as often as the loop around it turns. Each turn is a frame: the path of the
loops around, with the number of the turn in each. A value is seen in its own frame and in those inside.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.io.faults import ModelFileError
from tfpy.graph.graph_def import Graph, Node, Ref

if TYPE_CHECKING:
    from tfpy.graph.run import Resources, Values

Frame = tuple[tuple[str, int], ...]


def run_in_frames(graph: Graph, feeds: Values, outputs: Sequence[Ref], resources: Resources) -> Values:
    """The values of the wanted nodes; None for those in branches that were not taken."""
    return _Frames(graph, feeds, outputs, resources).run()


class _Frames:
    def __init__(self, graph: Graph, feeds: Values, outputs: Sequence[Ref], resources: Resources) -> None:
        from tfpy.graph.run import Run, check_inputs, function_of

        nodes = graph.needed_for([ref.node for ref in outputs], list(feeds))
        check_inputs(graph, nodes, list(feeds), outputs)
        self._graph = graph
        self._feeds = feeds
        self._outputs = outputs
        self._run = Run(resources)
        self._functions = {node.name: function_of(node) for node in nodes}
        self._users: dict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            for name in dict.fromkeys(node.needs):
                self._users[name].append(node)
        self._values: dict[Frame, dict[str, Sequence[Any]]] = defaultdict(dict)
        self._begun: set[tuple[str, Frame]] = set()
        self._queue: deque[tuple[Node, Frame]] = deque()
        # How many values enter a loop, and how many have entered it in a frame.
        self._enters = Counter(_loop_of(node) for node in nodes if _is(node, "Enter"))
        self._entered: Counter[Frame] = Counter()
        self._starts = [node for node in nodes if not node.needs and node.name not in feeds]

    def run(self) -> Values:
        """All nodes, as they become ready."""
        for name, given in self._feeds.items():
            self._values[()][name] = given
        for node in self._starts:
            self._begin(node, ())
        for name in self._feeds:
            self._notify(name, ())
        while self._queue:
            node, frame = self._queue.popleft()
            inputs = [self._seen(ref, frame) for ref in node.inputs]
            result = self._run.apply(node, inputs, self._functions[node.name])
            kept, seen = _frames_after(node, frame)
            self._values[kept][node.name] = result
            if _is(node, "Enter"):
                self._entered[seen] += 1
            self._notify(node.name, seen)
            if _is(node, "NextIteration"):
                self._forget(seen)
        return {ref.node: self._values[()].get(ref.node, []) for ref in self._outputs}

    def _seen(self, ref: Ref, frame: Frame) -> Any:
        """A value as a frame sees it; None where there is none."""
        for depth in range(len(frame), -1, -1):
            found = self._values.get(frame[:depth], {}).get(ref.node)
            if found is not None:
                if ref.output >= len(found):
                    raise ModelFileError(f"{self._graph.source}: {ref} is an output that does not exist.")
                return found[ref.output]
        return None

    def _was_run(self, name: str, frame: Frame) -> bool:
        return any(name in self._values.get(frame[:depth], {}) for depth in range(len(frame) + 1))

    def _notify(self, name: str, frame: Frame) -> None:
        """Begin the users of a node that have all they need now."""
        for user in self._users[name]:
            there = [self._seen(ref, frame) is not None for ref in user.inputs]
            ready = any(there) if _is(user, "Merge") else all(there)
            if ready and all(self._was_run(before, frame) for before in user.after):
                self._begin(user, frame)

    def _begin(self, node: Node, frame: Frame) -> None:
        if (node.name, frame) not in self._begun and node.name not in self._feeds:
            self._begun.add((node.name, frame))
            self._queue.append((node, frame))

    def _forget(self, frame: Frame) -> None:
        """Let go of the turns of a loop that nothing is left to do in."""
        *outer, (loop, turn) = frame
        path, depth = tuple(outer), len(outer)
        if self._entered[(*path, (loop, 0))] < self._enters[loop]:
            return  # a value that has not entered yet will be used in the first turn, and from there on

        def turn_in(other: Frame) -> int | None:
            return other[depth][1] if other[:depth] == path and len(other) > depth and other[depth][0] == loop else None

        busy = [n for _, other in self._queue if (n := turn_in(other)) is not None]
        oldest = min(busy, default=turn)
        done = {other for other in self._values if (n := turn_in(other)) is not None and n < oldest}
        for other in done:
            del self._values[other]
        if done:
            self._begun = {entry for entry in self._begun if entry[1] not in done}


def _is(node: Node, op: str) -> bool:
    return node.op in (op, f"Ref{op}")


def _loop_of(node: Node) -> str:
    name: str = node.attrs.text("frame_name")
    return name


def _frames_after(node: Node, frame: Frame) -> tuple[Frame, Frame]:
    """The frame in which a node's values are kept, and the one in which its users see them first."""
    if _is(node, "Enter"):
        inside = (*frame, (_loop_of(node), 0))
        # What is constant in a loop is seen by all of its turns.
        return (frame if node.attrs.flag("is_constant") else inside), inside
    if not _is(node, "Exit") and not _is(node, "NextIteration"):
        return frame, frame
    if not frame:
        raise ModelFileError(f"{node.label}: is outside of every loop.")
    *outer, (loop, turn) = frame
    after = tuple(outer) if _is(node, "Exit") else (*outer, (loop, turn + 1))
    return after, after
