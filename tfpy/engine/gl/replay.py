"""Plans on the GPU: the dispatches of a plan's first run are recorded, and replayed from then on.

The first run executes the kernels as usual, while the device logs its dispatches. Its memory comes from a separate
pool and stays with the recording, so that the same dispatches can be repeated on the same buffers. Only the buffers
of the inputs and of the results differ each time. If a kernel reads values on the host, or the results do not fit into
a buffer, recording is impossible; then the kernels are run one by one each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tfpy.engine.backend import Outputs
from tfpy.engine.gl.command_list import CommandList, Input, InputPart, Place, Result
from tfpy.engine.gl.device import Copied, Device, Dispatched, Log
from tfpy.engine.gl.fusion import ensure, place_in
from tfpy.engine.gl.memory_pool import Buffer, Lease, Part, Pool, Span
from tfpy.engine.gl.templates import WIDTH
from tfpy.engine.gl.value import Value, part_bytes, stored_bytes
from tfpy.engine.kernels import KERNELS as ROWS
from tfpy.engine.plan import Plan, PlanNode

Run = Callable[[str, tuple[Any, ...], Any, Outputs], Any]
"""Runs a kernel on values."""

Range = tuple[int, int, int]
"""A range of memory: the `id` of the OpenGL buffer, the offset, and the size in bytes."""

_MAX_RECORDINGS = 4  # of a plan: each pattern of inputs that share buffers needs its own


class Executor:
    """Runs a plan.

    Attributes:
        recordings: the recordings, keyed by which inputs share buffers.
    """

    def __init__(self, device: Device, plan: Plan, run: Run) -> None:
        self.recordings: dict[tuple[int, ...], Recording] = {}
        self._device = device
        self._plan = plan
        self._run = run
        self._recordable = all(s.dtype in WIDTH for s in plan.specs)
        device.caches.add(self)

    def clear(self) -> None:
        """Drop the recordings: the next run makes new ones."""
        self.recordings.clear()

    def __call__(self, payloads: Sequence[Value]) -> list[Value]:
        if not self._recordable:
            return self._results(payloads)
        if not self.recordings and any(v.spec.dtype not in WIDTH for v in payloads):
            self._recordable = False
            return self._results(payloads)
        inputs = [_leased(self._device, v) for v in payloads]
        leases: list[Lease] = [v.lease for v in inputs]  # type: ignore[misc]
        spans = [lease.span() for lease in leases]
        seen: dict[Span, int] = {}
        key = tuple(map(seen.setdefault, spans, range(len(spans))))
        recording = self.recordings.get(key)
        if recording is not None:
            return recording.replay(inputs, leases, spans)
        overlapping = _mixed([_range(lease.buffer) for lease in leases])
        if overlapping or len(self.recordings) >= _MAX_RECORDINGS or not self._constant_spans().isdisjoint(spans):
            return self._results(inputs)  # it would not be known whose memory an action is on
        return self._record(key, inputs)

    def _constant_spans(self) -> set[Span]:
        """The spans of constants: a recording could not distinguish them from an input in the same place."""
        constants = [*self._plan.constants.values(), *self._device.constants.values()]
        return {v.lease.span() for v in constants if v.lease is not None}

    def _record(self, key: tuple[int, ...], inputs: list[Value]) -> list[Value]:
        device = self._device
        shared, own = device.pool, device.pool.spawn()
        log: Log = []
        device.pool, device.log = own, log
        try:
            results = self._results(inputs)
            layout = _layout(results, inputs)
            if layout.room > device.block_size:  # no buffer can hold all of them
                layout = _Layout({}, 0)
                log.append(None)
            arena = device.take(layout.room) if layout.places else None
            for i, start in layout.places.items():
                place_in(device, results[i], Part(arena, start, part_bytes(results[i].spec)))  # type: ignore[arg-type]
        except BaseException:
            shared.adopt(own)
            raise
        finally:
            device.pool, device.log = shared, None
        found = None
        if None not in log:
            constants = [*self._plan.constants.values(), *device.constants.values()]
            found = record(device, own, log, constants, inputs, results, layout)
        if found is None:
            self._recordable = False
            shared.adopt(own)
        else:
            self.recordings[key] = found
        own_copies = {id(results[i]): _copied(device, results[i]) for i in layout.places}
        return [own_copies.get(id(v), v) for v in results]

    def _results(self, payloads: Sequence[Value]) -> list[Value]:
        """Run the kernels one by one; no value is held beyond its last use."""
        slots: list[Any] = [None] * self._plan.size
        for slot, payload in self._plan.constants.items():
            slots[slot] = payload
        for slot, payload in zip(self._plan.inputs, payloads, strict=True):
            slots[slot] = payload
        for node, free in zip(self._plan.nodes, self._plan.last_uses, strict=True):
            made = self._made(node, tuple([slots[i] for i in node.inputs]))
            for slot in node.outputs:
                slots[slot] = made.pop(0)
            for slot in free:
                slots[slot] = None
        return [slots[slot] for slot in self._plan.outputs]

    def _made(self, node: PlanNode, inputs: tuple[Any, ...]) -> list[Value]:
        # The rules access the specs of their inputs, which values have like handles.
        outs = ROWS[node.kernel].infer(*inputs, **node.attrs)
        made = self._run(node.kernel, inputs, node.attrs, outs)
        return list(made) if node.several else [made]


class _Layout(NamedTuple):
    """The offsets of results, in bytes, in one buffer for all of them; and its size."""

    places: dict[int, int]
    room: int


def _leased(device: Device, v: Value) -> Value:
    """The same value, known only as a buffer: that it is a repeated number, say, may not hold in the next run."""
    lease = ensure(device, v)
    return v if v.word is None and v.host is None else Value(v.spec, lease=lease)


def _layout(results: Sequence[Value], inputs: Sequence[Value]) -> _Layout:
    """Room for results that are on the GPU or deferred, and are not inputs; once for identical values."""
    places: dict[int, int] = {}
    seen = {id(v) for v in inputs}
    room = 0
    for i, v in enumerate(results):
        if v.word is None and v.host is None and id(v) not in seen:
            places[i] = room
            room += part_bytes(v.spec)
        seen.add(id(v))
    return _Layout(places, room)


def _copied(device: Device, v: Value) -> Value:
    """A result with its own memory: the next run overwrites the recording's."""
    lease = device.take(stored_bytes(v.spec))
    device.copy(ensure(device, v).buffer, lease.buffer, stored_bytes(v.spec))
    return Value(v.spec, lease=lease)


class Recording(NamedTuple):
    """A recording of a device's work, to be replayed on other inputs.

    Attributes:
        results: a constant value; the place of an input; or, for a new result, (spec, start, size).
        room: the bytes of all results.
        memory: what has to be kept unchanged.
    """

    device: Device
    commands: CommandList
    results: list[Any]
    room: int
    memory: _Memory

    def replay(self, inputs: Sequence[Value], leases: Sequence[Lease], spans: Sequence[Span]) -> list[Value]:
        """The results for other inputs, which are in these places."""
        arena = self.device.take(self.room) if self.room else None
        made: list[Value] = []
        for result in self.results:
            if type(result) is tuple:
                spec, start, size = result
                made.append(Value(spec, lease=Part(arena, start, size)))  # type: ignore[arg-type]
            elif type(result) is int:
                made.append(inputs[result] if result >= 0 else made[-1 - result])
            else:
                made.append(result)
        self.commands.run(leases, spans, arena)
        return made


class _Memory:
    """The memory of a recording, returned to the device's pool with it, without any OpenGL call."""

    def __init__(self, device: Device, pool: Pool, leases: list[Lease]) -> None:
        self._shared, self._pool, self._pools = device.pool, pool, device.pools
        self._leases = leases
        self._pools.add(pool)

    def __del__(self) -> None:
        self._leases.clear()
        self._pools.discard(self._pool)
        self._shared.adopt(self._pool)


def record(
    device: Device, pool: Pool, log: Sequence[Any], constants: Sequence[Value], inputs: Sequence[Value],
    results: Sequence[Value], layout: _Layout,
) -> Recording | None:  # fmt: skip
    """A recording of the logged work; None if it used memory that may hold something else in the next run."""
    actions = [action for action in log if isinstance(action, (Dispatched, Copied))]
    known = {id(device.arrivals.gl), *(id(v.lease.buffer.gl) for v in constants if v.lease is not None)}
    fixed = {_range(b): b for action in actions for b in (*action.reads, *action.writes)}
    given: dict[Range, Input] = {}
    for i, v in enumerate(inputs):
        given.setdefault(_range(v.lease.buffer), Input(i))  # type: ignore[union-attr]
    changing: dict[Range, Place] = {**given, **_parts_of_inputs(fixed.keys() - given.keys(), given)}
    for i, start in layout.places.items():
        changing.setdefault(_range(results[i].lease.buffer), Result(start, part_bytes(results[i].spec)))  # type: ignore[union-attr]
    if any(not pool.owns(b) and id(b.gl) not in known for key, b in fixed.items() if key not in changing):
        return None
    commands = _commands(device, actions, fixed | changing, _mixed([*fixed, *changing]))
    made = [
        (v.spec, layout.places[i], part_bytes(v.spec)) if i in layout.places else _other(v, inputs, results[:i])
        for i, v in enumerate(results)
    ]
    uploaded = [action for action in log if isinstance(action, Lease)]
    kept = [v.lease for v in constants if v.lease is not None and _range(v.lease.buffer) in fixed]
    return Recording(device, commands, made, layout.room, _Memory(device, pool, uploaded + kept))


def _commands(
    device: Device, actions: Sequence[Dispatched | Copied], places: Mapping[Range, Place], mixed: set[int]
) -> CommandList:  # fmt: skip
    """The actions as commands, with barriers for memory that is in use, and for everything on mixed buffers."""
    commands = CommandList(device)
    written: set[Range] = set()
    used: set[Range] = set()
    for action in actions:
        reads, writes = (list(map(_range, buffers)) for buffers in (action.reads, action.writes))
        overlapping = any(id(b.gl) in mixed for b in (*action.reads, *action.writes))
        waits = overlapping or not written.isdisjoint(reads) or not used.isdisjoint(writes)
        if waits:
            written, used = set(), set()
        written.update(writes)
        used.update(reads, writes)
        commands.add(action, [places[key] for key in (*reads, *writes)], waits)
    return commands


def _range(buffer: Buffer) -> Range:
    """The memory range of a buffer."""
    return id(buffer.gl), buffer.offset, buffer.size


def _parts_of_inputs(ranges: Iterable[Range], inputs: Mapping[Range, Input]) -> dict[Range, InputPart]:
    """The memory ranges that are within that of an input: a view of some of its rows need not be stored."""
    return {
        (gl, offset, size): InputPart(number, offset - start, size)
        for gl, offset, size in ranges
        for (whole, start, room), (number,) in inputs.items()
        if gl == whole and start <= offset and offset + size <= start + room
    }


def _mixed(ranges: Iterable[Range]) -> set[int]:
    """The buffers that are accessed both as a whole and in parts, or in overlapping parts."""
    found: set[int] = set()
    ends: dict[int, int] = {}
    for gl, offset, size in sorted(set(ranges)):
        if offset < ends.get(gl, 0):
            found.add(gl)
        ends[gl] = max(ends.get(gl, 0), offset + size)
    return found


def _other(v: Value, inputs: Sequence[Value], earlier: Sequence[Value]) -> Value | int:
    """A result without its own place: an input, an earlier result (from -1 down), or a constant value."""
    for n, given in enumerate(inputs):
        if given is v:
            return n
    for n, other in enumerate(earlier):
        if other is v:
            return -1 - n
    return v
