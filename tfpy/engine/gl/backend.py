"""The backend `webgl`: the engine's kernels on a GPU, with those that lack a shader on the CPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array, Defaults, Outputs
from tfpy.engine.cpu.backend import CpuBackend
from tfpy.engine.dtypes import NUMPY, DType
from tfpy.engine.errors import ShapeError
from tfpy.engine.gl import (  # noqa: F401
    concat,
    conv,
    crop,
    depthwise,
    dilation,
    elementwise,
    fft,
    fused,
    index,
    matmul,
    normalization,
    pool,
    reduce,
    replay,
    resize,
    scan,
    sequence,
    softmax,
    sort,
    transform,
    transpose,
    update,
    views,
)
from tfpy.engine.gl.context import FORBIDDEN, is_forbidden, open_context, warn_of_software
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ensure, is_on_host, read
from tfpy.engine.gl.horizontal_fusion import settle
from tfpy.engine.gl.table import KERNELS
from tfpy.engine.gl.value import Value, bits
from tfpy.engine.handle import Handle
from tfpy.engine.plan import Executor, Plan
from tfpy.engine.spec import Spec, spec
from tfpy.engine.warn import warn_user


class GlBackend(Defaults):
    """Values as payloads (see value.py), computed lazily.

    Attributes:
        device: the GPU.
    """

    name = "webgl"
    on_gpu = True

    def __init__(self, device: Device) -> None:
        self.device = device
        self._cpu = CpuBackend()

    def write(self, values: Array, dtype: DType) -> Value:
        host = self._cpu.write(values, dtype)
        where = spec(host.shape, dtype)
        if where.size == 1 and dtype in ("float32", "int32", "bool"):
            return Value(where, word=bits(host.item(), dtype))
        return Value(where, host=host)

    def read(self, payload: Value, dtype: DType) -> Array:
        return read(self.device, payload)

    def host_copy(self, payload: Value) -> Array | None:
        return read(self.device, payload) if is_on_host(payload) else None

    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        # The most common numbers of inputs are inlined: a loop costs a tenth of an op that is fused.
        values: tuple[Value, ...]
        if len(inputs) == 2:
            a, b = inputs
            values = a.payload, b.payload
        elif len(inputs) == 1:
            values = (inputs[0].payload,)
        else:
            values = tuple([t.payload for t in inputs])
        build = KERNELS.get(kernel)
        if build is not None and (type(out) is not Spec or out.size):
            try:
                made = build(self.device, values, attrs, out)
            except ShapeError:  # the im2col of a window, say, is never stored, but may be too large to be indexed
                made = None
            if made is not None:
                return made
        return self._on_cpu(kernel, values, attrs, out)

    def ensure(self, payload: Value) -> None:
        """Compute a deferred value; the GPU may still be working when this returns."""
        ensure(self.device, payload)

    def complete(self, payloads: Sequence[Value]) -> None:
        """Compute deferred values, and wait until the GPU has finished."""
        for payload in payloads:
            if payload.op is not None:
                ensure(self.device, payload)
        self.device.finish()

    def settle(self, groups: Iterable[Sequence[Value]]) -> None:
        settle(self.device, list(groups))

    def compile(self, plan: Plan) -> Executor:
        """Compile a plan to a function."""
        return replay.Executor(self.device, plan, self.run)

    def implements(self, kernel: str) -> bool:
        return kernel in KERNELS or self._cpu.implements(kernel)

    def memory(self) -> dict[str, Any]:
        device = self.device
        if device.alive:  # other threads may ask, too, and do not change the pool
            device.pool.collect()
        return {
            "num_bytes_in_gpu": device.pool.in_use(),
            "num_bytes_in_pool": device.pool.idle,
            "num_bytes_in_plans": sum([own.allocated for own in list(device.pools)]),
            "num_buffers": device.pool.count,
            "num_programs": len(device.programs),
            "num_dispatches": device.counts.dispatches,
            "cpu_kernels": dict(device.counts.fallbacks),
        }

    def dispose(self) -> None:
        self.device.dispose()

    def _on_cpu(self, kernel: str, values: tuple[Value, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        """Run a kernel on the CPU, counting it."""
        outs = [out] if isinstance(out, Spec) else list(out)
        if any(o.size and o.dtype != "string" for o in outs):
            fallbacks = self.device.counts.fallbacks
            fallbacks[kernel] = fallbacks.get(kernel, 0) + 1
        hosts: Any = tuple([_OnHost(read(self.device, v)) for v in values])
        result = self._cpu.run(kernel, hosts, attrs, out)
        if isinstance(out, Spec):
            return Value(out, host=np.asarray(result, NUMPY[out.dtype]))
        return [Value(o, host=np.asarray(r, NUMPY[o.dtype])) for o, r in zip(outs, result, strict=True)]


class _OnHost:
    """The part of a handle that the numpy backend accesses."""

    __slots__ = ("payload",)

    def __init__(self, payload: Array) -> None:
        self.payload = payload


def open_hardware() -> GlBackend | None:
    """The backend on a hardware GPU; None, with a warning that says why, if none can be used."""
    try:
        opened = open_context()
    except RuntimeError as error:
        _warn_of_cpu(str(error))
        return None
    if opened.software:
        found = f"webgl: no GPU can be used, only {opened.context.info['GL_RENDERER']}, which renders in software."
        _warn_of_cpu(f"{found} {FORBIDDEN}" if is_forbidden() else found)
        opened.context.release()
        return None
    return GlBackend(Device(opened))


def _warn_of_cpu(reason: str) -> None:
    """Say why the GPU that this machine seems to have is not used."""
    warn_user(
        f"{reason} The CPU is used instead; `tfpy doctor` reports details, and TFPY_BACKEND=cpu avoids this warning."
    )


def open_backend() -> GlBackend:
    """The backend on the best GPU of this machine.

    Raises:
        RuntimeError: there is none; the message says why.
    """
    opened = open_context()
    backend = GlBackend(Device(opened))
    if opened.software:
        warn_of_software(backend.device.renderer)
    return backend
