"""Loops and branches of TensorFlow 1: Switch, Merge, Enter, Exit, NextIteration.

A node runs when its inputs are available, once per iteration of the loop around it. Each iteration is a frame: the path
of enclosing loops, with the iteration number in each. A value is visible in its own frame and in those inside.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.io.errors import ModelFileError
from tfpy.engine.scope import trim_scope
from tfpy.graph.graph_def import ENTER, EXIT, MERGE, NEXT_ITERATION, Node, Ref

if TYPE_CHECKING:
    from tfpy.graph.run import Feeds, Run, Step, Values

Frame = tuple[tuple[str, int], ...]


class Dataflow:
    """Which nodes need which; the same in every run.

    Attributes:
        functions: what computes each node.
        users: the nodes that need each.
        starts: the nodes that need none.
        enters: how many values enter each loop.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self.functions: dict[str, Any] = {}
        self.users: dict[str, list[Node]] = defaultdict(list)
        self.starts: list[Node] = []
        self.enters: Counter[str] = Counter()
        for node, function, _ in steps:
            self.functions[node.name] = function
            for name in dict.fromkeys(node.needs):
                self.users[name].append(node)
            if not node.needs:
                self.starts.append(node)
            if node.op in ENTER:
                self.enters[_loop_of(node)] += 1


def run_in_frames(dataflow: Dataflow, source: str, feeds: Feeds, outputs: Sequence[Ref], run: Run) -> Values:
    """The values of the wanted nodes; None for those in branches that were not taken."""
    return _Frames(dataflow, source, feeds, outputs, run).run()


class _Frames:
    def __init__(self, dataflow: Dataflow, source: str, feeds: Feeds, outputs: Sequence[Ref], run: Run) -> None:
        self._dataflow = dataflow
        self._source = source
        self._feeds = feeds
        self._outputs = outputs
        self._run = run
        self._values: dict[Frame, dict[str, Sequence[Any]]] = defaultdict(dict)
        self._begun: set[tuple[str, Frame]] = set()
        self._queue: deque[tuple[Node, Frame]] = deque()
        self._entered: Counter[Frame] = Counter()  # how many values have entered a loop in a frame

    def run(self) -> Values:
        """All nodes, as they become ready."""
        for name, given in self._feeds.items():
            self._values[()][name] = given
        for node in self._dataflow.starts:
            self._begin(node, ())
        for name in self._feeds:
            self._notify(name, ())
        while self._queue:
            node, frame = self._queue.popleft()
            inputs = [self._seen(ref, frame) for ref in node.inputs]
            result = self._run.apply(node, inputs, self._dataflow.functions[node.name])
            kept, seen = _frames_after(node, frame)
            self._run.note(node, result, bool(seen))
            self._values[kept][node.name] = result
            if node.op in ENTER:
                self._entered[seen] += 1
            self._notify(node.name, seen)
            if node.op in NEXT_ITERATION:
                self._forget(seen)
                trim_scope()
        return {ref.node: self._values[()].get(ref.node, []) for ref in self._outputs}

    def _seen(self, ref: Ref, frame: Frame) -> Any:
        """A value as seen from a frame; None if there is none."""
        for depth in range(len(frame), -1, -1):
            found = self._values.get(frame[:depth], {}).get(ref.node)
            if found is not None:
                if ref.output >= len(found):
                    raise ModelFileError(f"{self._source}: {ref} is an output that does not exist.")
                return found[ref.output]
        return None

    def _was_run(self, name: str, frame: Frame) -> bool:
        return any(name in self._values.get(frame[:depth], {}) for depth in range(len(frame) + 1))

    def _notify(self, name: str, frame: Frame) -> None:
        """Start the users of a node whose inputs are now complete."""
        for user in self._dataflow.users.get(name, ()):
            there = [self._seen(ref, frame) is not None for ref in user.inputs]
            ready = any(there) if user.op in MERGE else all(there)
            if ready and all(self._was_run(before, frame) for before in user.after):
                self._begin(user, frame)

    def _begin(self, node: Node, frame: Frame) -> None:
        if (node.name, frame) not in self._begun and node.name not in self._feeds:
            self._begun.add((node.name, frame))
            self._queue.append((node, frame))

    def _forget(self, frame: Frame) -> None:
        """Release the iterations of a loop that have nothing left to do."""
        *outer, (loop, turn) = frame
        path, depth = tuple(outer), len(outer)
        if self._entered[(*path, (loop, 0))] < self._dataflow.enters[loop]:
            return  # a value that has not entered yet will be used from the first iteration on

        def turn_in(other: Frame) -> int | None:
            return other[depth][1] if other[:depth] == path and len(other) > depth and other[depth][0] == loop else None

        busy = [n for _, other in self._queue if (n := turn_in(other)) is not None]
        oldest = min(busy, default=turn)
        done = {other for other in self._values if (n := turn_in(other)) is not None and n < oldest}
        for other in done:
            del self._values[other]
        if done:
            self._begun = {entry for entry in self._begun if entry[1] not in done}


def _loop_of(node: Node) -> str:
    name: str = node.attrs.text("frame_name")
    return name


def _frames_after(node: Node, frame: Frame) -> tuple[Frame, Frame]:
    """The frame in which a node's values are stored, and the one in which its users first see them."""
    if node.op in ENTER:
        inside = (*frame, (_loop_of(node), 0))
        # Loop constants are visible in all iterations.
        return (frame if node.attrs.flag("is_constant") else inside), inside
    if node.op not in EXIT and node.op not in NEXT_ITERATION:
        return frame, frame
    if not frame:
        raise ModelFileError(f"{node.label}: is not in a loop.")
    *outer, (loop, turn) = frame
    after = tuple(outer) if node.op in EXIT else (*outer, (loop, turn + 1))
    return after, after
