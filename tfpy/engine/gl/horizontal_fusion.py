"""Values of many sizes computed by one shader: an optimizer's updates of all variables of a model.

If the elementwise work is the same, with the same parameters, values of different sizes form one long row of elements.
Their inputs have to be adjacent in one buffer: values that one step has computed together are so in the next step, and
gradients are put there by the shaders that compute them. Others are copied.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import dispatch_pointwise, ensure, place_in
from tfpy.engine.gl.memory_pool import Lease, Part, aligned
from tfpy.engine.gl.templates import WIDTH, Fused, interned
from tfpy.engine.gl.trace import ROOT, Step, Trace
from tfpy.engine.gl.value import Value

Shared = Sequence[tuple[int, Value]]
"""Values that all members read, with the numbers of their buffers."""

Columns = Sequence[Sequence[Value]]


class _Member(NamedTuple):
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
    shared: Shared

    def key(self) -> Hashable:
        """The key that members that are computed together have in common."""
        return self.fused, self.words, tuple([(place, id(v)) for place, v in self.shared])


def settle(device: Device, groups: Sequence[Sequence[Value]]) -> None:
    """Compute deferred values.

    Args:
        groups: the values of one group have the same size, and share much of their work.
    """
    alike: dict[Hashable, list[_Member]] = {}
    for values in groups:
        pending = [v for v in values if v.structure.fuses]
        member = _member(device, pending) if len({v.spec.size for v in pending}) == 1 else None
        if member is not None:
            alike.setdefault(member.key(), []).append(member)
    for members in alike.values():
        if len(members) > 1:
            first = members[0]
            leaves = list(zip(*[m.leaves for m in members], strict=True))
            results = list(zip(*[m.values for m in members], strict=True))
            compute(device, first.fused, first.words, first.shared, leaves, results)
    for values in groups:
        for v in values:
            if v.op is not None:
                ensure(device, v)


def _member(device: Device, values: list[Value]) -> _Member | None:
    """The work for values of one size; None if it cannot be computed in a row with others."""
    trace = Trace(values[0].spec.size, False)
    steps = [trace.value(v, ROOT) for v in values]
    outputs = tuple([(step, v.spec.dtype) for step, v in zip(steps, values, strict=True)])
    fused = interned(tuple(trace.steps), outputs)
    direct = fused.direct
    shared = [(i, v) for i, v in enumerate(trace.leaves) if i not in direct]
    if (
        not direct
        or fused.mixed
        or len(trace.leaves) + len(values) > device.blocks
        or any(v.spec.size != 1 for _, v in shared)
        or any(trace.leaves[i].spec.size != trace.size for i in direct)
        or any(_depends_on_place(s) for s in trace.steps)
        or any(WIDTH[v.spec.dtype] != 4 for v in (*values, *trace.leaves))
        or len(set(steps)) < len(steps)
        or not all(_is_whole(trace, step) for step in steps)
    ):
        return None
    words = [word for v, _ in trace.sources for word in v.words]
    return _Member(values, fused, tuple(words), [trace.leaves[i] for i in direct], shared)


def _depends_on_place(step: Step) -> bool:
    """Whether a step depends on the index of its element, which differs in a row of several values."""
    if step[0] == "map":
        return bool(step[1] != "zero")
    return not isinstance(step[0], str) and ROOT in step[2:]


def _is_whole(trace: Trace, step: int) -> bool:
    """Whether a step is an operation: loads and constants need no computation."""
    return not isinstance(trace.steps[step][0], str)


class _Row(NamedTuple):
    """The layout of values side by side in one buffer.

    Attributes:
        first, last: which values these are.
        starts, sizes: the bytes of each.
        total: of all.
    """

    first: int
    last: int
    starts: list[int]
    sizes: list[int]
    total: int


@functools.lru_cache(maxsize=1024)
def _rows(elements: tuple[int, ...], most: int) -> list[_Row]:
    """The rows of values with these numbers of elements; several if one would exceed `most` bytes."""
    rows = [_Row(0, 0, [], [], 0)]
    for i, size in enumerate(aligned(4 * n) for n in elements):
        first, _, starts, sizes, total = rows[-1]
        if starts and total + size > most:
            rows.append(_Row(i, i + 1, [0], [size], size))
        else:
            rows[-1] = _Row(first, i + 1, [*starts, total], [*sizes, size], total + size)
    return rows


def compute(
    device: Device, fused: Fused, words: tuple[int, ...], shared: Shared, leaves: Columns, results: Columns
) -> None:  # fmt: skip
    """Compute values by the same steps in one shader, or in several if they exceed a buffer.

    Args:
        shared: what is read at its only element.
        leaves: for each buffer that is read at the computed index, the values that lie in it.
        results: for each result the values that it is made of.
    """
    known = {i: ensure(device, v) for i, v in shared}
    for row in _rows(tuple([v.spec.size for v in results[0]]), device.block_size):
        rows = [_side_by_side(device, column[row.first : row.last], row) for column in leaves]
        direct = iter(rows)
        reads = [(known[i] if i in known else next(direct)).buffer for i in range(len(rows) + len(known))]
        device.barrier()  # since the buffers do not track it: writes to parts count as writes to the whole
        leases = dispatch_pointwise(device, row.total // 4, fused, words, reads)
        for column, lease in zip(results, leases, strict=True):
            for v, start, size in zip(column[row.first : row.last], row.starts, row.sizes, strict=True):
                v.settle(Part(lease, start, size))


_whole_of = attrgetter("whole")
_offset_of = attrgetter("offset")


def _side_by_side(device: Device, values: Sequence[Value], row: _Row) -> Lease:
    """A buffer in which the values lie as in the row."""
    leases: list[Any] = [v.lease for v in values]
    if set(map(type, leases)) == {Part} and len(set(map(_whole_of, leases))) == 1:
        whole, offset = leases[0].whole, leases[0].offset
        starts = [offset + start for start in row.starts] if offset else row.starts
        if offset + row.total <= whole.buffer.size and list(map(_offset_of, leases)) == starts:
            return Part(whole, offset, row.total) if offset else whole
    lease = device.take(row.total)
    for v, start, size in zip(values, row.starts, row.sizes, strict=True):
        place_in(device, v, Part(lease, start, size))
    return lease
