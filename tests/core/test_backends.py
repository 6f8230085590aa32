"""Backends: choosing, registering, removing; what the exact and the double backend compute in."""

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


def test_choosing_a_backend() -> None:
    assert tf.get_backend() == "cpu"
    assert tf.set_backend("exact")
    assert tf.getBackend() == "exact"
    assert asyncio.run(_ready())
    assert tf.set_backend("cpu")
    with pytest.raises(ValueError, match="backend 'wegl'"):
        tf.set_backend("wegl")
    assert tf.get_backend() == "cpu"


async def _ready() -> bool:
    return bool(await tf.ready())


def test_the_small_number_of_a_backend() -> None:
    assert tf.backend().epsilon() == 1e-7


def test_tensors_move_between_backends() -> None:
    a = tf.tensor([1.0, 2])
    with using(registry.find("exact")):
        b = a.add(1)
    assert b.add(a).array_sync() == [3, 5]


def test_tensors_stay_where_they_are_when_an_op_fails() -> None:
    a, b, c = tf.ones([2]), tf.ones([3]), tf.ones([2])
    c.dispose()
    tf.set_backend("exact")
    for wrong in (lambda: a.add(b), lambda: a.mat_mul(b), lambda: a.reshape([3]), lambda: a.add(c)):
        with pytest.raises((ValueError, RuntimeError)):
            wrong()
        assert a.backend is not None
        assert a.backend.name == "cpu"


def test_exact_rounds_each_result_once() -> None:
    """The sum of many float32 numbers is that of float64, rounded: as the TF.js cpu backend computes."""
    values = np.random.default_rng(0).random(1000).astype(np.float32)
    with using(registry.find("exact")):
        exact = float(tf.tensor(values).sum())
    assert exact == np.float32(values.astype(np.float64).sum())


def test_exact_adds_up_matrix_products_in_blocks() -> None:
    """Of 48 products, each sum stored in float32: as the TF.js cpu backend does."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 100)).astype(np.float32), rng.normal(size=(100, 4)).astype(np.float32)
    wanted = np.zeros((3, 4), np.float32)
    for start in (0, 48, 96):
        block = slice(start, start + 48)
        wanted = (wanted + a[:, block].astype(np.float64) @ b[block].astype(np.float64)).astype(np.float32)
    with using(registry.find("exact")):
        x, y = tf.tensor(a), tf.tensor(b)
        found = [x.mat_mul(y), tf.tensor(a.T.copy()).mat_mul(tf.tensor(b.T.copy()), True, True)]
        for t in found:
            np.testing.assert_array_equal(t.numpy(), wanted)


@pytest.mark.parametrize("name", ["cpu", "exact"])
def test_remainders_do_not_round_to_their_divisor(name: str) -> None:
    with using(registry.find(name)):
        found = tf.mod([3.0, -1e-9, 1e-9, -1e-20], [-(2.0**31), 1.0, -1.0, 1.0]).array_sync()
    assert found == [-(2**31), 1, -1, 0], "TF.js's numbers"


def test_double_keeps_float64() -> None:
    with using(registry.find("double")):
        t = tf.tensor([1 / 3]).add(0)
    assert t.numpy()[0] == 1 / 3


def test_registering_and_removing() -> None:
    made: list[CpuBackend] = []

    def factory() -> CpuBackend:
        made.append(CpuBackend())
        return made[-1]

    assert tf.register_backend("mine", factory, 0)
    assert not tf.register_backend("mine", factory), "a name is registered once"
    tf.set_backend("mine")
    assert tf.tensor([1]).add(1).array_sync() == [2]
    assert tf.find_backend("mine") is made[0]
    assert len(made) == 1
    registry.use("cpu")
    tf.remove_backend("mine")
    with pytest.raises(ValueError, match="mine"):
        tf.set_backend("mine")
    assert tf.find_backend("mine") is None


def test_other_names_of_a_backend() -> None:
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


def test_the_best_backend_that_wants_to_be_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFPY_BACKEND", raising=False)
    cpu, gpu = CpuBackend(), CpuBackend()
    for offered, expected in ((None, cpu), (gpu, gpu)):
        backends = Registry()
        backends.register("plain", lambda: cpu, 1)
        backends.register("quick", lambda: gpu, 2, unasked=lambda offered=offered: offered)
        assert backends.default() is expected
        assert backends.find("quick") is gpu, "whoever names it gets it"
    monkeypatch.setenv("TFPY_BACKEND", "plain")
    backends = Registry()
    backends.register("plain", lambda: cpu, 1)
    backends.register("quick", lambda: gpu, 2, unasked=lambda: gpu)
    assert backends.default() is cpu


def test_threads_that_use_a_backend_first_get_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFPY_BACKEND", raising=False)

    def slowly() -> CpuBackend:
        time.sleep(0.02)
        return CpuBackend()

    backends = Registry()
    backends.register("mine", slowly)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: backends.find("mine") if i % 2 else backends.default(), range(4)))
    assert len(set(map(id, found))) == 1


def test_a_gpu_is_looked_for_only_where_one_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.glob, "glob", lambda pattern: ["/dev/dri/renderD128"] if "dri" in pattern else [])
    for platform, expected in (("darwin", False), ("linux", True), ("win32", True)):
        monkeypatch.setattr(engine.sys, "platform", platform)
        assert engine._device_files() is expected
    monkeypatch.setattr(engine.sys, "platform", "linux")
    monkeypatch.setattr(engine.glob, "glob", lambda pattern: [])
    assert not engine._device_files()
    assert engine._hardware() is None
