"""Making values from nodes: as few shaders as possible, nothing stored that nobody needs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.maps import Map
from tfpy.engine.gl.pool import ALIGNED, Buffer, Lease, Part
from tfpy.engine.gl.templates import Fused
from tfpy.engine.gl.trace import ROOT, VIEW, BaseUsedElsewhere, Expression, Trace
from tfpy.engine.gl.value import STORED, WIDTH, Node, Value, number_of
from tfpy.engine.spec import Spec

MOST_NODES = 24
_MOST_EXTRAS = 4
MOST_DEPTH = 4
VECTOR_FROM = 1 << 15  # elements: below, more threads with one element each do better than fewer with four
SEVERAL_FROM = 1 << 22  # elements: from here on a thread has several vectors of four; more groups take longer to start
FAR_FROM = 1 << 29  # bytes of all buffers: from here on groups go along stretches of them, see `groups_of`
AT_A_TIME = 512  # groups with many registers
ROWS_AT_A_TIME = 1024  # groups that wait for each other's numbers, and have few
KEPT_ON_HOST = 1 << 20  # bytes: what has been on the host and is no larger stays there, too


def fuse(
    device: Device,
    spec: Spec,
    op: Any,
    inputs: tuple[Value, ...],
    maps: tuple[Map | None, ...] | None = None,
    words: Sequence[int] = (),
) -> Value:
    """A value still to do, elementwise. What it would fuse with is made first where that gets too large."""
    weight, leaves, depth = _cost(inputs)
    while weight >= MOST_NODES or leaves > device.most_leaves:
        weight, leaves = _exact_cost(inputs)  # shared inputs were counted several times
        if weight < MOST_NODES and leaves <= device.most_leaves:
            break
        ensure(device, max(inputs, key=_weight))
        weight, leaves, depth = _cost(inputs)
    return Value(spec, Node(op, inputs, maps, words, weight + 1, leaves, depth))


def defer(device: Device, spec: Spec, task: Any, inputs: tuple[Value, ...], leaves: int = 1) -> Value:
    """A value still to do, by a task. `leaves` is how many buffers its shader reads when it is extended."""
    depth = _cost(inputs)[2]
    if depth >= MOST_DEPTH:
        for v in inputs:
            ensure(device, v)
        depth = 0
    return Value(spec, Node(task, inputs, None, (), 0, leaves, depth + 1))


def view(device: Device, spec: Spec, source: Value, where: Map | None) -> Value:
    """A value whose elements are those of another at mapped indices."""
    if source.word is not None:
        return Value(spec, word=source.word)
    if where is None and source.lease is not None and source.spec.size == spec.size:
        host = None if source.host is None else source.host.reshape(spec.shape)
        return Value(spec, host=host, lease=source.lease)
    return fuse(device, spec, VIEW, (source,), (where,))


def _cost(inputs: tuple[Value, ...]) -> tuple[int, int, int]:
    """What fusing with all inputs comes to: operations, buffers, tasks one after the other."""
    weight = leaves = depth = 0
    for v in inputs:
        node = v.node
        if node is not None:
            weight += node.weight
            leaves += node.leaves
            if node.depth > depth:
                depth = node.depth
        elif v.word is None:
            leaves += 1
    return weight, leaves, depth


def _exact_cost(inputs: tuple[Value, ...]) -> tuple[int, int]:
    """Operations and buffers, each counted once."""
    weight = leaves = 0
    seen: set[int] = set()
    stack = list(inputs)
    while stack:
        v = stack.pop()
        if id(v) in seen or (v.node is None and v.word is not None):
            continue
        seen.add(id(v))
        if v.node is not None and v.node.op.fusable:
            weight += 1
            stack += v.node.inputs
        else:
            leaves += 1
    return weight, leaves


def _weight(v: Value) -> tuple[int, int]:
    return (v.node.weight, v.node.leaves) if v.node is not None else (-1, -1)


def ensure(device: Device, v: Value) -> Lease:
    """The value on the GPU, made if it is still to do."""
    if v.lease is None:
        node = v.node
        if node is not None and not node.op.fusable:
            v.lease = node.op.run(device, v)
            v.node = None
        elif v.host is not None:
            v.lease = device.upload(np.asarray(v.host, STORED[v.spec.dtype]))
            if v.host.nbytes > KEPT_ON_HOST:
                v.host = None
        else:
            _make(device, v)
    assert v.lease is not None
    return v.lease


def read(device: Device, v: Value) -> Array:
    """The value on the host, in an array of its shape."""
    if v.host is None:
        if v.word is not None:
            dtype = np.bool_ if v.spec.dtype == "bool" else STORED[v.spec.dtype]
            return np.full(v.spec.shape, number_of(v.word, v.spec.dtype), dtype)
        node = v.node
        if node is not None and node.op is VIEW and node.maps == (None,) and _same_on_host(node.inputs[0], v):
            return node.inputs[0].host.reshape(v.spec.shape)  # type: ignore[union-attr]
        found = np.empty(v.spec.shape, STORED[v.spec.dtype])
        device.download(ensure(device, v).buffer, found)
        if v.spec.dtype == "bool":
            found = found.astype(np.bool_)
        if found.nbytes > KEPT_ON_HOST:
            return found
        v.host = found
    return v.host


def _same_on_host(source: Value, v: Value) -> bool:
    return source.host is not None and source.spec.size == v.spec.size


def _make(device: Device, v: Value) -> None:
    """Compute a value that is elementwise, and on the way what else is needed of what it is computed from."""
    if v.node is not None and _make_alone(device, v, v.node):
        return
    trace, step = trace_of(device, v, extend=True)
    kind = trace.steps[step]
    if kind[0] == "load" and kind[3] == ROOT and trace.leaves[kind[2]].spec.size == v.spec.size:
        _settle(v, trace.leaves[kind[2]].lease)
        return
    if kind[0] == "load" and [s[:2] for s in trace.steps[:-1]] == [("map", "shift")]:
        part = _rows_of(ensure(device, trace.leaves[0]), trace.words[0] * WIDTH[v.spec.dtype], v)
        if part is not None:
            _settle(v, part)
            return
    extras = wanted(device, trace, step)
    if trace.base is None:
        leases = run_pointwise(device, v.spec.size, trace, outputs(trace, step, v.spec, extras))
    else:
        base = trace.seen[trace.base]
        assert base.node is not None
        leases = base.node.op.extend(device, base, trace, outputs(trace, step, v.spec, extras))
    _settle(v, leases[0])
    for lease, extra in zip(leases[1:], extras, strict=True):
        settle_all(trace, extra, lease)


def _make_alone(device: Device, v: Value, node: Node) -> bool:
    """Compute a single operation on values that are there: what ops come to whose results are read one by one."""
    op = node.op
    if type(op) is not Expression or not node.inputs or (node.maps is not None and any(node.maps)):
        return False
    for x in node.inputs:
        if x.lease is None or x.word is not None:
            return False
    fused = _alone(op, v.spec.dtype, tuple([x.spec.dtype for x in node.inputs]))
    reads = [x.lease.buffer for x in node.inputs]  # type: ignore[union-attr]
    _settle(v, dispatch_pointwise(device, v.spec.size, fused, node.words, reads)[0])
    return True


@functools.lru_cache(maxsize=1024)
def _alone(op: Expression, dtype: str, inputs: tuple[str, ...]) -> Fused:
    count = len(inputs)
    loads = [("load", kind, i, ROOT) for i, kind in enumerate(inputs)]
    return Fused((*loads, (op, 0, *range(count))), ((count, dtype),))


def _rows_of(lease: Lease, offset: int, v: Value) -> Lease | None:
    """A value that lies in one piece in another's buffer, as the rows of a batch do: that part of the buffer."""
    if offset % ALIGNED:
        return None
    start = lease.buffer.offset + offset
    whole = lease.whole if isinstance(lease, Part) else lease
    room = -(-v.spec.size * WIDTH[v.spec.dtype] // ALIGNED) * ALIGNED
    return Part(whole, start, min(room, whole.buffer.size - start))


def trace_of(device: Device, v: Value, extend: bool, user: Node | None = None) -> tuple[Trace, int]:
    """The steps for an element of a value, and the last of them.

    Args:
        extend: whether the task of a value on the way may be extended by these steps.
        user: the node that needs the value, if that is what the steps are for.
    """

    trace = Trace(v.spec.size, lambda needed: ensure(device, needed), extend)
    if user is not None:
        trace.enter(user)
    try:
        step = trace.value(v, ROOT)
    except BaseUsedElsewhere:
        assert trace.base is not None
        ensure(device, trace.seen[trace.base])
        return trace_of(device, v, extend, user)
    if trace.ran:  # what had been traced before that may be there now
        return trace_of(device, v, extend, user)
    if trace.base is not None and len(wanted(device, trace, step, MOST_NODES)) > _room(device, trace):
        ensure(device, trace.seen[trace.base])  # else what is not stored now would compute it again
        return trace_of(device, v, extend, user)
    return trace, step


def wanted(device: Device, trace: Trace, step: int | None, most: int | None = None) -> list[int]:
    """The steps whose results somebody will still need, besides the last one's if that is given as `step`.

    Args:
        most: how many at most; by default as many as there is room for.
    """
    held = trace.held(step is None)
    if not held or trace.size * 8 > device.block_size:  # too large to be stored at all
        return []
    found = [i for i in dict.fromkeys([trace.ids[place] for place in held]) if i != step]
    return found[: _room(device, trace) if most is None else most]


def _room(device: Device, trace: Trace) -> int:
    operands = 0 if trace.base is None else 2
    return max(0, min(_MOST_EXTRAS, device.blocks - len(trace.leaves) - operands - 1))


def outputs(trace: Trace, step: int, spec: Spec, extras: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """The steps whose results are stored, each with its dtype; the value's own comes first."""
    if not extras:
        return ((step, spec.dtype),)
    dtypes = dict(zip(trace.ids, (v.spec.dtype for v in trace.seen), strict=True))
    return ((step, spec.dtype), *[(i, dtypes[i]) for i in extras])


def run_pointwise(device: Device, size: int, trace: Trace, outs: tuple[tuple[int, str], ...]) -> list[Lease]:
    """Compute elements; a buffer for each output."""
    reads = [ensure(device, leaf).buffer for leaf in trace.leaves]
    return dispatch_pointwise(device, size, Fused(tuple(trace.steps), outs), trace.words, reads)


def dispatch_pointwise(
    device: Device, size: int, fused: Fused, words: Sequence[int], reads: Sequence[Buffer]
) -> list[Lease]:
    """The same for buffers that are there."""
    vectors = 0 if size < VECTOR_FROM or not templates.vectorizable(fused) else 4 if size >= SEVERAL_FROM else 1
    program = device.programs.find((fused, vectors))
    if program is None:
        program = device.programs.get((fused, vectors), lambda: templates.pointwise(fused, len(words), vectors))
    leases = [device.take(size * WIDTH[dtype]) for _, dtype in fused.outputs]
    writes = [lease.buffer for lease in leases]
    moved = 4 * size * (len(fused.direct()) + len(writes)) if vectors else 0
    groups = groups_of(-(-size // (templates.GROUP * max(1, 4 * vectors))), moved)
    device.dispatch(program, reads, writes, (size, *words), groups)
    return leases


def groups_of(groups: int, moved: int, at_a_time: int = AT_A_TIME) -> int:
    """How many groups do work that can be shared by any number of them.

    On an NVIDIA H200 groups that go along a stretch each are twice as fast as groups that come and go, beyond half a
    gigabyte; presumably because they look up less often where a page of memory is.

    Args:
        groups: the most.
        moved: the bytes that are read and written.
        at_a_time: how many of them a GPU runs at a time.
    """
    return min(groups, at_a_time) if moved > FAR_FROM else groups


def settle_all(trace: Trace, step: int, lease: Lease) -> None:
    """Give the result of a step to every value that it is the value of."""
    for v, i in zip(trace.seen, trace.ids, strict=True):
        if i == step:
            _settle(v, lease)


def _settle(v: Value, lease: Lease | None) -> None:
    v.lease, v.node = lease, None
