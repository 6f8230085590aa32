"""Elementwise kernels on large arrays: put off, run together and in blocks, they give the bits of one after the other."""

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
def signalled() -> Iterator[Callable[[Callable[[], None]], Callable[[], None]]]:
    """From what a signal's handler does to what sends the signal."""
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
def test_bits_are_those_of_one_piece(kernel: str, dtype: str, small_blocks: None) -> None:
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
def test_kernels_give_memory_of_their_own(kernel: str, dtype: str) -> None:
    """Blocks are overwritten when they are no longer needed; a result that is an input's block would be lost."""
    inputs = [t.payload for t in operands(kernel, dtype, [(6,)] * len(KERNELS[kernel].inputs))]
    with np.errstate(all="ignore"):
        found = COMPUTE[kernel](*inputs, **ATTRS.get(kernel, {}))
    assert not any(np.shares_memory(found, x) for x in inputs)


def test_a_kernel_may_give_its_input_back(small_blocks: None) -> None:
    """As rounding does with whole numbers: what is computed from the same input must not be written over it."""
    x = np.arange(900, dtype=np.int32)

    def chain() -> Any:
        first = lazy.defer(np.negative, [x], x.shape, "i4")
        same = lazy.defer(COMPUTE["Round"], [first], x.shape, "i4")
        last = lazy.defer(np.square, [first], x.shape, "i4")
        return lazy.defer(np.subtract, [last, same], x.shape, "i4")

    np.testing.assert_array_equal(lazy.forced(chain()), x * x + x)


def test_what_is_not_laid_out_alike_goes_in_one_piece(small_blocks: None) -> None:
    a = np.ones((30, 40), np.float32)
    assert lazy.defer(np.tanh, [a.T], (40, 30), "f4") is None
    assert lazy.defer(np.add, [a, a[0]], (30, 40), "f4") is None
    assert lazy.forced(lazy.defer(np.add, [a, a[:1, :1]], (30, 40), "f4")).shape == (30, 40)


# Chains

A, B = (tf.tensor(np.random.default_rng(n).normal(size=(31, 29)).astype(np.float32)) for n in (1, 2))


def pending(t: tf.Tensor) -> bool:
    return type(t.payload) is lazy.Lazy and t.payload.value is None


CHAINS: dict[str, Callable[[], tf.Tensor]] = {
    "one after the other": lambda: A.mul(B).add(1).tanh().relu().sub(B),
    "a value used twice": lambda: (lambda t: t.exp().mul(t.neg()).add(t))(A.mul(0.1)),
    "a bool on the way": lambda: tf.where(A.greater(B), A.square(), B.abs()),
    "equal numbers": lambda: tf.scalar(2).broadcast_to([31, 29]).mul(3).add(A),
    "equal numbers only": lambda: tf.scalar(2).broadcast_to([31, 29]).mul(3),
    "sum of equal numbers": lambda: tf.scalar(0.7).broadcast_to([31, 29]).mul(3).sum(),
    "longer than is put off": lambda: functools.reduce(lambda t, i: t.mul(0.9).add(i), range(40), A),
    "rows are broadcast": lambda: A.add(B).mul(B.slice([0, 0], [1, 29])).tanh(),
    "something else between": lambda: A.add(B).transpose().mul(2).reshape([29 * 31]),
    "gathered": lambda: tf.gather_nd(A.add(B), tf.tensor([[1, 2], [3, 4]], dtype="int32")),
    "a copy": lambda: A.add(B).clone().mul(2),
    "sum": lambda: A.mul(B).sum(),
    "mean, axes kept": lambda: A.mul(B).tanh().mean(None, True),
    "sum of an axis": lambda: A.mul(B).sum(0),
    "no elements": lambda: A.mul(B).reshape([-1, 1]).add(tf.zeros([1, 0])),
    "gradient": lambda: tf.grad(lambda x: x.mul(B).add(A).tanh().mean())(A),
    "second gradient": lambda: tf.grad(lambda x: tf.grad(lambda z: z.mul(B).tanh().sum())(x).square().sum())(A),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "LARGE_ELEMENTS", 500)
    monkeypatch.setattr(lazy, "_BLOCK_ELEMENTS", 64)
    monkeypatch.setattr(lazy, "_SHARD_ELEMENTS", 200)
    expected = CHAINS[name]().numpy()
    monkeypatch.setattr(cpu, "LARGE_ELEMENTS", 500)
    np.testing.assert_array_equal(CHAINS[name]().numpy(), expected)


def test_nothing_runs_before_it_is_needed(small_blocks: None) -> None:
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


def test_only_what_somebody_refers_to_is_stored(small_blocks: None) -> None:
    held = A.mul(B)
    last = held.add(1).tanh()
    between = last.payload.inputs[0]
    last.data_sync()
    assert not pending(held)
    assert between.value is not None  # the test refers to it
    mean = A.mul(B).tanh().mean()
    assert not pending(mean)


def test_few_arrays_are_kept_for_what_is_put_off(small_blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long sum of arrays without other references: they are freed while it is computed."""
    monkeypatch.setattr(machine.share, "shards", 1)  # workers may be late in letting go of arrays
    alive: list[weakref.ref[Any]] = []
    payload = A.numpy()  # A itself is on the GPU where there is one
    for i in range(30):
        values = np.full((31, 29), i, np.float32)
        alive.append(weakref.ref(values))
        payload = lazy.defer(np.add, [payload, values], (31, 29), "f4")
        del values
        assert sum(ref() is not None for ref in alive) <= 6
    np.testing.assert_allclose(lazy.forced(payload), A.numpy() + 435, rtol=ACCUMULATED)


def test_a_sum_stores_its_terms_when_they_are_needed_again(small_blocks: None) -> None:
    terms = A.mul(B)
    total = terms.sum()
    assert pending(terms)
    centred = terms.sub(total)
    assert not pending(terms)
    np.testing.assert_array_equal(centred.numpy(), A.numpy() * B.numpy() - total.numpy())


def test_observers_see_kernels_that_run(small_blocks: None) -> None:
    info = tf.time(lambda: A.mul(B).tanh())
    assert info.kernel_ms > 0
    with observing(lambda run: None):
        assert not pending(A.mul(B))


def test_kernels_that_give_little_take_what_was_put_off(small_blocks: None) -> None:
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


def test_variables_and_plans_take_what_was_put_off(small_blocks: None) -> None:
    v = tf.variable(A.mul(B))
    v.assign(v.add(1))
    np.testing.assert_array_equal(v.numpy(), A.numpy() * B.numpy() + 1)
    model = tf.sequential(layers=[tf.layers.dense(units=3, input_shape=[29])])
    found = [model.predict(A.add(B)).numpy() for _ in range(4)]
    np.testing.assert_array_equal(found[0], found[3])


def test_plans_run_large_kernels_in_blocks(small_blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    tanh = COMPUTE["Tanh"]

    def watched(x: Any) -> Any:
        sizes.append(x.size)
        return tanh(x)

    monkeypatch.setitem(COMPUTE, "Tanh", watched)
    result, recorder = recording_plan(A.tanh, registry.default(), [A], [])
    replay = recorder.compiled([result])
    assert replay is not None
    sizes.clear()
    replay.run(tf.Tensor, [B])
    assert max(sizes) == 64
    assert sum(sizes) == B.size


def test_what_interrupts_a_kernel_may_compute(
    signalled: Callable[[Callable[[], None]], Callable[[], None]], monkeypatch: pytest.MonkeyPatch, small_blocks: None
) -> None:
    found: list[float] = []
    late = tf.ones([800]).add(tf.range(0, 800))
    interrupt = signalled(lambda: found.append(float(tf.scalar(1).div(tf.scalar(0)).add(late.min()))))
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


def test_what_interrupts_a_kernel_may_make_plans(
    signalled: Callable[[Callable[[], None]], Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3])])
    gradient = tf.grad(lambda x: x.mul(x).sum())
    found: list[Any] = []

    def compute() -> None:
        found.extend((model.predict(tf.ones([2, 3])).array_sync(), gradient(tf.ones([2])).array_sync()) for _ in "123")

    interrupt = signalled(compute)
    sine = COMPUTE["Sin"]

    def interrupted(x: Any) -> Any:
        interrupt()
        return sine(x)

    monkeypatch.setitem(COMPUTE, "Sin", interrupted)
    assert tf.scalar(0).sin().array_sync() == 0
    assert found == [found[0]] * 3
    assert len(model.plans) == 1


def test_two_threads_may_need_the_same(small_blocks: None) -> None:
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
