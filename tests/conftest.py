"""Fixtures of all tests: a backend and a seed; checks for open scopes and tapes, leaks and OpenGL errors.

`pytest --backend webgl` runs the tests that do not choose a backend on the GPU. `pytest --portable=FOLDER` checks
that shaders wait for each other, and saves them there for `glslangValidator`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from barriers import check_barriers
from gpu import Work, save_shaders, use_gpu
from hypothesis import HealthCheck, settings

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.handle import accounting
from tfpy.engine.package import is_ours
from tfpy.engine.state import local
from tfpy.layers.declared import Declared
from tfpy.layers.registry import _classes

# The same examples in every run, and no deadline, so that failures are reproducible.
settings.register_profile(
    "repeatable",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend", default="cpu", choices=["cpu", "webgl"], help="the backend of tests that do not choose one"
    )
    parser.addoption("--portable", type=Path, help="check barriers, and save the sources of shaders in this folder")


def pytest_configure(config: pytest.Config) -> None:
    folder: Path | None = config.getoption("--portable")
    if folder is not None:
        save_shaders(folder)
        check_barriers()


def pytest_collection_finish() -> None:
    _freeze()


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> Iterator[None]:
    """Freeze what a module leaves, such as packages that its tests import."""
    yield
    _freeze()


def _freeze() -> None:
    """Exclude what exists now from garbage collection, which tests run often."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def default_backend(request: pytest.FixtureRequest) -> str:
    """The name of the backend that is current when a test starts."""
    name: str = request.config.getoption("--backend")
    return "cpu" if request.node.get_closest_marker("cpu") else name


@pytest.fixture(params=["cpu", "exact", pytest.param("webgl", marks=pytest.mark.gl)])
def backend(request: pytest.FixtureRequest) -> str:
    """The name of the current backend; a test with this fixture runs on each."""
    if request.param == "webgl":
        use_gpu()
    else:
        registry.use(request.param)
    return request.param


@pytest.fixture
def gpu() -> GlBackend:
    """The GPU backend, made current."""
    return use_gpu()


@pytest.fixture
def device(gpu: GlBackend) -> Device:
    return gpu.device


@pytest.fixture
def work(device: Device) -> Callable[[Callable[[], object]], Work]:
    """A function that measures the work of another, whose result is kept alive until then."""

    def measure(function: Callable[[], object]) -> Work:
        dispatches, used = device.counts.dispatches, device.pool.in_use()
        result = function()
        after = device.pool.in_use()
        del result
        return Work(device.counts.dispatches - dispatches, after - used)

    return measure


@pytest.fixture(autouse=True)
def _clean(default_backend: str) -> Iterator[None]:
    """Fail a test that leaks tensors or buffers, or leaves scopes or tapes open; dispose its variables."""
    if default_backend == "webgl":
        use_gpu()
    else:
        registry.use(default_backend)
    tf.set_seed(7)
    before, device = accounting.tensors, _device()
    held = 0 if device is None else _held(device)
    yield
    registry.use("cpu")
    assert not local.state.scopes, "a scope was left open"
    assert not local.state.tapes, "a tape was left recording"
    assert local.state.backend is None, "a backend override was left"
    tf.dispose_variables()
    if accounting.tensors > before:
        gc.collect()
    # Garbage cycles of an earlier test may be collected only now, so that there may be fewer than before.
    assert accounting.tensors <= before, f"{accounting.tensors - before} tensors were left behind"
    if device is not None and device is _device():
        device.check()
        if _held(device) > held:
            gc.collect()
        assert _held(device) <= held, f"{_held(device) - held} bytes of buffers were left behind"


@pytest.fixture(autouse=True)
def _known_classes() -> Iterator[None]:
    """Unregister the classes that a test registers, since tests of messages list registered names; keep tfpy's own."""
    tables: list[dict[str, Any]] = [_classes, *_families(Declared)]
    before = [dict(table) for table in tables]
    yield
    for table, known in zip(tables, before, strict=True):
        if table != known:
            ours = {name: cls for name, cls in table.items() if is_ours(cls)}
            table.clear()
            table.update(ours | known)


def _families(cls: type) -> Iterator[dict[str, Any]]:
    """The registries of initializers, regularizers and similar classes."""
    for family in cls.__subclasses__():
        if "members" in vars(family):
            yield family.members
        yield from _families(family)


def _device() -> Device | None:
    """The GPU device, if it has been used."""
    backend = registry.made().get("webgl")
    return backend.device if isinstance(backend, GlBackend) and backend.device.alive else None


def _held(device: Device) -> int:
    """The bytes of buffers in use, except those that the device keeps itself."""
    kept = [value.lease.buffer.size for value in device.constants.values() if value.lease is not None]
    return device.pool.in_use() - sum(kept)
