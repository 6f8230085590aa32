"""Backends: selection, registration, defaults, and the precision of the exact and double backends."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfpy as tf
from tfpy import engine
from tfpy.engine.backend import Registry, registry, using
from tfpy.engine.cpu.backend import CpuBackend

pytestmark = pytest.mark.cpu


def test_set_and_get_backend() -> None:
    assert tf.get_backend() == "cpu"
    assert tf.set_backend("exact")
    assert tf.getBackend() == "exact"
    assert asyncio.run(_ready())
    assert tf.set_backend("cpu")
    with pytest.raises(ValueError, match="backend 'wegl'"):
        tf.set_backend("wegl")
    with pytest.raises(ValueError, match="In tfpy it is 'webgl': the GPU"):
        tf.set_backend("cuda")
    assert tf.get_backend() == "cpu"


async def _ready() -> bool:
    return bool(await tf.ready())


def test_backend_epsilon() -> None:
    assert tf.backend().epsilon() == 1e-7


def test_tensors_move_between_backends() -> None:
    a = tf.tensor([1.0, 2])
    with using(registry.find("exact")):
        b = a.add(1)
    assert b.add(a).array_sync() == [3, 5]


def test_failed_op_does_not_move_tensors() -> None:
    a, b, c = tf.ones([2]), tf.ones([3]), tf.ones([2])
    c.dispose()
    tf.set_backend("exact")
    for wrong in (lambda: a.add(b), lambda: a.mat_mul(b), lambda: a.reshape([3]), lambda: a.add(c)):
        with pytest.raises((ValueError, RuntimeError)):
            wrong()
        assert a.backend is not None
        assert a.backend.name == "cpu"


def test_exact_rounds_each_result_once() -> None:
    """As in the TF.js cpu backend, a sum of float32 values is computed in float64 and rounded once."""
    values = np.random.default_rng(0).random(1000).astype(np.float32)
    with using(registry.find("exact")):
        exact = float(tf.tensor(values).sum())
    assert exact == np.float32(values.astype(np.float64).sum())


def test_exact_accumulates_matrix_products_in_blocks() -> None:
    """As in the TF.js cpu backend: blocks of 48 products, whose sums are stored in float32."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 100)).astype(np.float32), rng.normal(size=(100, 4)).astype(np.float32)
    expected = np.zeros((3, 4), np.float32)
    for start in (0, 48, 96):
        block = slice(start, start + 48)
        expected = (expected + a[:, block].astype(np.float64) @ b[block].astype(np.float64)).astype(np.float32)
    with using(registry.find("exact")):
        x, y = tf.tensor(a), tf.tensor(b)
        found = [x.mat_mul(y), tf.tensor(a.T.copy()).mat_mul(tf.tensor(b.T.copy()), True, True)]
        for t in found:
            np.testing.assert_array_equal(t.numpy(), expected)


@pytest.mark.parametrize("name", ["cpu", "exact"])
def test_mod_rounds_as_in_tfjs(name: str) -> None:
    with using(registry.find(name)):
        found = tf.mod([3.0, -1e-9, 1e-9, -1e-20], [-(2.0**31), 1.0, -1.0, 1.0]).array_sync()
    assert found == [-(2**31), 1, -1, 0]


def test_double_keeps_float64() -> None:
    with using(registry.find("double")):
        t = tf.tensor([1 / 3]).add(0)
    assert t.numpy()[0] == 1 / 3


def test_register_and_remove_backend() -> None:
    created: list[CpuBackend] = []

    def factory() -> CpuBackend:
        created.append(CpuBackend())
        return created[-1]

    assert tf.register_backend("mine", factory, 0)
    assert not tf.register_backend("mine", factory), "a name is registered once"
    tf.set_backend("mine")
    assert tf.tensor([1]).add(1).array_sync() == [2]
    assert tf.find_backend("mine") is created[0]
    assert len(created) == 1
    registry.use("cpu")
    tf.remove_backend("mine")
    with pytest.raises(ValueError, match="mine"):
        tf.set_backend("mine")
    assert tf.find_backend("mine") is None


def test_backend_aliases() -> None:
    backends = Registry()
    assert backends.register("plain", CpuBackend, aliases=("simple",))
    assert not backends.register("simple", CpuBackend), "it would never be found"
    assert backends.find("simple") is backends.find("plain")
    backends.remove("simple")
    assert backends.names() == []
    with pytest.raises(ValueError, match="simple"):
        backends.find("simple")
    assert backends.register("simple", CpuBackend)
    assert backends.names() == ["simple"]
    assert backends.find("simple") is backends.default()


def test_default_backend_by_priority_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFPY_BACKEND", raising=False)
    cpu, gpu = CpuBackend(), CpuBackend()
    for offered, expected in ((None, cpu), (gpu, gpu)):
        backends = Registry()
        backends.register("plain", lambda: cpu, 1)
        backends.register("quick", lambda: gpu, 2, unasked=lambda offered=offered: offered)
        assert backends.default() is expected
        assert backends.find("quick") is gpu, "it can be selected by name"
    monkeypatch.setenv("TFPY_BACKEND", "plain")
    backends = Registry()
    backends.register("plain", lambda: cpu, 1)
    backends.register("quick", lambda: gpu, 2, unasked=lambda: gpu)
    assert backends.default() is cpu


def test_concurrent_first_use_creates_one_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFPY_BACKEND", raising=False)

    def slowly() -> CpuBackend:
        time.sleep(0.02)
        return CpuBackend()

    backends = Registry()
    backends.register("mine", slowly)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: backends.find("mine") if i % 2 else backends.default(), range(4)))
    assert len(set(map(id, found))) == 1


def test_gpu_is_probed_only_if_device_files_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.glob, "glob", lambda pattern: ["/dev/dri/renderD128"] if "dri" in pattern else [])
    for platform, expected in (("darwin", False), ("linux", True), ("win32", True)):
        monkeypatch.setattr(engine.sys, "platform", platform)
        assert engine._device_files() is expected
    monkeypatch.setattr(engine.sys, "platform", "linux")
    monkeypatch.setattr(engine.glob, "glob", lambda pattern: [])
    assert not engine._device_files()
    assert engine._hardware() is None
