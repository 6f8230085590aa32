"""The cost of kernels: `profile` and `time`."""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Callable
from typing import Any

from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import op
from tfpy.core.results import Record
from tfpy.engine.arguments import as_function
from tfpy.engine.backend import Backend, registry
from tfpy.engine.handle import accounting
from tfpy.engine.hooks import KernelRun, observing
from tfpy.engine.spec import Shape


class KernelInfo(Record):
    """A kernel run in the result of `profile`; extra_info is 'cpu' if a backend delegated it to the CPU."""

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
    """The result of `profile`; it may be awaited."""

    new_bytes: int
    new_tensors: int
    peak_bytes: int
    kernels: list[KernelInfo]
    result: Any
    kernel_names: list[str]


class TimingInfo(Record, Ready):
    """The result of `time`; it may be awaited."""

    wall_ms: float
    kernel_ms: float


class _Profile:
    """A profile in progress."""

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
    """How often a backend has delegated each kernel to the CPU."""
    counts: dict[str, int] = backend.memory().get("cpu_kernels", {})
    return counts


@op(doc="Performance / Profile")
def profile(f: Callable[[], Any]) -> Any:
    """Run a function and report what its kernels did; it may be awaited, and must be if the function is a coroutine.

    Args:
        f: a function without arguments.

    Returns:
        A record: new_bytes and new_tensors, the increase during the call; peak_bytes, the maximum; kernels, a record
        for each kernel run (its extra_info is 'cpu' if the GPU backend delegated it to the CPU); kernel_names, each
        once; and result, the result of f.

    Raises:
        TypeError: f is not a function.

    Source: TF.js `tf.profile`.
    """
    as_function("profile", "f", f)
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
    """Run a function and measure its time and that of its kernels; it may be awaited.

    Kernels run one by one while they are timed: nothing is deferred, fused or planned. To measure a model's usual time,
    use a clock around the call, and read a result before stopping it.

    Args:
        f: a function without arguments.

    Returns:
        A record: wall_ms, the total time, and kernel_ms, the time spent in kernels.

    Raises:
        TypeError: f is not a function.

    Source: TF.js `tf.time`.
    """
    as_function("time", "f", f)
    spent: list[float] = []
    with observing(lambda run: spent.append(run.milliseconds)):
        start = clock.perf_counter()
        f()
        wall = (clock.perf_counter() - start) * 1000
    return TimingInfo(wall, sum(spent))
