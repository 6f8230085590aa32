"""Computing deferred values: with as few shaders as possible, and without storing what is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, cast

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.dtypes import NUMPY
from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.epilogue import Epilogue, EpilogueTask
from tfpy.engine.gl.maps import PART, WHOLE, Access, Map
from tfpy.engine.gl.memory_pool import ALIGNMENT_BYTES, Buffer, Lease, Part
from tfpy.engine.gl.recipes import Recipe, involved
from tfpy.engine.gl.structures import Cost, Structure, structure_of_task
from tfpy.engine.gl.templates import WIDTH, Fused
from tfpy.engine.gl.trace import VIEW
from tfpy.engine.gl.value import (
    BUFFER_NUMPY,
    Maps,
    Pointwise,
    Task,
    Value,
    number_of,
    part_bytes,
    stored_bytes,
)
from tfpy.engine.spec import Spec

_MAX_OWN_BUFFERS = 3  # of a task: a product's operands and result; a reduction's result, parts and counters
_MAX_EXTRA_OUTPUTS = 4  # of a shader: intermediate results that are needed later
_MAX_DEPTH = 4  # of chained deferred tasks
VECTOR_ELEMENTS = 1 << 15  # below this, more threads with one element each are faster than fewer with four
SEVERAL_VECTORS_ELEMENTS = 1 << 22  # from here on a thread handles several of them, since many groups start late
STRETCH_BYTES = 1 << 29  # of all buffers: from here on groups process contiguous stretches, see `groups_of`
CONCURRENT_GROUPS = 512  # with many registers
CONCURRENT_ROW_GROUPS = 1024  # whose threads wait for each other's values, and have few registers
HOST_BYTES = 1 << 20  # values from the host of up to this size are kept there, too

_new: Any = object.__new__
_structure_of = attrgetter("structure")


def fuse(
    device: Device,
    spec: Spec,
    op: Pointwise,
    inputs: tuple[Value, ...],
    maps: Maps | None = None,
    words: Sequence[int] = (),
) -> Value:
    """A deferred elementwise value. If fusing with its inputs would get too large, some are computed first."""
    if maps is not None:
        structure = device.structures[(op, *map(_structure_of, inputs), *_accesses(spec, inputs, maps))]
    elif len(inputs) == 2:  # the most common case is inlined: a loop costs a tenth of an op that is fused
        a, b = inputs
        structure = device.structures[op, a.structure, b.structure]
    else:
        structure = device.structures[(op, *map(_structure_of, inputs))]
    if structure.large:
        structure = _smaller(device, spec, op, inputs, maps)
    v: Value = _new(Value)  # inlines `__init__` for the most common values: another call costs a twentieth of an op
    v.spec = spec
    v.structure = structure
    v.op = op
    v.inputs = inputs
    v.maps = maps
    v.words = words
    v.host = v.lease = v.word = None
    return v


def _accesses(spec: Spec, inputs: tuple[Value, ...], maps: Maps) -> list[Access]:
    """How inputs are mapped. An unmapped one may be larger than the result, which then is its beginning."""
    size = spec.size
    return [m.access if m is not None else WHOLE if inputs[i].spec.size == size else PART for i, m in enumerate(maps)]


def _smaller(device: Device, spec: Spec, op: Pointwise, inputs: tuple[Value, ...], maps: Maps | None) -> Structure:
    """The structure of an operation after computing enough of its inputs for the rest to fit into one shader."""
    accesses = [] if maps is None else _accesses(spec, inputs, maps)
    while True:
        cost = _exact_cost(inputs)  # shared inputs were counted several times
        structure = device.structures[(op, *map(_structure_of, inputs), *accesses, cost)]
        if not structure.large:
            return structure
        _make_less(device, max(inputs, key=_weight))


def defer(device: Device, spec: Spec, task: Task, inputs: tuple[Value, ...], leaves: int = 1) -> Value:
    """A value deferred as a task. `leaves` is how many buffers its shader reads if it has an epilogue."""
    depth = max([v.structure.depth for v in inputs])
    if depth >= _MAX_DEPTH:
        for v in inputs:
            _make_less(device, v)
        depth = 0
    v = Value(spec)
    v.structure = structure_of_task(task.takes_epilogue, spec.dtype, leaves, depth + 1)
    v.op, v.inputs = task, inputs
    return v


def _make_less(device: Device, v: Value) -> None:
    """Compute a value, or only what it expands, as a window does an image: that has fewer elements."""
    for x in [x for x in _spread_out(v) if x.lease is None and x.word is None] or [v]:
        ensure(device, x)


def _spread_out(v: Value) -> list[Value]:
    """What a value expands, or the values that it would be computed together with."""
    found, stack = [], [v]
    while stack:
        x = stack.pop()
        if x.op is None or not x.structure.fuses:
            continue
        if getattr(x.op, "spreads", False):
            found.append(x.inputs[0])
        else:
            stack += x.inputs
    return found


def view(device: Device, spec: Spec, source: Value, where: Map | None) -> Value:
    """A value whose elements are those of another at mapped indices."""
    if source.word is not None:
        return Value(spec, word=source.word)
    if where is None and source.lease is not None and source.spec.size == spec.size:
        host = None if source.host is None else source.host.reshape(spec.shape)
        return Value(spec, host=host, lease=source.lease)
    return fuse(device, spec, VIEW, (source,), (where,))


def _exact_cost(inputs: tuple[Value, ...]) -> Cost:
    """The cost of fusing with all inputs, counting each value once."""
    weight = leaves = 0
    seen: set[Value] = set()
    stack = list(inputs)
    while stack:
        v = stack.pop()
        if v in seen or (v.op is None and v.word is not None):
            continue
        seen.add(v)
        if v.structure.fuses:
            weight += 1
            stack += v.inputs
        else:
            leaves += 1
    return Cost(weight, leaves)


def _weight(v: Value) -> tuple[int, int]:
    return (v.structure.weight, v.structure.leaves) if v.op is not None else (-1, -1)


def ensure(device: Device, v: Value) -> Lease:
    """The value on the GPU, computed if it is deferred."""
    lease = v.lease
    if lease is None:
        if v.host is not None:
            lease = v.lease = device.upload(np.asarray(v.host, BUFFER_NUMPY[v.spec.dtype]))
            if v.host.nbytes > HOST_BYTES:
                v.host = None
        elif v.op is None or v.structure.fuses:
            lease = _compute_elementwise(device, v)
        else:
            lease = cast("Task", v.op).run(device, v)
            v.settle(lease)
    return lease


def place_in(device: Device, v: Value, part: Part) -> None:
    """Put a value into a part of a buffer: computed in place, uploaded, or copied."""
    if v.op is not None:
        device.places[v] = part
    elif v.lease is None and v.host is not None and device.log is None:  # a recording would not fill it again
        device.fill(part.buffer, np.asarray(v.host, BUFFER_NUMPY[v.spec.dtype]))
        v.lease = part
    try:
        lease = ensure(device, v)
    finally:
        device.places.pop(v, None)
    if lease is not part:
        device.copy(lease.buffer, part.buffer, stored_bytes(v.spec))
        v.lease = part


def read(device: Device, v: Value) -> Array:
    """The value on the host, as an array of its shape."""
    if v.host is None:
        if v.word is not None:
            dtype = NUMPY[v.spec.dtype]
            return np.full(v.spec.shape, number_of(v.word, v.spec.dtype), dtype)
        if _reshaped_on_host(v):
            return v.inputs[0].host.reshape(v.spec.shape)  # type: ignore[union-attr]
        found = np.empty(v.spec.shape, BUFFER_NUMPY[v.spec.dtype])
        device.download(ensure(device, v).buffer, found)
        if v.spec.dtype == "bool":
            found = found.astype(np.bool_)
        if found.nbytes > HOST_BYTES:
            return found
        v.host = found
    return v.host


def is_on_host(v: Value) -> bool:
    """Whether the host has the value, so that reading it needs no access to the GPU."""
    return v.host is not None or v.word is not None or _reshaped_on_host(v)


def _reshaped_on_host(v: Value) -> bool:
    if v.op is not VIEW or v.maps != (None,):
        return False
    source = v.inputs[0]
    return source.host is not None and source.spec.size == v.spec.size


def _compute_elementwise(device: Device, v: Value) -> Lease:
    """Compute an elementwise value, and on the way those of its intermediate results that are needed later."""
    alone = v.structure.alone
    if alone is not None:
        reads, words = [], v.words
        for x in v.inputs:
            if x.word is not None:
                words = *words, x.word
            else:
                reads.append((x.lease or ensure(device, x)).buffer)
        lease = dispatch_pointwise(device, v.spec.size, alone, words, reads)[0]
        v.settle(lease)
        return lease
    recipe, values, extras = prepare(device, (v,), True)
    found = _part_of_other(device, recipe, values) if recipe.is_lookup else None
    if found is not None:
        v.settle(found)
        return found
    fused, words, reads = recipe.fused(extras), recipe.words(values), buffers(device, recipe, values)
    if recipe.base is None:
        leases = dispatch_pointwise(device, v.spec.size, fused, words, reads)
    else:
        base = values[recipe.base]
        leases = cast("EpilogueTask", base.op).run_with_epilogue(device, base, Epilogue(fused, words, reads))
    v.settle(leases[0])
    if extras:
        recipe.settle(values, extras, leases[1:])
    return leases[0]


def buffers(device: Device, recipe: Recipe, values: Sequence[Value]) -> list[Buffer]:
    """The buffers that a recipe reads."""
    found = []  # a comprehension is a function call up to Python 3.11
    for place in recipe.leaves:
        v = values[place]
        found.append((v.lease or ensure(device, v)).buffer)
    return found


def _part_of_other(device: Device, recipe: Recipe, values: Sequence[Value]) -> Lease | None:
    """The memory of a value that only views another's elements, if they are contiguous there, in its order."""
    v, source = values[0], values[recipe.leaves[0]]
    *before, _ = recipe.steps
    if before and [step[:2] for step in before] != [("map", "shift")]:
        return None
    lease = ensure(device, source)
    if not before and source.spec.size == v.spec.size:
        return lease
    return _rows_of(lease, recipe.words(values)[0] * WIDTH[v.spec.dtype] if before else 0, v)


def _rows_of(lease: Lease, offset: int, v: Value) -> Lease | None:
    """The part of a buffer that holds a value contiguously within another's, such as rows of a batch."""
    if offset % ALIGNMENT_BYTES:
        return None
    _, _, size = lease.span()
    return Part(lease, offset, min(part_bytes(v.spec), size - offset))


def prepare(
    device: Device, inputs: tuple[Value, ...], epilogue: bool
) -> tuple[Recipe, list[Value], Sequence[int]]:  # fmt: skip
    """The recipe for the first input, the values involved, and the steps whose results are stored as well.

    No variable here holds the value: whether it is still needed is determined by counting references.

    Args:
        epilogue: see `Recipes.of`.
    """
    while True:
        values, work = involved(inputs[0])
        recipe = device.recipes.of(values, work, epilogue)
        if recipe.tasks:
            tasks = [values[place] for place in reversed(recipe.tasks)]
            values = []  # it would count as a reference, and what only it holds would be stored
            while tasks:
                ensure(device, tasks.pop())
            continue
        extras = recipe.extras(values)
        if not extras or values[0].spec.size * 8 > device.block_size:  # too large to be stored at all
            return recipe, values, ()
        room = _room(device, recipe)
        if recipe.base is None or len(extras) <= room:
            return recipe, values, extras[:room]
        ensure(device, values[recipe.base])  # otherwise what is not stored now would compute it again


def _room(device: Device, recipe: Recipe) -> int:
    """How many additional results a shader may store."""
    return max(0, min(_MAX_EXTRA_OUTPUTS, device.blocks - len(recipe.leaves) - _MAX_OWN_BUFFERS))


def dispatch_pointwise(
    device: Device, size: int, fused: Fused, words: Sequence[int], reads: Sequence[Buffer]
) -> list[Lease]:
    """Compute elements by these steps; returns a buffer for each result."""
    vectors = 0 if size < VECTOR_ELEMENTS or not fused.vectorizable else 4 if size >= SEVERAL_VECTORS_ELEMENTS else 1
    program = device.programs.get((fused, vectors), templates.pointwise, fused, len(words), vectors)
    leases, writes = [], []
    for width in fused.widths:
        lease = device.take(size * width)
        leases.append(lease)
        writes.append(lease.buffer)
    if vectors:
        moved = 4 * size * (len(fused.direct) + len(writes))
        groups = groups_of(-(-size // (templates.GROUP * 4 * vectors)), moved)
    else:
        groups = -(-size // templates.GROUP)
    device.dispatch(program, reads, writes, (size, *words), groups)
    return leases


def groups_of(groups: int, moved: int, concurrent: int = CONCURRENT_GROUPS) -> int:
    """How many groups to use for work that can be divided among any number of them.

    On an NVIDIA H200, beyond half a gigabyte, groups that each process a contiguous stretch are twice as fast as many
    short-lived groups, presumably because they need fewer page table lookups.

    Args:
        groups: the maximum.
        moved: the bytes that are read and written.
        concurrent: how many groups a GPU runs at a time.
    """
    return min(groups, concurrent) if moved > STRETCH_BYTES else groups
