"""Recurrent layers over whole sequences: one shader for all steps, one for the backward pass, products for the rest.

Layers with many units run step by step instead (sequence_steps.py); what is kept of the steps and their gradients is
then in the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tfpy.engine.gl import sequence_shaders as shaders
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ensure, fuse, view
from tfpy.engine.gl.maps import sliced, transposed
from tfpy.engine.gl.matmul import matmul
from tfpy.engine.gl.memory_pool import Lease, Part, aligned
from tfpy.engine.gl.programs import Program
from tfpy.engine.gl.sequence_shaders import LOADS, SAVED, Variant
from tfpy.engine.gl.sequence_steps import Leases, Steps
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import Indexed
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.rows.sequence import GATES, SEQUENCE_KERNELS, SequenceKernel
from tfpy.engine.spec import Spec, spec

Values = tuple[Value, ...]

_MAX_MULTIPLICATIONS = 1 << 30  # limits the steps of a shader, so that desktops do not consider the device hung
KEPT_WEIGHTS = 128
"""How many weights of a column a thread keeps in registers at most."""

_KEPT_STEP = {"SimpleRNN": 4, "GRU": 8, "GRUResetAfter": 4, "LSTM": 4}
"""The number of kept weights is a multiple of this; other numbers take longer."""

_MAX_UNITS = {"SimpleRNN": 320, "GRU": 224, "GRUResetAfter": 224, "LSTM": 224}
"""Larger layers run step by step, which takes less time on an NVIDIA H200: a group reads all weights in each step."""

_GROUP_REGISTERS = 1 << 16  # that a group can have, on an NVIDIA H200
_OTHER_REGISTERS = {"SimpleRNN": 32, "GRU": 40, "GRUResetAfter": 40, "LSTM": 32}  # of a thread, for what is not weights


class _Sizes(NamedTuple):
    batch: int
    time: int
    features: int
    units: int


def _sizes(x: Value, recurrent: Value) -> _Sizes:
    return _Sizes(*x.spec.shape, recurrent.spec.shape[0])  # type: ignore[call-arg]


def is_whole(device: Device, cell: str, units: int) -> bool:
    """Whether one shader runs all steps: it pays off, and a group has enough shared memory for a sample."""
    return units <= _MAX_UNITS[cell] and shaders.shared_bytes(cell, units, 1) <= device.shared_bytes


def rows_for(device: Device, cell: str, sizes: _Sizes) -> int:
    """How many samples a group processes."""
    wanted = 4 if sizes.batch > 1024 else 2 if sizes.batch > 512 else 1
    while wanted > 1 and shaders.shared_bytes(cell, sizes.units, wanted) > device.shared_bytes:
        wanted //= 2
    return wanted


def _variant(
    device: Device, which: SequenceKernel, sizes: _Sizes, attrs: Attrs, optional: bool, saves: bool
) -> Variant:
    activation = attrs.get("recurrent_activation") or "sigmoid"
    cell = which.cell
    rows = rows_for(device, cell, sizes) if is_whole(device, cell, sizes.units) else 0
    variant = Variant(cell, sizes.units, rows, 0, activation, optional, saves, which.masked, which.dropped)
    most = min(KEPT_WEIGHTS, _GROUP_REGISTERS // variant.threads - _OTHER_REGISTERS[cell], sizes.units)
    kept = most // _KEPT_STEP[cell] * _KEPT_STEP[cell]
    return variant if variant.wide > 1024 or not rows or device.software else variant._replace(kept=kept)


def _spans(device: Device, variant: Variant, time: int) -> list[tuple[int, int]]:
    # A step takes fewer iterations than there are units.
    most = max(
        1,
        min(
            _MAX_MULTIPLICATIONS // (variant.wide * variant.units * variant.rows),
            device.most_iterations // variant.units,
        ),
    )
    return [(start, min(start + most, time)) for start in range(0, time, most)]


def _saved(cell: str, sizes: _Sizes, lease: Lease | None, device: Device) -> tuple[Lease, list[Part]]:
    """The workspace, and its parts."""
    widths = [sizes.units * (GATES[cell] if name == "gates" else 1) for name in SAVED[cell]]
    lengths = [aligned(4 * sizes.batch * sizes.time * width) for width in widths]
    lease = device.take(sum(lengths)) if lease is None else lease
    starts = np.cumsum([0, *lengths[:-1]])
    return lease, [Part(lease, int(start), length) for start, length in zip(starts, lengths, strict=True)]


def _forward(which: SequenceKernel) -> Builder:
    count = len(which.states)

    def build(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
        x, weights, recurrent, bias, *more = values
        sizes = _sizes(x, recurrent)
        if not x.spec.size:
            return None
        variant = _variant(device, which, sizes, attrs, attrs["sequences"], attrs["training"])
        bias, *state_bias = _rows(device, bias)
        pre = ensure(device, _inputs(device, _matrix(device, x, sizes, variant), weights, bias))
        y = [device.take(stored_bytes(outs[0]))] if variant.optional else []
        work, parts = _saved(which.cell, sizes, None, device) if variant.saves else (None, [])
        added, before, further = (
            [ensure(device, value) for value in some] for some in (state_bias, more[:count], more[count:])
        )
        if variant.rows:
            reads, writes = [pre, ensure(device, recurrent), *added], [*y, *parts]
            last = _run_whole(device, variant, sizes, attrs, reads, before, further, writes)
        else:
            last = _steps(device, variant, sizes, attrs, recurrent, added, further).forward(pre, before, y, parts)
        leases = [y[0] if y else None, *last, work]
        return [
            _empty(out) if lease is None else Value(out, lease=lease) for out, lease in zip(outs, leases, strict=True)
        ]

    return build


def _rows(device: Device, bias: Value) -> list[Value]:
    """The rows of a bias: that of the inputs, and perhaps that of the state."""
    if len(bias.spec.shape) == 1:
        return [bias]
    rows, wide = bias.spec.shape
    row = spec((wide,), "float32")
    return [view(device, row, bias, sliced(bias.spec.shape, ((i, 1, 1), (0, 1, wide)))) for i in range(rows)]


def _run_whole(
    device: Device, variant: Variant, sizes: _Sizes, attrs: Attrs, reads: Leases, states: Leases, further: Leases,
    writes: Leases,
) -> Leases:  # fmt: skip
    """Run all steps in one shader, or in several if they take long; returns the last states."""
    program = device.programs.get(("sequence", variant), shaders.forward, variant)
    outputs, kept = writes[: variant.optional], writes[variant.optional :]
    for span in _spans(device, variant, sizes.time):
        last = [device.take(4 * sizes.batch * sizes.units) for _ in states]
        _run(device, program, [*reads, *states, *further], [*outputs, *last, *kept], variant, sizes, span, attrs)
        states = last
    return states


def _run(
    device: Device, program: Program, reads: Leases, writes: Leases, variant: Variant, sizes: _Sizes,
    span: tuple[int, int], attrs: Attrs,
) -> None:  # fmt: skip
    words = (sizes.batch, sizes.time, *span, int(attrs["go_backwards"]))
    groups = -(-sizes.batch // variant.rows)
    device.dispatch(program, [lease.buffer for lease in reads], [lease.buffer for lease in writes], words, groups)


def _steps(
    device: Device, variant: Variant, sizes: _Sizes, attrs: Attrs, recurrent: Value, state_bias: Leases, further: Leases
) -> Steps:  # fmt: skip
    return Steps(device, variant, sizes.batch, sizes.time, attrs["go_backwards"], recurrent, state_bias, further)


def _empty(out: Spec) -> Value:
    return Value(out, host=np.empty(out.shape, np.float32))


def _inputs(device: Device, rows: Value, weights: Value, bias: Value) -> Value:
    """The input of each sample and step times its weights, and the bias."""
    out = spec((rows.spec.shape[0], weights.spec.shape[1]), "float32")
    found: Value = KERNELS["Add"](device, (matmul(device, rows, weights, out), bias), {}, out)
    return found


def _matrix(device: Device, x: Value, sizes: _Sizes, variant: Variant) -> Value:
    """The inputs as rows, in the order of samples, or of time for single steps."""
    batch, time, features, _ = sizes
    by_time = None if variant.rows else transposed((batch, time, features), (1, 0, 2))
    return view(device, spec((batch * time, features), "float32"), x, by_time)


def _from_matrix(device: Device, rows: Value, out: Spec, sizes: _Sizes, variant: Variant) -> Value:
    """The opposite of `_matrix`."""
    batch, time, features, _ = sizes
    return view(device, out, rows, None if variant.rows else transposed((time, batch, features), (1, 0, 2)))


def _backward(which: SequenceKernel) -> Builder:
    count = len(which.states)

    def build(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
        given, (x, weights, recurrent, _, *more, workspace) = values[: 1 + count], values[1 + count :]
        sizes = _sizes(x, recurrent)
        if not x.spec.size:
            return None
        has_dy = given[0].spec.size > 0 and given[0].word != 0
        variant = _variant(device, which, sizes, attrs, has_dy, False)
        _, parts = _saved(which.cell, sizes, ensure(device, workspace), device)
        leases, first = _gate_gradients(device, variant, given, recurrent, more[count:], parts, sizes, attrs)
        rows = sizes.batch * sizes.time
        dgates = [Value(spec((rows, variant.wide), "float32"), lease=lease) for lease in leases]
        dstate, dpre = dgates[0], dgates[-1]
        found: list[Value] = []
        for number, out in zip(attrs["wanted"], outs, strict=True):
            if number == 0:
                flat = spec((rows, sizes.features), "float32")
                product = matmul(device, dpre, weights, flat, transpose_b=True)
                found.append(_from_matrix(device, product, out, sizes, variant))
            elif number == 1:
                inputs = _matrix(device, x, sizes, variant)
                found.append(matmul(device, inputs, dpre, out, transpose_a=True))
            elif number == 2:
                found.append(_recurrent_gradient(device, which.cell, dstate, parts, sizes, out))
            elif number == 3:
                found.append(_bias_gradient(device, dgates[::-1], out))
            else:
                found.append(Value(out, lease=first[number - 4]))
        return found

    return build


def _gate_gradients(
    device: Device, variant: Variant, given: Values, recurrent: Value, more: Sequence[Value], parts: Leases,
    sizes: _Sizes, attrs: Attrs,
) -> tuple[Leases, Leases]:  # fmt: skip
    """The gradients of the gates at all steps before their activation, and those of the first states.

    With GRUResetAfter, those of the gates' parts by the state, then those of the parts by the input.
    """
    dy, *after = given
    outputs = [ensure(device, dy)] if variant.optional else []
    further = [ensure(device, value) for value in more]
    bytes_of_gates = 4 * sizes.batch * sizes.time * variant.wide
    gradients = [device.take(bytes_of_gates) for _ in shaders.gradients_of_gates(variant)]
    later: Leases = [ensure(device, v) for v in after]
    cell = variant.cell
    loads = [part for name, part in zip(SAVED[cell], parts, strict=True) if name in LOADS[cell]]
    if not variant.rows:
        steps = _steps(device, variant, sizes, attrs, recurrent, [], further)
        return gradients, steps.backward(later, outputs, loads, gradients)
    program = device.programs.get(("sequence back", variant), shaders.backward, variant)
    shape = recurrent.spec.shape
    turned = view(device, spec(shape[::-1], "float32"), recurrent, transposed(shape, (1, 0)))
    fixed = [*loads, ensure(device, turned), *further]
    for span in reversed(_spans(device, variant, sizes.time)):
        first = [device.take(4 * sizes.batch * sizes.units) for _ in after]
        reads, writes = [*outputs, *later, *fixed], [*gradients, *first]
        _run(device, program, reads, writes, variant, sizes, span, attrs)
        later = first
    return gradients, later


_GATED = Indexed("({2} % {p} < {q} ? {0} : {1})", "float32", ("uint", "uint"))


def _recurrent_gradient(device: Device, cell: str, dgates: Value, parts: list[Part], sizes: _Sizes, out: Spec) -> Value:
    """The states before the steps times the gradients of the gates; GRU's new content uses another state."""
    rows = spec((sizes.batch * sizes.time, sizes.units), "float32")
    gradient = matmul(device, Value(rows, lease=parts[1]), dgates, out, transpose_a=True)
    if cell != "GRU":
        return gradient
    content = matmul(device, Value(rows, lease=parts[2]), dgates, out, transpose_a=True)
    words = (3 * sizes.units, 2 * sizes.units)
    return fuse(device, out, _GATED, (gradient, content), None, words)


def _bias_gradient(device: Device, dgates: Sequence[Value], out: Spec) -> Value:
    """The sum of the gradients of the gates over all steps, for each row of the bias."""
    row = spec(out.shape[-1:], "float32")
    sums = [KERNELS["Sum"](device, (d,), {"axes": (0,), "keep_dims": False}, row) for d in dgates]
    found: Value = sums[0] if len(sums) == 1 else KERNELS["Pack"](device, tuple(sums), {"axis": 0}, out)
    return found


for _which in SEQUENCE_KERNELS:
    KERNELS[_which.name] = _forward(_which)
    KERNELS[f"{_which.name}Grad"] = _backward(_which)
