"""What every test gets: the cpu backend, no scope or tape left open, no tensor left behind, no OpenGL error."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from gpu import Work, use_gpu
from hypothesis import HealthCheck, settings

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.handle import accounting
from tfpy.engine.state import local

# The same examples in every run, and no clock: a test fails because of the code.
settings.register_profile(
    "repeatable",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(params=["cpu", "exact", pytest.param("webgl", marks=pytest.mark.gl)])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the current backend; a test with this fixture runs on each."""
    if request.param == "webgl":
        gpu = use_gpu()
        yield request.param
        gpu.device.check()
    else:
        registry.use(request.param)
        yield request.param
    registry.use("cpu")


@pytest.fixture
def gpu() -> Iterator[GlBackend]:
    """The GPU backend, current."""
    backend = use_gpu()
    yield backend
    backend.device.check()
    registry.use("cpu")


@pytest.fixture
def device(gpu: GlBackend) -> Device:
    return gpu.device


@pytest.fixture
def work(device: Device) -> Callable[[Callable[[], object]], Work]:
    """Run a function and say what it made the GPU do; its result lives until then."""

    def measure(function: Callable[[], object]) -> Work:
        dispatches, used = device.counts.dispatches, device.pool.in_use()
        result = function()
        after = device.pool.in_use()
        del result
        return Work(device.counts.dispatches - dispatches, after - used)

    return measure


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Fail a test that leaves tensors, scopes or tapes behind; variables are disposed for it."""
    registry.use("cpu")
    before = accounting.tensors
    yield
    registry.use("cpu")
    assert not local.state.scopes, "a scope was left open"
    assert not local.state.tapes, "a tape was left recording"
    assert local.state.backend is None, "a backend override was left"
    tf.dispose_variables()
    if accounting.tensors > before:
        gc.collect()
    # What is left of an earlier test in a cycle may be collected only now, so that there may be fewer than before.
    assert accounting.tensors <= before, f"{accounting.tensors - before} tensors were left behind"
