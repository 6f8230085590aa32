"""Plans on the GPU: bit-identical to unplanned steps, with equal dispatches, and memory that is released."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gpu import computed
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.core.tensor import Tensor
from tfpy.engine.gl import value
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.replay import Executor
from tfpy.engine.plan import Replay
from tfpy.engine.recording import recording_plan

pytestmark = pytest.mark.gl

RNG = np.random.default_rng(5)
X = RNG.normal(size=(12, 6, 4)).astype(np.float32)
Y = np.eye(3, dtype=np.float32)[np.arange(12) % 3]


def dense() -> Any:
    return tf.sequential(
        layers=[
            tf.layers.flatten(input_shape=[6, 4]),
            tf.layers.dense(units=20, activation="relu", kernel_regularizer="l2"),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def recurrent() -> Any:
    return tf.sequential(
        layers=[
            tf.layers.lstm(units=5, input_shape=[6, 4], return_sequences=True),
            tf.layers.gru(units=4),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def with_dropout() -> Any:
    model = dense()
    model.add(tf.layers.dropout(rate=0.4))
    return model


MODELS: dict[str, Callable[[], Any]] = {"dense": dense, "recurrent": recurrent, "with_dropout": with_dropout}


def train_and_collect(make_model: Callable[[], Any], optimizer: str) -> list[np.ndarray]:
    """The metrics of each step and epoch, a prediction, and the final weights."""
    tf.set_seed(5)
    model = make_model()
    rng = np.random.default_rng(1)
    model.set_weights([tf.tensor(rng.normal(size=w.shape).astype(np.float32) * 0.3) for w in model.weights])
    model.compile(optimizer=optimizer, loss="categoricalCrossentropy", metrics=["accuracy"])
    found = [np.asarray(model.train_on_batch(tf.tensor(X + 0.1 * i), tf.tensor(Y))) for i in range(6)]
    history = model.fit(X, Y, epochs=2, batch_size=4, shuffle=False, verbose=0)
    found += [np.asarray(values) for values in history.history.values()]
    return [*found, model.predict(X).numpy(), *[w.numpy() for w in model.get_weights()]]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_replayed_steps_are_bit_identical(
    gpu: GlBackend, name: str, optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    replay = Replay.run
    monkeypatch.setattr(Replay, "run", lambda *given: ran.append(1) or replay(*given))
    planned = train_and_collect(MODELS[name], optimizer)
    assert len(ran) > 6
    monkeypatch.setattr(GlBackend, "compile", None)
    for a, b in zip(planned, train_and_collect(MODELS[name], optimizer), strict=True):
        np.testing.assert_array_equal(a, b)


def record(f: Callable[..., Any], *inputs: Any) -> tuple[Replay, Executor]:
    """The plan of a function, and its executor."""
    results, recorder = recording_plan(lambda: f(*inputs), tf.backend(), inputs, [])
    replay = recorder.compiled(results if isinstance(results, list) else [results])
    assert replay is not None
    executor: Any = replay._executor
    return replay, executor


def on_gpu(*shape: int) -> Tensor:
    return tf.tensor(RNG.normal(size=shape).astype(np.float32))


def test_replay_dispatches_like_the_recording(device: Device) -> None:
    w = on_gpu(4, 4)
    replay, executor = record(lambda x, w: x.mat_mul(w).relu().softmax().sum(), on_gpu(3, 4), w)
    counts = []
    for _ in range(4):
        x = on_gpu(3, 4)
        before = device.counts.dispatches
        (found,), _ = replay.run(Tensor, [x, w])
        counts.append(device.counts.dispatches - before)
        expected = x.mat_mul(w).relu().softmax().sum()
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert len(set(counts[1:])) == 1
    assert counts[1] <= counts[0]
    assert len(executor.recordings) == 1


def test_results_of_earlier_runs_do_not_change(gpu: GlBackend) -> None:
    replay, executor = record(lambda x: [x.mul(2), x.exp(), x], on_gpu(5))
    inputs = [computed(on_gpu(5).add(i)) for i in range(5)]
    found = [replay.run(Tensor, [x])[0] for x in inputs]
    assert len(executor.recordings) == 1
    for x, (twice, exp, same) in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(twice.numpy(), x.numpy() * 2)
        np.testing.assert_array_equal(exp.numpy(), x.exp().numpy())
        np.testing.assert_array_equal(same.numpy(), x.numpy())


def test_result_that_occurs_twice(gpu: GlBackend) -> None:
    h = x = tf.input(shape=[8])
    for seed in range(1, 9):
        h = tf.layers.dense(units=128, kernel_initializer=tf.initializers.he_normal(seed=seed)).apply(h)
    y, z = (tf.layers.dense(units=16).apply(h) for _ in range(2))
    model = tf.model(inputs=x, outputs=[y, z, y, tf.layers.dropout(rate=0.5).apply(y)])
    found = [model.predict(tf.fill([1, 8], k)) for k in range(1, 6)]
    for first, _, *others in found:
        for other in others:
            np.testing.assert_array_equal(other.numpy(), first.numpy())


def test_parameters_are_reset_after_other_dispatches(gpu: GlBackend) -> None:
    x = on_gpu(5)
    slopes = (0.1, 0.2, 0.1, 0.1)
    replay, executor = record(lambda x: [x.leaky_relu(slope) for slope in slopes], x)
    for other in (0.3, 0.3, 0.1, 0.2):
        found, _ = replay.run(Tensor, [x])
        assert computed(x.leaky_relu(other)).numpy().min() < 0
        for slope, y in zip(slopes, found, strict=True):
            np.testing.assert_array_equal(y.numpy(), x.leaky_relu(slope).numpy())
    assert executor.recordings


def test_same_tensor_for_two_inputs(gpu: GlBackend) -> None:
    x, y = on_gpu(5), on_gpu(5)
    replay, executor = record(lambda a, b: a.sub(b), x, y)
    for a, b in [(x, x), (x, y), (y, x), (y, y)]:
        (found,), _ = replay.run(Tensor, [a, b])
        np.testing.assert_array_equal(found.numpy(), a.numpy() - b.numpy())
    assert len(executor.recordings) == 2


def test_same_row_views_for_two_inputs(gpu: GlBackend) -> None:
    """As when the targets are the inputs, in an autoencoder, and then different ones."""
    data = on_gpu(8, 64)
    rows = [[computed(data.slice([i], [1])) for i in (1, 2)] for _ in range(2)]
    replay, _ = record(lambda a, b: a.sub(b), rows[0][0], rows[1][0])
    for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
        (found,), _ = replay.run(Tensor, [rows[0][i], rows[1][j]])
        np.testing.assert_array_equal(found.numpy()[0], data.numpy()[1 + i] - data.numpy()[1 + j])


@pytest.mark.parametrize("start", [1, 2, 4])  # rows of 128 bytes; buffers can be bound from every other one on
def test_rows_of_inputs(gpu: GlBackend, start: int) -> None:
    """As of GRU's bias; of inputs in buffers of their own, and of rows of others' buffers."""
    rows = on_gpu(32, 32)
    inputs = [on_gpu(8, 32), on_gpu(8, 32), *[computed(rows.slice([8 * i], [8])) for i in range(4)]]
    replay, executor = record(lambda a: a.slice([start], [3]).softmax(), on_gpu(8, 32))
    for a in inputs:
        (found,), _ = replay.run(Tensor, [a])
        expected = a.slice([start], [3]).softmax()
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert len(executor.recordings) == 1


def test_input_that_is_part_of_another(gpu: GlBackend) -> None:
    """A recording could not tell rows of the first from the second."""
    a = on_gpu(8, 64)
    replay, executor = record(
        lambda a, b: a.slice([2], [2]).softmax().mat_mul(b, False, True), on_gpu(8, 64), on_gpu(2, 64)
    )
    for b in (computed(a.slice([2], [2])), on_gpu(2, 64), computed(a.slice([1], [2]))):
        (found,), _ = replay.run(Tensor, [a, b])
        np.testing.assert_array_equal(found.numpy(), a.slice([2], [2]).softmax().mat_mul(b, False, True).numpy())
    assert len(executor.recordings) == 1


def test_constant_and_pending_inputs(gpu: GlBackend) -> None:
    replay, _ = record(lambda a, b: a.add(b), on_gpu(5), on_gpu(5))
    for a in (tf.zeros([5]), tf.ones([5]), on_gpu(5).exp(), tf.tensor([1.0, 2, 3, 4, 5])):
        b = on_gpu(5)
        (found,), _ = replay.run(Tensor, [a, b])
        np.testing.assert_array_equal(found.numpy(), a.numpy() + b.numpy())


def test_plan_with_host_kernels_is_not_recorded(gpu: GlBackend) -> None:
    replay, executor = record(lambda a: tf.linalg.qr(a)[1].abs(), on_gpu(3, 3))
    for _ in range(3):
        a = on_gpu(3, 3)
        (found,), _ = replay.run(Tensor, [a])
        np.testing.assert_allclose(found.numpy(), np.abs(np.linalg.qr(a.numpy())[1]), rtol=ACCUMULATED, atol=ROUNDING)
    assert not executor.recordings


def test_memory_is_released_with_the_plan(device: Device) -> None:
    used = device.pool.in_use()
    replay, executor = record(lambda x: x.mat_mul(x, False, True).relu().sum(), on_gpu(100, 100))
    replay.run(Tensor, [on_gpu(100, 100)])
    replay.run(Tensor, [on_gpu(100, 100)])
    assert tf.memory()["numBytesInPlans"] >= 40_000
    del replay, executor
    gc.collect()
    assert tf.memory()["numBytesInPlans"] == 0
    assert device.pool.in_use() == used
    assert device.pool.idle >= 40_000


def test_evicted_constants_are_kept_by_the_recording(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def resized(x: tf.Tensor) -> tf.Tensor:
        return tf.image.resize_bilinear(x, [7, 5], True)

    resized(on_gpu(1, 3, 3, 2)).data_sync()
    replay, executor = record(resized, on_gpu(1, 3, 3, 2))
    x = on_gpu(1, 3, 3, 2)
    replay.run(Tensor, [x])
    assert executor.recordings
    monkeypatch.setattr(value, "_MAX_CONSTANTS", 4)
    held = [computed(on_gpu(8).add(resized(on_gpu(1, size, 4, 1)).sum())) for size in range(4, 12)]
    assert len(device.constants) <= 4
    (found,), _ = replay.run(Tensor, [x])
    np.testing.assert_array_equal(found.numpy(), resized(x).numpy())
    assert len(held) == 8


def test_recordings_are_dropped_if_memory_is_short(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    w = on_gpu(64, 64)
    replay, executor = record(lambda x, w: x.mat_mul(w).relu().mat_mul(w).sum(), on_gpu(64, 64), w)
    x = on_gpu(64, 64)
    (before,), _ = replay.run(Tensor, [x, w])
    assert executor.recordings
    failures = [None]
    attempt = type(device.pool)._attempt
    monkeypatch.setattr(type(device.pool), "_attempt", lambda *given: failures.pop() if failures else attempt(*given))
    large = tf.tensor(np.ones(3_000_017, np.float32)).add(1)
    assert float(large.max()) == 2
    assert not failures
    assert not executor.recordings
    assert tf.memory()["numBytesInPlans"] == 0
    (after,), _ = replay.run(Tensor, [x, w])
    np.testing.assert_array_equal(before.numpy(), after.numpy())


def test_plan_deleted_while_another_is_recorded(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is returned to the device, and is not part of the new recording."""
    x = on_gpu(64, 64)
    dropped = [record(lambda x: x.mat_mul(x).relu().mat_mul(x).sum(), x)]
    dropped[0][0].run(Tensor, [x])
    replay, executor = record(lambda x: x.mat_mul(x).sum(), x)
    results = Executor._results

    def recording(self: Executor, payloads: Any) -> Any:
        dropped.clear()
        gc.collect()
        return results(self, payloads)

    monkeypatch.setattr(Executor, "_results", recording)
    replay.run(Tensor, [x])
    while_recorded = tf.memory()["numBytesInPlans"]
    executor.clear()
    monkeypatch.undo()
    replay.run(Tensor, [x])
    assert executor.recordings
    assert tf.memory()["numBytesInPlans"] == while_recorded


def test_recording_keeps_its_idle_memory_beyond_the_pool_cap(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers that become idle during a replay are not freed, since the next replay needs them."""
    monkeypatch.setattr(device.pool, "_cap", 1024)
    x = on_gpu(40, 40)

    def f(x: Any) -> Any:
        y = x
        for columns in (200, 90, 40, 10):
            y = y.mat_mul(tf.ones([y.shape[1], columns])).sin()
        return y.sum()

    replay, executor = record(f, x)
    found = [float(replay.run(Tensor, [x])[0][0]) for _ in range(3)]
    assert executor.recordings
    assert found == [float(f(x))] * 3


class InterruptedCalls(list[Any]):
    """A list of calls whose iteration is interrupted after a number of them."""

    def __init__(self, calls: list[Any], most: int) -> None:
        super().__init__(calls)
        self.most = most

    def __iter__(self) -> Iterator[Any]:
        yield from itertools.islice(super().__iter__(), self.most)
        raise KeyboardInterrupt


@pytest.mark.parametrize("calls", range(6))
def test_interrupted_replay(device: Device, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """As by Ctrl-C in a notebook: later results must not rely on calls that were not made."""
    x, y = computed(on_gpu(5)), computed(on_gpu(5))
    slopes = 0.1, 0.2
    replay, executor = record(lambda x: [x.leaky_relu(slope) for slope in slopes], x)
    replay.run(Tensor, [x])
    replay.run(Tensor, [x])
    computed(y.leaky_relu(0.3))
    (recording,) = executor.recordings.values()
    commands = recording.commands
    monkeypatch.setattr(commands, "_calls", InterruptedCalls(commands._calls, calls))
    with pytest.raises(KeyboardInterrupt):
        replay.run(Tensor, [x])
    monkeypatch.undo()
    for slope in (*slopes[::-1], 0.3):
        values = y.numpy()
        expected = np.where(values < 0, values * np.float32(slope), values)
        np.testing.assert_array_equal(y.leaky_relu(slope).numpy(), expected)
    found, _ = replay.run(Tensor, [y])
    for slope, t in zip(slopes, found, strict=True):
        np.testing.assert_array_equal(t.numpy(), y.leaky_relu(slope).numpy())


@pytest.mark.parametrize("name", ["bind", "write"])
def test_interrupted_dispatch(device: Device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    x, y = computed(on_gpu(5)), computed(on_gpu(5))
    computed(x.leaky_relu(0.1))
    buffer = y.payload.lease.buffer
    program = next(p for p in device.programs._programs.values() if p.words == (5, *x.leaky_relu(0.1).payload.words))
    target: Any = buffer if name == "bind" else program
    monkeypatch.setattr(target, name, interrupt_after(getattr(target, name)))
    with pytest.raises(KeyboardInterrupt):
        computed(y.leaky_relu(0.2))
    monkeypatch.undo()
    for t in (x, y):
        values = t.numpy()
        np.testing.assert_array_equal(
            t.leaky_relu(0.1).numpy(), np.where(values < 0, values * np.float32(0.1), values), str(t is x)
        )


def interrupt_after(f: Callable[..., object]) -> Callable[..., object]:
    def call(*given: Any) -> None:
        f(*given)
        raise KeyboardInterrupt

    return call


def test_results_larger_than_one_buffer(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "block_size", 1 << 14)
    x = on_gpu(50, 50)
    replay, _ = record(lambda x: [x.mul(2), x.exp()], x)
    for t in (x, on_gpu(50, 50)):
        (twice, exp), _ = replay.run(Tensor, [t])
        np.testing.assert_array_equal(twice.numpy(), t.numpy() * 2)
        np.testing.assert_array_equal(exp.numpy(), t.exp().numpy())


def test_successive_plans_reuse_buffers(device: Device) -> None:
    x = computed(on_gpu(64, 64))
    counts = []
    for _ in range(6):
        replay, _executor = record(lambda x: x.mat_mul(x).relu().mat_mul(x).sum(), x)
        for _ in range(2):
            replay.run(Tensor, [x])
        del replay, _executor
        gc.collect()
        device.pool.collect()
        counts.append(device.pool.count)
    assert len(set(counts[2:])) == 1, counts
