"""What kernels cost: `profile` and `time`; and where the first NaN comes from: debug mode."""

from __future__ import annotations

import inspect
import time as clock
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.core.origins import origin
from tfpy.core.ready import Ready, ReadyNone
from tfpy.core.registry import op
from tfpy.core.results import Record
from tfpy.engine.backend import Backend, registry
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle, accounting
from tfpy.engine.hooks import KernelRun, add_observer, observing, remove_observer
from tfpy.engine.spec import Shape
from tfpy.engine.state import local


class KernelInfo(Record):
    """What `profile` says of a kernel run; extra_info is 'cpu' where a backend has left it to the CPU."""

    name: str
    bytes_added: int
    total_bytes_snapshot: int
    tensors_added: int
    total_tensors_snapshot: int
    input_shapes: list[Shape]
    output_shapes: list[Shape]
    kernel_time_ms: float
    extra_info: str


class ProfileInfo(Record, Ready):
    """What `profile` returns; it may be awaited."""

    new_bytes: int
    new_tensors: int
    peak_bytes: int
    kernels: list[KernelInfo]
    result: Any
    kernel_names: list[str]


class TimingInfo(Record, Ready):
    """What `time` returns; it may be awaited."""

    wall_ms: float
    kernel_ms: float


class _Profile:
    """A profile being taken."""

    def __init__(self) -> None:
        self.bytes, self.tensors = accounting.bytes, accounting.tensors
        self.kernels: list[KernelInfo] = []
        self._left = {id(backend): _left_to_cpu(backend) for backend in registry.made().values()}

    def __call__(self, run: KernelRun) -> None:
        added, tensors = sum(s.nbytes for s in run.specs), sum(s.tensors for s in run.specs)
        inputs, outputs = [t.spec.shape for t in run.inputs], [s.shape for s in run.specs]
        totals = accounting.bytes + added, accounting.tensors + tensors
        before, after = self._left.get(id(run.backend), {}), _left_to_cpu(run.backend)
        where = "cpu" if after.get(run.kernel, 0) > before.get(run.kernel, 0) else ""
        self._left[id(run.backend)] = after
        self.kernels.append(
            KernelInfo(run.kernel, added, totals[0], tensors, totals[1], inputs, outputs, run.milliseconds, where)
        )

    def finished(self, result: Any) -> ProfileInfo:
        peak = max((k.total_bytes_snapshot for k in self.kernels), default=accounting.bytes)
        names = list(dict.fromkeys(k.name for k in self.kernels))
        return ProfileInfo(
            accounting.bytes - self.bytes, accounting.tensors - self.tensors, peak, self.kernels, result, names
        )


def _left_to_cpu(backend: Backend) -> dict[str, int]:
    """How often a backend has left each kernel to the CPU."""
    counts: dict[str, int] = backend.memory().get("cpu_kernels", {})
    return counts


@op(doc="Performance / Profile")
def profile(f: Callable[[], Any]) -> Any:
    """Run a function and say what its kernels did; it may be awaited, and must be if the function is a coroutine.

    Args:
        f: a function without arguments.

    Returns:
        A record: new_bytes and new_tensors, those that are there afterwards and were not before; peak_bytes, the most
        that there were; kernels, a record for each kernel run (its extra_info is 'cpu' where the GPU has left it to
        the CPU); kernel_names, each once; and result, what f returned.

    Raises:
        TypeError: f is no function.

    Source: TF.js `tf.profile`.
    """
    if not callable(f):
        raise argument_error("profile", "f", "a function", f, TypeError)
    profile_ = _Profile()
    with observing(profile_):
        result = f()
        if not inspect.iscoroutine(result):
            return profile_.finished(result)
    return _awaited(profile_, result)


async def _awaited(profile_: _Profile, result: Any) -> ProfileInfo:
    with observing(profile_):
        return profile_.finished(await result)


@op(doc="Performance / Timing")
def time(f: Callable[[], Any]) -> TimingInfo:
    """Run a function and say how long it took, kernel by kernel; it may be awaited.

    Kernels that are watched run one by one: nothing is put off, fused or planned meanwhile. How long a model takes
    otherwise, a clock around it says, with a result read before it is stopped.

    Args:
        f: a function without arguments.

    Returns:
        A record: wall_ms, the time in all, and kernel_ms, the time spent in kernels.

    Raises:
        TypeError: f is no function.

    Source: TF.js `tf.time`.
    """
    if not callable(f):
        raise argument_error("time", "f", "a function", f, TypeError)
    spent: list[float] = []
    with observing(lambda run: spent.append(run.milliseconds)):
        start = clock.perf_counter()
        f()
        wall = (clock.perf_counter() - start) * 1000
    return TimingInfo(wall, sum(spent))


@op(doc="Performance / Timing")
def next_frame() -> Any:
    """Let other tasks run; to be awaited. Without an event loop there is nothing to wait for.

    Source: TF.js `tf.nextFrame`.
    """
    import asyncio  # here, since it takes a while to load

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ReadyNone()
    return asyncio.sleep(0)


class _Debugging:
    """Prints each kernel and warns where a NaN or infinity first appears."""

    def __init__(self) -> None:
        self._told = False

    def switch(self, on: bool) -> None:
        """Begin to look, or stop."""
        remove_observer(self.report)
        if on:
            self._told = False
            add_observer(self.report)

    def report(self, run: KernelRun) -> None:
        inputs = ", ".join(_described(t) for t in run.inputs)
        for spec in run.specs:
            print(f"{run.kernel:<25} {run.milliseconds:8.3f} ms  {spec.dtype} {list(spec.shape)}  from ({inputs})")
        results = (run.backend.read(p, s.dtype) for p, s in zip(run.payloads, run.specs, strict=True))
        found = next(filter(None, map(_strange, results)), None)
        if found is None:
            return
        values = (t.backend.read(t.payload, t.spec.dtype) for t in run.inputs if t.backend)
        given = next(filter(None, map(_strange, values)), None)
        if given is None:
            _warn(f"Found {found} in the result of {run.kernel!r} of ({inputs})")
        elif not self._told:  # it was there before anybody looked: in the data, or in weights
            _warn(f"Found {given} in what {run.kernel!r} of ({inputs}) was given")
        self._told = True


watch_for_errors = _Debugging().switch


def _warn(what: str) -> None:
    """Say where something was found: in which layer if in one, and at which line of the program."""
    place, running = origin(), local.state.running
    inside = f"{running[-1]()}, " if running else ""
    message = f"{what}, in {inside}{place}."
    warnings.warn_explicit(message, RuntimeWarning, place.file, place.line)


def _described(t: Handle) -> str:
    return f"{t.spec.dtype} {list(t.spec.shape)}"


def _strange(values: Any) -> str | None:
    """The first number that is not finite, as text."""
    if values.dtype.kind not in "fc":
        return None
    finite = np.isfinite(values)
    return None if finite.all() else str(values[~finite].flat[0])
