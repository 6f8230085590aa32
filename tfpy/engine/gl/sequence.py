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
from tfpy.engine.gl.maps import transposed
from tfpy.engine.gl.matmul import matmul
from tfpy.engine.gl.memory_pool import Lease, Part, aligned
from tfpy.engine.gl.programs import Program
from tfpy.engine.gl.sequence_shaders import GATES, LOADS, SAVED, STATES, Variant
from tfpy.engine.gl.sequence_steps import Leases, Steps
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import Indexed
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec, spec

Values = tuple[Value, ...]

_MOST_MULTIPLICATIONS = 1 << 30  # limits the steps of a shader, so that desktops do not consider the device hung
KEPT_WEIGHTS = 128
"""How many weights of a column a thread keeps in registers at most."""

_KEPT_STEP = {"SimpleRNN": 4, "GRU": 8, "LSTM": 4}
"""The number of kept weights is a multiple of this; other numbers take longer."""

_MOST_UNITS = {"SimpleRNN": 320, "GRU": 224, "LSTM": 224}
"""Larger layers run step by step, which takes less time on an NVIDIA H200: a group reads all weights in each step."""

_GROUP_REGISTERS = 1 << 16  # that a group can have, on an NVIDIA H200
_OTHER_REGISTERS = {"SimpleRNN": 32, "GRU": 40, "LSTM": 32}  # of a thread, for what is not weights


class _Sizes(NamedTuple):
    batch: int
    time: int
    features: int
    units: int


def _sizes(x: Value, recurrent: Value) -> _Sizes:
    return _Sizes(*x.spec.shape, recurrent.spec.shape[0])  # type: ignore[call-arg]


def is_whole(device: Device, cell: str, units: int) -> bool:
    """Whether one shader runs all steps: it pays off, and a group has enough shared memory for a sample."""
    return units <= _MOST_UNITS[cell] and shaders.shared_bytes(cell, units, 1) <= device.shared_bytes


def rows_for(device: Device, cell: str, sizes: _Sizes) -> int:
    """How many samples a group processes."""
    wanted = 4 if sizes.batch > 1024 else 2 if sizes.batch > 512 else 1
    while wanted > 1 and shaders.shared_bytes(cell, sizes.units, wanted) > device.shared_bytes:
        wanted //= 2
    return wanted


def _variant(
    device: Device, cell: str, sizes: _Sizes, attrs: Attrs, optional: bool, saves: bool, masked: bool
) -> Variant:  # fmt: skip
    activation = attrs.get("recurrent_activation") or "sigmoid"
    rows = rows_for(device, cell, sizes) if is_whole(device, cell, sizes.units) else 0
    variant = Variant(cell, sizes.units, rows, 0, activation, optional, saves, masked)
    most = min(KEPT_WEIGHTS, _GROUP_REGISTERS // variant.threads - _OTHER_REGISTERS[cell], sizes.units)
    kept = most // _KEPT_STEP[cell] * _KEPT_STEP[cell]
    return variant if variant.wide > 1024 or not rows or device.software else variant._replace(kept=kept)


def _spans(device: Device, variant: Variant, time: int) -> list[tuple[int, int]]:
    # A step takes fewer iterations than there are units.
    most = max(
        1,
        min(
            _MOST_MULTIPLICATIONS // (variant.wide * variant.units * variant.rows),
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


def _forward(cell: str, masked: bool) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
        x, weights, recurrent, bias, *more = values
        states, masks = more[: STATES[cell]], more[STATES[cell] :]
        sizes = _sizes(x, recurrent)
        if not x.spec.size:
            return None
        variant = _variant(device, cell, sizes, attrs, attrs["sequences"], attrs["training"], masked)
        pre = ensure(device, _inputs(device, _matrix(device, x, sizes, variant), weights, bias))
        y = [device.take(stored_bytes(outs[0]))] if variant.optional else []
        work, parts = _saved(cell, sizes, None, device) if variant.saves else (None, [])
        before = [ensure(device, s) for s in states]
        mask = [ensure(device, m) for m in masks]
        if variant.rows:
            reads, writes = [pre, ensure(device, recurrent)], [*y, *parts]
            last = _run_whole(device, variant, sizes, attrs, reads, before, mask, writes)
        else:
            last = _steps(device, variant, sizes, attrs, recurrent, mask).forward(pre, before, y, parts)
        leases = [y[0] if y else None, *last, work]
        return [
            _empty(out) if lease is None else Value(out, lease=lease) for out, lease in zip(outs, leases, strict=True)
        ]

    return build


def _run_whole(
    device: Device, variant: Variant, sizes: _Sizes, attrs: Attrs, reads: Leases, states: Leases, mask: Leases,
    writes: Leases,
) -> Leases:  # fmt: skip
    """Run all steps in one shader, or in several if they take long; returns the last states."""
    program = device.programs.get(("sequence", variant), shaders.forward, variant)
    outputs, kept = writes[: variant.optional], writes[variant.optional :]
    for span in _spans(device, variant, sizes.time):
        last = [device.take(4 * sizes.batch * sizes.units) for _ in states]
        _run(device, program, [*reads, *states, *mask], [*outputs, *last, *kept], variant, sizes, span, attrs)
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
    device: Device, variant: Variant, sizes: _Sizes, attrs: Attrs, recurrent: Value, mask: Leases
) -> Steps:  # fmt: skip
    return Steps(device, variant, sizes.batch, sizes.time, attrs["go_backwards"], recurrent, mask)


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


def _backward(cell: str, masked: bool) -> Builder:
    count = STATES[cell]

    def build(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
        given, (x, weights, recurrent, _, *more, workspace) = values[: 1 + count], values[1 + count :]
        mask = more[-1] if masked else None
        sizes = _sizes(x, recurrent)
        if not x.spec.size:
            return None
        has_dy = given[0].spec.size > 0 and given[0].word != 0
        variant = _variant(device, cell, sizes, attrs, has_dy, False, mask is not None)
        _, parts = _saved(cell, sizes, ensure(device, workspace), device)
        dz, first = _gate_gradients(device, variant, given, recurrent, mask, parts, sizes, attrs)
        rows = sizes.batch * sizes.time
        dgates = Value(spec((rows, GATES[cell] * sizes.units), "float32"), lease=dz)
        found: list[Value] = []
        for number, out in zip(attrs["wanted"], outs, strict=True):
            if number == 0:
                flat = spec((rows, sizes.features), "float32")
                product = matmul(device, dgates, weights, flat, transpose_b=True)
                found.append(_from_matrix(device, product, out, sizes, variant))
            elif number == 1:
                inputs = _matrix(device, x, sizes, variant)
                found.append(matmul(device, inputs, dgates, out, transpose_a=True))
            elif number == 2:
                found.append(_recurrent_gradient(device, cell, dgates, parts, sizes, out))
            elif number == 3:
                found.append(KERNELS["Sum"](device, (dgates,), {"axes": (0,), "keep_dims": False}, out))
            else:
                found.append(Value(out, lease=first[number - 4]))
        return found

    return build


def _gate_gradients(
    device: Device, variant: Variant, given: Values, recurrent: Value, mask: Value | None, parts: Leases,
    sizes: _Sizes, attrs: Attrs,
) -> tuple[Lease, Leases]:  # fmt: skip
    """The gradients of the gates at all steps before their activation, and those of the first states."""
    dy, *after = given
    outputs = [ensure(device, dy)] if variant.optional else []
    masks = [] if mask is None else [ensure(device, mask)]
    dz = device.take(4 * sizes.batch * sizes.time * variant.wide)
    later: Leases = [ensure(device, v) for v in after]
    cell = variant.cell
    loads = [part for name, part in zip(SAVED[cell], parts, strict=True) if name in LOADS[cell]]
    if not variant.rows:
        steps = _steps(device, variant, sizes, attrs, recurrent, masks)
        return dz, steps.backward(later, outputs, loads, dz)
    program = device.programs.get(("sequence back", variant), shaders.backward, variant)
    shape = recurrent.spec.shape
    turned = view(device, spec(shape[::-1], "float32"), recurrent, transposed(shape, (1, 0)))
    fixed = [*loads, ensure(device, turned), *masks]
    for span in reversed(_spans(device, variant, sizes.time)):
        first = [device.take(4 * sizes.batch * sizes.units) for _ in after]
        _run(device, program, [*outputs, *later, *fixed], [dz, *first], variant, sizes, span, attrs)
        later = first
    return dz, later


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


for _cell in GATES:
    for _prefix in ("", "Masked"):
        KERNELS[f"{_prefix}{_cell}Sequence"] = _forward(_cell, bool(_prefix))
        KERNELS[f"{_prefix}{_cell}SequenceGrad"] = _backward(_cell, bool(_prefix))
