"""Recurrent layers over whole sequences: one shader for all steps, one for the backward pass, products for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tfpy.engine.gl import sequence_shaders as shaders
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ensure, fuse, view
from tfpy.engine.gl.maps import transposed
from tfpy.engine.gl.pool import Buffer, Lease, Part, aligned
from tfpy.engine.gl.sequence_shaders import GATES, SAVED, STATES, Variant
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import Indexed
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec, spec

Values = tuple[Value, ...]

_MOST_MULTIPLICATIONS = 1 << 30  # limits the steps of a shader, so that desktops do not consider the device hung
KEPT_WEIGHTS = 128
"""How many weights of a column a thread keeps in registers at most."""

_MOST_UNITS = {"SimpleRNN": 512, "GRU": 448, "LSTM": 320}
"""Larger layers run step by step, which takes less time on an NVIDIA H200."""

_GROUP_REGISTERS = 1 << 16  # that a group can have, on an NVIDIA H200
_OTHER_REGISTERS = 32  # of a thread, for what is not weights


class _Sizes(NamedTuple):
    batch: int
    time: int
    features: int
    units: int


def _sizes(x: Value, recurrent: Value) -> _Sizes:
    return _Sizes(*x.spec.shape, recurrent.spec.shape[0])  # type: ignore[call-arg]


def fits(device: Device, cell: str, units: int) -> bool:
    """Whether a group has enough shared memory for a sample, and one shader for all steps pays off.

    Each group reads all weights in every step; if there are many, that takes longer than a product for each step.
    """
    return units <= _MOST_UNITS[cell] and shaders.shared_bytes(cell, units, 1) <= device.shared_bytes


def rows_for(device: Device, cell: str, sizes: _Sizes) -> int:
    """How many samples a group processes; 0 if the shared memory is too small for one."""
    wanted = 4 if sizes.batch > 1024 else 2 if sizes.batch > 512 else 1
    while wanted and shaders.shared_bytes(cell, sizes.units, wanted) > device.shared_bytes:
        wanted //= 2
    return wanted


def _variant(
    device: Device, cell: str, sizes: _Sizes, attrs: Attrs, optional: bool, saves: bool, masked: bool
) -> Variant:  # fmt: skip
    activation = attrs.get("recurrent_activation") or "sigmoid"
    variant = Variant(cell, sizes.units, rows_for(device, cell, sizes), 0, activation, optional, saves, masked)
    kept = min(KEPT_WEIGHTS, _GROUP_REGISTERS // variant.threads - _OTHER_REGISTERS, sizes.units) // 4 * 4
    return variant if variant.wide > 1024 or device.software else variant._replace(kept=kept)


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
        if not x.spec.size or not rows_for(device, cell, sizes):
            return None
        variant = _variant(device, cell, sizes, attrs, attrs["sequences"], attrs["training"], masked)
        program = device.programs.get(("sequence", variant), shaders.forward, variant)
        pre = ensure(device, _inputs(device, x, weights, bias, sizes))
        reads = [pre.buffer, ensure(device, recurrent).buffer]
        y = device.take(stored_bytes(outs[0])) if variant.optional else None
        work, parts = _saved(cell, sizes, None, device) if variant.saves else (None, [])
        before = [ensure(device, s) for s in states]
        mask = [ensure(device, m).buffer for m in masks]
        last = before
        for start, stop in _spans(device, variant, sizes.time):
            last = [device.take(4 * sizes.batch * sizes.units) for _ in states]
            writes = [lease.buffer for lease in ([] if y is None else [y]) + last + parts]
            given = [*reads, *(s.buffer for s in before), *mask]
            _run(device, program, given, writes, variant, sizes, (start, stop), attrs)
            before = last
        leases = [y, *last, work]
        return [
            _empty(out) if lease is None else Value(out, lease=lease) for out, lease in zip(outs, leases, strict=True)
        ]

    return build


def _run(
    device: Device, program: object, reads: list[Buffer], writes: list[Buffer], variant: Variant, sizes: _Sizes,
    span: tuple[int, int], attrs: Attrs,
) -> None:  # fmt: skip
    words = (sizes.batch, sizes.time, *span, int(attrs["go_backwards"]))
    device.dispatch(program, reads, writes, words, -(-sizes.batch // variant.rows))  # type: ignore[arg-type]


def _empty(out: Spec) -> Value:
    return Value(out, host=np.empty(out.shape, np.float32))


def _inputs(device: Device, x: Value, weights: Value, bias: Value, sizes: _Sizes) -> Value:
    """The input of each sample and step times its weights, and the bias."""
    rows = sizes.batch * sizes.time
    out = spec((rows, weights.spec.shape[1]), "float32")
    product = _multiplied(device, _matrix(device, x, rows, sizes.features), weights, out)
    found: Value = KERNELS["Add"](device, (product, bias), {}, out)
    return found


def _matrix(device: Device, x: Value, rows: int, columns: int) -> Value:
    return view(device, spec((rows, columns), "float32"), x, None)


def _multiplied(device: Device, a: Value, b: Value, out: Spec, ta: bool = False, tb: bool = False) -> Value:
    found: Value = KERNELS["BatchMatMul"](device, (a, b), {"transpose_a": ta, "transpose_b": tb}, out)
    return found


def _backward(cell: str, masked: bool) -> Builder:
    count = STATES[cell]

    def build(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
        given, (x, weights, recurrent, _, *more, workspace) = values[: 1 + count], values[1 + count :]
        mask = more[-1] if masked else None
        sizes = _sizes(x, recurrent)
        if not x.spec.size or not rows_for(device, cell, sizes):
            return None
        _, parts = _saved(cell, sizes, ensure(device, workspace), device)
        dz, first = _gate_gradients(device, cell, given, recurrent, mask, parts, sizes, attrs)
        rows = sizes.batch * sizes.time
        dgates = Value(spec((rows, GATES[cell] * sizes.units), "float32"), lease=dz)
        found: list[Value] = []
        for number, out in zip(attrs["wanted"], outs, strict=True):
            if number == 0:
                flat = spec((rows, sizes.features), "float32")
                found.append(view(device, out, _multiplied(device, dgates, weights, flat, tb=True), None))
            elif number == 1:
                found.append(_multiplied(device, _matrix(device, x, rows, sizes.features), dgates, out, ta=True))
            elif number == 2:
                found.append(_recurrent_gradient(device, cell, dgates, parts, sizes, out))
            elif number == 3:
                found.append(KERNELS["Sum"](device, (dgates,), {"axes": (0,), "keep_dims": False}, out))
            else:
                found.append(Value(out, lease=first[number - 4]))
        return found

    return build


def _gate_gradients(
    device: Device, cell: str, given: Values, recurrent: Value, mask: Value | None, parts: list[Part],
    sizes: _Sizes, attrs: Attrs,
) -> tuple[Lease, list[Lease]]:  # fmt: skip
    """The gradients of the gates at all steps before their activation, and those of the first states."""
    dy, *after = given
    variant = _variant(device, cell, sizes, attrs, dy.spec.size > 0 and dy.word != 0, False, mask is not None)
    program = device.programs.get(("sequence back", variant), shaders.backward, variant)
    shape = recurrent.spec.shape
    turned = view(device, spec(shape[::-1], "float32"), recurrent, transposed(shape, (1, 0)))
    saved = {"SimpleRNN": parts[:1], "GRU": parts[:2], "LSTM": parts}[cell]
    fixed = [part.buffer for part in saved] + [ensure(device, turned).buffer]
    fixed += [] if mask is None else [ensure(device, mask).buffer]
    outputs = [ensure(device, dy).buffer] if variant.optional else []
    dz = device.take(4 * sizes.batch * sizes.time * variant.wide)
    later = [ensure(device, v) for v in after]
    for span in reversed(_spans(device, variant, sizes.time)):
        first = [device.take(4 * sizes.batch * sizes.units) for _ in after]
        reads = [*outputs, *(lease.buffer for lease in later), *fixed]
        writes = [dz.buffer, *(lease.buffer for lease in first)]
        _run(device, program, reads, writes, variant, sizes, span, attrs)
        later = first
    return dz, later


_GATED = Indexed("({2} % {p} < {q} ? {0} : {1})", "float32", ("uint", "uint"))


def _recurrent_gradient(device: Device, cell: str, dgates: Value, parts: list[Part], sizes: _Sizes, out: Spec) -> Value:
    """The states before the steps times the gradients of the gates; GRU's new content uses another state."""
    rows = spec((sizes.batch * sizes.time, sizes.units), "float32")
    gradient = _multiplied(device, Value(rows, lease=parts[1]), dgates, out, ta=True)
    if cell != "GRU":
        return gradient
    content = _multiplied(device, Value(rows, lease=parts[2]), dgates, out, ta=True)
    words = (3 * sizes.units, 2 * sizes.units)
    return fuse(device, out, _GATED, (gradient, content), None, words)


for _cell in GATES:
    for _prefix in ("", "Masked"):
        KERNELS[f"{_prefix}{_cell}Sequence"] = _forward(_cell, bool(_prefix))
        KERNELS[f"{_prefix}{_cell}SequenceGrad"] = _backward(_cell, bool(_prefix))
