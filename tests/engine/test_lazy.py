"""Elementwise kernels on large arrays are deferred and run together in blocks, with bit-identical results."""

from __future__ import annotations

import functools
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED

import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.backend import registry
from tfpy.engine.cpu import backend as cpu
from tfpy.engine.cpu import lazy
from tfpy.engine.cpu.elementwise import ELEMENTWISE
from tfpy.engine.cpu.table import KERNELS as COMPUTE
from tfpy.engine.dispatch import make, read, run
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import observing
from tfpy.engine.kernels import KERNELS
from tfpy.engine.recording import recording_plan

pytestmark = pytest.mark.cpu

ATTRS: dict[str, dict[str, Any]] = {
    "ClipByValue": {"clip_value_min": -0.5, "clip_value_max": 0.5},
    "LeakyRelu": {"alpha": 0.3},
    "Step": {"alpha": 0.25},
}
DTYPES = {name: ["bool"] for name in ELEMENTWISE if name.startswith("Logical")}
DTYPES |= {"BitwiseAnd": ["int32"], "ComplexAbs": ["complex64"], "Select": ["float32"]}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "_BLOCK_ELEMENTS", 64)
    monkeypatch.setattr(lazy, "_SHARD_ELEMENTS", 200)
    monkeypatch.setattr(lazy, "LARGE_ELEMENTS", 500)
    monkeypatch.setattr(cpu, "LARGE_ELEMENTS", 500)


@pytest.fixture
def send_signal_to() -> Iterator[Callable[[Callable[[], None]], Callable[[], None]]]:
    """Install a signal handler, and return the function that raises the signal."""
    before = signal.getsignal(signal.SIGTERM)

    def send_to(handler: Callable[[], None]) -> Callable[[], None]:
        signal.signal(signal.SIGTERM, lambda *_: handler())
        return lambda: signal.raise_signal(signal.SIGTERM)

    yield send_to
    signal.signal(signal.SIGTERM, before)


def operands(kernel: str, dtype: str, shapes: list[tuple[int, ...]]) -> list[Handle]:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=shape) * 3 for shape in shapes]
    if dtype == "complex64":
        values = [v + 1j * v[::-1] for v in values]
    kinds = ["bool", dtype, dtype] if kernel == "Select" else [dtype] * len(values)
    types = {"float32": np.float32, "int32": np.int32, "bool": np.bool_, "complex64": np.complex64}
    return [make(Handle, (v > 0 if k == "bool" else v).astype(types[k]), k) for v, k in zip(values, kinds, strict=True)]


CASES = [(k, d) for k in sorted(ELEMENTWISE) for d in DTYPES.get(k, ["float32"])]


@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_blocked_kernels_are_bit_identical(kernel: str, dtype: str, small_blocks: None) -> None:
    count = len(KERNELS[kernel].inputs)
    layouts = [[(31, 29)] * count]
    if count == 2:
        layouts += [[(31, 29), ()], [(1,), (31, 29)], [(31, 29), (29,)]]
    for shapes in layouts:
        inputs = operands(kernel, dtype, shapes)
        found = read(run(Handle, kernel, *inputs, **ATTRS.get(kernel, {})), "test")
        with np.errstate(all="ignore"):
            expected = np.asarray(COMPUTE[kernel](*[t.payload for t in inputs], **ATTRS.get(kernel, {})))
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_kernels_do_not_return_input_memory(kernel: str, dtype: str) -> None:
    """Blocks are overwritten when no longer needed, so a result must not share memory with an input's block."""
    inputs = [t.payload for t in operands(kernel, dtype, [(6,)] * len(KERNELS[kernel].inputs))]
    with np.errstate(all="ignore"):
        found = COMPUTE[kernel](*inputs, **ATTRS.get(kernel, {}))
    assert not any(np.shares_memory(found, x) for x in inputs)


def test_kernel_may_return_its_input(small_blocks: None) -> None:
    """As rounding of integers does: results of the same input must not overwrite it."""
    x = np.arange(900, dtype=np.int32)

    def chain() -> Any:
        first = lazy.defer(np.negative, [x], x.shape, "i4")
        same = lazy.defer(COMPUTE["Round"], [first], x.shape, "i4")
        last = lazy.defer(np.square, [first], x.shape, "i4")
        return lazy.defer(np.subtract, [last, same], x.shape, "i4")

    np.testing.assert_array_equal(lazy.forced(chain()), x * x + x)


def test_arrays_of_different_layout_are_not_deferred(small_blocks: None) -> None:
    a = np.ones((30, 40), np.float32)
    assert lazy.defer(np.tanh, [a.T], (40, 30), "f4") is None
    assert lazy.defer(np.add, [a, a[0]], (30, 40), "f4") is None
    assert lazy.forced(lazy.defer(np.add, [a, a[:1, :1]], (30, 40), "f4")).shape == (30, 40)


# Chains

A, B = (tf.tensor(np.random.default_rng(n).normal(size=(31, 29)).astype(np.float32)) for n in (1, 2))


def is_deferred(t: tf.Tensor) -> bool:
    return type(t.payload) is lazy.Lazy and t.payload.value is None


CHAINS: dict[str, Callable[[], tf.Tensor]] = {
    "chain": lambda: A.mul(B).add(1).tanh().relu().sub(B),
    "value used twice": lambda: (lambda t: t.exp().mul(t.neg()).add(t))(A.mul(0.1)),
    "bool intermediate": lambda: tf.where(A.greater(B), A.square(), B.abs()),
    "broadcast number": lambda: tf.scalar(2).broadcast_to([31, 29]).mul(3).add(A),
    "broadcast number only": lambda: tf.scalar(2).broadcast_to([31, 29]).mul(3),
    "sum of broadcast number": lambda: tf.scalar(0.7).broadcast_to([31, 29]).mul(3).sum(),
    "longer than the deferral limit": lambda: functools.reduce(lambda t, i: t.mul(0.9).add(i), range(40), A),
    "broadcast row": lambda: A.add(B).mul(B.slice([0, 0], [1, 29])).tanh(),
    "other kernels in between": lambda: A.add(B).transpose().mul(2).reshape([29 * 31]),
    "gather": lambda: tf.gather_nd(A.add(B), tf.tensor([[1, 2], [3, 4]], dtype="int32")),
    "clone": lambda: A.add(B).clone().mul(2),
    "sum": lambda: A.mul(B).sum(),
    "mean, axes kept": lambda: A.mul(B).tanh().mean(None, True),
    "sum of an axis": lambda: A.mul(B).sum(0),
    "no elements": lambda: A.mul(B).reshape([-1, 1]).add(tf.zeros([1, 0])),
    "gradient": lambda: tf.grad(lambda x: x.mul(B).add(A).tanh().mean())(A),
    "second gradient": lambda: tf.grad(lambda x: tf.grad(lambda z: z.mul(B).tanh().sum())(x).square().sum())(A),
}


@pytest.mark.parametrize("name", CHAINS)
def test_deferred_chains_are_bit_identical(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "LARGE_ELEMENTS", 500)
    monkeypatch.setattr(lazy, "_BLOCK_ELEMENTS", 64)
    monkeypatch.setattr(lazy, "_SHARD_ELEMENTS", 200)
    expected = CHAINS[name]().numpy()
    monkeypatch.setattr(cpu, "LARGE_ELEMENTS", 500)
    np.testing.assert_array_equal(CHAINS[name]().numpy(), expected)


def test_deferred_kernels_run_once_on_demand(small_blocks: None) -> None:
    runs = []

    def counted(x: Any) -> Any:
        runs.append(x.size)
        return np.negative(x)

    x = np.ones((31, 29), np.float32)
    first = lazy.defer(counted, [x], x.shape, "f4")
    second = lazy.defer(np.add, [first, first], x.shape, "f4")
    assert not runs
    assert lazy.forced(second).sum() == -2 * x.size
    assert sum(runs) == x.size


def test_only_referenced_intermediates_are_stored(small_blocks: None) -> None:
    held = A.mul(B)
    last = held.add(1).tanh()
    between = last.payload.inputs[0]
    last.data_sync()
    assert not is_deferred(held)
    assert between.value is not None  # referenced by the test
    mean = A.mul(B).tanh().mean()
    assert not is_deferred(mean)


def test_deferred_work_keeps_few_arrays_alive(small_blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long sum of arrays without other references."""
    monkeypatch.setattr(machine.share, "shards", 1)  # workers may release arrays late
    alive: list[weakref.ref[Any]] = []
    payload = A.numpy()  # A itself is on the GPU where there is one
    for i in range(30):
        values = np.full((31, 29), i, np.float32)
        alive.append(weakref.ref(values))
        payload = lazy.defer(np.add, [payload, values], (31, 29), "f4")
        del values
        assert sum(ref() is not None for ref in alive) <= 6
    np.testing.assert_allclose(lazy.forced(payload), A.numpy() + 435, rtol=ACCUMULATED)


def test_terms_of_sum_are_stored_when_used_again(small_blocks: None) -> None:
    terms = A.mul(B)
    total = terms.sum()
    assert is_deferred(terms)
    centered = terms.sub(total)
    assert not is_deferred(terms)
    np.testing.assert_array_equal(centered.numpy(), A.numpy() * B.numpy() - total.numpy())


def test_observed_kernels_are_not_deferred(small_blocks: None) -> None:
    info = tf.time(lambda: A.mul(B).tanh())
    assert info.kernel_ms > 0
    with observing(lambda run: None):
        assert not is_deferred(A.mul(B))


def test_kernels_with_small_results_accept_deferred_inputs(small_blocks: None) -> None:
    many = tf.zeros([800, 1]).add(tf.range(0, 800).reshape([800, 1]))
    places = many.cast("int32").mul(tf.ones([800, 1], "int32"))
    updates = many.reshape([800]).add(many.reshape([800]))
    assert {type(t.payload) for t in (many, places, updates)} == {lazy.Lazy}
    few = tf.tensor([[3], [700]], dtype="int32")
    assert tf.gather_nd(many.reshape([800]), few).array_sync() == [3, 700]
    last = tf.tensor_scatter_update(tf.zeros([800]), places, updates)
    assert last.array_sync() == [2 * n for n in range(800)]
    within = places.mod(tf.scalar(4, "int32"))
    updates = many.reshape([800]).add(many.reshape([800]))
    assert {type(t.payload) for t in (within, updates)} == {lazy.Lazy}
    assert tf.tensor_scatter_update(tf.zeros([4]), within, updates).array_sync() == [1592, 1594, 1596, 1598]
    pairs = places.reshape([400, 2]).mod(tf.scalar(4, "int32"))
    assert type(pairs.payload) is lazy.Lazy
    assert tf.gather_nd(tf.eye(4).mul(tf.scalar(2)), pairs).shape == (400,)


def test_variables_and_plans_accept_deferred_inputs(small_blocks: None) -> None:
    v = tf.variable(A.mul(B))
    v.assign(v.add(1))
    np.testing.assert_array_equal(v.numpy(), A.numpy() * B.numpy() + 1)
    model = tf.sequential(layers=[tf.layers.dense(units=3, input_shape=[29])])
    found = [model.predict(A.add(B)).numpy() for _ in range(4)]
    np.testing.assert_array_equal(found[0], found[3])


def test_plans_run_large_elementwise_kernels_in_blocks(small_blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    tanh = COMPUTE["Tanh"]

    def watched(x: Any) -> Any:
        sizes.append(x.size)
        return tanh(x)

    monkeypatch.setitem(COMPUTE, "Tanh", watched)
    result, recorder = recording_plan(A.tanh, registry.find("cpu"), [A], [])
    replay = recorder.compiled([result])
    assert replay is not None
    sizes.clear()
    replay.run(tf.Tensor, [B])
    assert max(sizes) == 64
    assert sum(sizes) == B.size


def test_signal_handler_may_compute_during_kernel(
    send_signal_to: Callable[[Callable[[], None]], Callable[[], None]],
    monkeypatch: pytest.MonkeyPatch,
    small_blocks: None,
) -> None:
    found: list[float] = []
    late = tf.ones([800]).add(tf.range(0, 800))
    interrupt = send_signal_to(lambda: found.append(float(tf.scalar(1).div(tf.scalar(0)).add(late.min()))))
    exp = COMPUTE["Exp"]

    def interrupted(x: Any) -> Any:
        interrupt()
        return exp(x)

    monkeypatch.setitem(COMPUTE, "Exp", interrupted)
    assert tf.scalar(0).exp().array_sync() == 1
    chain = tf.range(0, 800).mul(tf.zeros([800]).add(late)).exp()
    assert type(chain.payload) is lazy.Lazy
    assert chain.numpy()[0] == 1
    assert len(found) >= 2
    assert set(found) == {np.inf}
    with pytest.warns(RuntimeWarning, match="divide"):
        np.divide(1, np.zeros(1))  # outside of kernels numpy's settings are the user's


def test_signal_handler_may_make_plans_during_kernel(
    send_signal_to: Callable[[Callable[[], None]], Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3])])
    gradient = tf.grad(lambda x: x.mul(x).sum())
    found: list[Any] = []

    def compute() -> None:
        found.extend((model.predict(tf.ones([2, 3])).array_sync(), gradient(tf.ones([2])).array_sync()) for _ in "123")

    interrupt = send_signal_to(compute)
    sine = COMPUTE["Sin"]

    def interrupted(x: Any) -> Any:
        interrupt()
        return sine(x)

    monkeypatch.setitem(COMPUTE, "Sin", interrupted)
    assert tf.scalar(0).sin().array_sync() == 0
    assert found == [found[0]] * 3
    assert len(model.plans) == 1


def test_threads_may_force_the_same_deferred_value(small_blocks: None) -> None:
    shared = A.mul(B).tanh()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(shared.add(1).numpy())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in found:
        np.testing.assert_array_equal(values, np.tanh(A.numpy() * B.numpy()) + 1)
    assert len(found) == 8
