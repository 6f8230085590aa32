"""A report on this machine's GPU: its name, whether its results are correct, its speed."""

from __future__ import annotations

import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import NamedTuple

import numpy as np

from tfpy.engine.backend import Array, Backend, registry, using
from tfpy.engine.dispatch import make, read, run
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.context import FORBIDDEN, WHICH, gpus, is_forbidden
from tfpy.engine.gl.device import Device
from tfpy.engine.handle import Handle

LIMITS = {
    "buffer": "GL_MAX_SHADER_STORAGE_BLOCK_SIZE",
    "buffers per shader": "GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS",
    "threads per group": "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS",
    "groups per axis": "GL_MAX_COMPUTE_WORK_GROUP_COUNT",
}

_MISTRUST = (
    "Its results are wrong, so do not use it: `set_backend('cpu')`, or the variable TFPY_BACKEND=cpu, chooses the CPU. "
    "A newer driver may help."
)


class Check(NamedTuple):
    """A kernel, or a few of them, run on the GPU, and whether the result was that of numpy."""

    name: str
    passed: bool


def report() -> str:
    """A string about this machine's GPU: renderer, versions, limits, self-test, timing, advice. It never raises."""
    lines = ["The GPU backend of tfpy", "", *_versions(), ""]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what it would warn about is in the report
            backend = registry.find("webgl")
    except (RuntimeError, ValueError) as error:
        return "\n".join([*lines, str(error), "", "The backend 'cpu' needs no GPU."])
    if not isinstance(backend, GlBackend):
        return "\n".join([*lines, "The backend 'webgl' of this process is not tfpy's own."])
    try:
        checks = self_test(backend)
        lines += [*_device(backend.device), _denormals(backend), "", *map(_outcome, checks), "", *_timing(backend), ""]
        lines.append(_verdict(backend.device) if all(check.passed for check in checks) else _MISTRUST)
    except RuntimeError as error:
        lines.append(str(error))
    return "\n".join(lines)


def _versions() -> Iterator[str]:
    yield f"Python {platform.python_version()} on {sys.platform} {platform.machine()}, numpy {np.__version__}"
    for package in ("moderngl", "glcontext"):
        try:
            yield f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            yield f"{package} is not installed"


def _device(device: Device) -> Iterator[str]:
    info = device.context.info
    yield f"renderer   {device.renderer}{' (in software, on the CPU)' if device.software else ''}"
    yield f"vendor     {info['GL_VENDOR']}"
    yield f"OpenGL     {info['GL_VERSION']}"
    for attempt in device.attempts:
        yield f"{'found by' if attempt.renderer else 'tried':11}{attempt.how}: {attempt.renderer or attempt.problem}"
    for name, key in LIMITS.items():
        value = info.get(key)
        yield f"limit      {name}: {min(value) if isinstance(value, tuple) else value}"
    yield f"division   {'correctly rounded' if device.exact_division else 'corrected by a Newton step'}"


def flushes_denormals(backend: Backend) -> bool:
    """Whether the device flushes numbers below 1.2e-38 to zero, as OpenGL allows and most hardware does."""
    with using(backend):
        tiny = make(Handle, np.full(4, 1e-40, np.float32), "float32")
        return not read(
            run(Handle, "Multiply", tiny, make(Handle, np.full(4, 2, np.float32), "float32")), "doctor"
        ).all()


def _denormals(backend: GlBackend) -> str:
    return f"denormals  {'are taken as zero' if flushes_denormals(backend) else 'are kept'}"


def self_test(backend: GlBackend) -> list[Check]:
    """Compare a kernel of each family with numpy.

    Raises:
        RuntimeError: OpenGL reports an error.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 300)).astype(np.float32)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-30], np.float32)
    tests: dict[str, tuple[Callable[[Handle], Handle], Array, Array, float]] = {
        "tanh": (lambda t: run(Handle, "Tanh", t), x, np.tanh(x), 1e-6),
        "chain": (_chain, x, np.tanh(np.tanh(x) + x), 1e-6),
        "special numbers": (lambda t: run(Handle, "Relu", t), special, np.maximum(special, 0), 0),
        "sum": (lambda t: run(Handle, "Sum", t, axes=(0, 1), keep_dims=False), x, x.sum(dtype=np.float64), 1e-3),
        "matrix product": (_product, x, x @ x.T, 1e-3),
        "running sum": (_running_sum, x, np.cumsum(x, 1), 1e-3),
    }
    checks = []
    for name, (compute, values, expected, tolerance) in tests.items():
        with using(backend):
            found = read(compute(make(Handle, values, "float32")), "doctor")
        checks.append(Check(name, np.allclose(found, expected, rtol=1e-5, atol=tolerance, equal_nan=True)))
    backend.device.check()
    return checks


def _outcome(check: Check) -> str:
    return f"self-test  {check.name}: {'right' if check.passed else 'WRONG'}"


def _chain(t: Handle) -> Handle:
    return run(Handle, "Tanh", run(Handle, "Add", run(Handle, "Tanh", t), t))


def _product(t: Handle) -> Handle:
    return run(Handle, "BatchMatMul", t, t, transpose_a=False, transpose_b=True)


def _running_sum(t: Handle) -> Handle:
    return run(Handle, "Cumsum", t, axis=1, exclusive=False, reverse=False)


def _timing(backend: GlBackend) -> Iterator[str]:
    rng = np.random.default_rng(0)
    subjects: dict[str, tuple[Array, Callable[[Handle], Handle]]] = {
        "tanh of a million": (rng.normal(size=1_000_000), lambda t: run(Handle, "Tanh", t)),
        "400 x 400 product": (rng.normal(size=(400, 400)), _product),
    }
    for name, (values, compute) in subjects.items():
        cpu, gpu = (_milliseconds(b, values, compute) for b in (registry.find("cpu"), backend))
        yield f"timing     {name}: cpu {cpu:.2f} ms, gpu {gpu:.2f} ms"


def _milliseconds(backend: Backend, values: Array, compute: Callable[[Handle], Handle]) -> float:
    """The shortest time of a few runs on data on the GPU, without reading the result."""
    with using(backend):
        given = make(Handle, values, "float32")

        def once() -> float:
            start = time.perf_counter()
            backend.complete([compute(given).payload])
            return 1e3 * (time.perf_counter() - start)

        once()
        return min(once() for _ in range(5))


def _verdict(device: Device) -> str:
    if device.software:
        text = "No GPU was found, only a software renderer: the backend 'cpu' is faster here, and is the default."
        return f"{FORBIDDEN} {text}" if is_forbidden() else text
    text = "It is the default. `set_backend('cpu')`, or the variable TFPY_BACKEND=cpu, chooses the CPU instead."
    if len(names := gpus()) < 2:
        return text
    there = "; ".join(f"{WHICH}={i}: {name}" for i, name in enumerate(names))
    return f"{text} There are {len(names)} GPUs to choose from ({there})."
