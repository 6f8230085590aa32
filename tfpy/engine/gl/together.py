"""Values of many sizes computed by one shader: what an optimizer makes of all the variables of a model.

Where the elementwise work is the same, with the same numbers, values of different sizes are one long row of elements.
Their inputs have to lie side by side in one buffer: what a step has computed together lies so in the next step, and
gradients are put there by the shaders that compute them. What lies elsewhere is copied.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import dispatch_pointwise, ensure, place_in
from tfpy.engine.gl.pool import Lease, Part
from tfpy.engine.gl.templates import WIDTH, Fused, interned
from tfpy.engine.gl.trace import ROOT, Trace
from tfpy.engine.gl.value import Value, part_bytes


class Member(NamedTuple):
    """Values of one size with the work that they need.

    Attributes:
        values: what is to be computed.
        leaves: what is read at the computed index.
        shared: what every member reads at its only element.
    """

    values: list[Value]
    fused: Fused
    words: tuple[int, ...]
    leaves: list[Value]
    shared: list[tuple[int, Value]]

    def key(self) -> Hashable:
        """What members that are computed together have in common."""
        return self.fused, self.words, tuple([(place, id(v)) for place, v in self.shared])


def settle(device: Device, groups: Sequence[Sequence[Value]]) -> None:
    """Compute values that are still to do.

    Args:
        groups: the values of one group have one size, and much of their work in common.
    """
    alike: dict[Hashable, list[Member]] = {}
    for values in groups:
        pending = [v for v in values if v.structure.fuses]
        member = _member(device, pending) if len({v.spec.size for v in pending}) == 1 else None
        if member is not None:
            alike.setdefault(member.key(), []).append(member)
    for members in alike.values():
        if len(members) > 1:
            compute(device, members)
    for values in groups:
        for v in values:
            if v.op is not None:
                ensure(device, v)


def _member(device: Device, values: list[Value]) -> Member | None:
    """The work for values of one size; None where it is not all at one place."""
    trace = Trace(values[0].spec.size, False)
    steps = [trace.value(v, ROOT) for v in values]
    outputs = tuple([(step, v.spec.dtype) for step, v in zip(steps, values, strict=True)])
    fused = interned(tuple(trace.steps), outputs)
    direct = fused.direct
    shared = [(i, v) for i, v in enumerate(trace.leaves) if i not in direct]
    if (
        not direct
        or len(trace.leaves) + len(values) > device.blocks
        or any(v.spec.size != 1 for _, v in shared)
        or any(trace.leaves[i].spec.size != trace.size for i in direct)
        or any(s[0] == "map" and s[1] != "zero" for s in trace.steps)
        or any(WIDTH[v.spec.dtype] != 4 for v in (*values, *trace.leaves))
        or len(set(steps)) < len(steps)
        or not all(_is_whole(trace, step) for step in steps)
    ):
        return None
    words = [word for v, _ in trace.sources for word in v.words]
    return Member(values, fused, tuple(words), [trace.leaves[i] for i in direct], shared)


def _is_whole(trace: Trace, step: int) -> bool:
    """Whether a step is an operation: what is only read or constant has nothing to compute."""
    return not isinstance(trace.steps[step][0], str)


def compute(device: Device, members: Sequence[Member]) -> None:
    """Compute the values of members with one key: in one shader, or in several where they exceed a buffer."""
    starts: list[int] = []
    total = first = 0
    for i, member in enumerate(members):
        room = part_bytes(member.values[0].spec) // 4
        if starts and 4 * (total + room) > device.block_size:
            _compute(device, members[first:i], starts, total)
            starts, total, first = [], 0, i
        starts.append(total)
        total += room
    if starts:
        _compute(device, members[first:], starts, total)


def _compute(device: Device, members: Sequence[Member], starts: list[int], total: int) -> None:
    first = members[0]
    for _, v in first.shared:
        ensure(device, v)
    rows = [_side_by_side(device, column, starts, total) for column in zip(*(m.leaves for m in members), strict=True)]
    direct, shared = iter(rows), dict(first.shared)
    count = len(rows) + len(shared)
    reads = [ensure(device, shared[i]).buffer if i in shared else next(direct).buffer for i in range(count)]
    device.barrier()  # for the buffers do not tell: what was written to parts counts as written to the whole
    leases = dispatch_pointwise(device, total, first.fused, first.words, reads)
    for k, lease in enumerate(leases):
        for member, start in zip(members, starts, strict=True):
            v = member.values[k]
            v.settle(Part(lease, 4 * start, part_bytes(v.spec)))


def _side_by_side(device: Device, values: Sequence[Value], starts: list[int], total: int) -> Lease:
    """A buffer in which the values begin at those elements."""
    held = [v.lease for v in values]
    begin = held[0]
    if isinstance(begin, Part) and begin.buffer.offset + 4 * total <= begin.whole.buffer.size:
        offset = begin.buffer.offset
        places = zip(held, starts, strict=True)
        if all(isinstance(p, Part) and p.whole is begin.whole and p.buffer.offset == offset + 4 * s for p, s in places):
            return Part(begin.whole, offset, 4 * total) if offset else begin.whole
    lease = device.take(4 * total)
    for v, start in zip(values, starts, strict=True):
        place_in(device, v, Part(lease, 4 * start, part_bytes(v.spec)))
    return lease
